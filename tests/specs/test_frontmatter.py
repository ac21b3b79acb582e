from __future__ import annotations

import subprocess
import sys

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from spexsearch.specs.frontmatter import MAX_FRONTMATTER, Frontmatter, read_frontmatter


def read(text: str | bytes) -> Frontmatter:
    return read_frontmatter(text if isinstance(text, bytes) else text.encode(), "a/spec.md")


def told(front: Frontmatter) -> list[tuple[int, str]]:
    return [(problem.line, problem.message) for problem in front.problems]


def value(lines: str) -> object:
    return read(f"---\nkey: {lines}\n---\n").fields["key"]


def test_keys_lists_lines_and_body() -> None:
    front = read(
        "---\ntitle: Lamps\ncode:\n  - src/a.py\n\n  # the other one\n  - src/b.py\nhue: 3\n---\n\n# Lamps\nLight.\n"
    )
    assert front.fields == {"title": "Lamps", "code": ["src/a.py", "src/b.py"], "hue": "3"}
    assert front.field_lines == {"title": 2, "code": 3, "hue": 8}
    assert front.item_lines == {"code": (4, 7)}
    assert (front.body, front.body_line) == ("# Lamps\nLight.", 11)
    assert front.present
    assert front.problems == ()


@pytest.mark.parametrize(
    "text", ["no", "1.10", "2024-01-01", "a: b", "x #tag", "@owner", "`code` first", "*bold* it", "100%", "~", "- dash"]
)
def test_a_plain_value_is_its_text(text: str) -> None:
    front = read(f"---\ntitle: {text}\n---\n")
    assert front.fields == {"title": text}
    assert front.problems == ()


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        ('"a: b # c"', "a: b # c"),
        (r'"a\tb"', "a\tb"),
        ("'it''s'", "it's"),
        ("'x' # why", "x"),
        ("[a, 'b, c', NO]", ["a", "b, c", "NO"]),
        ("[]", []),
        ("{a: 1, b: [x]}", {"a": "1", "b": ["x"]}),
        ("|\n  one\n  # two\n\n  ---\n  three", "one\n# two\n\n---\nthree\n"),
        (">-\n  folded\n  text", "folded text"),
        ("first\n  second", "first second"),
        ("\n  - no\n  - 1.10\n  - 2024-01-01", ["no", "1.10", "2024-01-01"]),
        ("\n- a # why\n- 'b'\n-  c d", ["a", "b", "c d"]),
        ("# the files\n  - a", ["a"]),
        ("\n  sub: 1\n  more:\n    - x", {"sub": "1", "more": ["x"]}),
    ],
)
def test_structure_is_read_as_yaml_with_text_for_leaves(lines: str, expected: object) -> None:
    front = read(f"---\nkey: {lines}\nnext: n\n---\n")
    assert front.fields == {"key": expected, "next": "n"}
    assert front.problems == ()


@pytest.mark.parametrize(
    ("lines", "expected", "line"),
    [
        ("[draft] foo", "[draft] foo", 2),
        ("> note", "> note", 2),
        ("{x} y", "{x} y", 2),
        ("'it''s", "'it''s", 2),
        ("a: b\n  and more", "a: b and more", 2),
        ("\n\t- src/a.py", ["src/a.py"], 3),
        ("\n  - @scope/x", ["@scope/x"], 3),
        ("src/a.py\n  - src/b.py", ["src/a.py", "src/b.py"], 2),
        ("\n  - &x a\n  - *x", ["&x a", "*x"], 3),
        ("[&x a, *x]", "[&x a, *x]", 2),
        ("\n  - !!python/name:os.system x", ["!!python/name:os.system x"], 3),
        ("!include secrets.yml", "!include secrets.yml", 2),
        ("\n  - a\rb: c", ["a\rb: c"], 2),
        ("\n  - a\u2028- b", ["a\u2028- b"], 2),
        ("\n" + "  - " + "- " * 40 + "deep", ["- " * 40 + "deep"], 3),
    ],
)
def test_what_yaml_refuses_is_read_by_lines_with_a_problem(lines: str, expected: object, line: int) -> None:
    front = read(f"---\nkey: {lines}\nnext: n\n---\n")
    assert front.fields == {"key": expected, "next": "n"}
    assert line in [problem.line for problem in front.problems]


def test_an_item_without_a_blank_after_its_dash_is_told() -> None:
    front = read("---\nkey:\n\t- a\n\t-b\n---\n")
    assert front.fields == {"key": ["a"]}
    assert [line for line, _ in told(front)] == [3, 4]


@pytest.mark.parametrize(
    "data", [b"\xef\xbb\xbf---\nid: A\n---\nbody", b"---  \nid: A\n---\t \nbody", b"---\r\nid: A\r\n---\r\nbody\r\n"]
)
def test_bom_crlf_and_blanks_on_the_fence_are_read(data: bytes) -> None:
    front = read(data)
    assert (front.fields, front.body, front.body_line, front.problems) == ({"id": "A"}, "body", 4, ())


def test_crlf_lists_and_blocks_are_those_of_lf() -> None:
    text = "---\ncode:\n  - a\n  - b: c\nnote: |\n  x\n  y\nlast:\n  - z\n---\nbody\n"
    unix, windows = read(text), read(text.replace("\n", "\r\n"))
    assert (unix.fields, unix.field_lines, unix.item_lines) == (windows.fields, windows.field_lines, windows.item_lines)
    assert windows.problems == ()


@pytest.mark.parametrize(
    "text",
    [
        "# Title\n",
        "",
        "---\n---\nx: y\n",
        "---\n\nA rule, then text.\n",
        "---\n\nNote: a rule, then text.\n",
        "---\n\n# Title\n\nNote: text.\n",
        "text\n---\nid: A\n---\n",
        "# Title\n\n---\n\ncode: a list of them\n\n---\n",
        "# Title\n---\nversion: 1\n---\n",
        "# Title\n---\ntitle: of a rule that nothing ends\n",
        "<!-- never closed\n---\nid: A\n---\n",
        "+++\nno key\n+++\n",
    ],
)
def test_no_frontmatter_is_no_problem(text: str) -> None:
    front = read(text)
    assert not front.present
    assert front.fields == {}
    assert front.body == text.strip()
    assert front.problems == ()


@pytest.mark.parametrize(
    ("text", "line", "words"),
    [
        ("---\nid: A\n# Title\n", 1, "not closed"),
        ("---\n\nid: A\n# Title\n", 1, "not closed"),
        ("---\n# the licence\n\ncode: a.py\n", 1, "not closed"),
        ("---\n'id': A\n", 1, "not closed"),
        ("---\rid: A\r---\rbody\r", 1, "lone CR"),
        ("\ufeff--- \rid: A\r---\r", 1, "lone CR"),
        ("\r---\rid: A\r---\r", 1, "lone CR"),
        ("---\u2028id: A\u2028---\u2028body", 1, "U+2028"),
        ("---\x85id: A\x85---\x85body", 1, "U+0085"),
        ("+++\nid = 'A'\n+++\nbody", 1, "TOML"),
        ("\ufeff\ufeff---\nid: A\n---\n", 1, "must start on line 1"),
        ("--- # the keys\nid: A\n---\n", 1, "must start on line 1"),
        ("----\ntitle: A\ncode: b\n----\n", 1, "must start on line 1"),
        ("---\u00a0\nid: A\n---\n", 1, "must start on line 1"),
        ("# licence\n\n---\ncode:\n  - a.py\n---\n", 3, "must start on line 1"),
        ("// licence\n% more\n<!-- x --> \n---\nstatus: draft\nid: A\n---\n", 4, "must start on line 1"),
        ("\n" * 300 + "---\nid: A\n---\n", 301, "must start on line 1"),
        ("\n<!-- licence\nof two lines -->\n---\nid: A\n---\n", 4, "must start on line 1"),
        (" ---\nid: A\n---\n", 1, "must start on line 1"),
    ],
)
def test_frontmatter_that_nobody_would_read_is_told(text: str, line: int, words: str) -> None:
    front = read(text)
    assert not front.present
    assert [problem.line for problem in front.problems] == [line]
    assert words in front.problems[0].message


@pytest.mark.parametrize(
    ("block", "fields", "line", "words"),
    [
        ("- id: A\n- code: b", {}, 2, "must be a mapping"),
        ("just text", {}, 2, "must be a mapping"),
        ("id: A\nid: B", {"id": "B"}, 3, "duplicate key `id`, also on line 2"),
        ("id: A\n<<: x", {"id": "A"}, 3, "keys must be plain words"),
        ("id: A\n[a, b]: c\n  title: hidden", {"id": "A"}, 3, "keys must be plain words"),
        ("id: A\nstray words\n- b", {"id": ["A", "b"]}, 3, "neither a key nor a list item"),
        ("id:A", {"id": "A"}, 2, "no blank after the colon"),
        ("id: x\x07y", {"id": "x\x07y"}, 2, "U+0007 in column 6"),
        ("id: x\ry", {"id": "x\ry"}, 2, "U+000D"),
        ("id: x\ufffey", {"id": "x\ufffey"}, 2, "U+FFFE in column 6"),
        ("id: x\ufdd0", {"id": "x\ufdd0"}, 2, "U+FDD0 in column 6"),
        ("id: x\U0010ffff", {"id": "x\U0010ffff"}, 2, "U+10FFFF in column 6"),
        ("id:\n  a: 1\n  a: 2", {"id": "a: 1 a: 2"}, 4, "the key `a` twice"),
        ("id: {a: 1, a: 2}", {"id": "{a: 1, a: 2}"}, 2, "the key `a` twice"),
        ("id: x\0y", {"id": "x\0y"}, 2, "NUL"),
    ],
)
def test_oddities_of_the_mapping(block: str, fields: dict[str, object], line: int, words: str) -> None:
    front = read(f"---\n{block}\n---\n")
    assert front.fields == fields
    assert any(at == line and words in message for at, message in told(front))


def test_quoted_keys_and_indented_mappings_are_keys() -> None:
    assert read('---\n  "title": A\n  code:\n    - b\n---\n').fields == {"title": "A", "code": ["b"]}


def test_text_after_the_closing_fence_is_body_and_told() -> None:
    front = read("---\nid: A\n-----\nbody")
    assert front.body == "--\nbody"
    assert told(front)[0][0] == 3


def test_utf16_is_told() -> None:
    front = read("---\nid: A\n---\n".encode("utf-16"))
    assert not front.present
    assert "UTF-16" in front.problems[0].message


def test_an_undecodable_byte_is_no_problem() -> None:
    front = read(b"---\ntitle: caf\xe9\n---\nbody \xff")
    assert front.fields == {"title": "caf\ufffd"}
    assert front.body == "body \ufffd"
    assert front.problems == ()


@pytest.mark.parametrize(
    "block", ["code:\n" + "  - src/a.py\n" * (MAX_FRONTMATTER // 10), "title: " + "中" * 30_000 + "\n"]
)
def test_a_huge_frontmatter_is_not_read_and_the_body_is(block: str) -> None:
    front = read(f"---\n{block}---\nbody\n")
    assert (front.fields, front.body) == ({}, "body")
    assert "64 KiB" in front.problems[0].message


@pytest.mark.parametrize("piece", ["\n", "<!-- x -->", "<!-- x -->\n", "<!-- ", "# c\n", " ", "---", "---\n"])
def test_a_fence_is_looked_for_only_so_far(piece: str) -> None:
    front = read(piece * (2_000_000 // len(piece)) + "\n---\nid: A\n---\n")
    assert front.problems == ()


@pytest.mark.parametrize(
    "block",
    [
        "a: " + "[" * 30000 + "]" * 30000,
        "a:\n" + "\n".join(" " * depth + "-" for depth in range(1, 300)),
        "a: {" + ", ".join(f"k{n}: v" for n in range(5000)) + "}",
        "a: &L0 {k: v}\nb:\n  - &L1 [*L0, *L0]\n  - &L2 [*L1, *L1]",
        "a:\n  " + "? " * 900 + "x",
        'a: "' + "\\n" * 30000 + '"',
    ],
)
def test_hostile_structure_is_bounded(block: str) -> None:
    front = read(f"---\n{block}\nlast: 1\n---\nbody")
    assert front.fields["last"] == "1"
    assert front.body == "body"


LOADER = getattr(yaml, "CBaseLoader", yaml.BaseLoader)
PLAIN = st.text(st.sampled_from("ab:#- .,'\"[]{}&*!|>%@`~/\\\té中\u00a0"), max_size=12)


@given(st.lists(PLAIN, min_size=1, max_size=4))
def test_lists_read_without_yaml_are_read_as_yaml_reads_them(items: list[str]) -> None:
    text = "\n".join(f"  - {item}" for item in items)
    front = read(f"---\nkey:\n{text}\n---\n")
    if front.problems:
        return
    assert front.fields["key"] == yaml.load(f"key:\n{text}\n", Loader=LOADER)["key"]


@given(st.sampled_from(["[{}]", '"{}"', "'{}'"]), PLAIN)
def test_one_line_structure_read_without_yaml_is_read_as_yaml_reads_it(form: str, inner: str) -> None:
    text = form.format(inner)
    front = read(f"---\nkey: {text}\n---\n")
    if front.problems:
        return
    assert front.fields["key"] == yaml.load(f"key: {text}\n", Loader=LOADER)["key"]


@given(
    st.lists(
        st.sampled_from(
            [
                "---\n",
                "---",
                "\n",
                "\r\n",
                "\r",
                "key",
                "key: ",
                "- ",
                "...",
                "&x",
                "*x",
                "!t",
                "|",
                *"a:#\t '[]{}>?\0\u2028\ufeff\"",
            ]
        )
    )
)
def test_any_text_is_read_and_every_line_exists(parts: list[str]) -> None:
    text = "".join(parts)
    front = read(text)
    last = text.count("\n") + 1
    assert 1 <= front.body_line <= last
    assert all(1 <= line <= last for line in front.field_lines.values())
    assert all(1 <= problem.line <= last for problem in front.problems)
    for key, lines in front.item_lines.items():
        found = front.fields[key]
        assert isinstance(found, list)
        assert len(lines) == len(found)
        assert list(lines) == sorted(lines)
        assert lines[-1] <= last
    if front.body:
        assert front.body.split("\n")[0].strip() in text.split("\n")[front.body_line - 1]


@given(st.binary())
def test_any_bytes_are_read(data: bytes) -> None:
    assert read(b"---\n" + data + b"\n---\n").body_line >= 1


def test_yaml_is_not_imported_for_what_needs_none() -> None:
    code = (
        "import sys\n"
        "from spexsearch.specs.frontmatter import read_frontmatter as read\n"
        "read(b'---\\ntitle: \"T\"\\ndesc: a: b\\ntags: [x, y]\\ncode:\\n  - a/b.py#C.d # c\\n---\\nbody', 'p')\n"
        "assert 'yaml' not in sys.modules\n"
        "read(b'---\\nnote: |\\n  x\\n---\\n', 'p')\n"
        "assert 'yaml' in sys.modules\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
