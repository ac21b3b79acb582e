"""Joins the stores of learnings to a report: for a person at a commit, and for whoever else shows a report."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from spexsearch.cli.stores import find_stores
from spexsearch.errors import SpexError
from spexsearch.govern.report import Report


def with_learnings(report: Report, root: Path | None, most: int, environ: Mapping[str, str]) -> tuple[Report, str]:
    """The report with at most so many learnings that its changes call up; and why not, where a store cannot be read.

    `root`: the top of the working tree, None where there is none. Whatever is wrong with a store, all else in the
    report stays what it is.
    """
    if root is None or not most or not report.changes:
        return report, ""
    try:
        stores = [path for path in find_stores(root, environ).own if path.exists()]
        if not stores:
            return report, ""
        from spexsearch.govern.recalled import recalled

        return report._replace(learnings=recalled(report.changes, stores, most)), ""
    except (SpexError, OSError) as error:
        return report, f"no learnings are recalled: {error.strerror if isinstance(error, OSError) else error}"
