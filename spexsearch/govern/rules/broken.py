"""`broken-spec`: what is wrong with the spec files themselves."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from spexsearch.govern.report import Finding
from spexsearch.govern.rules.judgement import Judgement
from spexsearch.specs.model import Problem


def broken_spec(judgement: Judgement) -> Iterator[Finding]:
    """The problems of the spec files at the head: errors where the change made them, or a file gives no spec at all."""
    old = Counter((judgement.moved.get(p.path, p.path), p.message) for p in judgement.before.tree.problems)
    for problem in judgement.after.tree.problems:
        known = old[problem.path, problem.message] > 0
        old[problem.path, problem.message] -= known
        yield problem_finding(problem, caused=not known)


def problem_finding(problem: Problem, *, caused: bool) -> Finding:
    """One problem of a spec file as a finding."""
    return Finding(
        rule="broken-spec",
        level="error" if caused or problem.unreadable else "note",
        message=problem.message,
        path=problem.path,
        line=problem.line,
        end_line=problem.line,
        spec_path=problem.path,
    )
