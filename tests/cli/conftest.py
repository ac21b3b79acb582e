"""`spex-govern` as a person types it, in a repository that has specs."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from spexsearch.cli.govern import main


@pytest.fixture
def run(
    governed: Any, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> Callable[..., tuple[int, str, str]]:
    """Run the command in the governed repository: (exit status, standard output, standard error)."""
    monkeypatch.chdir(governed.path)

    def go(*arguments: str) -> tuple[int, str, str]:
        status = main(list(arguments))
        out, err = capfd.readouterr()
        return status, out, err

    return go
