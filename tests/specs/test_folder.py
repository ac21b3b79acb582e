from __future__ import annotations

import os
from pathlib import Path

import pytest

from spexsearch.errors import UsageError
from spexsearch.specs.folder import MAX_SPEC, read_folder
from spexsearch.specs.loader import load_tree

POSIX = pytest.mark.skipif(os.name == "nt", reason="needs links, pipes and names that are no text")
NOT_ROOT = pytest.mark.skipif(getattr(os, "geteuid", lambda: 0)() == 0, reason="root may read everything")

MODULE = "---\nid: {}\ntype: module\ntitle: T\n---\n"


def write(root: Path, **files: str) -> None:
    """Writes files by path, `__` for the slash and without `.md`."""
    for name, text in files.items():
        path = root / f"{name.replace('__', '/')}.md"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")


def told(root: Path) -> list[tuple[str, bool]]:
    return [(problem.path, problem.unreadable) for problem in load_tree(root).problems]


def test_both_dialects_side_by_side(tmp_path: Path) -> None:
    write(tmp_path, spec="no", lib__SPEC=MODULE.format("lib"), node_modules__a__SPEC=MODULE.format("theirs"))
    write(
        tmp_path,
        **{".spec__a__spec": "A", ".spec__node_modules__b__spec": "B", ".spec__a__eval": "no", ".spec__C__SPEC": ""},
    )
    tree = load_tree(tmp_path)
    assert [spec.path for spec in tree.specs] == [".spec/a/spec.md", ".spec/node_modules/b/spec.md", "lib/SPEC.md"]
    assert tree.problems == ()


def test_covers_knows_the_files_on_disk(tmp_path: Path) -> None:
    write(tmp_path, SPEC=MODULE.format("top").replace("title", "covers: [data, nothing]\ntitle"), data__x="x")
    assert [claim.path for claim in load_tree(tmp_path).specs[0].claims] == ["", "data"]


def test_no_specs_is_no_fault_and_no_folder_is(tmp_path: Path) -> None:
    assert load_tree(tmp_path).specs == ()
    assert load_tree(tmp_path).problems == ()
    with pytest.raises(UsageError, match="name one that exists"):
        load_tree(tmp_path / "absent")


@POSIX
def test_links_and_special_files_are_never_opened(tmp_path: Path) -> None:
    write(tmp_path, secret="secret", **{".spec__ok__spec": "fine"})
    for name in ("link", "dangling", "pipe", "dir"):
        (tmp_path / ".spec" / name).mkdir()
    (tmp_path / ".spec/link/spec.md").symlink_to(tmp_path / "secret.md")
    (tmp_path / ".spec/dangling/spec.md").symlink_to("nowhere")
    os.mkfifo(tmp_path / ".spec/pipe/spec.md")
    (tmp_path / ".spec/dir/spec.md").mkdir()
    (tmp_path / ".spec/loop").symlink_to(tmp_path / ".spec")
    assert [spec.id for spec in load_tree(tmp_path).specs] == ["ok"]
    assert told(tmp_path) == [(f".spec/{name}/spec.md", True) for name in ("dangling", "dir", "link", "pipe")]
    assert list(read_folder(tmp_path).texts) == [".spec/ok/spec.md"]


@POSIX
def test_a_linked_spec_folder_is_followed_inside_the_root_only(tmp_path: Path) -> None:
    inside, outside = tmp_path / "inside", tmp_path / "outside"
    write(inside, docs__a__spec="A")
    (inside / ".spec").symlink_to("docs")
    assert [spec.path for spec in load_tree(inside).specs] == [".spec/a/spec.md"]
    outside.mkdir()
    (outside / ".spec").symlink_to(inside / "docs")
    assert load_tree(outside).specs == ()
    assert told(outside) == [(".spec", True)]


def test_a_file_in_the_place_of_the_spec_folder_is_told(tmp_path: Path) -> None:
    (tmp_path / ".spec").write_text("no folder")
    assert told(tmp_path) == [(".spec", True)]


def test_a_huge_spec_is_told(tmp_path: Path) -> None:
    write(tmp_path, **{".spec__a__spec": "x" * (MAX_SPEC + 1), ".spec__b__spec": "x" * MAX_SPEC})
    assert told(tmp_path) == [(".spec/a/spec.md", True)]
    assert [spec.id for spec in load_tree(tmp_path).specs] == ["b"]


@NOT_ROOT
def test_unreadable_files_and_folders_are_told(tmp_path: Path) -> None:
    write(tmp_path, **{".spec__a__spec": "A", ".spec__b__spec": "B", ".spec__c__spec": "C"})
    (tmp_path / ".spec/a/spec.md").chmod(0)
    (tmp_path / ".spec/b").chmod(0)
    try:
        assert told(tmp_path) == [(".spec/a/spec.md", True), (".spec/b", True)]
        assert [spec.id for spec in load_tree(tmp_path).specs] == ["c"]
    finally:
        (tmp_path / ".spec/b").chmod(0o700)


@POSIX
def test_undecodable_names_are_kept(tmp_path: Path) -> None:
    folder = os.fsencode(tmp_path) + b"/.spec/caf\xe9"
    os.makedirs(folder)  # noqa: PTH103 (a name that is no text)
    (Path(os.fsdecode(folder)) / "spec.md").write_text("A")
    assert [spec.path for spec in load_tree(tmp_path).specs] == [".spec/caf\udce9/spec.md"]
