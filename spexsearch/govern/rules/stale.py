"""`stale-words`: the change takes a name from the code, and a spec still says it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from spexsearch.govern.report import Finding, Fix, Level, Place
from spexsearch.govern.rules.judgement import Judgement
from spexsearch.govern.vanished import Form, Vanished
from spexsearch.specs.markdown import sections
from spexsearch.specs.model import Section, Spec

LEVELS: dict[Form, Level] = {"identifier": "error", "path": "warning", "literal": "warning", "word": "note"}
"""By how often the specs were edited that said such a name: 88, 100, 77 and 53 of 100 on the older halves of two
histories (paths: too few to tell more)."""

SHOWN = 5


def stale_words(judgement: Judgement) -> Iterator[Finding]:
    """Every spec that still says a name, once a name, at its first line; not those whose code may come later."""
    settled = {governing.path for governing in judgement.governing if governing.settled}
    for spec in judgement.after.tree.specs:
        # What the change itself says of the spec's status excuses nothing.
        before = judgement.specs_before.get(spec.path)
        if spec.path in settled or before is None or before.code_may_come_later:
            continue
        said = [(gone, lines) for gone in judgement.vanished if (lines := gone.lines_in(spec))]
        if said:
            body, places = spec.body.split("\n"), sections(spec)
            yield from (_stale(gone, spec, lines, body, places) for gone, lines in said)


def _stale(gone: Vanished, spec: Spec, lines: list[int], body: list[str], places: Sequence[Section]) -> Finding:
    fixes = [_fix(gone, spec, line, body[line - spec.body_line]) for line in lines] if gone.now else []
    what = f"is `{gone.now}` now" if gone.now else "is gone from the code"
    return Finding(
        rule="stale-words",
        level=LEVELS[gone.form],
        message=f"`{gone.name}` {what} (was {gone.place}), but spec {spec.id} still says it",
        path=spec.path,
        line=lines[0],
        end_line=lines[0],
        spec=spec.id,
        spec_path=spec.path,
        section=_section(places, lines[0]),
        fix=fixes[0] if fixes else None,
        also=tuple(fixes[1:]),
        details=tuple(_details(gone, spec, lines, body)),
    )


def _fix(gone: Vanished, spec: Spec, line: int, text: str) -> Fix:
    return Fix(spec.path, line, text, gone.brought_up_to_date(text))


def _section(places: Sequence[Section], line: int) -> Place | None:
    return next((Place(s.heading, s.line) for s in places if s.line <= line <= s.end_line), None)


def _details(gone: Vanished, spec: Spec, lines: list[int], body: list[str]) -> Iterator[tuple[str, str]]:
    said = body[lines[0] - spec.body_line].strip()
    yield "says", said if len(said) <= 160 else f"{said[:159]}…"
    if len(lines) > 1:
        more = f" and {len(lines) - 1 - SHOWN} more" if len(lines) - 1 > SHOWN else ""
        yield "also", f"line{'s' if len(lines) > 2 else ''} {', '.join(map(str, lines[1 : SHOWN + 1]))}{more}"
    do = "say what is true now" + (", or let `spex-govern --fix` write the new name" if gone.now else "")
    yield "do", f"{do}; if the sentence still holds, write in the commit message: Spec-OK: {spec.id}"
