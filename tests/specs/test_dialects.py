from __future__ import annotations

import pytest

from spexsearch.specs.dialects import candidates, dialect_of, is_among_specs


@pytest.mark.parametrize(
    ("path", "name"),
    [
        (".spec/spec.md", "spex"),
        (".spec/a/node_modules/.git/spec.md", "spex"),
        ("SPEC.md", "module"),
        ("packages/a/SPEC.md", "module"),
        ("docs/architecture.md", "module"),
        ("x/.spec/a/spec.md", "module"),
        (".spec/a/eval.md", None),
        (".spec/a/SPEC.md", None),
        (".spec/a/Spec.md", None),
        ("a/node_modules/b/SPEC.md", None),
        (".git/SPEC.md", None),
        ("src/spec.mdx", None),
    ],
)
def test_which_convention_a_path_follows(path: str, name: str | None) -> None:
    dialect = dialect_of(path)
    assert (dialect and dialect.name) == name


def test_other_markdown_is_read_only_beside_module_specs() -> None:
    paths = ["README.md", ".spec/a/spec.md", "src/a.py"]
    assert candidates(paths) == [".spec/a/spec.md"]
    assert candidates([*paths, "lib/SPEC.md"]) == ["README.md", ".spec/a/spec.md", "lib/SPEC.md"]
    assert candidates([*paths, "node_modules/x/SPEC.md"]) == [".spec/a/spec.md"]


@pytest.mark.parametrize(
    ("path", "among"),
    [
        (".spec/spec.md", True),
        (".spec/a/notes.py", True),
        (".spec/a/node_modules/x.js", True),
        (".spec", False),
        (".specs/a.py", False),
        ("x/.spec/a.py", False),
        ("SPEC.md", False),
        ("docs/SPEC.md", False),
        ("", False),
    ],
)
def test_what_stands_in_a_folder_that_is_kept_for_specs(path: str, among: bool) -> None:
    assert is_among_specs(path) is among
