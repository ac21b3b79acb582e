"""Where a job reads its results: the log with its annotations, the summary, the outputs."""

from __future__ import annotations

import secrets
import sys
from collections.abc import Mapping
from pathlib import Path

from spexsearch.errors import UsageError

LARGEST_SUMMARY = 1_000_000
"""Bytes of a step's summary; GitHub refuses all of it from 1,048,576 on."""


def say(text: str) -> None:
    """Print text behind `stop-commands`: whatever is in it, the runner obeys none of it."""
    if text:
        token = secrets.token_hex(16)
        sys.stdout.write(f"::stop-commands::{token}\n{text.rstrip(chr(10))}\n::{token}::\n")
        sys.stdout.flush()


def obeyed(commands: str) -> None:
    """Print workflow commands for the runner to obey."""
    sys.stdout.write(commands)
    sys.stdout.flush()


def room_in(summary: Path | None) -> int:
    """How many bytes this step's summary still takes."""
    try:
        return LARGEST_SUMMARY - (summary.stat().st_size if summary else 0)
    except OSError:
        return LARGEST_SUMMARY


def add_to_summary(summary: Path | None, markdown: str) -> None:
    """Add Markdown to the job's summary, where the runner keeps one."""
    if summary is not None:
        _append(summary, f"{markdown}\n")


def set_outputs(output: Path | None, values: Mapping[str, str]) -> None:
    """Set the step's outputs. No value can end its own block and begin another: what ends it is drawn by lot."""
    lines = []
    for name, value in values.items():
        mark = f"end-{secrets.token_hex(16)}"
        lines.append(f"{name}<<{mark}\n{value}\n{mark}\n")
    if output is not None:
        _append(output, "".join(lines))


def _append(file: Path, text: str) -> None:
    try:
        with file.open("a", encoding="utf-8", errors="backslashreplace", newline="\n") as stream:
            stream.write(text)
    except OSError as error:
        raise UsageError(f"{file} cannot be written ({error.strerror}); the runner names it, see there") from None
