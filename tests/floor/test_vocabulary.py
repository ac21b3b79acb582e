from __future__ import annotations

from collections import Counter, defaultdict

from hypothesis import given
from hypothesis import strategies as st

from spexsearch.floor.tokens import root
from spexsearch.floor.vocabulary import Collector, Postings, Vocabulary

WORD = st.sampled_from(
    ["rename", "renaming", "renameSession", "rename-renamed", "session", "ses", "cry", "cries", "use", "user", "\u4f1a"]
)
PLACES = st.lists(st.lists(WORD, max_size=6), max_size=6)
ROOTS = st.lists(WORD.map(root), max_size=3, unique=True)


def by_root(places: list[list[str]], first: int = 0) -> tuple[dict[str, list[int]], dict[str, str]]:
    """Words of numbered places as an index takes them in, and the roots of their forms."""
    found: defaultdict[str, list[int]] = defaultdict(list)
    for place, written in enumerate(places, first):
        for word in written:
            found[word].append(place)
    collector = Collector()
    return collector.by_root(found), collector.roots


@given(PLACES, PLACES, ROOTS, st.sets(st.integers(0, 6)))
def test_places_and_counts_are_those_of_a_scan(
    old: list[list[str]], new: list[list[str]], roots: list[str], wanted: set[int]
) -> None:
    owners = [place // 2 for place in range(len(old) + len(new))]
    (before, _), (after, _) = by_root(old), by_root(new, len(old))
    postings = Postings.build(before, owners).with_added(after, owners)
    scanned = [
        place
        for place, written in enumerate([*old, *new])
        for word in written
        for each in roots
        if each in by_root([[word]])[0]
    ]
    assert postings.counts(roots) == Counter(owners[place] for place in scanned)
    assert postings.within(roots, frozenset(wanted)) == {place for place in scanned if owners[place] in wanted}


@given(PLACES, PLACES, st.sampled_from(["r", "ren", "renami", "renamin", "s", "se", "user", "cri", "\u4f1a", "x"]))
def test_beginnings_are_those_of_a_scan(old: list[list[str]], new: list[list[str]], beginning: str) -> None:
    roots, more = by_root(old)[1], by_root(new)[1]
    vocabulary = Vocabulary.build(roots).with_added(more)
    begun = {root(form) for form in (roots | more) if form.startswith(beginning)}
    assert vocabulary.roots_of(beginning) == begun
    assert vocabulary.completions(beginning) == begun | ({"renam"} if beginning in ("renami", "renamin") else set())
