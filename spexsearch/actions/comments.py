"""The one comment on a pull request, through GitHub's API."""

from __future__ import annotations

import re
import time
from collections.abc import Callable
from contextlib import suppress
from typing import TYPE_CHECKING, NamedTuple, TypeVar

from spexsearch.actions.event import WorkflowRun

if TYPE_CHECKING:
    from github import Github
    from github.Issue import Issue
    from github.IssueComment import IssueComment
    from github.Repository import Repository

T = TypeVar("T")

TIMEOUT = 20
"""Seconds of one request."""
PATIENCE = 120
"""Seconds that are waited in all, for a result that stands in the summary anyway."""
_PAUSES = (1.0, 4.0, 16.0)
_SECONDARY = 60.0  # what GitHub asks for where it names no time itself
_ACTIONS_BOT = "github-actions[bot]"
_MARKER = re.compile(r"<!-- spex-govern run=(\d{1,19}) -->")


class UnwrittenError(Exception):
    """The comment could not be written. One line that says why; it never changes the exit status."""


class Place(NamedTuple):
    """Where the comment goes: the API, the repository and who asks; `run` is the number of the run that judged."""

    api: str
    repository: str
    token: str
    run: int


def marked(body: str, run: int) -> str:
    """The text of a comment with the mark by which a later run finds it. GitHub shows none of the mark."""
    return f"<!-- spex-govern run={run} -->\n{body}"


def publish(
    place: Place, number: int, body: str, short: str, *, create: bool, sleep: Callable[[float], None] = time.sleep
) -> str:
    """Write the comment, or bring the one that is there up to date; what was done, as a sentence.

    Without `create` nothing is written where there is none yet. `short`: what is written where the whole is refused.
    Raises UnwrittenError.
    """
    thread = _Thread(place, number)
    try:
        return _patiently(lambda: thread.write(body, create=create), sleep)
    except _RefusedError:
        return _patiently(lambda: thread.write(short, create=create), sleep) + ", its verdict alone"


def find_pull(
    place: Place, finished: WorkflowRun, *, sleep: Callable[[float], None] = time.sleep
) -> tuple[int, str] | None:
    """Number and head of the open pull request whose head a finished run looked at; None where there is none now."""

    def look() -> tuple[int, str] | None:
        repository = _repository(_client(place), place)
        pulls = repository.get_pulls(state="open", head=f"{finished.owner}:{finished.branch}")
        return next(((pull.number, finished.head) for pull in pulls if pull.head.sha == finished.head), None)

    return _patiently(look, sleep)


class _RefusedError(UnwrittenError):
    """GitHub does not take this text."""


class _Thread:
    """The comments of one pull request."""

    def __init__(self, place: Place, number: int) -> None:
        self._place = place
        self._number = number
        self._github = _client(place)
        self._me = ""

    def write(self, body: str, *, create: bool) -> str:
        """One attempt, from reading what is there: what an attempt before it wrote unseen is found again."""
        issue = _repository(self._github, self._place).get_issue(self._number)
        own = self._own(issue)
        if own and _run_of(own[0]) > self._place.run:
            return "a newer run has written the comment already"
        text = marked(body, self._place.run)
        if not own:
            if not create:
                return "there is nothing to settle and no comment yet, so none is written"
            made = issue.create_comment(text)
            # Now it is certain who writes here. And another run may have done the same just now: both keep the first.
            self._me = made.user.login
            self._keep_first(issue, self._own(issue), text)
            return "the comment is written"
        if not self._keep_first(issue, own, text):
            issue.create_comment(text)
        return "the comment is brought up to date"

    def _keep_first(self, issue: Issue, own: list[IssueComment], text: str) -> bool:
        """Take the others away, and bring the first up to date; whether it was still there."""
        from github import UnknownObjectException

        for extra in own[1:]:
            with suppress(UnknownObjectException):  # where the other run was faster
                issue.get_comment(extra.id).delete()
        if own and own[0].body != text and _run_of(own[0]) <= self._place.run:
            try:
                issue.get_comment(own[0].id).edit(text)
            except UnknownObjectException:
                return False
        return True

    def _own(self, issue: Issue) -> list[IssueComment]:
        """The comments with the mark, by the one who asks, oldest first. Anyone can write a mark."""
        me = self._me = self._me or _login(self._github)
        # Who is gone from GitHub leaves comments of nobody.
        found = [comment for comment in issue.get_comments() if getattr(comment.user, "login", None) == me]
        return sorted((comment for comment in found if _MARKER.match(comment.body or "")), key=lambda c: c.id)


def _run_of(comment: IssueComment) -> int:
    mark = _MARKER.match(comment.body or "")
    return int(mark[1]) if mark else 0


def _client(place: Place) -> Github:
    from github import Auth, Github

    # What is worth another attempt is decided here: a request that is sent twice may write twice.
    return Github(
        auth=Auth.Token(place.token),
        base_url=place.api,
        timeout=TIMEOUT,
        per_page=100,
        retry=None,
        lazy=True,  # nothing is fetched that is not looked at
        seconds_between_requests=None,  # one after the other, and hardly ever more than one that writes
        seconds_between_writes=None,
    )


def _repository(github: Github, place: Place) -> Repository:
    return github.get_repo(place.repository)


def _login(github: Github) -> str:
    """Who the token is, as far as GitHub tells. Of a workflow's own token only GraphQL does."""
    from github import GithubException
    from requests import RequestException

    try:
        _, data = github.requester.graphql_query("query { viewer { login } }", {})
        return str(data["data"]["viewer"]["login"])
    except (GithubException, RequestException, KeyError, TypeError):
        pass
    try:
        return str(github.get_user().login)
    except (GithubException, RequestException):
        return _ACTIONS_BOT


def _patiently(attempt: Callable[[], T], sleep: Callable[[float], None]) -> T:
    """The result of the first attempt that succeeds. UnwrittenError where another is of no use, or takes too long."""
    waited = 0.0
    for number in range(len(_PAUSES) + 1):
        try:
            return attempt()
        # Whatever goes wrong here, the verdict is known and is told in other ways.
        except Exception as error:
            pause = _pause(error, number)
            if pause is None or waited + pause > PATIENCE:
                raise _told(error) from None
            waited += pause
            sleep(pause)
    raise AssertionError("the last attempt has no pause")


def _pause(error: Exception, number: int) -> float | None:
    """Seconds until another attempt is worth it; None where it is not."""
    from github import GithubException, RateLimitExceededException
    from requests import RequestException

    if number >= len(_PAUSES):
        return None
    if isinstance(error, RequestException):
        return _PAUSES[number]
    if not isinstance(error, GithubException):
        return None
    headers = {name.lower(): str(value) for name, value in (error.headers or {}).items()}
    if error.status in (403, 429):
        asked = _asked_for(headers)
        limited = error.status == 429 or isinstance(error, RateLimitExceededException)
        return asked if asked is not None else _SECONDARY if limited else None
    return _PAUSES[number] if error.status >= 500 else None


def _asked_for(headers: dict[str, str]) -> float | None:
    """How long GitHub says to wait."""
    if headers.get("retry-after", "").isdecimal():
        return float(headers["retry-after"])
    if headers.get("x-ratelimit-remaining") == "0" and headers.get("x-ratelimit-reset", "").isdecimal():
        return max(1.0, float(headers["x-ratelimit-reset"]) - time.time() + 1)
    return None


def _told(error: Exception) -> UnwrittenError:
    from github import GithubException

    if isinstance(error, UnwrittenError):
        return error
    if not isinstance(error, GithubException):
        return UnwrittenError(f"the API could not be used ({type(error).__name__})")
    data = error.data if isinstance(error.data, dict) else {}
    told = f"GitHub said {error.status}: {str(data.get('message') or error.message or '')[:200]}".removesuffix(": ")
    return _RefusedError(told) if error.status == 422 else UnwrittenError(told)
