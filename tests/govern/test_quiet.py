"""What leaves no spec behind raises no error, although a spec claims the file and speaks of every word in it."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from spexsearch.govern.config import Config
from spexsearch.govern.report import Report

Judge = Callable[..., Report]
Texts = dict[str, str]

SPEC = ".spec/box/spec.md"
BODY = """\
# The box

A box has a lid on a hinge. `open_box` turns the hinge by `TURN_ANGLE` and `close_box` turns it back; a `BoxError` says
why a box stays shut. `openBox` and `closeBox` do the same in the browser, where the `box-lid` is red.
"""

PY = '''\
from boxes.hinge import Hinge
from boxes.lid import Lid

TURN_ANGLE = 90  # degrees


class BoxError(Exception):
    """Why a box stays shut."""


def open_box(box, lid):
    # The lid first.
    hinge = Hinge(box, lid)
    if not hinge.turn(TURN_ANGLE):
        raise BoxError("the lid is stuck")
    return [hinge, lid, "open"]


def close_box(box, lid):
    hinge = Hinge(box, lid)
    hinge.turn(-TURN_ANGLE)
    return [hinge, lid, "closed"]
'''

TS = """\
import { Hinge } from './hinge';
import { Lid } from './lid';

// degrees
export const TURN_ANGLE = 90;

export function openBox(box: Box, lid: Lid): Hinge[] {
  const hinge = new Hinge(box, lid);
  hinge.turn(TURN_ANGLE, 'open');
  return [hinge];
}

export function closeBox(box: Box, lid: Lid): Hinge[] {
  const hinge = new Hinge(box, lid);
  hinge.turn(-TURN_ANGLE, 'closed');
  return [hinge];
}
"""

CSS = ".box-lid { color: red; margin: 0 }\n.hinge { top: 0 }\n"
TEST_PY = (
    "from boxes.box import open_box\n\n\ndef test_open_box(box, lid):\n    assert open_box(box, lid)[2] == 'open'\n"
)
TEST_TS = "import { openBox } from './box';\n\nit('opens', () => expect(openBox(box, lid)).toHaveLength(1));\n"

FILES: Texts = {
    "src/box.py": PY,
    "src/box.ts": TS,
    "src/box.css": CSS,
    "tests/test_box.py": TEST_PY,
    "src/box.test.ts": TEST_TS,
}


def spec(*claims: str, body: str = BODY) -> str:
    return "---\ntitle: box\ncode:\n" + "".join(f"  - {claim}\n" for claim in claims) + f"---\n{body}"


Edits = tuple[tuple[str, str, str], ...]
"""(path, old, new), one after the other."""


def applied(edits: Edits) -> Texts:
    """The changed files, each edit wherever its old text stands."""
    changed: Texts = {}
    for path, old, new in edits:
        text = changed.get(path, FILES[path])
        assert old in text, f"{path} has no {old!r}"
        changed[path] = text.replace(old, new)
    return changed


CHANGES: dict[str, Edits] = {
    "a comment is changed": (("src/box.py", "# The lid first.", "# Hinge and lid, before the box opens."),),
    "a comment is new": (("src/box.py", "    hinge = ", "    # box, lid, hinge: open_box\n    hinge = "),),
    "a comment is gone": (("src/box.py", "    # The lid first.\n", ""), ("src/box.py", "  # degrees", "")),
    "a docstring is changed": (("src/box.py", '"""Why a box stays shut."""', '"""BoxError: the lid."""'),),
    "a comment of another language": (("src/box.ts", "// degrees", "/* openBox: degrees\n * closeBox */"),),
    "a style sheet": (("src/box.css", "color: red; margin: 0", "color: blue; opacity: 1; margin: 4px"),),
    "a whole style sheet": (("src/box.css", CSS, ".lid, .hinge, .box { display: grid }\n" * 40),),
    "a test": (("tests/test_box.py", "assert open_box", "assert open_box(lid, box)\n    assert not open_box"),),
    "a test beside": (("src/box.test.ts", "toHaveLength(1)", "toEqual([new Hinge(box, lid), closeBox(lid)])"),),
    "types": (
        (
            "src/box.py",
            "def open_box(box, lid):",
            "def open_box(box: Box, lid: Lid | None) -> list[Hinge | Lid | str]:",
        ),
        ("src/box.py", "TURN_ANGLE = 90", "TURN_ANGLE: int = 90"),
    ),
    "types of another language": (
        ("src/box.ts", "(box: Box, lid: Lid): Hinge[]", "(box: Readonly<Box>, lid: Lid): readonly Hinge[]"),
        ("src/box.ts", "const TURN_ANGLE =", "const TURN_ANGLE: number ="),
    ),
    "a new type": (("src/box.ts", "// degrees", "type BoxLid = { box: Box; hinge: Hinge };\n// degrees"),),
    "white space": (
        ("src/box.py", "[hinge, lid, ", "[ hinge,\n        lid,   "),
        ("src/box.py", "\n\n\ndef close_box", "\n\n\n\n\ndef close_box"),
        ("src/box.py", "Hinge(box, lid)", "Hinge( box,lid )"),
    ),
    "line ends": (("src/box.py", "\n", "\r\n"), ("src/box.ts", "\n", "\r\n")),
    "indentation": (("src/box.ts", "  ", "\t"), ("src/box.py", "    ", "  ")),
    "quotes": (
        ("src/box.py", '"open"', "'open'"),
        ("src/box.py", '"the lid is stuck"', "'the lid is stuck'"),
        ("src/box.ts", "'open'", '"open"'),
        ("src/box.ts", "'./hinge'", '"./hinge"'),
    ),
    "trailing commas": (
        ("src/box.py", '[hinge, lid, "open"]', '[hinge, lid, "open",]'),
        ("src/box.py", "def close_box(box, lid)", "def close_box(\n    box,\n    lid,\n)"),
        ("src/box.ts", "TURN_ANGLE, 'open')", "TURN_ANGLE, 'open',\n  )"),
    ),
    "semicolons": (("src/box.ts", "return [hinge];", "return [hinge]"), ("src/box.ts", "lid);", "lid)")),
    "imports": (
        ("src/box.py", "from boxes.lid import Lid\n", "import boxes.lid\nfrom boxes.lid import Lid, LidError\n"),
        ("src/box.ts", "import { Lid } from './lid';\n", "import { Lid, type LidKind } from '../lids/lid';\n"),
    ),
    "the order of imports": (
        (
            "src/box.py",
            "from boxes.hinge import Hinge\nfrom boxes.lid import Lid\n",
            "from boxes.lid import Lid\nfrom boxes.hinge import Hinge\n",
        ),
    ),
    "an import that is gone": (("src/box.py", "from boxes.lid import Lid\n", ""),),
}


def split(text: str, at: str) -> tuple[str, str]:
    head, found, tail = text.partition(at)
    assert found
    return head, found + tail


def moved_within(path: str, first: str, second: str) -> Texts:
    """The unit that begins with `second` before the one that begins with `first`."""
    head, rest = split(FILES[path], first)
    one, two = split(rest, second)
    return {path: f"{head}{two.rstrip()}\n\n\n{one.rstrip()}\n"}


def moved_out(path: str, at: str, target: str) -> Texts:
    """What begins with `at` in a file of its own."""
    kept, taken = split(FILES[path], at)
    return {path: kept.rstrip() + "\n", target: taken}


MOVES: dict[str, Texts] = {
    "within a file": moved_within("src/box.py", "def open_box", "def close_box"),
    "within a file of another language": moved_within(
        "src/box.ts", "export function openBox", "export function closeBox"
    ),
    "into a new file": moved_out("src/box.py", "def close_box", "src/closing.py"),
    "into a new file of another language": moved_out("src/box.ts", "export function closeBox", "src/closing.ts"),
}


def errors(report: Report) -> list[tuple[str, str | None]]:
    return [(finding.rule, finding.spec) for finding in report.findings if finding.level == "error"]


def claims_of(how: str) -> tuple[str, ...]:
    return {
        "files": tuple(FILES),
        "folders": ("src", "tests"),
        "patterns": ("src/**", "tests/*.py"),
        "units": ("src/box.py#open_box", "src/box.py#close_box", "src/box.ts#openBox", "src/box.ts#closeBox"),
    }[how]


CLAIMS = ("files", "folders", "patterns", "units")


@pytest.mark.parametrize("how", CLAIMS)
@pytest.mark.parametrize("name", CHANGES)
def test_what_changes_no_behaviour_raises_no_error(judge: Judge, name: str, how: str) -> None:
    edit = applied(CHANGES[name])
    assert errors(judge(FILES | {SPEC: spec(*claims_of(how))}, edit)) == []
    # Nor does it warn.
    assert [found.level for found in judge(FILES | {SPEC: spec(*claims_of(how))}, edit).findings] == []


@pytest.mark.parametrize("how", CLAIMS[:3])
@pytest.mark.parametrize("name", MOVES)
def test_moved_code_raises_no_error(judge: Judge, name: str, how: str) -> None:
    claims = (*claims_of(how), "src/closing.py", "src/closing.ts") if how == "files" else claims_of(how)
    # The files that code may move to are there to be claimed.
    files = FILES | {"src/closing.py": "", "src/closing.ts": ""} if how == "files" else FILES
    assert errors(judge(files | {SPEC: spec(*claims)}, MOVES[name])) == []


@pytest.mark.parametrize("how", CLAIMS[:3])
def test_moved_code_that_does_something_else_is_an_error(judge: Judge, how: str) -> None:
    edit = dict(moved_out("src/box.py", "def close_box", "src/closing.py"))
    was = "hinge.turn(-TURN_ANGLE)"
    assert was in edit["src/closing.py"]
    edit["src/closing.py"] = edit["src/closing.py"].replace(was, "lid.hinge.turn(box.lid, lid) or hinge.open(box)")
    assert errors(judge(FILES | {SPEC: spec(*claims_of(how))}, edit)) == [("untouched-spec", "box")]


@pytest.mark.parametrize("target", ["tests/closing.py", "vendor/closing.py", "docs/closing.md"])
def test_code_that_goes_where_none_is_looked_for_is_gone(judge: Judge, target: str) -> None:
    edit = moved_out("src/box.py", "def close_box", target)
    assert ("untouched-spec", "box") in errors(judge(FILES | {SPEC: spec("src")}, edit))


@pytest.mark.parametrize("how", CLAIMS[:3])
def test_a_moved_file_raises_no_error_but_where_its_claim_dangles(judge: Judge, how: str) -> None:
    report = judge(FILES | {SPEC: spec(*claims_of(how))}, {}, moved={"src/box.py": "src/case.py"})
    assert errors(report) == ([("dangling-claim", "box")] if how == "files" else [])


@pytest.mark.parametrize("how", CLAIMS)
def test_the_same_words_are_an_error_where_the_behaviour_changes(judge: Judge, how: str) -> None:
    """So that none of the above is silent for another reason."""
    edit = {
        "src/box.py": PY.replace(
            "hinge = Hinge(box, lid)\n    if not hinge.turn(TURN_ANGLE):",
            "hinge = Hinge(lid, box, TURN_ANGLE)\n    if hinge.turn(box.lid) and lid.turn(box) or not box.open(lid):",
        )
    }
    assert edit["src/box.py"] != PY
    assert errors(judge(FILES | {SPEC: spec(*claims_of(how))}, edit)) == [("untouched-spec", "box")]


@pytest.mark.parametrize("name", CHANGES)
def test_strict_asks_all_the_same(judge: Judge, name: str) -> None:
    edit = applied(CHANGES[name])
    report = judge(FILES | {SPEC: spec(*FILES)}, edit, config=Config(mode="strict"))
    assert errors(report) == [("untouched-spec", "box")]


GONE = {
    "a constant": ("src/box.py", "TURN_ANGLE", "TURN_LIMIT", 3),
    "a function": ("src/box.py", "open_box", "unlock_box", 3),
    "a class": ("src/box.py", "BoxError", "LidError", 3),
    "a function of another language": ("src/box.ts", "openBox", "unlockBox", 4),
}


@pytest.mark.parametrize("claims", [("docs/none.md",), ("src",)])
@pytest.mark.parametrize("name", GONE)
def test_a_removed_identifier_that_a_spec_still_names_is_an_error_at_its_line(
    judge: Judge, name: str, claims: tuple[str, ...]
) -> None:
    path, old, new, line = GONE[name]
    edit = {each: text.replace(old, new) for each, text in FILES.items() if old in text}
    files = FILES | {SPEC: spec(*claims), "docs/none.md": f"{old} was here.\n"}
    (found,) = (f for f in judge(files, edit).findings if f.rule == "stale-words" and f"`{old}`" in f.message)
    assert (found.level, found.path, found.line, found.spec) == ("error", SPEC, 5 + line, "box")
    assert found.message.startswith(f"`{old}` is `{new}` now (was {path}:")


def test_a_removed_identifier_is_no_error_where_tests_or_styles_alone_had_it(judge: Judge) -> None:
    files = FILES | {SPEC: spec(*FILES, body="As `only_tested` and `box-hinge-pin` say.\n")}
    had = {"tests/test_box.py": TEST_PY + "only_tested = 1\n", "src/box.css": CSS + ".box-hinge-pin { top: 0 }\n"}
    assert errors(judge(files | had, {path: FILES[path] for path in had})) == []
