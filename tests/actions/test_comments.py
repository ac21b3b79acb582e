"""The one comment, against GitHub's API on loopback: what is tried again, for how long, and what is left alone."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from spexsearch.actions.comments import PATIENCE, Place, UnwrittenError, find_pull, marked, publish
from spexsearch.actions.event import WorkflowRun

Make = Callable[..., Any]

BODY = "the body\n"


@pytest.fixture
def pauses() -> list[float]:
    """The pauses that would have been made."""
    return []


@pytest.fixture
def write(hub: Any, pauses: list[float]) -> Make:
    """Publish on pull request 7 without waiting: `write(body, create=…, token=…)`."""

    def go(body: str = BODY, *, create: bool = True, token: str = "writer", run: int = 5) -> str:
        place = Place(hub.address, "octo/ferry", token, run)
        return publish(place, 7, body, "short\n", create=create, sleep=pauses.append)

    return go


def test_first_then_again_then_nothing_new(hub: Any, write: Make) -> None:
    assert write(create=False) == "there is nothing to settle and no comment yet, so none is written"
    assert write() == "the comment is written"
    assert write("other\n") == "the comment is brought up to date"
    assert hub.by_bot() == [marked("other\n", 5)]
    before = len(hub.requests)
    assert write("other\n") == "the comment is brought up to date"
    assert "PATCH" not in [method for method, _ in hub.requests[before:]]


@pytest.mark.parametrize(
    ("method", "path", "status", "headers", "waited"),
    [
        ("POST", "comments", 502, {}, [1.0]),
        ("GET", "comments", 503, {}, [1.0]),
        ("POST", "comments", 429, {}, [60.0]),
        ("POST", "comments", 403, {"Retry-After": "9"}, [9.0]),
        ("GET", "comments", 403, {}, [60.0]),
    ],
)
@pytest.mark.parametrize("done", [True, False])
def test_what_passes_is_tried_again(
    hub: Any,
    write: Make,
    fault: Make,
    pauses: list[float],
    method: str,
    path: str,
    status: int,
    headers: Any,
    waited: list[float],
    done: bool,
) -> None:
    hub.faults.append(fault(method, path, status, "You have exceeded a secondary rate limit", headers, 1, done))
    write()
    assert hub.by_bot() == [marked(BODY, 5)]
    assert pauses == waited


@pytest.mark.parametrize(
    ("login", "graphql", "users"),
    [
        ("ferry-app[bot]", True, False),
        ("alice", False, True),
        ("github-actions[bot]", False, False),
    ],
)
def test_who_asks_is_found_out(hub: Any, write: Make, login: str, graphql: bool, users: bool) -> None:
    hub.tokens["other"] = (login, True)
    hub.graphql, hub.users = graphql, users
    own = hub.add(marked("old\n", 3), login)
    hub.add(marked("old\n", 3), "mallory")
    write(token="other")
    assert own["body"] == marked(BODY, 5)
    assert len(hub.comments) == 2
    assert "POST" not in [method for method, target in hub.requests if "graphql" not in target]


def test_where_nobody_tells_it_is_known_after_the_first_comment(hub: Any, write: Make) -> None:
    hub.tokens["other"] = ("ferry-app[bot]", True)
    hub.graphql = hub.users = False
    own = hub.add(marked("old\n", 3), "ferry-app[bot]")
    write(token="other")
    assert [comment["body"] for comment in hub.comments] == [own["body"]] == [marked(BODY, 5)]


@pytest.mark.parametrize("path", ["graphql", "user$"])
def test_a_failing_look_at_who_asks_is_no_obstacle(hub: Any, write: Make, fault: Make, path: str) -> None:
    for method in ("GET", "POST"):
        hub.faults.append(fault(method, path, 502, times=9))
    hub.graphql = False
    own = hub.add(marked("old\n", 3))
    write()
    assert own["body"] == marked(BODY, 5)


def test_patience_ends(hub: Any, write: Make, fault: Make, pauses: list[float]) -> None:
    hub.faults.append(fault("GET", "comments", 502, "Bad Gateway", times=99))
    with pytest.raises(UnwrittenError, match="502: Bad Gateway"):
        write()
    assert sum(pauses) < PATIENCE
    assert len(pauses) == 3


@pytest.mark.parametrize(
    ("status", "message", "headers"),
    [
        (403, "Resource not accessible by integration", {}),
        (401, "Bad credentials", {}),
        (404, "Not Found", {}),
        (410, "Gone", {}),
        (403, "API rate limit exceeded", {"X-RateLimit-Remaining": "0", "X-RateLimit-Reset": "99999999999"}),
        (429, "slow down", {"Retry-After": "3600"}),
    ],
)
def test_what_will_not_pass_is_told_at_once(
    hub: Any, write: Make, fault: Make, pauses: list[float], status: int, message: str, headers: dict[str, str]
) -> None:
    hub.faults.append(fault("POST", "comments", status, message, headers, 99))
    with pytest.raises(UnwrittenError, match=f"{status}"):
        write()
    assert pauses == []
    assert hub.comments == []


def test_a_refused_text_is_written_shortly(hub: Any, write: Make) -> None:
    hub.largest = 60
    assert write("x" * 60) == "the comment is written, its verdict alone"
    assert hub.by_bot() == [marked("short\n", 5)]
    hub.largest = 1
    hub.comments.clear()
    with pytest.raises(UnwrittenError, match="422"):
        write("y" * 60)


def test_copies_of_the_own_comment_are_taken_away(hub: Any, write: Make) -> None:
    kept = hub.add(marked("old\n", 3))
    hub.add(marked("old\n", 3))
    hub.add(marked("old\n", 4), "mallory")
    assert write() == "the comment is brought up to date"
    assert [comment["body"] for comment in hub.comments] == [marked(BODY, 5), marked("old\n", 4)]
    assert hub.comments[0] is kept


def test_a_comment_that_goes_meanwhile_is_written_anew(hub: Any, write: Make, fault: Make) -> None:
    hub.add(marked("old\n", 3))
    hub.faults.append(fault("PATCH", "comments", 404, "Not Found"))
    assert write() == "the comment is brought up to date"
    assert hub.by_bot()[1:] == [marked(BODY, 5)]


def test_newer_runs_win(hub: Any, write: Make) -> None:
    hub.add(marked("newer\n", 6))
    assert write() == "a newer run has written the comment already"
    assert hub.by_bot() == [marked("newer\n", 6)]


@pytest.mark.parametrize("odd", [{"user": None}, {"body": None}, {"body": ""}])
def test_odd_comments_are_passed_over(hub: Any, write: Make, odd: dict[str, Any]) -> None:
    hub.add("x").update(odd)
    assert write() == "the comment is written"


@pytest.mark.parametrize("odd", [{"id": "x"}, {"body": 5}])
def test_nonsense_is_told_as_that(hub: Any, write: Make, odd: dict[str, Any]) -> None:
    hub.add(marked("old\n", 1)).update(odd)
    with pytest.raises(UnwrittenError, match="the API could not be used"):
        write()


def test_nobody_there(pauses: list[float]) -> None:
    place = Place("http://127.0.0.1:9", "octo/ferry", "writer", 5)
    with pytest.raises(UnwrittenError, match="ConnectionError"):
        publish(place, 7, BODY, "short\n", create=True, sleep=pauses.append)
    assert len(pauses) == 3


FORK = {"state": "open", "label": "mallory:topic", "number": 12, "head": {"sha": "b" * 40}}


def test_the_pull_request_of_a_run_is_githubs_word(hub: Any, pauses: list[float]) -> None:
    place = Place(hub.address, "octo/ferry", "writer", 5)
    hub.pulls += [
        FORK | {"state": "closed", "number": 10},
        FORK | {"label": "octo:topic", "number": 11},
        FORK | {"head": {"sha": "c" * 40}, "number": 13},
        FORK,
    ]
    run = WorkflowRun(9, "pull_request", "b" * 40, "mallory", "topic")
    assert find_pull(place, run, sleep=pauses.append) == (12, "b" * 40)
    hub.pulls.remove(FORK)
    assert find_pull(place, run, sleep=pauses.append) is None
