"""What speaks for and against an edit of one spec: each kind alone, and all of them together."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from math import exp, log, sqrt
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spexsearch.floor.passages import Passages
from spexsearch.govern.evidence import CARRIED, ERROR, FEW, MANY, WARNING, WEIGHTS, score, share
from spexsearch.govern.report import Evidence, Report
from spexsearch.specs.model import Spec

Judge = Callable[..., Report]
Texts = Mapping[str, str]

LID = ".spec/lid/spec.md"
CODE = "def f():\n    return 1\n\n\ndef g():\n    return 2\n"
QUIET = {f".spec/q{n}/spec.md": f"---\ntitle: q{n}\n---\nZebras graze.\n" for n in range(3)}


def spec(*claims: str, related: tuple[str, ...] = (), body: str = "Quiet.") -> str:
    code = "".join(f"  - {claim}\n" for claim in claims)
    refers = "".join(f"  - {claim}\n" for claim in related)
    return f"---\ntitle: t\ncode:\n{code}related:\n{refers}---\n{body}\n"


@pytest.fixture
def pieces(judge: Judge) -> Callable[..., dict[str, Evidence]]:
    """The evidence that a change gives for one spec, by its name."""

    def weigh(before: Texts, edit: Mapping[str, str | None], path: str = LID, **kept: Any) -> dict[str, Evidence]:
        report = judge(before, edit, **kept)
        found = next((governing for governing in report.governing if governing.path == path), None)
        told = found.evidence if found else ()
        assert len({piece.name for piece in told}) == len(told)
        return {piece.name: piece for piece in told}

    return weigh


Pieces = Callable[..., dict[str, Evidence]]

CLAIMS = {LID: spec("a.py"), "a.py": "x = 1\n"}
SAYS = {LID: spec("a.py", body="A hinge."), "a.py": "x = 1\n"}
TURNED = {"a.py": "x = hinge\n"}  # two tokens differ
SIZE = log(1 + 2)
OPENS = {LID: spec("a.py#f"), "a.py": CODE}
NAMED = {".spec/hinge-pin/spec.md": spec("a/hinge.py"), "a/hinge.py": "x = 1\n"}
LINKS = {LID: spec(), "a.py": "# [[lid]]\nx = 1\n"}
GONE = {LID: spec(body="What `old_name` does."), "a.py": "old_name()\n"}
BESIDE = {LID: spec(), ".spec/lid/mould.md": "One.\n"}
OTHER = ".spec/other/spec.md"
TAKEN = {OTHER: spec("a.py")}

KINDS: list[tuple[str, Texts, Mapping[str, str | None], float, str]] = [
    ("tree", CLAIMS, TURNED, log(MANY) ** 2, "it claims what changed, and the tree has only 1 spec"),
    ("tree", CLAIMS | QUIET, TURNED, log(MANY / 4) ** 2, "it claims what changed, and the tree has only 4 specs"),
    (
        "claim",
        SAYS,
        TURNED,
        SIZE / 5,
        f"{LID}:4 code: a.py; it says 100% of what the best spec says of the change, 2 changed tokens",
    ),
    (
        "related",
        {LID: spec(related=("a.py",), body="A hinge."), "a.py": "x = 1\n"},
        TURNED,
        SIZE / 3,
        f"{LID}:5 related: a.py, 2 changed tokens",
    ),
    ("unit", OPENS, {"a.py": CODE.replace("1", "3")}, 1, f"{LID}:4 code: a.py#f: that unit changed"),
    ("owner", CLAIMS, TURNED, 1, "no other spec claims a.py"),
    ("owner", CLAIMS | TAKEN, TURNED, 1 / 2, "2 specs claim a.py"),
    (
        "code-words",
        SAYS,
        TURNED,
        sqrt(FEW - 1),
        "its best passage stands out by 3.0 deviations for the words of the code",
    ),
    (
        "prose-words",
        SAYS,
        {"a.py": "# a hinge\nx = 1\n"},
        sqrt(FEW - 1),
        "its best passage stands out by 3.0 deviations for changed comments",
    ),
    ("folder-name", NAMED, {"a/hinge.py": "x = y\n"}, 1 / 2, "50% of the words of `hinge-pin` stand in changed paths"),
    (
        "folder-name",
        {".spec/hinge-pin/spec.md": spec()},
        {"a/oldHingePin.py": "x = y\n"},
        1,
        "100% of the words of `hinge-pin` stand in changed paths",
    ),
    ("link", LINKS, {"a.py": "x = 1\n"}, 1, "a.py:1 names [[lid]]"),
    ("link", {LID: spec(), "a.py": "x = 1\n"}, {"a.py": "x = 1\n# [[ lid | so ]]\n"}, 1, "a.py:2 names [[lid]]"),
    (
        "vanished",
        GONE,
        {"a.py": "x = 1\n"},
        log(1 + 0.5 / 1.5),
        "`old_name` is gone from the code (was a.py:1), and it still says so",
    ),
    (
        "vanished",
        GONE | QUIET,
        {"a.py": "x = 1\n"},
        log(1 + 3.5 / 1.5),
        "`old_name` is gone from the code (was a.py:1), and it still says so",
    ),
    ("beside", BESIDE, {".spec/lid/mould.md": "Two.\n"}, 1, ".spec/lid/mould.md, in its own folder, changed"),
    ("taken-over", CLAIMS, TURNED | TAKEN, 1, "a new spec claims a.py too"),
]


@pytest.mark.parametrize(("name", "before", "edit", "measure", "detail"), KINDS)
def test_each_kind_has_its_weight_and_its_sentence(
    pieces: Pieces, name: str, before: Texts, edit: Mapping[str, str | None], measure: float, detail: str
) -> None:
    path = next(path for path in before if path.startswith(".spec") and path.endswith("spec.md"))
    piece = pieces(before, edit, path)[name]
    assert piece.weight == pytest.approx(WEIGHTS[name] * measure, abs=1e-4)
    assert piece.detail == detail


ABSENT: list[tuple[str, Texts, Mapping[str, str | None]]] = [
    # Only who claims what changed is the likelier for being one of few.
    ("tree", {LID: spec(related=("a.py",), body="A hinge."), "a.py": "x = 1\n"}, TURNED),
    ("tree", {LID: spec("a.py#f"), "a.py": CODE}, {"a.py": CODE.replace("2", "3")}),
    ("tree", {f".spec/q{n}/spec.md": "Quiet.\n" for n in range(2 * MANY)} | CLAIMS, TURNED),
    # Who says nothing of the change is not called up by a claim on it, nor by a change of no behaviour.
    ("claim", CLAIMS, TURNED),
    ("claim", SAYS, {"a.py": "# hinge\nx = 1\n"}),
    ("claim", {LID: spec("a.py#f", body="A hinge."), "a.py": CODE}, {"a.py": CODE.replace("2", "hinge")}),
    ("claim", {LID: spec("test_a.py", body="A hinge."), "test_a.py": "x = 1\n"}, {"test_a.py": "x = hinge\n"}),
    ("claim", {LID: spec("a.css", body="A hinge."), "a.css": "a { top: 0 }"}, {"a.css": "a { hinge: 0 }"}),
    ("claim", {LID: spec(body="A hinge."), "a.py": "x = 1\n"}, TURNED | {LID: spec("a.py", body="A hinge.")}),
    ("related", {LID: spec(related=("a.py",)), "a.py": "x = 1\n"}, TURNED),
    ("related", SAYS, TURNED),
    (
        "related",
        {LID: spec(body="A hinge."), "a.py": "x = 1\n"},
        TURNED | {LID: spec(related=("a.py",), body="A hinge.")},
    ),
    ("unit", OPENS, {"a.py": CODE.replace("2", "3")}),
    ("unit", {LID: spec("a.py"), "a.py": CODE}, {"a.py": CODE.replace("1", "3"), LID: spec("a.py", "a.py#f")}),
    ("owner", OPENS, {"a.py": CODE.replace("2", "3")}),
    ("owner", {LID: spec(related=("a.py",)), "a.py": "x = 1\n"}, TURNED),
    ("code-words", SAYS, {"a.py": "# hinge\nx = 1\n"}),
    ("code-words", SAYS, {"a.py": "x = screw\n"}),
    ("code-words", {LID: spec("hinge.py", body="A hinge."), "hinge.py": "x = 1\n"}, {"hinge.py": "# y\nx = 1\n"}),
    ("prose-words", SAYS, TURNED),
    ("folder-name", NAMED, {"a/screw.py": "hinge\n"}),
    ("link", LINKS, {"a.py": "# [[lid]]\nx = 2\n"}),
    ("link", {LID: spec()}, {"a.md": "[[lid]]\n"}),
    ("link", {LID: spec()}, {"a.py": "# [[lids]] [lid] lid\n"}),
    ("vanished", GONE | {"b.py": "old_name\n"}, {"a.py": "x = 1\n"}),
    ("vanished", GONE | {LID: spec(body="What old_name does, and `x`.")}, {"a.py": "x = 1\n"}),
    ("vanished", {LID: spec(body="See `a/b.py`."), "a/b.py": "x = 1\n"}, {"a/b.py": None}),
    ("beside", BESIDE, {".spec/lid/deep/mould.md": "Two.\n"}),
    ("beside", BESIDE, {".spec/lid/mould.md": "\n One. \n"}),
    ("beside", BESIDE, {".spec/lid/mould.md": ""}),
    ("beside", BESIDE, {".spec/lid/mould.md": None}),
    ("beside", BESIDE, {".spec/lid/more.md": ""}),
    ("beside", BESIDE | {".spec/lid/mould.py": "x = 1\n"}, {".spec/lid/mould.py": "x = y\n"}),
    ("beside", BESIDE | QUIET, {".spec/q1/spec.md": "New.\n"}),
    ("beside", {"a/SPEC.md": "---\nid: a\ntitle: a\ntype: m\n---\n", "a/a.py": "x = 1\n"}, {"a/a.py": "x = y\n"}),
    ("taken-over", CLAIMS | TAKEN, TURNED),
    ("taken-over", {LID: spec(related=("a.py",)), "a.py": "x = 1\n"}, TURNED | TAKEN),
]


@pytest.mark.parametrize(("name", "before", "edit"), ABSENT)
def test_each_kind_is_silent_where_it_has_nothing_to_say(
    pieces: Pieces, name: str, before: Texts, edit: Mapping[str, str | None]
) -> None:
    path = next(path for path in (LID, *before) if path in before and path.lower().endswith("spec.md"))
    assert name not in pieces(before, edit, path)


def test_the_table_holds_what_there_is() -> None:
    assert {"start", *(name for name, *_ in KINDS)} == set(WEIGHTS)
    assert {name for name, *_ in ABSENT} == set(WEIGHTS) - {"start"}
    assert {name for name, weight in WEIGHTS.items() if weight < 0} == {"start", "taken-over"}
    assert 0 < WARNING < ERROR < 1
    assert 0 < CARRIED < 1


# --- what each is measured by


def test_a_claim_weighs_by_the_best_passage_of_any_spec(pieces: Pieces) -> None:
    loud = {OTHER: "---\ntitle: o\n---\nA hinge and its screw.\n"}
    edit = {"a.py": "x = hinge(screw)\n"}
    alone, beside = (pieces(SAYS | more, edit)["claim"] for more in ({}, loud))
    assert alone.weight > beside.weight > 0
    assert "it says 100% of" in alone.detail
    assert "it says 100% of" not in beside.detail


def test_a_claim_weighs_by_the_size_of_the_change_up_to_a_large_one(pieces: Pieces) -> None:
    sizes = [
        pieces(SAYS, {"a.py": f"x = hinge(hinge, {', '.join(f'a{n}' for n in range(many))})\n"})["claim"].weight
        for many in (0, 5, 50, 500, 5000)
    ]
    assert sizes[0] < sizes[1] < sizes[2] < sizes[3] == sizes[4] == WEIGHTS["claim"]


def test_of_several_files_the_one_that_says_most_counts(pieces: Pieces) -> None:
    before = {LID: spec("a.py", "b.py", "c.py", body="A hinge."), **dict.fromkeys(("a.py", "b.py", "c.py"), "x = 1\n")}
    edit = {"a.py": "x = hinge\n", "b.py": "x = hinge(hinge, hinge)\n", "c.py": "x = y(y, y, y, y, y, y)\n"}
    found = pieces(before, edit)
    assert found["claim"].detail.startswith(f"{LID}:5 code: b.py; ")
    assert found["claim"].weight == pieces(before, {"b.py": edit["b.py"]})["claim"].weight
    refers = before | {LID: spec(related=("a.py", "b.py", "c.py"), body="A hinge.")}
    assert pieces(refers, edit)["related"].detail.startswith(f"{LID}:6 related: b.py, ")


def test_the_file_with_fewest_owners_counts(pieces: Pieces) -> None:
    before = CLAIMS | {LID: spec("a.py", "b.py"), OTHER: spec("a.py"), "b.py": "x = 1\n"}
    both = pieces(before, TURNED | {"b.py": "x = y\n"})["owner"]
    assert (both.weight, both.detail) == (WEIGHTS["owner"], "no other spec claims b.py")
    # A mention owns nothing, nor does who claims it only now.
    assert pieces(CLAIMS | {OTHER: spec(related=("a.py",))}, TURNED)["owner"].weight == WEIGHTS["owner"]
    for text in (spec(related=("a.py",)), spec("b.py")):
        edit = TURNED | {OTHER: spec("a.py", body="New.")}
        assert pieces(CLAIMS | {OTHER: text}, edit)["owner"].weight == WEIGHTS["owner"]


@pytest.mark.parametrize(("count", "z"), [(1, 3), (9, 3), (10, 3), (17, 4), (65, 8), (66, 8), (90, 8)])
def test_words_stand_out_the_more_the_more_are_silent_up_to_a_limit(pieces: Pieces, count: int, z: float) -> None:
    silent = {f".spec/q{n}/spec.md": "Quiet.\n" for n in range(count - 1)}
    found = pieces(SAYS | silent, {"a.py": "# hinge\nx = hinge\n"})
    for name in ("code-words", "prose-words"):
        assert found[name].weight == pytest.approx(WEIGHTS[name] * z, abs=1e-4)


def test_who_says_less_than_most_does_not_stand_out(pieces: Pieces) -> None:
    loud = {f".spec/l{n}/spec.md": "Hinge hinge hinge screw.\n" for n in range(FEW)}
    found = pieces(SAYS | loud, {"a.py": "x = hinge(screw)\n"})
    assert "code-words" not in found
    assert 0 < found["claim"].weight < WEIGHTS["claim"]


def test_documents_speak_in_prose_and_name_no_folder(pieces: Pieces) -> None:
    found = pieces({LID: spec(body="A hinge.")}, {"docs/lid.md": "The hinge of the [[lid]].\n"})
    assert set(found) == {"start", "prose-words"}


def test_words_that_say_nothing_elsewhere_name_a_folder(pieces: Pieces) -> None:
    path = ".spec/import-for/spec.md"
    assert "100%" in pieces({path: spec()}, {"import/for.py": "x = 1\n"}, path)["folder-name"].detail


def test_the_rarest_name_that_is_gone_counts(pieces: Pieces) -> None:
    before = QUIET | {
        LID: spec(body="Of `common_name` and `rare_name`."),
        OTHER: spec(body="Of `common_name`."),
        "a.py": "common_name(rare_name)\n",
    }
    found = pieces(before, {"a.py": "x = 1\n"})["vanished"]
    assert found.detail.startswith("`rare_name` is gone")
    assert found.weight == pytest.approx(WEIGHTS["vanished"] * log(1 + 4.5 / 1.5), abs=1e-4)
    many = {f".spec/m{n}/spec.md": "Quiet.\n" for n in range(1000)}
    assert pieces(before | many, {"a.py": "x = 1\n"})["vanished"].weight == pytest.approx(WEIGHTS["vanished"] * 5.5)


def test_a_renamed_spec_is_weighed_as_what_it_was(pieces: Pieces) -> None:
    new = ".spec/lid-of-it/spec.md"
    was, now = pieces(SAYS, TURNED), pieces(SAYS, TURNED, new, moved={LID: new})
    assert [(piece.name, piece.weight) for piece in was.values()] == [(p.name, p.weight) for p in now.values()]


def test_a_new_spec_has_no_chance_of_being_left_behind(judge: Judge) -> None:
    report = judge({"a.py": "x = 1\n"}, TURNED | {LID: spec("a.py", body="A hinge.")})
    assert [(found.path, found.score, found.evidence) for found in report.governing] == [(LID, 0.0, ())]


# --- together


def test_the_heaviest_comes_first_after_the_start(judge: Judge) -> None:
    for before, edit in ((SAYS, TURNED), (CLAIMS, TURNED | TAKEN), (NAMED, {"a/hinge.py": "x = y\n"})):
        for governing in judge(before, edit).governing:
            if governing.evidence:
                weights = [abs(piece.weight) for piece in governing.evidence[1:]]
                assert governing.evidence[0].name == "start"
                assert weights == sorted(weights, reverse=True)
                assert governing.score == score(governing.evidence)


WEIGHT = st.floats(-9, 9).map(lambda weight: round(weight, 4))


@given(st.lists(WEIGHT, max_size=12))
def test_the_score_is_the_logistic_of_the_sum(weights: list[float]) -> None:
    found = score(Evidence("x", weight, "") for weight in weights)
    assert found == pytest.approx(1 / (1 + exp(-sum(weights))), abs=1e-4)
    assert 0 <= found <= 1
    assert score(Evidence("x", weight, "") for weight in [*weights, 1.0]) >= found


def test_no_evidence_is_an_even_chance() -> None:
    assert score(()) == 0.5


CALLED = {"boxes": "kisten", "hinge": "angel", "hold": "halt", "lid": "deckel", "brass": "blech"}


def test_what_things_are_called_does_not_matter(judge: Judge) -> None:
    """No repository, path or word has a weight of its own: another name for everything gives the same numbers."""
    before = {
        ".spec/lid/spec.md": spec(
            "boxes/hinge.py#hold", related=("boxes/lid.py",), body="A `hold_hinge` of brass, see [[lid]]."
        ),
        "boxes/hinge.py": "def hold(x):\n    return hold_hinge(x)\n",
        "boxes/lid.py": "x = 1\n",
    }
    edit = {
        "boxes/hinge.py": "def hold(x):\n    # brass, [[lid]]\n    return hold_lid(x)\n",
        "boxes/lid.py": "x = hinge\n",
    }

    def otherwise(text: str) -> str:
        for old, new in CALLED.items():
            text = text.replace(old, new)
        return text

    def numbers(called: Callable[[str], str]) -> list[tuple[float, list[tuple[str, float]]]]:
        made = ({called(path): called(text) for path, text in texts.items()} for texts in (before, edit))
        return [(g.score, [(e.name, e.weight) for e in g.evidence]) for g in judge(*made).governing]

    ((_, plain),) = numbers(str)
    assert numbers(otherwise) == numbers(str)
    assert {name for name, _ in plain} == set(WEIGHTS) - {"beside", "taken-over"}


def test_shares_are_of_the_best_of_any_spec() -> None:
    def made(path: str, body: str) -> Spec:
        return Spec(id=path, title="", desc="", path=path, body=body, body_line=1, dialect="spex")

    passages = Passages([made("a", "hinge"), made("b", "hinge of the screw and much else here"), made("c", "zebra")])
    first, second, none = map(share, passages.best([[("hinge", 1.0)], [("zebra", 2.0)], [("nosuch", 1.0)]]))
    assert first["a"] == 1.0 > first["b"] > 0
    assert (set(first), second, none) == ({"a", "b"}, {"c": 1.0}, {})
