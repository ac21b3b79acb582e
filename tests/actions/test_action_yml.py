"""The Action as a whole: the steps of `action.yml` as they are, real repositories, GitHub's API on loopback."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Act = Callable[..., Any]

SPEC = ".spec/auth/renewal/spec.md"
CHANGED = "src/session.py", "> LIMIT", ">= LIMIT"
PAGE = "https://github.example/octo/ferry"


def test_a_pull_request_that_leaves_a_spec_behind(governed: Any, make_pull: Act, act: Act, hub: Any) -> None:
    governed.replaced(*CHANGED)
    pull = make_pull()
    done = act(governed, "pull_request", pull.event(), sarif="out/spex.sarif")
    assert done.status == 1, done.log
    (body,) = hub.by_bot()
    assert body.startswith("<!-- spex-govern run=101 -->\n❌ **1 error to settle** · 1 change against 2 specs\n")
    assert f"[`src/session.py:5`]({PAGE}/blob/{pull.head}/src/session.py#L5)" in body
    assert f"spec [`renewal` › `session renewal`]({PAGE}/blob/{pull.head}/{SPEC}?plain=1#L9)" in body
    assert "> `A session is renewed at most once an hour.`" in body
    ((name, properties, data),) = done.commands
    assert (name, properties) == (
        "error",
        {"file": "src/session.py", "line": "5", "endLine": "5", "title": "untouched-spec"},
    )
    assert data.startswith("`renew` in src/session.py changed")
    assert done.summary.startswith("## Specs\n\n❌ **1 error to settle**")
    assert (done.outputs["findings"], done.outputs["errors"], done.outputs["warnings"]) == ("1", "1", "0")
    report = json.loads(Path(done.outputs["report"]).read_text(encoding="utf-8"))
    assert (report["schema"], report["base"], report["head"]) == ("spex-govern/1", pull.base, pull.merge)
    assert done.outputs["sarif"] == "out/spex.sarif"
    log = json.loads((governed.path / "out/spex.sarif").read_text(encoding="utf-8"))
    assert [result["ruleId"] for result in log["runs"][0]["results"]] == ["untouched-spec"]


def settled(governed: Any, make_pull: Act) -> Any:
    """A pull request that edits the spec with the code."""
    governed.replaced(*CHANGED)
    governed.replaced(SPEC, "at most once", "once")
    return make_pull()


def behind(governed: Any, make_pull: Act, *messages: str) -> Any:
    """A pull request that leaves a spec behind."""
    governed.replaced(*CHANGED)
    return make_pull(*messages)


# --- the comment


def test_the_comment_is_updated_in_place_and_says_when_all_is_settled(
    governed: Any, make_pull: Act, act: Act, hub: Any
) -> None:
    pull = behind(governed, make_pull)
    assert act(governed, "pull_request", pull.event()).status == 1
    (first,) = hub.comments
    assert act(governed, "pull_request", pull.event()).status == 1
    assert [comment["id"] for comment in hub.comments] == [first["id"]]
    governed.git("checkout", "-q", "main")
    done = act(governed, "pull_request", settled(governed, make_pull).event())
    assert done.status == 0, done.log
    assert [(comment["id"], comment["body"]) for comment in hub.comments] == [
        (
            first["id"],
            "<!-- spex-govern run=103 -->\n✅ **All settled** · 2 changes against 2 specs, 1 spec settled\n",
        )
    ]
    assert "edited" in done.summary


@pytest.mark.parametrize(("comment", "written"), [("auto", 0), ("always", 1), ("never", 0)])
def test_with_nothing_to_settle_a_comment_is_written_where_it_is_asked_for(
    governed: Any, make_pull: Act, act: Act, hub: Any, comment: str, written: int
) -> None:
    done = act(governed, "pull_request", settled(governed, make_pull).event(), comment=comment)
    assert (done.status, len(hub.comments)) == (0, written)
    assert ("POST", "/repos/octo/ferry/issues/7/comments") in hub.requests or not written


def test_never_asks_nobody(governed: Any, make_pull: Act, act: Act, hub: Any) -> None:
    assert act(governed, "pull_request", behind(governed, make_pull).event(), comment="never").status == 1
    assert hub.requests == []


def test_only_the_own_comment_is_taken_whatever_strangers_write(
    governed: Any, make_pull: Act, act: Act, hub: Any
) -> None:
    forged = "<!-- spex-govern run=1 -->\n✅ **All settled**"
    for login in ("mallory", "other[bot]", "github-actions"):
        hub.add(forged, login)
    hub.add("said <!-- spex-govern run=1 --> in passing")
    hub.add(forged, number=8)
    done = act(governed, "pull_request", behind(governed, make_pull).event())
    assert done.status == 1
    assert [comment["body"] for comment in hub.comments[:3]] == [forged] * 3
    assert len(hub.comments) == 6
    assert "1 error to settle" in hub.comments[-1]["body"]


def test_the_own_comment_is_found_behind_a_hundred_pages(governed: Any, make_pull: Act, act: Act, hub: Any) -> None:
    for number in range(3000):
        hub.add(f"talk {number} <!-- spex-govern run=1 -->", "alice")
    old = hub.add("<!-- spex-govern run=9 -->\nold")
    for number in range(40):
        hub.add(f"talk {number}", "bob")
    assert act(governed, "pull_request", behind(governed, make_pull).event()).status == 1
    assert len(hub.comments) == 3041
    assert "1 error to settle" in old["body"]
    assert sum(target.startswith("/repos/octo/ferry/issues/7/comments") for _, target in hub.requests) == 102


def test_a_token_of_another_app_finds_its_own_comment(governed: Any, make_pull: Act, act: Act, hub: Any) -> None:
    hub.tokens["app"] = ("ferry-app[bot]", True)
    actions, own = (
        hub.add("<!-- spex-govern run=1 -->\nold"),
        hub.add("<!-- spex-govern run=1 -->\nold", "ferry-app[bot]"),
    )
    act(governed, "pull_request", behind(governed, make_pull).event(), token="app")
    assert actions["body"].endswith("old")
    assert "1 error" in own["body"]
    assert len(hub.comments) == 2


def test_where_graphql_is_closed_it_is_the_actions_own_bot(governed: Any, make_pull: Act, act: Act, hub: Any) -> None:
    hub.graphql = False
    own = hub.add("<!-- spex-govern run=1 -->\nold")
    act(governed, "pull_request", behind(governed, make_pull).event())
    assert "1 error" in own["body"]
    assert len(hub.comments) == 1


def test_two_runs_at_once_leave_one_comment(governed: Any, make_pull: Act, act: Act, hub: Any) -> None:
    pull = behind(governed, make_pull)
    hub.gathering = threading.Barrier(2)
    done = []
    runs = [threading.Thread(target=lambda: done.append(act(governed, "pull_request", pull.event()))) for _ in range(2)]
    for run in runs:
        run.start()
    for run in runs:
        run.join()
    assert [run.status for run in done] == [1, 1]
    assert sum(method == "POST" and target.endswith("/comments") for method, target in hub.requests) == 2
    assert len(hub.comments) == 1


def test_an_older_run_does_not_write_over_a_newer_one(governed: Any, make_pull: Act, act: Act, hub: Any) -> None:
    hub.add("<!-- spex-govern run=999 -->\nnewer")
    done = act(governed, "pull_request", behind(governed, make_pull).event())
    assert done.status == 1
    assert hub.by_bot() == ["<!-- spex-govern run=999 -->\nnewer"]
    assert "a newer run has written the comment already" in done.log


def test_three_hundred_findings(governed: Any, make_pull: Act, act: Act, hub: Any, page: Act) -> None:
    names = [f"src/{'deep_folder_name/' * 6}module_{n}.py" for n in range(300)]
    specs = {
        f".spec/s{n}/spec.md": f"---\ntitle: s{n}\ncode:\n  - {name}#f\n---\nSays {n}.\n"
        for n, name in enumerate(names)
    }
    governed.commit("many", specs | dict.fromkeys(names, "def f():\n    return 1\n"))
    governed.write(dict.fromkeys(names, "def f():\n    return 2\n"))
    done = act(governed, "pull_request", make_pull().event(), mode="strict")
    assert done.status == 1
    (body,) = hub.by_bot()
    assert len(body.encode()) < 60_000
    shown = page(body).rows - 1
    assert f"… and {300 - shown} errors more that this page has no room for" in body
    assert len(done.annotations("error")) == 10
    assert page(done.summary).rows - 1 == 300
    assert len(done.summary.encode()) < 1 << 20
    assert "290 findings of these have no annotation: GitHub shows 10 errors and 10 warnings of a step." in done.summary
    assert done.outputs["errors"] == "300"


# --- what GitHub refuses


def test_a_token_that_may_only_read_leaves_the_rest(governed: Any, make_pull: Act, act: Act, hub: Any) -> None:
    done = act(governed, "pull_request", behind(governed, make_pull).event(), token="reader")
    assert (done.status, hub.comments) == (1, [])
    assert len(done.annotations("error")) == 1
    assert done.annotations("notice") == [
        "spex-govern wrote no comment (GitHub said 403: Resource not accessible by integration);"
        " the summary has the result"
    ]
    assert "1 error to settle" in done.summary
    assert "; a token of a pull request from a fork, or of Dependabot, may only read." in done.summary
    # Another attempt would be of no use.
    assert sum(method == "POST" and "graphql" not in target for method, target in hub.requests) == 1


def test_no_token_and_a_wrong_one(governed: Any, make_pull: Act, act: Act, hub: Any) -> None:
    event = behind(governed, make_pull).event()
    done = act(governed, "pull_request", event, token="wrong")
    assert done.status == 1
    assert "There is no comment: GitHub said 401: Bad credentials" in done.summary
    done = act(governed, "pull_request", event, token="")
    assert done.status == 1
    assert "There is no comment: no token was given." in done.summary


FAULTS = {
    "bad gateway that wrote": ("POST", "comments", 502, {}, True),
    "secondary limit": ("POST", "comments", 403, {"Retry-After": "1"}, False),
}


@pytest.mark.parametrize("kind", FAULTS)
def test_what_passes_is_tried_again(governed: Any, make_pull: Act, act: Act, hub: Any, fault: Act, kind: str) -> None:
    method, path, status, headers, done = FAULTS[kind]
    hub.faults.append(fault(method, path, status, "You have exceeded a secondary rate limit", headers, 1, done))
    assert act(governed, "pull_request", behind(governed, make_pull).event()).status == 1
    assert len(hub.comments) == 1


def test_nobody_waits_an_hour(governed: Any, make_pull: Act, act: Act, hub: Any, fault: Act) -> None:
    hub.faults.append(fault("POST", "comments", 403, "You have exceeded a limit", {"Retry-After": "3600"}, 99))
    done = act(governed, "pull_request", settled(governed, make_pull).event(), comment="always")
    assert (done.status, hub.comments) == (0, [])
    assert "You have exceeded a limit" in "".join(done.annotations("notice"))
    assert sum(method == "POST" and "comments" in target for method, target in hub.requests) == 1


def test_what_is_refused_as_it_is_is_said_shortly(governed: Any, make_pull: Act, act: Act, hub: Any) -> None:
    hub.largest = 300
    assert act(governed, "pull_request", behind(governed, make_pull).event()).status == 1
    (body,) = hub.by_bot()
    assert body == (
        "<!-- spex-govern run=101 -->\n❌ **1 error to settle** · 1 change against 2 specs\n\n"
        f"[The summary of the run]({PAGE}/actions/runs/101) has the rest.\n"
    )


def test_a_server_that_answers_nonsense_changes_no_status(
    governed: Any, make_pull: Act, act: Act, hub: Any, fault: Act
) -> None:
    hub.faults.append(fault("GET", "comments", 200, times=99))
    done = act(governed, "pull_request", settled(governed, make_pull).event(), comment="always")
    assert done.status == 0
    assert "There is no comment: the API could not be used" in done.summary


# --- what is judged


def test_the_merge_commit_is_held_against_its_first_parent(governed: Any, make_pull: Act, act: Act) -> None:
    """What the target got meanwhile is not the pull request's, though the event may not know of it yet."""
    start = governed.git("rev-parse", "main").strip()
    governed.replaced(SPEC, "at most once", "once")
    head = behind(governed, make_pull).head
    governed.git("checkout", "-q", "main")
    governed.replaced("src/clock.py", "return 0", "return 1")
    governed.commit("meanwhile")
    governed.git("checkout", "-q", "--detach", "main")
    governed.git("merge", "-q", "--no-ff", "-m", "Merge", head)
    pull = {"number": 7, "head": {"sha": head}, "base": {"sha": start, "ref": "main"}, "body": ""}
    done = act(governed, "pull_request", {"pull_request": pull})
    assert done.status == 0, done.log
    assert "2 changes against 2 specs" in done.summary
    governed.git("checkout", "-q", head)
    done = act(governed, "pull_request", {"pull_request": pull})
    assert done.status == 0, done.log
    assert "2 changes against 2 specs" in done.summary


def test_a_merge_of_the_authors_own_making_hides_nothing(governed: Any, make_pull: Act, act: Act) -> None:
    pull = behind(governed, make_pull)
    governed.git("checkout", "-q", "-B", "hiding", "topic")
    governed.commit("all of it is there already")
    hidden = governed.git("commit-tree", "HEAD^{tree}", "-p", "HEAD", "-p", pull.head, "-m", "hide").strip()
    governed.git("checkout", "-q", "--detach", hidden)
    done = act(governed, "pull_request", pull.event(), env={"GITHUB_SHA": pull.merge})
    assert (done.status, done.outputs["findings"]) == (1, "1"), done.log


def test_another_checkout_is_judged_from_the_merge_base(governed: Any, make_pull: Act, act: Act) -> None:
    pull = behind(governed, make_pull)
    governed.git("checkout", "-q", "main")
    governed.commit("meanwhile", {"src/clock.py": "def now():\n    return 1\n"})
    for checkout in (pull.head, "main"):
        governed.git("checkout", "-q", "--detach", checkout)
        done = act(governed, "pull_request", pull.event())
        assert (done.status, done.outputs["findings"]) == (1, "1"), done.log
    gone = pull.event(base={"sha": "e" * 40, "ref": "main"})
    assert act(governed, "pull_request", gone).outputs["findings"] == "1"


def push(before: str, after: str, ref: str = "refs/heads/topic", **more: Any) -> dict[str, Any]:
    """The event of a push."""
    return {"before": before, "after": after, "ref": ref, "repository": {"default_branch": "main"}} | more


ZERO = "0" * 40


def test_a_push_is_judged_from_before_to_after(governed: Any, make_pull: Act, act: Act, hub: Any) -> None:
    pull = behind(governed, make_pull, "code", "more")
    governed.git("checkout", "-q", "--detach", pull.head)
    done = act(governed, "push", push(pull.base, pull.head))
    assert (done.status, done.outputs["errors"]) == (1, "1"), done.log
    assert hub.requests == []
    done = act(governed, "push", push(governed.git("rev-parse", f"{pull.head}^").strip(), pull.head))
    assert (done.status, done.outputs["findings"]) == (0, "0")


def test_a_new_branch_is_judged_since_the_default_branch(governed: Any, make_pull: Act, act: Act) -> None:
    pull = behind(governed, make_pull)
    governed.git("checkout", "-q", "--detach", pull.head)
    governed.git("branch", "-q", "-D", "main")
    done = act(governed, "push", push(ZERO, pull.head))
    assert (done.status, done.outputs["findings"]) == (1, "1"), done.log
    assert "refs/heads/topic is new; judging what it has since main" in done.log


def test_a_forced_push_whose_old_commit_is_gone_is_said(governed: Any, make_pull: Act, act: Act) -> None:
    pull = behind(governed, make_pull)
    governed.git("checkout", "-q", "--detach", pull.head)
    done = act(governed, "push", push("e" * 40, pull.head, forced=True))
    assert (done.status, done.outputs["findings"]) == (1, "1"), done.log
    assert "eeeeeeeeee, where refs/heads/topic was before, is gone: a forced push; judging what it has" in done.log
    assert "a forced push" in done.summary
    done = act(governed, "push", push("e" * 40, pull.head, "refs/heads/main"))
    assert "judging its last commit" in done.log
    assert done.status == 1


def test_the_first_push_of_all_is_judged_whole(governed: Any, act: Act) -> None:
    first = governed.git("rev-parse", "HEAD").strip()
    done = act(governed, "push", push(ZERO, first, "refs/heads/main"))
    assert done.status == 0, done.log
    assert "the whole history is judged as new" in done.log
    assert "4 changes" in done.summary


def test_a_merge_group_is_judged(governed: Any, make_pull: Act, act: Act) -> None:
    pull = behind(governed, make_pull)
    group = {"merge_group": {"base_sha": pull.base, "head_sha": pull.merge}}
    assert act(governed, "merge_group", group).outputs["findings"] == "1"


def test_anything_else_needs_references(governed: Any, make_pull: Act, act: Act, hub: Any) -> None:
    pull = behind(governed, make_pull)
    done = act(governed, "workflow_dispatch", {})
    assert done.status == 2
    assert done.annotations("error") == [
        "spex-govern cannot judge this: the event workflow_dispatch brings no change; give the input base, and head if"
        " not HEAD"
    ]
    assert act(governed, "schedule", {}, head="HEAD").status == 2
    governed.git("branch", "-q", "-D", "main")
    done = act(governed, "workflow_dispatch", {}, base="main")
    assert (done.status, done.outputs["findings"]) == (1, "1")
    assert act(governed, "workflow_dispatch", {}, base=pull.base, head=pull.base).outputs["findings"] == "0"
    assert hub.requests == []
    assert act(governed, "workflow_dispatch", {}, base="no-such").status == 2


def test_a_shallow_clone_is_refused_with_the_line_to_add(
    governed: Any, make_pull: Act, act: Act, make_repo: Act, tmp_path: Path
) -> None:
    pull = behind(governed, make_pull)
    governed.git("update-ref", "refs/heads/merge", pull.merge)
    clone = make_repo("clone")
    clone.git("fetch", "-q", "--depth=1", f"file://{governed.path}", "merge")
    clone.git("checkout", "-q", "FETCH_HEAD")
    for event, payload in {
        "pull_request": pull.event(),
        "push": push(pull.base, pull.merge),
        "merge_group": {"merge_group": {"base_sha": pull.base, "head_sha": pull.merge}},
    }.items():
        done = act(clone, event, payload)
        assert done.status == 2, done.log
        assert "fetch-depth: 0" in done.annotations("error")[0]
        assert "        with:\n          fetch-depth: 0\n" in done.summary
        assert done.outputs == {}
    done = act(clone, "push", push(ZERO, pull.merge))
    assert (done.status, "fetch-depth: 0" in done.log) == (2, True)


def test_a_commit_that_a_shallow_clone_lacks_is_no_forced_push(
    governed: Any, make_pull: Act, act: Act, make_repo: Act
) -> None:
    first = governed.git("rev-parse", "main").strip()
    governed.commit("second")
    pull = behind(governed, make_pull)
    clone = make_repo("clone")
    clone.git("fetch", "-q", "--depth=2", f"file://{governed.path}", "topic")
    clone.git("checkout", "-q", "FETCH_HEAD")
    clone.git("update-ref", "refs/remotes/origin/main", pull.base)
    done = act(clone, "push", push(first, pull.head))
    assert (done.status, "fetch-depth: 0" in done.log, "forced" in done.log) == (2, True, False)


def test_no_checkout_is_said(make_pull: Act, act: Act, governed: Any, tmp_path: Path) -> None:
    event = behind(governed, make_pull).event()

    class Empty:
        path = tmp_path / "empty"

    Empty.path.mkdir()
    done = act(Empty, "pull_request", event)
    assert done.status == 2
    assert "check it out first: actions/checkout with fetch-depth: 0" in done.log


# --- who says how it is judged


def test_configuration_is_the_bases(governed: Any, make_pull: Act, act: Act) -> None:
    governed.write({"spex.toml": 'rules.untouched-spec = "off"\n'})
    assert act(governed, "pull_request", behind(governed, make_pull).event()).status == 1
    governed.git("checkout", "-q", "main")
    governed.commit("agreed", {"spex.toml": 'rules.untouched-spec = "off"\n'})
    assert act(governed, "pull_request", behind(governed, make_pull).event()).status == 0


def test_a_configuration_that_is_named_is_the_bases_too(governed: Any, make_pull: Act, act: Act) -> None:
    off = 'rules.untouched-spec = "off"\n'
    governed.write({"ci/spex.toml": off})
    done = act(governed, "pull_request", behind(governed, make_pull).event(), config="ci/spex.toml")
    assert done.status == 1
    assert "config 'ci/spex.toml' is not in the base yet" in done.log
    governed.git("checkout", "-q", "main")
    governed.commit("agreed", {"ci/spex.toml": off})
    governed.write({"ci/spex.toml": 'mode = "strict"\n'})
    for config in ("ci/spex.toml", "./ci/spex.toml", str(governed.path / "ci/spex.toml")):
        done = act(governed, "pull_request", behind(governed, make_pull).event(), config=config)
        assert done.status == 0, done.log
        governed.git("checkout", "-q", "main")
        governed.write({"ci/spex.toml": 'mode = "strict"\n'})
    event = behind(governed, make_pull).event()
    assert act(governed, "pull_request", event, config="ci/none.toml").status == 2
    assert act(governed, "pull_request", event, config="../outside.toml").status == 2


def test_a_claim_that_the_pull_request_takes_away_still_counts(governed: Any, make_pull: Act, act: Act) -> None:
    governed.replaced(SPEC, "  - src/session.py#renew\n", "  - src/other.py\n")
    governed.write({"src/other.py": "def other():\n    return 1\n"})
    done = act(governed, "pull_request", behind(governed, make_pull).event())
    assert done.status == 1
    assert "dropped-claim" in done.log


@pytest.mark.parametrize(
    ("given", "status"),
    [({"mode": "advisory"}, 0), ({"fail_on": "never"}, 0), ({"mode": "advisory", "fail_on": "warning"}, 1)],
)
def test_inputs_say_how_levels_are_given_and_what_fails(
    governed: Any, make_pull: Act, act: Act, given: dict[str, str], status: int
) -> None:
    done = act(governed, "pull_request", behind(governed, make_pull).event(), **given)
    assert (done.status, done.outputs["findings"]) == (status, "1")


@pytest.mark.parametrize(
    "given", [{"mode": "lax"}, {"fail_on": "Error"}, {"comment": "yes"}, {"working_directory": "nowhere"}]
)
def test_inputs_that_are_not_known_are_refused(governed: Any, make_pull: Act, act: Act, given: dict[str, str]) -> None:
    done = act(governed, "pull_request", behind(governed, make_pull).event(), **given)
    assert done.status == 2
    assert len(done.annotations("error")) == 1


@pytest.mark.parametrize(
    ("user", "authors", "status"),
    [
        ({"login": "dependabot[bot]", "type": "Bot"}, None, 0),
        ({"login": "Copilot", "type": "Bot"}, None, 0),
        ({"login": "alice", "type": "User"}, None, 1),
        ({"login": "dependabot[bot]", "type": "Bot"}, "alice", 1),
        ({"login": "alice", "type": "User"}, "bob,\nalice", 0),
        ({"login": "*[bot]", "type": "User"}, "bob", 1),
        (None, None, 1),
    ],
)
def test_findings_are_advice_for_some_authors(
    governed: Any, make_pull: Act, act: Act, user: Any, authors: str | None, status: int
) -> None:
    governed.commit("firm", {"spex.toml": 'fail-on = "warning"\nrules.untouched-spec = "error"\n'})
    given = {} if authors is None else {"advisory_authors": authors}
    done = act(governed, "pull_request", behind(governed, make_pull).event(user=user), **given)
    assert (done.status, done.outputs["findings"]) == (status, "1")
    assert ("advice only" in done.log) == (status == 0)
    assert done.outputs["errors"] == str(status)


@pytest.mark.parametrize(
    ("body", "status"),
    [
        ("Spec-OK: renewal", 0),
        ("Some words.\r\n\r\nSpec-OK: renewal (still holds)\r\n", 0),
        ("<!--\nSpec-OK: renewal\n-->", 1),
        ("```\nSpec-OK: renewal\n```", 1),
        ("> Spec-OK: renewal", 1),
        ("see Spec-OK: renewal", 1),
        (None, 1),
        (["Spec-OK: renewal"], 1),
    ],
)
def test_the_description_acknowledges_what_it_says_in_sight(
    governed: Any, make_pull: Act, act: Act, body: Any, status: int
) -> None:
    done = act(governed, "pull_request", behind(governed, make_pull).event(body=body))
    assert done.status == status, done.log
    if status == 0:
        assert "acknowledged by `Spec-OK`" in done.summary


def test_an_acknowledgement_in_a_commit_counts_and_an_unknown_one_is_said(
    governed: Any, make_pull: Act, act: Act, hub: Any
) -> None:
    pull = behind(governed, make_pull, "on the hour\n\nSpec-OK: renewal")
    done = act(governed, "pull_request", pull.event(body="Spec-OK: renewl"), comment="always")
    assert done.status == 0
    assert "⚠️ Spec-OK names 'renewl', but no spec has that id" in hub.by_bot()[0]


# --- strangers


HOSTILE = (
    "::error::x\n##[error]y %0A::add-mask::z @octocat `x` <img src=q> [l](https://evil.example) \u202e|\x1b[31m.py"
)


def test_nothing_that_a_pull_request_writes_acts(governed: Any, make_pull: Act, act: Act, hub: Any, page: Act) -> None:
    name = f"src/{HOSTILE.replace('/', ':')}"
    title = HOSTILE.replace("\n", " ")
    spec = f"---\ntitle: '{title}'\ncode:\n  - src\n---\n# {title}\n\n{title} f {title}\n"
    governed.commit("odd", {name: "def f():\n    return 1\n", f".spec/o/{title.replace('/', ':')}/spec.md": spec})
    governed.write({name: "def f():\n    return 2\n", f"{name}2.py": "def g():\n    return 2\n"})
    pull = make_pull(f"{HOSTILE}\n\n::warning::w\nSpec-OK: {title}x")
    done = act(governed, "pull_request", pull.event(body=HOSTILE, title=HOSTILE), mode="strict")
    assert done.status == 1, done.log
    assert done.commands
    for kind, properties, _ in done.commands:
        assert kind in ("error", "warning")
        assert set(properties) == {"file", "line", "endLine", "title"}
    for text in (hub.by_bot()[0].partition("\n")[2], done.summary):
        shown = page(text)
        assert not shown.tags & {"img", "script", "h1"}
        assert [link for link in shown.links if not link.startswith(f"{PAGE}/")] == []
        assert [t for t in shown.texts if "@" in t or "evil" in t or "<" in t or "::" in t] == []
        assert "\x1b" not in text
        assert "\u202e" not in text
    assert "\x1b" not in done.log
    assert done.outputs.keys() == {"findings", "errors", "warnings", "report", "sarif"}


def test_outputs_cannot_be_forged_by_a_path(governed: Any, make_pull: Act, act: Act) -> None:
    done = act(governed, "pull_request", behind(governed, make_pull).event(), sarif="a=b<<EOF/x.sarif")
    assert done.outputs["sarif"] == "a=b<<EOF/x.sarif"
    assert done.outputs["errors"] == "1"


def test_nothing_of_the_checkout_is_run(governed: Any, make_pull: Act, act: Act) -> None:
    bad = "raise SystemExit('a module of the checkout was run')\n"
    names = ("yaml.py", "github.py", "unidiff.py", "spexsearch/__init__.py", "sitecustomize.py", "requests.py")
    governed.write(dict.fromkeys(names, bad))
    event = behind(governed, make_pull).event()
    done = act(governed, "pull_request", event, env={"PYTHONPATH": str(governed.path), "PYTHONHOME": ""})
    assert done.status == 1, done.log
    assert "was run" not in done.log.replace(bad, "")


@pytest.mark.parametrize("target", ["/etc", ".."])
def test_links_of_the_checkout_lead_nowhere(
    governed: Any, make_pull: Act, act: Act, target: str, tmp_path: Path
) -> None:
    (governed.path / "out").symlink_to(target)
    event = behind(governed, make_pull).event()
    done = act(governed, "pull_request", event, sarif="out/spex.sarif")
    assert done.status == 2
    assert "leads out of the workspace" in done.log
    assert act(governed, "pull_request", event, working_directory="out").status == 2
    assert not (tmp_path / "spex.sarif").exists()
    inside = str(governed.path / "out/spex.sarif")
    assert act(governed, "pull_request", event, sarif=inside).status == 2
    outside = tmp_path / "results" / "spex.sarif"
    done = act(governed, "pull_request", event, sarif=str(outside))
    assert (done.status, done.outputs["sarif"], outside.is_file()) == (1, str(outside), True)


@pytest.mark.parametrize(
    "payload",
    [
        "",
        "[",
        "[]",
        "null",
        "{}",
        '{"pull_request": []}',
        '{"pull_request": {"number": "7", "head": {"sha": "' + "a" * 40 + '"}}}',
        '{"pull_request": {"number": true, "head": {"sha": "' + "a" * 40 + '"}}}',
        '{"pull_request": {"number": 7, "head": {"sha": ["x"]}}}',
        '{"pull_request": {"number": 7, "head": {"sha": "--output=x"}}}',
        "[" * 100_000,
    ],
)
def test_odd_events_are_refused_in_one_line(governed: Any, act: Act, payload: str) -> None:
    done = act(governed, "pull_request", payload)
    assert done.status == 2, done.log
    assert len(done.annotations("error")) == 1
    assert "GITHUB_EVENT_PATH" in done.annotations("error")[0]
    assert "Traceback" not in done.log


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() != 0, reason="only root can give files away")
def test_a_checkout_of_another_user_is_read_as_in_a_container(governed: Any, make_pull: Act, act: Act) -> None:
    event = behind(governed, make_pull).event()
    subprocess.run(["chown", "-R", "12345", str(governed.path)], check=True)
    assert act(governed, "pull_request", event).status == 1


def test_a_repository_in_a_folder_of_the_workspace(governed: Any, make_pull: Act, act: Act) -> None:
    event = behind(governed, make_pull).event()

    class Workspace:
        path = governed.path.parent

    done = act(Workspace, "pull_request", event, working_directory=governed.path.name)
    assert done.status == 1
    assert done.commands[0][1]["file"] == "src/session.py"


# --- posting what another run judged


def finished(pull: Any, owner: str = "mallory", **more: Any) -> dict[str, Any]:
    """The event of a run that has ended."""
    head = {"owner": {"login": owner}}
    run = {"id": 55, "event": "pull_request", "head_sha": pull.head, "head_branch": "topic", "head_repository": head}
    return {"workflow_run": run | more, "repository": {"default_branch": "main"}}


@pytest.fixture
def report(governed: Any, make_pull: Act, act: Act, hub: Any) -> tuple[Any, Path]:
    """A pull request from a fork, whose run may only read, and the report that it leaves."""
    pull = behind(governed, make_pull)
    done = act(governed, "pull_request", pull.event(), token="reader", comment="never")
    hub.pulls.append({"state": "open", "label": "mallory:topic", "number": 12, "head": {"sha": pull.head}})
    file = governed.path / "report.json"
    file.write_bytes(Path(done.outputs["report"]).read_bytes())
    return pull, file


def test_a_report_is_posted_where_github_says(governed: Any, act: Act, hub: Any, report: Any, page: Act) -> None:
    pull, _ = report
    done = act(governed, "workflow_run", finished(pull), report="report.json", fail_on="never")
    assert done.status == 0, done.log
    ((body,), (comment,)) = hub.by_bot(), hub.comments
    assert comment["issue"] == 12
    assert body.startswith("<!-- spex-govern run=55 -->\n❌ **1 error to settle** · 1 change against 2 specs\n")
    assert f"[`src/session.py:5`]({PAGE}/blob/{pull.head}/src/session.py#L5)" in body
    assert "> `A session is renewed at most once an hour.`" in body
    assert "→ edit the spec or, if it still holds, write `Spec-OK: renewal`" in body
    assert done.commands == []
    assert done.outputs["errors"] == "1"
    assert act(governed, "workflow_run", finished(pull), report="report.json").status == 1
    assert len(hub.comments) == 1


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"head_sha": "b" * 40}, "no open pull request has that head any more"),
        ({"head_branch": "other"}, "no open pull request has that head any more"),
        ({"event": "push"}, "that run was of push, which has no pull request"),
    ],
)
def test_no_report_is_posted_elsewhere(
    governed: Any, act: Act, hub: Any, report: Any, change: dict[str, Any], said: str
) -> None:
    done = act(governed, "workflow_run", finished(report[0], **change), report="report.json", fail_on="never")
    assert (done.status, hub.comments) == (0, [])
    assert said in done.log


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"<!-- @everyone -->",
        b"[]",
        b'{"schema": "spex-govern/2"}',
        b'{"schema": "spex-govern/1"}',
        b"\xff\xfe",
        b"[" * 100_000,
    ],
)
def test_what_is_no_report_is_not_posted(governed: Any, act: Act, hub: Any, report: Any, content: bytes) -> None:
    pull, file = report
    file.write_bytes(content)
    done = act(governed, "workflow_run", finished(pull), report="report.json")
    assert (done.status, hub.comments) == (2, [])
    assert "the report is none of schema spex-govern/1" in done.annotations("error")[0]


def test_a_report_for_any_other_event_is_refused(governed: Any, act: Act, report: Any) -> None:
    done = act(governed, "push", push(ZERO, "a" * 40), report="report.json")
    assert done.status == 2
    assert act(governed, "workflow_run", finished(report[0]), report="none.json").status == 2


# --- how it is installed


def test_it_is_installed_with_what_was_pinned_and_nothing_else(action: Any) -> None:
    program = Path(action.outputs["install"]["bin"])
    if not program.is_relative_to(action.temp):
        pytest.skip("needs a package registry in reach")
    listed = subprocess.run(
        [str(program / "python"), "-I", "-m", "pip", "list", "--format=json"], capture_output=True, check=True
    )
    installed = {row["name"].lower().replace("_", "-"): row["version"] for row in json.loads(listed.stdout)}
    text = "".join(
        (action.copy / f"requirements/{name}.txt").read_text(encoding="utf-8") for name in ("action", "build")
    )
    pinned = dict(re.findall(r"^([a-z0-9-]+)==(\S+)", text, re.MULTILINE))
    assert installed.keys() - {"pip", "setuptools", "spexsearch"} <= pinned.keys()
    assert {name: version for name, version in installed.items() if name in pinned and pinned[name] != version} == {}


def test_a_package_that_is_not_what_was_pinned_is_refused(
    action: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if not Path(action.outputs["install"]["bin"]).is_relative_to(action.temp):
        pytest.skip("needs a package registry in reach")
    copy = tmp_path / "copy"
    shutil.copytree(action.copy, copy)
    file = copy / "requirements/build.txt"
    file.write_text(re.sub("sha256:....", "sha256:0000", file.read_text(encoding="utf-8")), encoding="utf-8")
    monkeypatch.setattr(action, "copy", copy)
    monkeypatch.setattr(action, "outputs", dict(action.outputs))
    environ = {"PATH": os.environ["PATH"], "HOME": str(tmp_path), "RUNNER_TEMP": str(tmp_path)}
    done = action.step("install", {}, environ | {k: v for k, v in os.environ.items() if k.startswith("PIP_")}, tmp_path)
    assert done.returncode != 0
    assert b"THESE PACKAGES DO NOT MATCH THE HASHES" in done.stdout
    assert action.outputs["install"] == {}
