from __future__ import annotations

import random
import re
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from spexsearch.govern.source import grammars
from spexsearch.govern.source.grammars import Language
from spexsearch.govern.source.languages import line_comments
from spexsearch.govern.units import MAX_BYTES, Outline, outline, renamed_units

SAMPLES = Path(__file__).parent / "languages"


def changed_units(old: Outline | None, new: Outline | None) -> tuple[str, ...]:
    """Names of units that were added, removed, or whose own tokens differ."""
    before = {unit.name: unit for unit in old.units} if old else {}
    after = {unit.name: unit for unit in new.units} if new else {}
    changed = [name for name, unit in after.items() if name not in before or before[name].tokens != unit.tokens]
    return (*changed, *(name for name in before if name not in after))


EXPECTED = {
    "sample.py": """LIMIT:constant low:variable high:variable first:variable second:variable double:function
        SHELL:constant ring:function ring.once:function wait:function Clock:class Clock.zone:variable
        Clock.alarms:variable Clock.hour:method Clock.Hand:class Clock.Hand.turn:method""",
    "sample.ts": """LIMIT:constant FLOOR:constant counter:variable legacy:variable low:constant top:constant
        mid:constant others:constant head:constant tail:constant ring:function ring.once:function ring.twice:function
        wait:function ticks:function handlers:constant handlers.open:method handlers.close:method handlers.deep:method
        Clock:class Clock.zone:variable Clock.bell:variable Clock.tick:method Clock.constructor:method
        Clock.hour:method Clock.turn:method Clock.advance:method Shape:class Shape.area:method Bell:interface
        Hour:type Mode:enum Time.Zones:namespace Time.Zones.utc:constant Time.Zones.offset:function native:function
        default:constant default.mounted:method""",
    "sample.tsx": """Props:type Greeting:function Greeting.handle:function Badge:function Fast:constant Panel:class
        Panel.state:variable Panel.render:method""",
    "sample.js": """fs:constant read:function LIMIT:variable Clock:function Clock.turn:function Clock.create:function
        Hand:class Hand.length:variable Hand.secret:variable Hand.move:method Hand.steps:method Wheel:class
        Wheel.spin:method api:constant api.get:method api.save-all:method build:function module.exports:variable""",
    "sample.jsx": "Title:function default:function",
    "sample.go": """Limit:constant Floor:constant A:constant B:constant zone:variable Clock:type Bell:type Hour:type
        Clock.Turn:method New:function""",
    "sample.rs": """LIMIT:constant ZONE:variable Hour:type Clock:class Mode:enum Bell:interface Bell.ring:method
        Clock.turn:method Clock.fmt:method tick:function inner:namespace inner.helper:function""",
    "Sample.java": """Clock:class Clock.LIMIT:variable Clock.hour:variable Clock.minute:variable Clock.Clock:method
        Clock.turn:method Clock.Mode:enum Bell:interface Bell.ring:method Hour:class Marker:interface
        Marker.value:method""",
    "sample.kt": """LIMIT:variable Hour:type Clock:class Clock.zone:variable Clock.turn:method
        Clock.turn.inner:function Clock.create:method Registry:class Registry.size:variable Bell:interface
        Bell.ring:method Mode:enum String.shout:function""",
    "sample.c": """LIMIT:constant DOUBLE:function counter:variable other:variable ring:function clock:class
        hand_t:type mode:enum ring_all:function""",
    "sample.cpp": """app.time:namespace app.time.Clock:class app.time.Clock.Clock:method app.time.Clock.~Clock:method
        app.time.Clock.hour:variable app.time.Clock.zone:method app.time.Clock.turn:method
        app.time.Clock.reset:function twice:function Hour:type LIMIT:variable Mode:enum operator==:function""",
    "Sample.cs": """App.Time:namespace App.Time.Clock:class App.Time.Clock.Limit:variable App.Time.Clock.Zone:variable
        App.Time.Clock.Rang:variable App.Time.Clock.Clock:method App.Time.Clock.Turn:method
        App.Time.Clock.Turn.Inner:function App.Time.IBell:interface App.Time.IBell.Ring:method App.Time.Hand:class
        App.Time.Hour:class App.Time.Mode:enum App.Time.Handler:type""",
    "sample.rb": """Watch:namespace Watch.LIMIT:constant Watch.Clock:class Watch.Clock.turn:method
        Watch.Clock.create:method Watch.Clock.ring?:method helper:function""",
    "sample.php": """LIMIT:constant Clock:class Clock.ZONE:constant Clock.hour:variable Clock.turn:method
        Bell:interface Bell.ring:method Loud:class Mode:enum helper:function""",
    "sample.swift": """limit:variable Hour:type Clock:class Clock.zone:variable Clock.hour:variable Clock.init:method
        Clock.turn:method Hand:class Hand.length:variable Bell:interface Bell.ring:method Clock.reset:method
        Mode:enum helper:function""",
    "sample.scala": """Clock:class Clock.zone:constant Clock.hour:variable Clock.turn:method Clock.create:method
        Bell:interface Bell.ring:method Hour:class Minutes:type limit:constant helper:function""",
    "sample.lua": """M:variable limit:variable helper:function M.ring:function M.turn:function M.reset:function
        handlers:variable handlers.open:function""",
    "sample.sh": "LIMIT:variable ZONE:variable ring:function helper:function",
    "sample.json": "name:key scripts:key scripts.test:key scripts.build:all:key files:key",
    "sample.yaml": """name:key on:key on.push:key on.push.branches:key jobs:key jobs.test:key jobs.test.steps:key
        env:key env.LIMIT:key env.ZONE:key text:key""",
    "sample.toml": """title:key project:key project.name:key project.dependencies:key project.urls.home:key
        tool.my.tool:key tool.my.tool.text:key rows:key rows.id:key""",
    "Sample.vue": "hour:constant turn:function",
    "Sample.svelte": "limit:constant hour:variable turn:function",
}

EDITS = {
    "sample.py": ('sound = "dring"', 'sound = "bong"', ("ring",)),
    "sample.ts": ("return { helper() {} };", "return by;", ("Clock.turn",)),
    "sample.tsx": ("open: false", "open: true", ("Panel.state",)),
    "sample.js": ("move = () => {}", "move = () => 1", ("Hand.move",)),
    "sample.jsx": ("it's", "its", ("default",)),
    "sample.go": ("'c'", "'d'", ("Clock.Turn",)),
    "sample.rs": ("(1,)\n", "(2,)\n", ("Clock.turn",)),
    "Sample.java": ('local = "x"', 'local = "y"', ("Clock.turn",)),
    "sample.kt": ("Clock(0)", "Clock(1)", ("Clock.create",)),
    "sample.c": ("return 0", "return 1", ("ring_all",)),
    "sample.cpp": ("int y = x", "int y = 2", ("app.time.Clock.turn",)),
    "Sample.cs": ("turn {by}", "turned {by}", ("App.Time.Clock.Turn",)),
    "sample.rb": ("by #{by}", "by #{by + 1}", ("Watch.Clock.turn",)),
    "sample.php": ("'UTC'", "'CET'", ("Clock.ZONE",)),
    "sample.swift": ("length = 1", "length = 2", ("Hand.length",)),
    "sample.scala": ("new Clock(0)", "new Clock(1)", ("Clock.create",)),
    "sample.lua": ("return helper(times)", "return times", ("M.ring",)),
    "sample.sh": ("%H", "%M", ("ring",)),
    "sample.json": ("run test", "run tests", ("scripts.test",)),
    "sample.yaml": ("make check", "make checks", ("jobs.test.steps",)),
    "sample.toml": ('"two"', '"three"', ("project.dependencies",)),
    "Sample.vue": ("return hour", "return hour + 1", ("turn",)),
    "Sample.svelte": ("limit = 3", "limit = 4", ("limit",)),
}


def read(path: str, text: str) -> Outline:
    found = outline(path, text.encode())
    assert found is not None
    return found


def sample(name: str) -> str:
    return (SAMPLES / name).read_text(encoding="utf-8")


def test_every_sample_is_expected() -> None:
    assert {path.name for path in SAMPLES.iterdir()} == EXPECTED.keys() == EDITS.keys()


@pytest.mark.parametrize("name", EXPECTED)
def test_units_of_a_language(name: str) -> None:
    found = [f"{unit.name}:{unit.kind}" for unit in read(name, sample(name)).units]
    assert found == EXPECTED[name].split()


@pytest.mark.parametrize("name", EXPECTED)
def test_lines_hold_the_name(name: str) -> None:
    lines = sample(name).split("\n")
    for unit in read(name, sample(name)).units:
        text = "\n".join(lines[unit.start - 1 : unit.end])
        assert 1 <= unit.start <= unit.end <= len(lines)
        last = unit.name.rpartition(".")[2]
        assert last in text or last in ("all", "default", "exports", "tool")


@pytest.mark.parametrize("name", sorted(EXPECTED.keys() - {"sample.json"}))
def test_comments_and_blank_lines_change_no_unit(name: str) -> None:
    text = sample(name)
    starts = {unit.start for unit in read(name, text).units}
    lines: list[str] = []
    for number, line in enumerate(text.split("\n"), 1):
        if number in starts:
            indent = line[: len(line) - len(line.lstrip())]
            lines += ["", indent + line_comments(name)[0] + " it's a comment (with [brackets", ""]
        lines.append(line)
    old, new = read(name, text), read(name, "\n".join(lines))
    assert changed_units(old, new) == ()
    assert old.loose == new.loose
    assert len(new.comments) > len(old.comments)


@pytest.mark.parametrize("name", EXPECTED)
def test_crlf_and_byte_order_mark_change_no_unit(name: str) -> None:
    text = sample(name)
    marked = outline(name, b"\xef\xbb\xbf" + text.replace("\n", "\r\n").encode())
    assert marked is not None
    assert [(unit, marked.loose) for unit in marked.units] == [
        (unit, read(name, text).loose) for unit in read(name, text).units
    ]


@pytest.mark.parametrize("name", EXPECTED)
def test_an_edit_names_its_innermost_unit(name: str) -> None:
    old, new, units = EDITS[name]
    text = sample(name)
    assert old in text
    assert changed_units(read(name, text), read(name, text.replace(old, new))) == units


@pytest.mark.parametrize(
    ("path", "old", "new"),
    [
        (
            "a.py",
            "def f(a, b):\n    return {'x': a}\n",
            'def f(\n    a,\n    b,\n):\n    return {\n        "x": a,\n    }\n',
        ),
        ("a.py", "x = 'it\\'s'\n", 'x = "it\'s"\n'),
        ("a.py", 'def f():\n    """Old."""\n    return 1\n', "def f():\n    '''New\n    words.'''\n    return 1;\n"),
        ("a.py", "if x: y()\n", "if x:\n    y()\n"),
        ("a.ts", "export const a = { b: 1, c: 'x' }", 'export const a = {\n  b: 1,\n  c: "x",\n};\n'),
        ("a.ts", "f(a, b)\ng()", "f(\n  a,\n  b,\n);\ng();"),
        ("a.jsx", "const A = () => <p>don't</p>", "const A = () =>\n  <p>\n    don't\n  </p>;"),
        ("a.go", "func f(a int) { g(a, 1) }", "func f(a int) {\n\tg(\n\t\ta,\n\t\t1,\n\t)\n}"),
        ("a.rs", "fn f() { g(a, b) }", "fn f() {\n    g(\n        a,\n        b,\n    )\n}"),
        ("a.json", '{"a":[1,2]}', '{\n  "a": [\n    1,\n    2\n  ]\n}'),
        ("a.yaml", "a: [x, y]\n", "a:   [ x, y ]   # why\n"),
        ("a.toml", "a = [1, 2]\n", "a = [\n  1, # one\n  2,\n]\n"),
        ("a.sh", "f() { a; b; }", "f() {\n  a\n  b\n}"),
    ],
)
def test_a_formatters_work_is_no_change(path: str, old: str, new: str) -> None:
    before, after = read(path, old), read(path, new)
    assert [unit.tokens for unit in before.units] == [unit.tokens for unit in after.units]
    assert before.loose == after.loose


@pytest.mark.parametrize(
    ("path", "old", "new"),
    [
        ("a.py", "def f():\n    if a:\n        b()\n        c()\n", "def f():\n    if a:\n        b()\n    c()\n"),
        ("a.py", "x = (1,)\n", "x = (1)\n"),
        ("a.py", "x = 'a b'\n", "x = 'a  b'\n"),
        ("a.py", "x = f'{a}'\n", "x = f'{b}'\n"),
        ("a.js", "const x = () => a - -b", "const x = () => a-- - b"),
        ("a.js", "const x = [a,,b]", "const x = [a,b]"),
        ("a.js", "const x = /a b/", "const x = /a  b/"),
        ("a.ts", "const x = `a ${b}`", "const x = `a  ${b}`"),
        ("a.rs", "fn f() -> u8 { g() }", "fn f() -> u8 { g(); }"),
        ("a.rs", "const X: T = (1,);", "const X: T = (1);"),
        ("a.yaml", "a:\n  - - x\n    - y\n", "a:\n  - - x\n  - y\n"),
        ("a.sh", "f() { a\nb; }", "f() { a b; }"),
    ],
)
def test_white_space_and_commas_that_mean_something_are_a_change(path: str, old: str, new: str) -> None:
    assert len(changed_units(read(path, old), read(path, new))) == 1


def test_moving_units_is_no_change() -> None:
    a, b = "def a():\n    return 1\n", "def b():\n    return 2\n"
    assert changed_units(read("m.py", a + b), read("m.py", b + a)) == ()


def test_added_and_removed_units_are_named_new_side_first() -> None:
    old = read("m.ts", "function gone() {}\nclass A { m() {} }")
    new = read("m.ts", "class A { m() {} n() {} }\nfunction come() {}")
    assert changed_units(old, new) == ("A.n", "come", "gone")
    assert changed_units(None, new) == ("A", "A.m", "A.n", "come")
    assert changed_units(old, None) == ("gone", "A", "A.m")


def test_object_members_do_not_change_the_object() -> None:
    old = read("m.ts", "const api = { a() {}, b: () => 1 };")
    assert changed_units(old, read("m.ts", "const api = { b: () => 2, c() {} };")) == ("api.b", "api.c", "api.a")


def test_decorators_and_attributes_belong_to_the_unit() -> None:
    for path, old in (
        ("m.py", "@cache\ndef f(): ...\n"),
        ("m.ts", "class A {\n  @cache\n  f() {}\n}"),
        ("m.rs", "#[cache]\nfn f() {}"),
    ):
        changed = changed_units(read(path, old), read(path, old.replace("cache", "lru")))
        assert [name.rpartition(".")[2] for name in changed] == ["f"]
        assert read(path, old).find("f")[0].start < read(path, old).find("f")[0].end


def test_find_takes_the_exact_name_first_then_trailing_paths() -> None:
    found = read(
        "m.py",
        "def run(): ...\nclass A:\n    def run(): ...\n    def stop(): ...\nclass B:\n    def stop(): ...\n",
    )
    assert [unit.name for unit in found.find("run")] == ["run"]
    assert [unit.name for unit in found.find("A.run")] == ["A.run"]
    assert [unit.name for unit in found.find("stop")] == ["A.stop", "B.stop"]
    assert found.find("op") == ()
    assert found.find("") == ()


def test_find_reads_other_languages_paths() -> None:
    assert [unit.name for unit in read("m.rs", sample("sample.rs")).find("Clock::turn")] == ["Clock.turn"]
    assert [unit.name for unit in read("m.cpp", sample("sample.cpp")).find("Clock::reset")] == ["app.time.Clock.reset"]
    assert [unit.name for unit in read("m.lua", sample("sample.lua")).find("M:turn")] == ["M.turn"]
    assert [unit.name for unit in read("m.js", sample("sample.js")).find("Hand#secret")] == ["Hand.secret"]


def test_a_unit_renamed_with_the_same_tokens() -> None:
    old = read("m.py", "def fetch(n):\n    return fetch(n - 1)\n\ndef other(): ...\n")
    new = read("m.py", "def load(n):\n    return load(n - 1)\n\ndef other(): ...\n")
    assert renamed_units(old, new) == {"fetch": "load"}
    twins = read("m.py", "def a():\n    return 1\n\ndef b():\n    return 1\n")
    assert renamed_units(old, twins) == {}


def test_columns_are_counted_in_characters() -> None:
    found = read("m.ts", "const é = '💡'; /* ü */ export function ñandú() { return '漢字' + é; } // ß\n")
    assert [unit.name for unit in found.units] == ["é", "ñandú"]
    assert found.comments == ("/* ü */", "// ß")
    assert "ñandú" in found.units[1].tokens
    assert '""漢字' in found.units[1].tokens


def test_bytes_that_are_no_utf8_are_told_apart() -> None:
    one, two = outline("m.py", b"x = '\xff'\n"), outline("m.py", b"x = '\xfe'\n")
    assert changed_units(one, two) == ("x",)


def test_source_that_does_not_parse_gives_what_is_there() -> None:
    found = read("m.ts", "function a() { return 1 }\n}}} ) const = ;\nfunction b() { return 2 }\n")
    assert {"a", "b"} <= {unit.name for unit in found.units}
    assert "const" in found.loose


def test_code_keeps_lines_and_loses_comments() -> None:
    text = sample("sample.ts").replace("let counter", "/* one\ntwo */ let counter")
    found = read("sample.ts", text)
    assert found.code.count("\n") == text.count("\n")
    assert "two" not in found.code
    assert found.code.split("\n")[5].strip() == "let counter = 0;"


def test_components_keep_their_markup_as_tokens() -> None:
    text = sample("Sample.vue")
    old, new = read("Sample.vue", text), read("Sample.vue", text.replace("{{ hour }}", "{{ hour + 1 }}"))
    assert changed_units(old, new) == ()
    assert old.loose != new.loose
    assert read("Sample.vue", text.replace("the face", "a face")).loose == old.loose
    assert "<!-- the face -->" in old.comments


def test_a_shebang_tells_the_language() -> None:
    assert read("bin/run", "#!/usr/bin/env python3\ndef f(): ...\n").language == "python"
    assert read("bin/run", "#!/bin/sh\nf() { :; }\n").find("f")
    assert outline("bin/run", b"def f(): ...\n") is None


def test_what_cannot_be_parsed_in_a_hook_has_no_outline() -> None:
    assert outline("a.txt", b"text") is None
    assert outline("a.py", b"#" * (MAX_BYTES + 1)) is None
    assert outline("a.js", b"x=[" + b"'a'," * 50_000 + b"]") is None
    assert outline("a.js", b"const x = '" + b"a" * 500_000 + b"'") is not None


@pytest.mark.parametrize(
    ("path", "source"),
    [
        ("a.yaml", "- " * 3000),
        ("a.yaml", "".join(" " * depth + "a:\n" for depth in range(400))),
        ("a.kt", '"${' * 3000),
        ("a.swift", "/*" * 3000),
        ("a.sh", "<<A\n" * 9000),
    ],
)
def test_text_that_would_kill_or_stall_a_scanner_has_no_outline(path: str, source: str) -> None:
    assert outline(path, source.encode()) is None


@pytest.mark.parametrize(
    ("path", "source", "names"),
    [
        ("a.toml", "''=1\n", ['""']),
        ("a.lua", "=!", []),
        ("a.json", '{"": 1, "b": 2}', ["b"]),
        ("a.js", "const {a, b: [c], ...d} = e", ["a", "d"]),
        ("a.py", "a = " * 60 + "1", ["a"]),
        ("a.py", ", ".join(f"a{n}" for n in range(300)) + " = b", [f"a{n}" for n in range(50)]),
    ],
)
def test_names_that_are_empty_or_many(path: str, source: str, names: list[str]) -> None:
    assert [unit.name for unit in read(path, source).units] == names


@pytest.mark.parametrize(
    "language", [row for row in vars(grammars).values() if isinstance(row, Language) and row.grammar]
)
def test_every_node_kind_of_the_table_is_in_its_grammar(language: Language) -> None:
    from ast_grep_py import SgRoot

    root = SgRoot("", language.grammar).root()
    names = "comments strings interpolations types imports marks wrappers prefixes bodies scopes units"
    for kind in sorted({kind for name in names.split() for kind in getattr(language, name)}):
        assert isinstance(root.find_all(kind=kind), list)


BITS = [
    b"def f(", b"class A", b"{", b"}", b"(", b")", b"<script>", b"</script",
    b"'", b'"', b"`", b"${", b"\n", b" ", b"//", b"/*",
    b"*/",    b"#", b"=", b"const x", b"export default ", b"@d\n", b"<p>", b"[[a]]", b'"""',
    b"f'", b"=>", b"function", b"\xff", "é".encode(), b"\x00",    b"a: ", b"- ", b"|",
    b"<<EOF", b"impl A for B<", b"import x", b":", b",", b";", b"namespace ", b"=begin\n",
    b"--[[", b"<?php ",
]  # fmt: skip


@settings(max_examples=40, deadline=None)
@given(source=st.one_of(st.binary(max_size=120), st.lists(st.sampled_from(BITS), max_size=60).map(b"".join)))
@pytest.mark.parametrize("name", EXPECTED)
def test_no_source_is_refused(name: str, source: bytes) -> None:
    found = outline(name, source)
    if re.search(rb"\r(?!\n)", source):
        assert found is None, "nobody knows whether a lone CR ends a line"
        return
    assert found is not None
    lines = source.count(b"\n") + 1
    assert all(unit.name and 1 <= unit.start <= unit.end <= lines for unit in found.units)
    assert changed_units(found, found) == ()
    assert found == outline(name, source)


NAMES = st.sampled_from(["alpha", "beta", "gamma", "delta"])
STATEMENTS = st.builds("{} = {}({}, '{}')".format, NAMES, NAMES, st.integers(0, 99), NAMES)


@settings(max_examples=40, deadline=None)
@given(
    functions=st.lists(st.tuples(NAMES, st.lists(STATEMENTS, min_size=1, max_size=4)), min_size=1, max_size=4),
    noise=st.randoms(use_true_random=False),
)
@pytest.mark.parametrize("path", ["m.py", "m.ts", "m.js", "m.go", "m.lua"])
def test_noise_between_tokens_changes_no_unit(
    path: str, functions: list[tuple[str, list[str]]], noise: random.Random
) -> None:
    opening, closing, sign = {
        "m.py": ("def {}():", "", "#"),
        "m.ts": ("function {}() {{", "}", "//"),
        "m.js": ("function {}() {{", "}", "//"),
        "m.go": ("func {}() {{", "}", "//"),
        "m.lua": ("function {}()", "end", "--"),
    }[path]
    quote = '"' if path == "m.go" else "'"
    plain, noisy = [], []
    for name, body in functions:
        lines = [opening.format(name), *("    " + line.replace("'", quote) for line in body), closing]
        plain += lines
        for line in lines:
            if noise.random() < 0.3:
                noisy += ["", "        " + sign + " why 'not"]
            spread = line.replace(" = ", "  =   ").replace("(", "( ", 1) if noise.random() < 0.5 else line
            noisy.append(spread + (f"  {sign} {line}" if noise.random() < 0.3 else "  "))
    before, after = read(path, "\n".join(plain)), read(path, "\n".join(noisy))
    assert {unit.name for unit in before.units} >= {name for name, _ in functions}
    assert changed_units(before, after) == ()
    assert before.loose == after.loose
