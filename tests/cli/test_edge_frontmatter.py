"""The measured frontmatters that break tools of this kind, each in a spec that is committed beside sound ones."""

from __future__ import annotations

import json
import unicodedata
from collections.abc import Callable
from typing import Any, Literal

import pytest

from spexsearch import load_tree

Run = Callable[..., tuple[int, str, str]]

ODD = ".spec/odd/spec.md"
CLAIM = b"code: src/a.py\n"
DEEP = 20_000
MERGES = b"".join(b"L%d: &L%d {<<: [*L%d, *L%d], k: v}\n" % (n, n, n - 1, n - 1) for n in range(1, 21))


def fenced(block: bytes) -> bytes:
    return b"---\n" + block + b"---\nbody\n"


# Case and kind; the spec file, the line of its fault and words of the message (none: no fault), does its claim count.
FILES: dict[str, tuple[bytes, int, str, bool]] = {
    "E181 CRLF": (b"---\r\nid: A\r\ncode:\r\n  - src/a.py\r\n---\r\nbody\r\n", 0, "", True),
    "E181 mixed": (b"---\r\nid: A\ncode:\r\n  - src/a.py\n---\r\nbody\n", 0, "", True),
    "E182 CR": (b"---\rid: A\rcode: src/a.py\r---\rbody\r", 1, "lone CR", False),
    "E182 BOM and CR": (b"\xef\xbb\xbf--- \rcode: src/a.py\r---\rbody\r", 1, "lone CR", False),
    "E182 U+2028": ("---\u2028code: src/a.py\u2028---\u2028".encode(), 1, "U+2028", False),
    "E184": (fenced(b"note: |\n  x\n\n  ---\n  y\n" + CLAIM), 0, "", True),
    "E184 folded": (fenced(b"note: >-\n   ---\n   ...\n" + CLAIM), 0, "", True),
    "E185 blanks": (b"---\nid: A\n" + CLAIM + b"---   \t\nbody\n", 0, "", True),
    "E185 dots": (b"---\nid: A\n" + CLAIM + b"...\nbody\n", 1, "not closed", False),
    "E185 comment": (b"---\nid: A\n" + CLAIM + b"--- # end\nbody\n", 4, "text after it", True),
    "E187": (b"---\nid: A\n" + CLAIM + b"\n# Title\ntext: more\n", 1, "not closed", False),
    "E187 blank first": (b"---\n\n# why\n" + CLAIM + b"\n# Title\n", 1, "not closed", False),
    "E188": (b"\n<!-- licence -->\n---\n" + CLAIM + b"---\n", 3, "must start on line 1", False),
    "E188 comment": (b"# licence\n---\n" + CLAIM + b"---\n", 2, "must start on line 1", False),
    "E188 two BOMs": (b"\xef\xbb\xbf" * 2 + fenced(CLAIM), 1, "must start on line 1", False),
    "E190": (fenced(b"- id: A\n- code: src/a.py\n"), 2, "must be a mapping", False),
    "E190 flow": (fenced(b"[id, code]\n"), 2, "must be a mapping", False),
    "E191": (fenced(b"just text\n"), 2, "must be a mapping", False),
    "E191 number": (fenced(b"42\n"), 2, "must be a mapping", False),
    "E193": (fenced(b"code: src/b.py\n" + CLAIM), 3, "duplicate key `code`", True),
    "E193 quoted": (fenced(b"code: src/b.py\n'code': src/a.py\n"), 3, "duplicate key `code`", True),
    "E193 nested": (fenced(CLAIM + b"more:\n  a: 1\n  a: 2\n"), 5, "the key `a` twice", True),
    "E194": (fenced(b"id: A\ncode:\n\t- src/a.py\n"), 4, "tab (column 1)", True),
    "E196 BEL": (fenced(CLAIM + b'title: "x\x07y"\n'), 3, "U+0007 in column 10", True),
    "E196 NUL": (fenced(CLAIM + b"title: x\0y\n"), 3, "NUL", True),
    "E196 noncharacter": (fenced(CLAIM + "title: x\ufffey\n".encode()), 3, "U+FFFE in column 9", True),
    "E199 date": (fenced(CLAIM + b"at: 2024-13-45\n"), 0, "", True),
    "E199 octal": (fenced(CLAIM + b"at: [0o8, 1:60:99]\n"), 0, "", True),
    "E199 digits": (fenced(CLAIM + b"at: " + b"9" * 5000 + b"\n"), 0, "", True),
    "E202 include": (fenced(CLAIM + b"a: !include x.yml\n"), 3, "YAML tag", True),
    "E202 python": (fenced(CLAIM + b"a: !!python/object/apply:os.system ['touch ran']\n"), 3, "YAML tag", True),
    "E202 nested": (fenced(CLAIM + b"a:\n  - !!python/name:os.system x\n"), 4, "YAML tag", True),
    "E203 mapping": (fenced(CLAIM + b"{a: b}: c\n"), 3, "keys must be plain words", True),
    "E203 list": (fenced(CLAIM + b"[a, b]: c\n"), 3, "keys must be plain words", True),
    "E203 question": (fenced(CLAIM + b"? [a]\n: b\n"), 3, "neither a key nor a list item", True),
    "E203 numbers": (fenced(CLAIM + b"1: x\ntrue: x\nnull: x\n2024-01-01: x\n"), 0, "", True),
    "E203 merge": (fenced(CLAIM + b"<<: x\n"), 3, "keys must be plain words", True),
    "E203 nested": (fenced(CLAIM + b"a:\n  [x, y]: z\n"), 4, "a key that is not text", True),
    "E205 bomb": (fenced(CLAIM + b"L0: &L0 {k: v}\n" + MERGES), 3, "anchor or alias", True),
    "E205 claim": (fenced(b"base: &b {code: src/a.py}\n<<: *b\n"), 3, "keys must be plain words", False),
    "E206 500": (fenced(CLAIM + b"a: " + b"[" * 500 + b"]" * 500 + b"\n"), 3, "nested deeper", True),
    "E206 20,000": (fenced(CLAIM + b"a: " + b"[" * DEEP + b"]" * DEEP + b"\n"), 3, "not valid YAML", True),
    "E206 blocks": (
        fenced(CLAIM + b"a:\n" + b"".join(b" " * n + b"k:\n" for n in range(1, 300))),
        19,
        "nested deeper",
        True,
    ),
    "E208": (fenced(CLAIM + b"more:\n" + b"  - src/pkg/module.py\n" * 33_000), 1, "64 KiB", False),
    "E209 blanks": (fenced(CLAIM + b"a: " + b" " * 50_000 + b"x\n"), 0, "", True),
    "E209 escapes": (fenced(CLAIM + b'a: "' + b"\\n" * 30_000 + b'"\n'), 0, "", True),
    "E209 questions": (fenced(CLAIM + b"? " * 900 + b"x\n"), 3, "neither a key nor a list item", True),
    "E209 flow": (fenced(CLAIM + b"a: {" + b", ".join(b"k%d: v" % n for n in range(6000)) + b"}\n"), 0, "", True),
    "E209 colons": (fenced(CLAIM + b"a: b" + b": c" * 20_000 + b"\n"), 0, "", True),
}


@pytest.mark.parametrize("name", FILES)
def test_what_is_wrong_is_told_and_the_rest_is_judged(governed: Any, run: Run, name: str) -> None:
    data, line, words, counts = FILES[name]
    governed.commit("more", {"src/a.py": "A = 1\n", "src/b.py": "B = 1\n"})
    governed.put(ODD, data)
    governed.put("src/a.py", "A = 2\n")
    governed.replaced("src/session.py", "> LIMIT", ">= LIMIT")
    governed.git("add", "--all")
    status, out, err = run("--format", "json")
    assert (status, err) == (1, "")
    report = json.loads(out)
    broken = [(f["path"], f["line"], f["message"]) for f in report["findings"] if f["rule"] == "broken-spec"]
    assert {path for path, _, _ in broken} <= {ODD}
    assert bool(broken) == bool(words), broken
    assert not words or any(at == line and words in message for _, at, message in broken), broken
    assert ("odd" in [g["spec"] for g in report["governing"] if g["claim"] == "file"]) == counts
    assert [f["spec"] for f in report["findings"] if f["rule"] == "untouched-spec"] == ["renewal"]
    assert not (governed.path / "ran").exists()


@pytest.mark.parametrize(
    "title",
    [
        *("Foo: bar", "@owner check", "`code` first", "#123 fix", "[draft] foo", "*bold* title", "100%", "%percent"),
        *(
            "- dash",
            "> note",
            "| note",
            "! bang",
            "& amp",
            "{x} y",
            "'it''s",
            "yes, really",
            "x #tag",
            "? why",
            '"a" b',
        ),
    ],
)
def test_e200_a_title_is_read_as_it_is_written_and_a_doubtful_one_is_told(repo: Any, title: str) -> None:
    repo.put(ODD, fenced(b"title: " + title.encode() + b"\n" + CLAIM))
    tree = load_tree(repo.path)
    (spec,) = tree.specs
    assert (spec.title, [claim.text for claim in spec.claims]) == (title, ["src/a.py"])
    doubtful = title[0] in "[>|!{'\""
    assert [(problem.line, "quote" in problem.message) for problem in tree.problems] == [(2, True)] * doubtful


@pytest.mark.parametrize(
    "word", ["no", "off", "y", "NO", "1.10", "012", "0x1F", "1e3", "2024-01-01", "null", "~", ".inf"]
)
def test_e197_no_word_becomes_another_value(repo: Any, word: str) -> None:
    block = f"id: {word}\ntype: {word}\ntitle: {word}\nstatus: {word}\ntags: [NO, on]\ncode:\n  - {word}/\n"
    repo.put("SPEC.md", fenced(block.replace("~/", "a/").encode()))
    (spec,) = load_tree(repo.path).specs
    assert (spec.id, spec.title, spec.status, spec.fields["type"]) == (word, word, word.lower(), word)
    assert (spec.fields["tags"], spec.claims[1].path) == (["NO", "on"], word.replace("~", "a"))


@pytest.mark.parametrize(("on_disk", "claimed"), [("NFC", "NFD"), ("NFD", "NFC")])
def test_e211_a_claim_is_compared_as_it_is_seen(
    governed: Any, run: Run, on_disk: Literal["NFC", "NFD"], claimed: Literal["NFC", "NFD"]
) -> None:
    path = unicodedata.normalize(on_disk, "src/café.py")
    spec = f"---\ncode: {unicodedata.normalize(claimed, path)}\n---\nCoffee.\n"
    governed.commit("cafe", {path: "A = 1\n", ".spec/cafe/spec.md": spec})
    governed.write({path: "A = 2\n"})
    status, out, _ = run("--format", "json")
    report = json.loads(out)
    assert status in (0, 1)
    assert [g["claim"] for g in report["governing"] if g["spec"] == "cafe"] == ["file"]
    assert [f["rule"] for f in report["findings"]] == ["untouched-spec"]
