"""What happened, from the file in which the runner keeps GitHub's message. Its texts are a stranger's."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any, NamedTuple

from spexsearch.errors import InputError

LARGEST = 32 << 20
"""Bytes of an event; GitHub sends no more than 25 MB."""
_SHA = re.compile(r"[0-9a-f]{40}|[0-9a-f]{64}")
PULL_EVENTS = ("pull_request", "pull_request_target", "pull_request_review", "pull_request_review_comment")


class PullRequest(NamedTuple):
    """The pull request of an event. `base` is the commit that its target had then, `base_ref` the target's name."""

    number: int
    head: str
    base: str
    base_ref: str
    author: str
    is_bot: bool
    description: str


class WorkflowRun(NamedTuple):
    """The run whose end started this one: its number, the commit it looked at, and where that commit came from."""

    number: int
    event: str
    head: str
    owner: str
    branch: str


class Event(NamedTuple):
    """One event. `before` and `after` are those of a push or of a merge group; commits are "" where none is told."""

    name: str
    pull: PullRequest | None = None
    finished: WorkflowRun | None = None
    before: str = ""
    after: str = ""
    ref: str = ""
    default_branch: str = ""


def read_event(name: str, file: Path | None) -> Event:
    """The event. InputError where the file cannot be read, or lacks what an event of that name always has."""
    data = _document(file)
    if name in PULL_EVENTS:
        return Event(name, pull=_pull(data))
    if name == "workflow_run":
        return Event(name, finished=_finished(data))
    default = _text(data, "repository", "default_branch")
    if name == "push":
        before, after = _sha(data, "before"), _sha(data, "after")
        if not before or not after:
            raise _lacking("before and after")
        return Event(name, before=before, after=after, ref=_text(data, "ref"), default_branch=default)
    if name == "merge_group":
        before, after = _sha(data, "merge_group", "base_sha"), _sha(data, "merge_group", "head_sha")
        if not before or not after:
            raise _lacking("merge_group.base_sha and merge_group.head_sha")
        return Event(name, before=before, after=after, default_branch=default)
    return Event(name, default_branch=default)


def _pull(data: object) -> PullRequest:
    number, head = _number(data, "pull_request", "number"), _sha(data, "pull_request", "head", "sha")
    if number is None or not head:
        raise _lacking("pull_request.number and pull_request.head.sha")
    return PullRequest(
        number=number,
        head=head,
        base=_sha(data, "pull_request", "base", "sha"),
        base_ref=_text(data, "pull_request", "base", "ref"),
        author=_text(data, "pull_request", "user", "login"),
        is_bot=_text(data, "pull_request", "user", "type") == "Bot",
        description=_text(data, "pull_request", "body"),
    )


def _finished(data: object) -> WorkflowRun:
    number, head = _number(data, "workflow_run", "id"), _sha(data, "workflow_run", "head_sha")
    if number is None or not head:
        raise _lacking("workflow_run.id and workflow_run.head_sha")
    return WorkflowRun(
        number=number,
        event=_text(data, "workflow_run", "event"),
        head=head,
        owner=_text(data, "workflow_run", "head_repository", "owner", "login"),
        branch=_text(data, "workflow_run", "head_branch"),
    )


def _lacking(what: str) -> InputError:
    return InputError(f"the event has no {what}; is GITHUB_EVENT_PATH the file that the runner wrote?")


def _document(file: Path | None) -> object:
    if file is None:
        return {}
    try:
        with file.open("rb") as stream:
            data = stream.read(LARGEST + 1)
    except OSError as error:
        raise InputError(f"the event {file} cannot be read ({error.strerror}); see GITHUB_EVENT_PATH") from None
    if len(data) > LARGEST:
        raise InputError(f"the event is larger than {LARGEST >> 20} MiB; see GITHUB_EVENT_PATH")
    try:
        return json.loads(data)
    except (ValueError, RecursionError) as error:
        raise InputError(f"the event is no JSON ({error}); see GITHUB_EVENT_PATH") from None


def _at(data: Any, keys: tuple[str, ...]) -> object:
    for key in keys:
        data = data.get(key) if isinstance(data, dict) else None
    return data


def _text(data: object, *keys: str) -> str:
    value = _at(data, keys)
    return value if isinstance(value, str) else ""


def _sha(data: object, *keys: str) -> str:
    value = _text(data, *keys)
    return value if _SHA.fullmatch(value) else ""


def _number(data: object, *keys: str) -> int | None:
    value = _at(data, keys)
    return value if isinstance(value, int) and not isinstance(value, bool) and 0 < value < 1 << 63 else None
