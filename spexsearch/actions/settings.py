"""What the workflow asks for, and what the runner says of itself: the environment, read once and checked."""

from __future__ import annotations

import re
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple, cast

from spexsearch.errors import UsageError
from spexsearch.govern.config import FAIL_ON, MODES, FailOn, Mode

COMMENTS = ("auto", "always", "never")
BOTS = "*[bot]"
"""Stands for every bot in `advisory-authors`; no person's name has a bracket."""
_REPOSITORY = re.compile(r"[\w.-]+/[\w.-]+")
_ADDRESS = re.compile(r"https?://[\w.:/-]+")


class Settings(NamedTuple):
    """The inputs of the Action. What is not given is empty or None."""

    base: str = ""
    head: str = ""
    fail_on: FailOn | None = None
    mode: Mode | None = None
    comment: str = "auto"
    sarif: str = ""
    directory: str = ""
    config: str = ""
    token: str = ""
    advisory: tuple[str, ...] = ()
    report: str = ""

    def is_advisory(self, author: str, *, bot: bool) -> bool:
        """Whether findings are advice for this author."""
        return any(name == author or (name == BOTS and bot) for name in self.advisory)


class Runner(NamedTuple):
    """The job that this runs in. Files and addresses are None or empty where the runner names none."""

    workspace: Path
    temp: Path
    event: str
    event_file: Path | None
    output: Path | None
    summary: Path | None
    repository: str
    server: str
    api: str
    run: int
    sha: str = ""

    @property
    def page(self) -> str:
        """The address of the repository's page."""
        return f"{self.server}/{self.repository}" if self.server and self.repository else ""

    def page_of(self, run: int) -> str:
        """The address of a run's page."""
        return f"{self.page}/actions/runs/{run}" if self.page else ""

    def inside(self, path: str, what: str) -> Path:
        """A path of the workspace, links followed. UsageError where it leads outside: a change can bring links."""
        top = self.workspace.resolve()
        place = (top / path).resolve()
        if not place.is_relative_to(top):
            raise UsageError(f"{what} {path!r} leads out of the workspace; name a place in it")
        return place

    def file(self, path: str, what: str) -> Path:
        """A file that the workflow names: in the workspace as `inside`, or anywhere else by its whole path."""
        place = Path(path)
        return place if place.is_absolute() and not place.is_relative_to(self.workspace) else self.inside(path, what)


def settings(environ: Mapping[str, str]) -> Settings:
    """The inputs, from variables named `INPUT_` and the input's name in capitals, `_` for `-`."""

    def given(name: str) -> str:
        return environ.get(f"INPUT_{name.upper().replace('-', '_')}", "").strip()

    def choice(name: str, allowed: tuple[str, ...]) -> str | None:
        value = given(name)
        if value and value not in allowed:
            raise UsageError(f"the input {name} must be one of {', '.join(allowed)}, not {value!r}")
        return value or None

    return Settings(
        base=given("base"),
        head=given("head"),
        fail_on=cast("FailOn | None", choice("fail-on", FAIL_ON)),
        mode=cast("Mode | None", choice("mode", MODES)),
        comment=choice("comment", COMMENTS) or "auto",
        sarif=given("sarif"),
        directory=given("working-directory"),
        config=given("config"),
        token=given("token"),
        advisory=tuple(name for name in re.split(r"[\s,]+", given("advisory-authors")) if name),
        report=given("report"),
    )


def runner(environ: Mapping[str, str]) -> Runner:
    """What the runner says. UsageError outside of GitHub Actions."""
    workspace = environ.get("GITHUB_WORKSPACE", "")
    if not workspace:
        raise UsageError("GITHUB_WORKSPACE is not set: this is for GitHub Actions; elsewhere run spex-govern")
    number = environ.get("GITHUB_RUN_ID", "")
    return Runner(
        workspace=Path(workspace),
        temp=Path(environ.get("RUNNER_TEMP") or tempfile.gettempdir()),
        event=environ.get("GITHUB_EVENT_NAME", ""),
        event_file=_path(environ, "GITHUB_EVENT_PATH"),
        output=_path(environ, "GITHUB_OUTPUT"),
        summary=_path(environ, "GITHUB_STEP_SUMMARY"),
        repository=_matching(_REPOSITORY, environ, "GITHUB_REPOSITORY"),
        server=_matching(_ADDRESS, environ, "GITHUB_SERVER_URL"),
        api=_matching(_ADDRESS, environ, "GITHUB_API_URL"),
        run=int(number) if number.isdecimal() and len(number) < 19 else 0,
        sha=environ.get("GITHUB_SHA", ""),
    )


def _path(environ: Mapping[str, str], name: str) -> Path | None:
    value = environ.get(name, "")
    return Path(value) if value else None


def _matching(pattern: re.Pattern[str], environ: Mapping[str, str], name: str) -> str:
    value = environ.get(name, "")
    return value.rstrip("/") if pattern.fullmatch(value) else ""
