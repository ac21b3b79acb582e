"""`spex-action`: the GitHub Action's side, started as an installed script from outside the checkout."""

from __future__ import annotations

import os
from collections.abc import Sequence

from spexsearch import __version__
from spexsearch.cli.common import ArgumentParser, guarded

PROG = "spex-action"


def main(argv: Sequence[str] | None = None) -> int:
    """Run what `action.yml` starts; the exit status. Inputs come in the environment."""
    return guarded(_run, argv, prog=PROG)


def _run(argv: list[str]) -> int:
    parser = ArgumentParser(
        PROG, description="Hold what a GitHub event brings against the specs. Started by action.yml."
    )
    parser.add_argument("--version", action="version", version=f"{PROG} {__version__}")
    parser.parse_args(argv)
    from spexsearch.actions import job

    return job.run(os.environ)
