"""`ungoverned-code`: what nobody claims, and who probably governs it."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import pytest

from spexsearch.govern.config import Config
from spexsearch.govern.report import Finding, Report
from spexsearch.specs.globs import Glob

Judge = Callable[..., Report]

SPEC = ".spec/zebra/spec.md"
TEXT = "---\ntitle: Zebras\ncode:\n  - src/zebra.py\n  - lib/deep\nrelated:\n  - docs/a.py\n---\nThe zebra herd.\n"
CROWD = {f".spec/z{n}/spec.md": f"---\ntitle: lions{n}\n---\nThe lion pride.\n" for n in range(4)}
FILES = CROWD | {SPEC: TEXT, "src/zebra.py": "x = 1\n", "docs/a.py": "x = 1\n", "lib/deep/a.py": "x = 1\n"}


def found(report: Report) -> list[Finding]:
    return [finding for finding in report.findings if finding.rule == "ungoverned-code"]


@pytest.mark.parametrize(
    ("edit", "level"),
    [
        ({"src/new.py": "x = f()\n"}, "warning"),
        ({"src/deep/new.py": "x = f()\n"}, "note"),
        ({"new.py": "x = f()\n"}, "note"),
        ({"docs/new.py": "x = f()\n"}, "note"),
        # What is claimed is a folder there, and not a file beside the new one.
        ({"lib/new.py": "x = f()\n"}, "note"),
        ({"docs/a.py": "x = f()\n"}, "note"),
        ({"src/zebra.py": "x = f()\n"}, None),
        ({"lib/deep/new.py": "x = f()\n"}, None),
        ({"docs/a.py": None}, None),
        ({"docs/a.py": "x = 2\n"}, None),
        ({"docs/a.py": "# why\nx = 1\n"}, None),
        ({"src/test_new.py": "x = f()\n"}, None),
        ({"src/new.css": "a { b: c }\n"}, None),
        ({"src/new.json": '{"a": 1}\n'}, None),
        ({"src/new.md": "Words.\n"}, None),
    ],
)
def test_what_is_ungoverned_and_how_loudly(judge: Judge, edit: Mapping[str, str | None], level: str | None) -> None:
    assert [finding.level for finding in found(judge(FILES, edit))] == ([level] if level else [])


def test_a_unit_claim_makes_its_folder_one_where_files_are_claimed(judge: Judge) -> None:
    files = {SPEC: TEXT.replace("src/zebra.py", "src/zebra.py#x"), "src/zebra.py": "x = 1\n"}
    assert [f.level for f in found(judge(files, {"src/new.py": "x = f()\n"}))] == ["warning"]
    # A claimed file that is not there claims nothing in its folder.
    del files["src/zebra.py"]
    assert [f.level for f in found(judge(files, {"src/new.py": "x = f()\n"}))] == ["note"]


def test_code_is_governed_while_its_claim_is_in_force(judge: Judge) -> None:
    report = judge(FILES, {"src/zebra.py": "x = f()\n", SPEC: TEXT.replace("  - src/zebra.py\n", "")})
    assert found(report) == []
    renamed = judge(FILES, {"src/herd.py": "x = f()\n"}, moved={"src/zebra.py": "src/herd.py"})
    assert found(renamed) == []


def test_without_specs_nothing_is_ungoverned(judge: Judge) -> None:
    assert found(judge({}, {"a.py": "x = f()\n"})) == []
    assert found(judge({SPEC: TEXT}, {"a.py": "x = f()\n", SPEC: None})) == []
    assert found(judge({}, {"a.py": "x = f()\n", SPEC: TEXT})) != []


def test_ignored_and_renamed_files(judge: Judge) -> None:
    assert found(judge(FILES, {"new.py": "x = f()\n"}, config=Config(ignore=(Glob("new.py"),)))) == []
    assert [f.level for f in found(judge(FILES, {"src/b.py": "x = f()\n"}, moved={"docs/a.py": "src/b.py"}))] == [
        "note"
    ]
    assert found(judge(FILES, {}, moved={"docs/a.py": "src/b.py"})) == []


def test_a_copy_is_a_new_file(judge: Judge) -> None:
    (finding,) = found(judge(FILES, {"src/b.py": "x = f()\n"}, copied={"docs/a.py": "src/b.py"}))
    assert (finding.level, finding.message) == ("warning", "new file, and no spec claims it")


def test_it_names_who_probably_governs_it_with_a_ready_line(judge: Judge) -> None:
    report = judge(FILES, {"src/herd.py": "# zebra\n\nzebra = 1\nherd = 2\n"})
    (finding,) = found(report)
    assert finding.message == "new file, and no spec claims it; it may belong to zebra"
    assert (finding.path, finding.line, finding.end_line) == ("src/herd.py", 1, 1)
    assert (finding.spec, finding.spec_path, finding.unit, finding.score) == ("zebra", SPEC, None, None)
    assert finding.details == (
        ("maybe", f"{SPEC}  Zebras [zebra]"),
        ("do", "add to the `code:` list of the spec that governs it:  - src/herd.py"),
    )


def test_three_are_named_at_most_and_none_where_no_word_is_shared(judge: Judge) -> None:
    (finding,) = found(judge(FILES, {"docs/a.py": "x = 1\nlion = pride\n"}))
    assert [label for label, _ in finding.details] == ["maybe", "maybe", "maybe", "do"]
    assert finding.line == 2
    (finding,) = found(judge(FILES, {"docs/a.py": "x = tiger\n"}))
    assert finding.message == "changed, and no spec claims it"
    assert (finding.spec, finding.spec_path, len(finding.details)) == (None, None, 1)


def test_the_line_is_where_the_change_begins(judge: Judge) -> None:
    files = FILES | {"b.py": "a = 1\nb = 2\nc = 3\n"}
    assert [f.line for f in found(judge(files, {"b.py": "a = 1\nc = 3\n"}))] == [2]
    assert [f.line for f in found(judge(files, {"b.py": "b = 2\nc = 3\n"}))] == [1]
    assert [f.line for f in found(judge(files, {"b.py": "a = 1\nb = f()\nc = 3\n"}))] == [2]
