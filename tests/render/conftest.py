"""A finding and a report to be shown."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from spexsearch.govern.report import Finding, Report


@pytest.fixture(scope="session")
def finding() -> Callable[..., Finding]:
    """Makes a finding; what is given takes the place of what is plain."""

    def make(**given: Any) -> Finding:
        plain: dict[str, Any] = {
            "rule": "untouched-spec",
            "level": "error",
            "message": "why",
            "path": "m.py",
            "line": 2,
            "end_line": 3,
        }
        return Finding(**(plain | given))

    return make


@pytest.fixture(scope="session")
def report() -> Callable[..., Report]:
    """Makes a report; what is given takes the place of nothing."""

    def make(**given: Any) -> Report:
        nothing: dict[str, Any] = {"origin": "staged", "base": None, "head": None, "specs": 1}
        nothing |= dict.fromkeys(("changes", "governing", "findings", "problems", "not_judged"), ())
        return Report(**(nothing | given))

    return make
