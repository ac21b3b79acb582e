"""What a merge in progress changes on its own: what differs from each of its parents."""

from __future__ import annotations

from collections.abc import Sequence

from spexsearch.govern.model import Change, Hunk


def own_of_merge(changes: Sequence[Change], against: Sequence[Change]) -> tuple[Change, ...]:
    """Of the changes against the first parent, what also differs from another one, hunk by hunk.

    A file whose content equals one parent's was only taken over. A hunk is the merge's own where the other parent's
    diff has a hunk at the same place of the new side, as in git's dense combined diff. Conflicts (U) always stay.
    """
    others = {change.path: change for change in against}
    deleted = {change.old_path for change in against if change.old_path}
    own = []
    for change in changes:
        other = others.get(change.path)
        if change.status == "U" or (other is None and change.old_path in deleted):
            own.append(change)
        elif other is not None and change.hunks and other.hunks:
            hunks = _shared_hunks(change.hunks, other.hunks)
            own += [change._replace(hunks=hunks)] if hunks else []
        elif other is not None and (change.binary or other.binary or bool(change.hunks) == bool(other.hunks)):
            own.append(change)
    return tuple(own)


def _extent(hunk: Hunk) -> tuple[int, int]:
    """First and last changed place on the new side, lines at even numbers and the gaps before them at odd ones."""
    if not hunk.new_count:
        return 2 * hunk.new_start + 1, 2 * hunk.new_start + 1
    starts = ((hunk.removed, hunk.old_start), (hunk.added, hunk.new_start))
    first = hunk.new_start + min(lines[0].number - start for lines, start in starts if lines)
    last = hunk.added[-1].number if hunk.added else first - 1
    return 2 * first - 1, max(2 * first - 1, 2 * last)


def _shared_hunks(hunks: Sequence[Hunk], others: Sequence[Hunk]) -> tuple[Hunk, ...]:
    shared, at = [], 0
    for hunk in hunks:
        first, last = _extent(hunk)
        while at < len(others) and _extent(others[at])[1] < first:
            at += 1
        if at < len(others) and _extent(others[at])[0] <= last:
            shared.append(hunk)
    return tuple(shared)
