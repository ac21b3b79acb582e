"""What a check says: findings, what governs the change and why, and the JSON schema `spex-govern/1`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, NamedTuple

from spexsearch.govern.model import NotJudged, Origin
from spexsearch.specs.model import Problem

Level = Literal["error", "warning", "note"]
LEVELS: tuple[Level, ...] = ("error", "warning", "note")

ACKNOWLEDGEABLE = ("untouched-spec", "hollow-touch", "stale-words")
"""The rules that a `Spec-OK` line settles."""

RULES: dict[str, str] = {
    "untouched-spec": """\
A spec governs code that this change alters, and neither the change nor its commits touch or
acknowledge it. Its score (0 to 1, -v shows what it is made of) says how likely such a change asks for an
edit of such a spec.

error    the score is at least 0.88, or what `thresholds` says, and a claim of the spec carries it: on one unit
         (`path#symbol`) that behaves differently now, or on a file or folder of whose change the spec speaks,
         or on any if a document in the spec's own folder changed too
warning  the score is at least 0.22, or what `thresholds` says; a mention (`related:`) is enough
silent   all else; and always where only comments, white space, imports, types or versions changed, or the
         file is a test, a stylesheet, a document or generated

To settle it, edit the spec in the same change. If it still holds as written, say so in the commit
message, on a line of its own that begins in the first column:

    Spec-OK: <id>[, <id>…]""",
    "stale-words": """\
The change takes a name from the code, and a spec's body still says it.

error    an identifier in camelCase or snake_case that is nowhere in the source any more, except in documents
warning  the path of a file that is gone, or a literal (an option, a key, a file name) that the spec has in backticks
note     any other word of the code that the spec has in backticks
silent   for specs with `status: draft` or `status: pending`, and for settled ones

To settle it, say in the spec what is true now; where the new name can be seen, `spex-govern --fix` writes it.
If the sentence still holds, acknowledge it as for `untouched-spec`.""",
    "hollow-touch": """\
The only edit of a spec that governs the change is white space, markup, or frontmatter that says nothing.
Such an edit settles nothing.

error    the edit says nothing
note     the edit settles, but shares no word with the change it should answer

To settle it, say in the spec what is different now, or acknowledge it as for `untouched-spec`.""",
    "dangling-claim": """\
A claim (`code:` or `related:`) names a file, folder or symbol that is not there.

error    the change caused it: what it names was there before, or the claim is new
note     it was so before
silent   for specs with `status: draft` or `status: pending`, whose code may come later

To settle it, correct or remove the claim. Where a rename explains it, `spex-govern --fix` writes the new name.""",
    "dropped-claim": """\
The change takes a claim away, or deletes the spec that made it, while the code is still there and no other
spec claims it.

error    always

To settle it, keep the claim, or add it to the spec that governs the code now.""",
    "broken-spec": """\
A spec file says something that cannot be read as meant: a key twice, an id that another spec has or that
cannot be named, a link `[[id]]` to no spec, a claim that is refused, a symbol that is ambiguous, or a symbol in a
file whose units cannot be read.

error    the change made it so, or the file gives no spec at all
note     it was so before""",
    "ungoverned-code": """\
Source changed that no spec claims.

warning  a new file stands in a folder whose other files are claimed
note     otherwise (notes show with -v)

To settle it, add the line that the finding gives to the `code:` list of the spec that governs the file.
The specs it names are those whose words the change calls up: a guess, so read before you add.""",
}


class Fix(NamedTuple):
    """The bytes of one line that mend a finding: on `path:line`, `old` becomes `new`."""

    path: str
    line: int
    old: str
    new: str


class Place(NamedTuple):
    """A section that a finding points at."""

    heading: str
    line: int


class Quote(NamedTuple):
    """The words of a spec that speak most of a change, on one line, and the lines of the file that they stand on."""

    text: str
    line: int
    end_line: int


class Finding(NamedTuple):
    """One thing to settle. `details` are (label, text) pairs for people: the claim, what to read, what to do.

    `also` mends other lines in the way of `fix`. `quote` is what to read first in `section`, where there is one.
    """

    rule: str
    level: Level
    message: str
    path: str
    line: int
    end_line: int
    spec: str | None = None
    spec_path: str | None = None
    unit: str | None = None
    score: float | None = None
    section: Place | None = None
    fix: Fix | None = None
    also: tuple[Fix, ...] = ()
    details: tuple[tuple[str, str], ...] = ()
    quote: Quote | None = None


class Evidence(NamedTuple):
    """One reason, with its weight in the score, why a spec governs the change."""

    name: str
    weight: float
    detail: str


class ScoredSection(NamedTuple):
    """A section that speaks of the change."""

    heading: str
    line: int
    score: float


class Governing(NamedTuple):
    """One spec against the whole change set. `claim` is the strongest of its claims on any of `changes`."""

    spec: str
    path: str
    score: float
    claim: str
    touched: bool
    acknowledged: bool
    evidence: tuple[Evidence, ...]
    sections: tuple[ScoredSection, ...]
    changes: tuple[str, ...]

    @property
    def settled(self) -> bool:
        """Whether nothing more is asked of this spec."""
        return self.touched or self.acknowledged


class ReportedChange(NamedTuple):
    """One change as the report shows it. Lines are numbers on the new side (added) and the old side (removed)."""

    status: str
    path: str
    old_path: str | None
    binary: bool
    kind: str
    significance: str
    added_lines: tuple[int, ...]
    removed_lines: tuple[int, ...]
    units: tuple[str, ...]


class Recalled(NamedTuple):
    """A recorded learning that the change calls up; `confidence` is what is left of it, from 0 to 10."""

    key: str
    type: str
    insight: str
    confidence: float


class Report(NamedTuple):
    """Everything one check has to say, in total order."""

    origin: Origin
    base: str | None
    head: str | None
    changes: tuple[ReportedChange, ...]
    governing: tuple[Governing, ...]
    findings: tuple[Finding, ...]
    problems: tuple[Problem, ...]
    not_judged: tuple[NotJudged, ...]
    specs: int
    learnings: tuple[Recalled, ...] = ()

    def count(self, level: Level) -> int:
        """How many findings have that level."""
        return sum(finding.level == level for finding in self.findings)


def finding_order(finding: Finding) -> tuple[int, float, str, int, str, str]:
    """Worst level first, then score, path, line: total for any two findings of one check."""
    rank = LEVELS.index(finding.level)
    return rank, -(finding.score or 0.0), finding.path, finding.line, finding.rule, finding.spec_path or ""


def to_json(report: Report, version: str) -> dict[str, object]:
    """The report as the schema `spex-govern/1` lays it out, ready for a JSON encoder."""
    return {
        "schema": "spex-govern/1",
        "tool": {"name": "spexsearch", "version": version},
        "base": report.base,
        "head": report.head,
        "from": report.origin,
        "changes": _rows(report.changes),
        "governing": _rows(report.governing),
        "findings": [finding_row(finding) for finding in report.findings],
        "learnings": _rows(report.learnings),
        "problems": [{"path": p.path, "line": p.line, "message": p.message} for p in report.problems],
        "not_judged": _rows(report.not_judged),
        "summary": {
            "errors": report.count("error"),
            "warnings": report.count("warning"),
            "notes": report.count("note"),
            "changes": len(report.changes),
            "specs": report.specs,
            "settled": sum(governing.settled for governing in report.governing),
        },
    }


_FINDING_KEYS = (
    *("rule", "level", "message", "spec", "spec_path", "path", "line", "end_line"),
    *("unit", "score", "section", "fix"),
)


def finding_row(finding: Finding) -> dict[str, object]:
    """A finding as the schema lays it out."""
    return {key: plain(getattr(finding, key)) for key in _FINDING_KEYS}


def plain(value: object) -> object:
    """A record as a mapping from its fields' names, whatever is in it likewise."""
    if isinstance(value, tuple):
        names = getattr(value, "_fields", None)
        items = [plain(item) for item in value]
        return dict(zip(names, items, strict=True)) if names else items
    return value


def _rows(items: Sequence[ReportedChange | Governing | NotJudged | Recalled]) -> list[object]:
    return [plain(item) for item in items]
