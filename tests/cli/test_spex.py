"""`spex` as a person, a pipe and an agent run it."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from spexsearch.cli.spex import main
from spexsearch.specs.loader import load_tree

SPECS = {
    ".spec/shop/spec.md": "---\ntitle: shop\ndesc: A shop that sells lamps.\n---\n# shop\nEverything.\n",
    ".spec/shop/basket/spec.md": (
        "---\ntitle: basket\ndesc: What a customer has chosen, not yet paid.\ncode:\n  - src/basket.py#Basket.add\n"
        "related:\n  - src/prices.py\n---\n# basket\nA basket keeps each Lamp once.\n"
    ),
    ".spec/shop/prices/spec.md": (
        "---\ntitle: prices\ndesc: How a price is found.\ncode:\n  - src/prices.py\n---\n# prices\n"
        "Prices are whole cents.\n"
    ),
    ".spec/shop/parcel/spec.md": (
        "---\ntitle: parcel\ndesc: Bringing lamps home.\ncode:\n  - ship/\n---\n# parcel\nA courier takes the parcel.\n"
    ),
    "src/basket.py": (
        "class Basket:\n    def add(self, lamp):\n        self.lamp = lamp\n\n    def clear(self):\n        pass\n"
    ),
    "src/prices.py": "def price():\n    return 1\n",
    "src/courier_parcel.py": "def call_courier():\n    return 'parcel'\n",
    "ship/van.py": "wheels = 4\n",
}
Say = tuple[int, str, str]


@pytest.fixture
def shop(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a spec tree, entered; git knows nothing of it."""
    folder = tmp_path / "shop"
    for name, text in SPECS.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8", newline="\n")
    monkeypatch.chdir(folder)
    return folder


@pytest.fixture
def spex(capsys: pytest.CaptureFixture[str]) -> Callable[..., Say]:
    """Run a command in this process: status, standard output, standard error."""

    def run(*argv: str) -> Say:
        status = main(argv)
        said = capsys.readouterr()
        return status, said.out, said.err

    return run


def process(*argv: str, **environ: str) -> subprocess.CompletedProcess[bytes]:
    command = [sys.executable, "-m", "spexsearch.cli.spex", *argv]
    return subprocess.run(command, capture_output=True, env={**os.environ, **environ})


def test_search_prints_rank_title_id_score_path_and_snippet(shop: Path, spex: Callable[..., Say]) -> None:
    status, out, err = spex("search", "the", "lamp", "in", "a", "basket")
    assert status == 0
    first, path, snippet, *_ = out.splitlines()
    assert re.fullmatch(r" 1\. basket  \[basket\]  ·  score \d+(\.\d\d?)?", first)
    assert path == "    .spec/shop/basket/spec.md"
    assert snippet.startswith("    ")
    assert "Lamp once" in snippet
    assert re.fullmatch(r"\[spex search\] compute \d+\.\dms · 4 specs · \d+ tokens \(excludes process start\)\n", err)
    assert spex("search", "lamp basket", "-q") == (0, out, "")


def test_json_is_the_array_and_nothing_else(shop: Path, spex: Callable[..., Say]) -> None:
    status, out, _ = spex("search", "--json", "whole cents", "--limit", "1")
    assert status == 0
    assert out.count("\n") == 1
    (hit,) = json.loads(out)
    assert list(hit) == ["id", "title", "path", "score", "snippet"]
    assert hit["id"] == "prices"
    assert out == json.dumps([hit], ensure_ascii=False, separators=(",", ":")) + "\n"


def test_text_and_json_name_the_same_specs(shop: Path, spex: Callable[..., Say]) -> None:
    listed = re.findall(r"\[(\w+)\]", spex("search", "lamps")[1])
    assert listed == [hit["id"] for hit in json.loads(spex("search", "lamps", "--json")[1])]
    assert len(listed) > 1
    assert re.findall(r"\[(\w+)\]", spex("search", "lamps", "--limit", "1")[1]) == listed[:1]


def test_whole_scores_are_written_without_a_fraction(spex: Callable[..., Say], tmp_path: Path) -> None:
    for name in [*(f"other{number}" for number in range(30)), "quasar"]:
        folder = tmp_path / ".spec" / name
        folder.mkdir(parents=True)
        (folder / "spec.md").write_text(f"---\ntitle: {name}\n---\nnothing\n", encoding="utf-8")
    assert '"score":8,' in spex("-C", str(tmp_path), "search", "--ranker", "floor", "--json", "quasar")[1]
    assert "score 8\n" in spex("-C", str(tmp_path), "search", "--ranker", "floor", "quasar")[1]


def test_matches_are_bold_where_asked_and_plain_in_a_pipe(shop: Path, spex: Callable[..., Say]) -> None:
    plain = spex("search", "lamp")[1]
    marked = spex("search", "lamp", "--color", "always")[1]
    assert "\x1b" not in plain
    assert "\x1b[1mLamp\x1b[22m once" in marked
    assert marked.replace("\x1b[1m", "").replace("\x1b[22m", "") == plain


def test_sections_are_lines_that_an_editor_can_open(shop: Path, spex: Callable[..., Say]) -> None:
    status, out, err = spex("search", "--sections", "lamp", "once", "-q")
    assert (status, err) == (0, "")
    assert out.splitlines()[0] == ".spec/shop/basket/spec.md:9  basket › basket — A basket keeps each Lamp once."
    missing = spex("search", "--sections", "lamp", "courier", "-q")[1].splitlines()
    assert [line.endswith(" (1/2 words)") for line in missing] == [True, True]
    marked = spex("search", "--sections", "lamp", "once", "-q", "--color", "always")[1]
    assert "each \x1b[1mLamp\x1b[22m \x1b[1monce\x1b[22m." in marked
    assert marked.replace("\x1b[1m", "").replace("\x1b[22m", "") == out


def test_sections_as_json(shop: Path, spex: Callable[..., Say]) -> None:
    status, out, _ = spex("search", "--sections", "--json", "whole cents", "--limit", "1")
    assert status == 0
    (hit,) = json.loads(out)
    keys = ["spec", "title", "path", "line", "heading", "trail", "score", "matched", "terms", "snippet"]
    assert list(hit) == keys
    assert [hit[key] for key in keys if key != "score"] == [
        "prices",
        "prices",
        ".spec/shop/prices/spec.md",
        7,
        "prices",
        ["prices"],
        2,
        2,
        "Prices are whole cents.",
    ]
    assert out == json.dumps([hit], ensure_ascii=False, separators=(",", ":")) + "\n"


def test_sections_are_eight_and_at_most_twenty_five(tmp_path: Path, spex: Callable[..., Say]) -> None:
    body = "".join(f"# part {number}\nquasar\n" for number in range(30))
    (tmp_path / ".spec/a").mkdir(parents=True)
    (tmp_path / ".spec/a/spec.md").write_text(f"---\ntitle: a\n---\n{body}", encoding="utf-8")

    def search(*argv: str) -> list[str]:
        return spex("-C", str(tmp_path), "search", "--sections", "-q", "quasar", *argv)[1].splitlines()

    assert len(search()) == 9
    assert search()[-1] == "8 of 30 sections; raise --limit for the rest"
    assert search("--limit", "20")[-1] == "20 of 30 sections; raise --limit for the rest"
    assert search("--limit", "99")[-1] == "25 of 30 sections; ask more precisely for the rest"
    assert len(search("--limit", "99")) == 26
    assert len(json.loads("".join(search("--json", "--limit", "99")))) == 25


def test_phrasings_are_joined(shop: Path, spex: Callable[..., Say]) -> None:
    found = json.loads(spex("search", "--sections", "--json", "-p", "courier", "-p", "cents", "-q")[1])
    assert {hit["spec"] for hit in found} == {"parcel", "prices"}
    assert {hit["score"] for hit in found} == {round(1 / 61, 6)}
    assert json.loads(spex("search", "--sections", "--json", "courier", "-p", "cents", "-q")[1]) == found
    assert {hit["id"] for hit in json.loads(spex("search", "--json", "courier", "-p", "cents")[1])} >= {
        "parcel",
        "prices",
    }


def test_filters_keep_what_the_frontmatter_says(shop: Path, spex: Callable[..., Say]) -> None:
    (shop / ".spec/shop/prices/spec.md").write_text(
        "---\ntitle: prices\ntype: rule\ntags: [money]\n---\n# prices\nlamp\n", encoding="utf-8"
    )
    for argv, expected in (
        (["--type", "rule"], {"prices"}),
        (["--tag", "money"], {"prices"}),
        (["--parent", "shop"], {"basket", "parcel", "prices"}),
        (["--parent", "shop", "--type", "rule"], {"prices"}),
    ):
        sections = json.loads(spex("search", "--sections", "--json", "lamp", *argv)[1])
        assert {hit["spec"] for hit in sections} == expected - {"parcel"}  # its desc says it, none of its sections
        assert {hit["id"] for hit in json.loads(spex("search", "--json", "lamp", *argv)[1])} == expected
    status, out, err = spex("search", "lamp", "--tag", "nope", "-q")
    assert (status, out.startswith("no spec matches")) == (0, True)
    assert err == "spex: no spec has what --type, --tag and --parent ask for; `spex tree` lists them all\n"


def test_the_floor_ranks_on_demand(shop: Path, spex: Callable[..., Say]) -> None:
    by_floor = json.loads(spex("search", "--json", "--ranker", "floor", "lamps")[1])
    by_sections = json.loads(spex("search", "--json", "lamps")[1])
    assert by_sections == json.loads(spex("search", "--json", "--ranker", "sections", "lamps")[1])
    assert [hit["score"] for hit in by_floor] != [hit["score"] for hit in by_sections]
    assert spex("search", "--sections", "--ranker", "floor", "lamp")[0] == 2


def test_no_section_found_says_so(shop: Path, spex: Callable[..., Say]) -> None:
    out = spex("search", "--sections", "baskte")[1]
    assert out.startswith('no section matches "baskte" (the corpus is mostly English')
    assert spex("search", "--sections", "--json", "baskte", "-q") == (0, "[]\n", out)


def test_nothing_found_never_dead_ends(shop: Path, spex: Callable[..., Say]) -> None:
    status, out, _ = spex("search", "baskte")
    assert status == 0
    assert out.splitlines()[0].startswith('no spec matches "baskte" (the corpus is mostly English')
    assert "translating" in out
    assert out.splitlines()[1:] == ["nearest titles:", "  basket  [basket]", "browse all: spex tree"]


def test_nothing_found_under_json_stays_an_array(shop: Path, spex: Callable[..., Say]) -> None:
    message = spex("search", "灯 баскет")[1]
    assert "nearest titles" not in message
    status, out, err = spex("search", "--json", "灯 баскет", "-q")
    assert (status, out) == (0, "[]\n")
    assert err == message


@pytest.mark.parametrize(
    "argv",
    [
        ["search"],
        ["search", "  ", "\t"],
        ["search", "lamp", "--limit", "0"],
        ["search", "lamp", "--limit", "-1"],
        ["search", "lamp", "--limit", "2.5"],
        ["search", "lamp", "--frob"],
        ["search", "lamp", "--js"],
        ["search", "-x", "lamp"],
        ["search", "-p", " "],
        ["search", "lamp", "--ranker", "magic"],
        ["search", "lamp", "--sections", "--limit", "0"],
        ["serach", "lamp"],
        ["--frob", "search", "lamp"],
        ["tree", "extra"],
        ["owner"],
        ["owner", "--nope", "a.py"],
        ["help", "nothing"],
        [],
    ],
)
def test_what_the_command_line_cannot_mean_is_refused(argv: list[str], shop: Path, spex: Callable[..., Say]) -> None:
    status, out, err = spex(*argv)
    assert (status, out) == (2, "")
    assert err.count("\n") == 1
    assert err.startswith("spex: ")
    assert "--help" in err or "usage:" in err


def test_a_query_that_begins_with_a_dash_follows_two(shop: Path, spex: Callable[..., Say]) -> None:
    assert spex("search", "-q", "--", "--zzz", "-C")[1].startswith('no spec matches "--zzz -C"')
    status, out, _ = spex("search", "--json", "--", "--cents")
    assert status == 0
    assert [hit["id"] for hit in json.loads(out)] == ["prices"]


def test_the_help_says_the_hint(spex: Callable[..., Say]) -> None:
    status, out, err = spex("help", "search")
    assert (status, err) == (0, "")
    assert "mostly English" in out
    assert spex("search", "--help") == (0, out, "")
    overview = spex("help")[1]
    assert spex("--help") == (0, overview, "")
    assert all(name in overview for name in ("search", "owner", "tree", "help"))


def test_version_and_help_load_no_parser() -> None:
    program = (
        "import sys\nfrom spexsearch.cli.spex import main\nmain(['--version']), main(['help', 'search'])\n"
        "heavy = {'yaml', 'pyromark', 'ast_grep_py', 'rapidfuzz', 'unidiff', 'git', 'subprocess', 'tempfile'}\n"
        "print(sorted(heavy & set(sys.modules)), [m for m in sys.modules if 'spexsearch.floor' in m])"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "[] []"


def test_an_unreadable_spec_is_counted_and_hides_no_other(shop: Path, spex: Callable[..., Say]) -> None:
    (shop / ".spec/shop/odd").mkdir()
    (shop / ".spec/shop/odd/spec.md").symlink_to(shop / "src/basket.py")
    assert sum(problem.unreadable for problem in load_tree(shop).problems) == 1
    status, out, err = spex("search", "lamp", "-q")
    assert (status, err) == (0, "spex: 1 spec file could not be read and is not searched\n")
    assert "[basket]" in out


def git(folder: Path, *argv: str) -> None:
    subprocess.run(["git", *argv], cwd=folder, check=True, capture_output=True)


def test_the_root_is_gits_top_level(shop: Path, spex: Callable[..., Say], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(shop / "src")
    assert spex("search", "lamp")[0] == 2
    git(shop, "init", "-q")
    assert "[basket]" in spex("search", "lamp")[1]
    monkeypatch.setenv("PATH", "")
    assert "[basket]" in spex("search", "lamp")[1]


def test_a_worktree_is_its_own_root(shop: Path, spex: Callable[..., Say], monkeypatch: pytest.MonkeyPatch) -> None:
    git(shop, "init", "-q")
    git(shop, "add", ".")
    git(shop, "commit", "-qm", "all")
    git(shop, "worktree", "add", "-q", "../other")
    (shop.parent / "other/.spec/shop/basket/spec.md").unlink()
    monkeypatch.chdir(shop.parent / "other" / "src")
    assert "basket" not in spex("tree")[1]


def test_a_tree_below_a_repository_without_specs_is_found(
    shop: Path, spex: Callable[..., Say], monkeypatch: pytest.MonkeyPatch
) -> None:
    git(shop.parent, "init", "-q")
    monkeypatch.chdir(shop)
    assert "[basket]" in spex("search", "lamp")[1]


def test_no_specs_at_all_says_where_and_what_to_do(
    tmp_path: Path, spex: Callable[..., Say], monkeypatch: pytest.MonkeyPatch
) -> None:
    git(tmp_path, "init", "-q")
    (tmp_path / "deep").mkdir()
    monkeypatch.chdir(tmp_path / "deep")
    status, out, err = spex("search", "lamp")
    assert (status, out) == (2, "")
    assert err.startswith("spex: no specs in .. (git's top level) or the current folder; ")
    assert "-C DIR" in err
    assert str(tmp_path) not in err
    assert spex("-C", "nowhere", "tree")[0] == 2
    assert spex("tree", "-C", ".")[2].startswith("spex: no specs in .; ")


def test_tree_draws_parents_above_children(shop: Path, spex: Callable[..., Say]) -> None:
    assert spex("tree") == (
        0,
        "shop [shop] — A shop that sells lamps.\n"
        "├── basket [basket] — What a customer has chosen, not yet paid.\n"
        "├── parcel [parcel] — Bringing lamps home.\n"
        "└── prices [prices] — How a price is found.\n",
        "",
    )
    rows = json.loads(spex("tree", "--json")[1])
    assert [(row["id"], row["parent"]) for row in rows[:2]] == [("shop", None), ("basket", ".spec/shop/spec.md")]


def test_tree_counts_problems(shop: Path, spex: Callable[..., Say]) -> None:
    (shop / ".spec/shop/prices/spec.md").write_text("---\ntitle: prices\ncode:\n  - ../up.py\n---\n", encoding="utf-8")
    err = spex("tree")[2]
    assert err.startswith("spex: 1 spec file with problems, first .spec/shop/prices/spec.md:4: ")
    assert err.count("\n") == 1


def test_narrow_encodings_get_ascii_drawing_and_ascii_json(shop: Path) -> None:
    narrow = {"PYTHONIOENCODING": "ascii", "PYTHONUTF8": "0"}
    drawn = process("-C", str(shop), "tree", **narrow).stdout
    assert b"`-- prices [prices] - How a price is found.\n" in drawn
    (shop / ".spec/shop/spec.md").write_text("---\ntitle: Läden 灯\n---\n", encoding="utf-8")
    for encoding in ("ascii", "cp1252"):
        sent = process("-C", str(shop), "tree", "--json", PYTHONIOENCODING=encoding, PYTHONUTF8="0").stdout
        assert json.loads(sent.decode("ascii"))[0]["title"] == "Läden 灯"


def test_owner_names_claim_line_and_reference(shop: Path, spex: Callable[..., Say]) -> None:
    status, out, err = spex("owner", "src/prices.py")
    assert (status, err) == (0, "")
    assert out == (
        "src/prices.py\n"
        "  claimed by prices [prices] · .spec/shop/prices/spec.md:5 · code: src/prices.py\n"
        "  referred to by basket [basket] · .spec/shop/basket/spec.md:7 · related: src/prices.py\n"
    )


def test_owner_tells_units_apart(shop: Path, spex: Callable[..., Say]) -> None:
    asked = [f"src/basket.py#{name}" for name in ("Basket.add", "Basket", "Basket.clear", "Basket.gone")]
    whole, around, other, gone = json.loads(spex("owner", "--json", *asked)[1])
    assert [claim["claim"] for claim in whole["governed_by"]] == ["src/basket.py#Basket.add"]
    assert [claim["line"] for claim in around["governed_by"]] == [5]
    assert other["governed_by"] == []
    assert [claim["id"] for claim in other["elsewhere"]] == ["basket"]
    assert [row["symbol_exists"] for row in (whole, around, other, gone)] == [True, True, True, False]
    assert "  the file has no unit Basket.gone\n" in spex("owner", asked[3])[1]


def test_owner_guesses_where_nobody_claims_and_says_so(shop: Path, spex: Callable[..., Say]) -> None:
    out = spex("owner", "src/courier_parcel.py")[1]
    assert "no spec claims it; a guess from its words:\n    parcel [parcel] · score" in out
    (row,) = json.loads(spex("owner", "--json", "src/courier_parcel.py")[1])
    assert row["governed_by"] == []
    assert row["guesses"][0]["id"] == "parcel"
    (missing,) = json.loads(spex("owner", "--json", "src/basket_prices.py")[1])
    assert (missing["exists"], {hit["id"] for hit in missing["guesses"]}) == (False, {"basket", "prices"})
    assert "  does not exist\n" in spex("owner", "src/basket_prices.py")[1]
    assert "none shares its words" in spex("owner", "zzz/qqq.py")[1]


def test_owner_guesses_from_unit_names(shop: Path, spex: Callable[..., Say]) -> None:
    (shop / "src/x.py").write_text("def find_price():\n    return 2\n", encoding="utf-8")
    (row,) = json.loads(spex("owner", "--json", "src/x.py")[1])
    assert [hit["id"] for hit in row["guesses"]] == ["prices"]


def test_owner_knows_folders(shop: Path, spex: Callable[..., Say]) -> None:
    answers = json.loads(spex("owner", "--json", "ship/van.py", "ship", "./ship/", "ship/new.py", ".")[1])
    assert [row["path"] for row in answers] == ["ship/van.py", "ship", "ship", "ship/new.py", ""]
    assert [[claim["id"] for claim in row["governed_by"]] for row in answers] == [["parcel"]] * 4 + [[]]


def test_owner_reads_paths_from_the_current_folder_then_the_root(
    shop: Path, spex: Callable[..., Say], monkeypatch: pytest.MonkeyPatch
) -> None:
    git(shop, "init", "-q")
    monkeypatch.chdir(shop / "src")
    asked = ["prices.py", "src/prices.py", "../src/prices.py", str(shop / "src/prices.py")]
    answers = json.loads(spex("owner", "--json", *asked)[1])
    assert [row["path"] for row in answers] == ["src/prices.py"] * 4


@pytest.mark.parametrize("path", ["../outside.py", "/etc/passwd", "a/../../b", "a\0b", "#symbol", "src/prices.py#"])
def test_owner_refuses_what_is_no_path_of_the_repository(path: str, shop: Path, spex: Callable[..., Say]) -> None:
    status, out, err = spex("owner", path)
    assert (status, out, err.count("\n")) == (2, "", 1)


def test_owner_takes_a_hash_in_a_name_for_the_name(shop: Path, spex: Callable[..., Say]) -> None:
    (shop / "src/a#b.py").write_text("", encoding="utf-8")
    answers = json.loads(spex("owner", "--json", "src/a#b.py", "src/a#b.py#unit")[1])
    assert [(row["path"], row["symbol"]) for row in answers] == [("src/a#b.py", None), ("src/a#b.py", "unit")]


@pytest.mark.skipif(os.name != "posix", reason="needs links and pipes")
def test_owner_opens_no_link_and_no_pipe(shop: Path, spex: Callable[..., Say]) -> None:
    (shop / "src/link.py").symlink_to(shop / "src/basket.py")
    os.mkfifo(shop / "src/pipe.py")
    answers = json.loads(spex("owner", "--json", "src/link.py#Basket", "src/pipe.py#Basket")[1])
    assert [(row["exists"], row["symbol_exists"]) for row in answers] == [(True, None), (True, None)]


@pytest.mark.skipif(sys.platform != "linux", reason="other file systems refuse such names")
def test_hostile_names_reach_the_terminal_escaped(shop: Path, spex: Callable[..., Say]) -> None:
    name = os.fsdecode(b"src/\x1b]0;x\x07\xff.py")
    (shop / name).write_bytes(b"")
    (shop / ".spec/shop/spec.md").write_bytes(b'---\ntitle: "lamp \\e[2J\\u202e"\ndesc: lamp\n---\nlamp\n')
    for argv in (
        ["owner", name],
        ["tree"],
        ["search", "lamp"],
        ["search", "\x1b[2J"],
        ["search", "--sections", "lamp"],
    ):
        status, out, err = spex(*argv)
        assert status == 0
        assert not re.search("[\x00-\x09\x0b-\x1f\x7f-\x9f\u202e\ud800-\udfff]", out + err)
    assert spex("owner", name)[1].startswith(r"src/\x1b]0;x\x07\xff.py" + "\n")
    assert json.loads(spex("owner", "--json", name)[1])[0]["path"] == name
