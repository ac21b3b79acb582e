from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spexsearch.specs.claims import ClaimIndex, ClaimRefusedError, parse_claim, parse_claims
from spexsearch.specs.frontmatter import read_frontmatter
from spexsearch.specs.loader import load_specs
from spexsearch.specs.model import Claim, ClaimKind, Problem, Relation


@pytest.mark.parametrize(
    ("entry", "path", "symbol", "kind"),
    [
        ("src/a.py", "src/a.py", None, ClaimKind.PATH),
        ("./src//a/", "src/a", None, ClaimKind.PATH),
        (".", "", None, ClaimKind.PATH),
        ("src/a.py#run", "src/a.py", "run", ClaimKind.UNIT),
        ("src/a.py#Lamp.turn_on", "src/a.py", "Lamp.turn_on", ClaimKind.UNIT),
        ("src/**/*.py", "src/**/*.py", None, ClaimKind.GLOB),
        ("C#/x.cs", "C#/x.cs", None, ClaimKind.PATH),
        ("C#/x.cs#Run", "C#/x.cs", "Run", ClaimKind.UNIT),
        ("app/[id]/page.tsx", "app/[id]/page.tsx", None, ClaimKind.PATH),
        ("app/[id]/page.tsx#GET", "app/[id]/page.tsx", "GET", ClaimKind.UNIT),
        ("a/..b/.gitignore", "a/..b/.gitignore", None, ClaimKind.PATH),
        ("my docs/a b.md", "my docs/a b.md", None, ClaimKind.PATH),
        ("CON", "CON", None, ClaimKind.PATH),
    ],
)
def test_entries_that_are_claims(entry: str, path: str, symbol: str | None, kind: ClaimKind) -> None:
    assert parse_claim(entry, Relation.CODE, 7) == Claim(entry, path, symbol, kind, Relation.CODE, 7)


@pytest.mark.parametrize(
    ("entry", "words"),
    [
        ("", "empty"),
        ("/etc/passwd", "not relative"),
        ("C:/x", "not relative"),
        ("file:///etc/passwd", "not relative"),
        ("https://example.org/x", "not relative"),
        ("../x", "upwards"),
        ("a/../b", "upwards"),
        ("~/.ssh/id_rsa", "begins with `~`"),
        ("~", "begins with `~`"),
        (r"src\a.py", "backslash"),
        (r"\\host\share", "backslash"),
        ("a\0.md", "control"),
        ("a\rb", "control"),
        ("a\u2028b", "control"),
        (".git/config", "`.git`"),
        ("sub/.GIT/config", "`.git`"),
        ("#run", "names no file"),
        ("a.py#", "nothing after"),
        ("a.py # the lamp", "blanks"),
        ("a.py#run it", "blanks"),
        ("src/*.py#run", "pattern and a symbol"),
        ("a" * 2000, "longer"),
    ],
)
def test_entries_that_are_refused(entry: str, words: str) -> None:
    with pytest.raises(ClaimRefusedError, match=words):
        parse_claim(entry, Relation.CODE, 1)


def claims_of(frontmatter: str) -> tuple[list[tuple[str, str, int]], list[tuple[int, str]]]:
    front = read_frontmatter(f"---\n{frontmatter}\n---\n".encode(), "p")
    claims, problems = parse_claims(front, "p", ["code"], ["related"])
    return [(claim.relation.value, claim.text, claim.line) for claim in claims], [
        (problem.line, problem.message) for problem in problems
    ]


def test_scalars_lists_and_nothing() -> None:
    assert claims_of("code: a.py\nrelated:\n  - b.py\n  - c.py#d")[0] == [
        ("code", "a.py", 2),
        ("related", "b.py", 4),
        ("related", "c.py#d", 5),
    ]
    assert claims_of("code:\nrelated: []") == ([], [])
    assert claims_of("title: none") == ([], [])


def test_a_refused_entry_hides_no_other() -> None:
    claims, problems = claims_of("code:\n  - /x\n  - a.py\n  - why: b\n  - [c, d]\n  - ''")
    assert claims == [("code", "a.py", 4)]
    assert [line for line, _ in problems] == [3, 5, 6, 7]


def test_a_mapping_is_no_claim() -> None:
    claims, problems = claims_of("code: {a: b}")
    assert claims == []
    assert problems[0][0] == 2


def test_repeated_claims_are_told() -> None:
    claims, problems = claims_of("code:\n  - a.py\n  - ./a.py\n  - a.py#b\nrelated:\n  - a.py")
    assert claims == [("code", "a.py", 3), ("code", "a.py#b", 5), ("related", "a.py", 7)]
    assert [line for line, _ in problems] == [4, 7]
    assert "line 3" in problems[0][1]


def index(**specs: str) -> ClaimIndex:
    """An index of specs by folder name, each given by its entries of `code:`."""
    texts = {
        f".spec/{name}/spec.md": "\n".join(["---", "code:", *(f"  - '{entry}'" for entry in code.split()), "---"])
        for name, code in specs.items()
    }
    tree = load_specs({path: text.encode() for path, text in texts.items()})
    assert tree.problems == ()
    return ClaimIndex(tree)


def hits(found: ClaimIndex, path: str) -> list[tuple[str, str, str]]:
    return [(hit.spec.id, hit.claim.text, hit.how) for hit in found.on(path)]


def test_how_a_claim_is_on_a_path() -> None:
    found = index(b="src src/a.py src/a.py#run src/*.py **/*.ts", a=".", c="src/a src/b.py#x lib/**")
    assert hits(found, "src/a.py") == [
        ("a", ".", "folder"),
        ("b", "src", "folder"),
        ("b", "src/a.py", "file"),
        ("b", "src/a.py#run", "unit"),
        ("b", "src/*.py", "glob"),
    ]
    assert hits(found, "src/b.py/deep") == [("a", ".", "folder"), ("b", "src", "folder")]
    assert hits(found, "lib/x/y.ts") == [("a", ".", "folder"), ("b", "**/*.ts", "glob"), ("c", "lib/**", "glob")]


def test_a_spec_is_claimed_by_its_name_only() -> None:
    found = index(a=". .spec .spec/**/*.md", b=".spec/a/spec.md")
    assert hits(found, ".spec/a/spec.md") == [("b", ".spec/a/spec.md", "file")]
    assert hits(found, ".spec/a/run.py") == [("a", ".", "folder"), ("a", ".spec", "folder")]


def test_the_nearest_module_spec_governs_its_folder() -> None:
    def spec(name: str) -> bytes:
        return f"---\nid: {name}\ntype: module\ntitle: {name}\n---\n".encode()

    found = ClaimIndex(
        load_specs(
            {"SPEC.md": spec("top"), "a/b/SPEC.md": spec("inner"), "docs/x.md": spec("other"), "c/SPEC.md": b"no"}
        )
    )
    assert hits(found, "x.py") == [("top", "SPEC.md", "module")]
    assert hits(found, "a/x.py") == [("top", "SPEC.md", "module")]
    assert hits(found, "a/b/c/x.py") == [("inner", "a/b/SPEC.md", "module")]
    assert hits(found, "docs/x.py") == [("top", "SPEC.md", "module")]
    assert hits(found, "c/x.py") == [("top", "SPEC.md", "module")]
    assert hits(found, "a/b/README.md") == []
    assert hits(found, "a/b/SPEC.md") == []


@pytest.mark.parametrize("claim", ["src/café.py", "src/café.py#x", "src/café", "src/café*"])
@pytest.mark.parametrize("form", ["NFC", "NFD"])
def test_accents_are_compared_as_seen(claim: str, form: str) -> None:
    written = unicodedata.normalize("NFC" if form == "NFD" else "NFD", claim)
    path = unicodedata.normalize("NFD" if form == "NFD" else "NFC", "src/café.py" if "." in claim else "src/café/x.py")
    if claim == "src/café*":
        path = path.removesuffix("/x.py") + ".py"
    assert len(index(a=written).on(path)) == 1


ENTRY = st.text(st.sampled_from("ab/.#*?[]~\\:é\0\r "), max_size=8)


@given(st.lists(ENTRY, max_size=6))
def test_any_entry_is_a_safe_path_or_a_problem(entries: list[str]) -> None:
    quoted = "\n".join("  - '" + entry.replace("'", "''") + "'" for entry in entries)
    front = read_frontmatter(f"---\ncode:\n{quoted}\n---\n".encode(), "p")
    claims, problems = parse_claims(front, "p", ["code"], [])
    assert len(claims) + len(problems) >= len({entry for entry in entries if entry.strip()})
    for claim in claims:
        parts = claim.path.split("/")
        assert not claim.path.startswith(("/", "~"))
        assert ".." not in parts
        assert ".git" not in parts
        assert claim.path == "" or "" not in parts
        assert not set("\\\0\r") & set(claim.path)
    assert all(isinstance(problem, Problem) for problem in problems)


@given(
    st.lists(
        st.sampled_from([".", "a", "a/b", "a/b.py", "a/b.py#c", "a/*", "**/b.py", "b.py", "a/b/c.py"]), unique=True
    )
)
def test_hits_are_those_of_the_definition(entries: list[str]) -> None:
    found = index(s=" ".join(entries))
    for path in ("b.py", "a/b.py", "a/b/c.py", "a/b/d/e.py", "ab/c"):
        expected = {
            entry
            for entry in entries
            if entry.split("#")[0] == path
            or entry == "."
            or ("#" not in entry and path.startswith(f"{entry}/"))
            or (entry == "a/*" and path.startswith("a/") and path.count("/") == 1)
            or (entry == "**/b.py" and path.split("/")[-1] == "b.py")
        }
        assert {text for _, text, _ in hits(found, path)} == expected
