"""A report as GitHub Markdown, for a comment or a job summary: short first, the rest behind a fold."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from spexsearch.govern.report import ACKNOWLEDGEABLE, Finding, Report
from spexsearch.render import folds
from spexsearch.render.markup import cell, code, link, path_in_address, prose
from spexsearch.render.text import counted

LIMIT = 60_000
"""Bytes of UTF-8, and so characters at most: GitHub takes 65,536 characters of a comment."""
QUOTES = 3
NARROW = 36
"""Characters of a name in the table: what a phone shows in one line, and code is not broken."""
SIGNS = {"error": "❌", "warning": "⚠️", "note": "ℹ️"}
_LONGEST_ADDRESS = 1500
_RENDERED = (".md", ".markdown", ".mdx", ".rst", ".adoc", ".ipynb")
_TABLE_SHARE = 0.7
HOW = (
    "A spec is settled by an edit that says something, or, where it still holds as written, by a line `Spec-OK: <id>`"
    " in a commit message or in the description of the pull request."
)


class Site(NamedTuple):
    """Where links lead: the address of the repository's page, the commit whose files are linked, the run's own page."""

    repository: str = ""
    head: str = ""
    run: str = ""
    gone: frozenset[str] = frozenset()

    def of(self, path: str, line: int) -> str | None:
        """The address of a line; None where there is no page of it, as for a deleted file."""
        if not self.repository or not self.head or path in self.gone:
            return None
        # Git has no such path, but a report may come from a stranger, and a browser would walk up from there.
        if not {"", ".", ".."}.isdisjoint(path.split("/")):
            return None
        # A page that is rendered has no lines to jump to.
        plain = "?plain=1" if path.lower().endswith(_RENDERED) else ""
        address = f"{self.repository}/blob/{self.head}/{path_in_address(path)}{plain}#L{line}"
        return address if len(address) <= _LONGEST_ADDRESS else None


def render(
    report: Report, site: Site | None = None, *, limit: int = LIMIT, remarks: Sequence[str] = (), whole: bool = False
) -> str:
    """The report within `limit` bytes, whatever is in it; what was cut is counted.

    With nothing to settle it is one line, unless the `whole` is asked for. `remarks` are Markdown of ours.
    """
    loud = [finding for finding in report.findings if finding.level != "note"]
    head = "\n".join(f"{line}\n" for line in (verdict(report), *remarks, *_unknown(report)))
    if not loud and not whole:
        return head
    site = _at(site or Site(), report)
    foot = _lines(_footer(report, site))
    room = limit - _size(head) - _size(foot) - 500
    table = _table(loud, site, int(room * _TABLE_SHARE))
    quotes = _quotes(loud, site, int(room * 0.15)) if loud else ""
    fold = folds.fold(report, site.of, room - _size(table) - _size(quotes))
    text = "\n".join(part for part in (head, table, quotes, fold, foot) if part)
    return text if _size(text) <= limit else short(report)


def short(report: Report) -> str:
    """The verdict alone, where no more can be said."""
    return f"{verdict(report)}\n"


def verdict(report: Report) -> str:
    """One line: how many findings, of what was looked at."""
    errors, warnings = report.count("error"), report.count("warning")
    looked = f"{counted(len(report.changes), 'change')} against {counted(report.specs, 'spec')}"
    if errors or warnings:
        parts = [counted(count, level) for level, count in (("error", errors), ("warning", warnings)) if count]
        return f"{SIGNS['error' if errors else 'warning']} **{' and '.join(parts)} to settle** · {looked}"
    if not report.specs:
        return "✅ **Nothing to settle**: there are no specs here, so nothing governs this change"
    done = sum(entry.settled for entry in folds.governing(report))
    settled = f", {counted(done, 'spec')} settled" if done else ""
    return f"✅ **All settled** · {looked}{settled}"


def _at(site: Site, report: Report) -> Site:
    gone = frozenset(change.path for change in report.changes if change.status == "D")
    return Site(site.repository, site.head, site.run, gone)


def _unknown(report: Report) -> Iterator[str]:
    """An acknowledgement that reaches no spec has not done what its author thinks."""
    problems = [problem for problem in report.problems if not problem.path]
    yield from (f"⚠️ {prose(problem.message)}" for problem in problems[: folds.MOST])
    if len(problems) > folds.MOST:
        yield f"⚠️ … and {len(problems) - folds.MOST} more of that kind"


def _table(loud: Sequence[Finding], site: Site, room: int) -> str:
    if not loud:
        return ""
    rows = (_row(finding, site) for finding in loud)
    kept = folds.fitted(rows, room)
    lines = ["| | To settle |", "|:-:|:--|", *kept]
    if len(kept) < len(loud):
        cut = Counter(finding.level for finding in loud[len(kept) :])
        told = " and ".join(counted(cut[level], level) for level in ("error", "warning") if cut[level])
        lines += ["", f"… and {told} more that this page has no room for"]
    if any(finding.rule in ACKNOWLEDGEABLE for finding in loud):
        lines += ["", HOW]
    return _lines(lines)


def _row(finding: Finding, site: Site) -> str:
    lines = [_where(finding, site), *_why(finding)]
    return f"| {SIGNS[finding.level]} | {cell('<br>'.join(lines))} |"


def _where(finding: Finding, site: Site) -> str:
    """The place, and the spec, linked at the section that speaks of the change."""
    label = code(f"{finding.path}:{finding.line}", NARROW)
    where = link(label, site.of(finding.path, finding.line))
    if finding.spec_path is None:
        return where
    name, section = code(finding.spec or finding.spec_path, NARROW), finding.section
    if section is None:
        return f"{where} · spec {link(name, site.of(finding.spec_path, 1))}"
    told = name if section.heading == finding.spec else f"{name} › {code(section.heading, 60)}"
    return f"{where} · spec {link(told, site.of(finding.spec_path, section.line))}"


def _why(finding: Finding) -> Iterator[str]:
    names = [name for name in (finding.path, finding.spec_path, finding.spec, finding.unit) if name]
    yield prose(finding.message, names, 400, NARROW)
    for label, text in finding.details:
        if label == "do":
            run = "run `spex-govern --fix`, or " if finding.fix else ""
            told = f"{run}edit the spec or, if it still holds, write {code(f'Spec-OK: {finding.spec}')}"
            yield f"→ {told if finding.rule in ACKNOWLEDGEABLE else prose(text, names, 400, NARROW)}"


def _quotes(loud: Sequence[Finding], site: Site, room: int) -> str:
    """The words of the specs that are most likely stale, worst finding first, each spec once."""
    first: dict[str, Finding] = {}
    for finding in loud:
        if finding.quote is not None and finding.spec_path is not None:
            first.setdefault(finding.spec_path, finding)
    quotes = [_quote(finding, site) for finding in list(first.values())[:QUOTES]]
    kept = folds.fitted(quotes, room)
    return _lines(["**Most likely stale**", "", *kept]) if kept else ""


def _quote(finding: Finding, site: Site) -> str:
    assert finding.quote is not None
    assert finding.spec_path is not None
    line = finding.quote.line
    where = link(code(f"{finding.spec_path}:{line}", 80), site.of(finding.spec_path, line))
    return f"{where}\n\n> {code(finding.quote.text, 400)}\n"


def _footer(report: Report, site: Site) -> Iterator[str]:
    rules = sorted({finding.rule for finding in report.findings if finding.level != "note"})
    parts = [f"`spex-govern --explain {rule}`" for rule in rules]
    told = f"What a rule means: {', '.join(parts)}" if parts else ""
    run = f"[this run]({site.run})" if site.run else ""
    line = " · ".join(part for part in (told, run) if part)
    if line:
        yield f"<sub>{line}</sub>"


def _lines(lines: Iterable[str]) -> str:
    return "".join(f"{line}\n" for line in lines)


def _size(text: str) -> int:
    return len(text.encode())
