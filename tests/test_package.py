"""What is shipped agrees with what is written about it."""

from __future__ import annotations

import importlib
import os
import re
import subprocess
import sys
import tomllib
from importlib.metadata import version
from pathlib import Path
from typing import Any

import pytest
import yaml

import spexsearch
from spexsearch.govern.source.languages import EXTENSIONS

TEST_COMMAND = ".venv/bin/python -m pytest tests"


@pytest.fixture(scope="module")
def project(root: Path) -> dict[str, Any]:
    table: dict[str, Any] = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    return table


def test_the_version_is_one(project: dict[str, Any]) -> None:
    assert project["dynamic"] == ["version"]
    assert version("spexsearch") == spexsearch.__version__


def test_the_commands_exist_and_answer(project: dict[str, Any], capsys: pytest.CaptureFixture[str]) -> None:
    assert set(project["scripts"]) == {"spex", "spexsearch", "spex-govern", "spex-action"}
    assert project["scripts"]["spex"] == project["scripts"]["spexsearch"]
    for target in project["scripts"].values():
        module, _, function = target.partition(":")
        assert getattr(importlib.import_module(module), function)(["--version"]) == 0
        assert spexsearch.__version__ in capsys.readouterr().out


def test_the_public_names_are_there() -> None:
    for name in spexsearch.__all__:
        assert getattr(spexsearch, name) is not None
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        _ = spexsearch.nothing


def test_the_public_names_answer_a_question(tmp_path: Path) -> None:
    folder = tmp_path / ".spec" / "lamp"
    folder.mkdir(parents=True)
    (folder / "spec.md").write_text("---\ntitle: lamp\n---\nLight.\n", encoding="utf-8")
    (tmp_path / ".spec" / "spec.md").write_text("---\ntitle: shop\n---\n", encoding="utf-8")
    tree = spexsearch.load_tree(tmp_path)
    assert [hit.id for hit in spexsearch.search_nodes(tree, "lamp", limit=3)] == ["lamp"]


def test_types_and_licence_are_shipped(root: Path, project: dict[str, Any]) -> None:
    assert (root / "spexsearch/py.typed").is_file()
    assert project["license"] == "MIT"
    assert (root / "LICENSE").read_text(encoding="utf-8").startswith("MIT License\n")


def test_the_readme_gives_the_command_that_ci_runs(root: Path) -> None:
    assert f"\n{TEST_COMMAND}\n" in (root / "README.md").read_text(encoding="utf-8")
    assert TEST_COMMAND in (root / ".ci/run").read_text(encoding="utf-8")


@pytest.mark.skipif(sys.platform == "win32", reason="no execute bit there")
def test_ci_is_a_script_that_parses(root: Path) -> None:
    script = root / ".ci/run"
    assert os.access(script, os.X_OK)
    subprocess.run(["bash", "-n", str(script)], check=True)


def test_the_workflow_trusts_nobody_with_more_than_reading(root: Path) -> None:
    workflow = yaml.safe_load((root / ".github/workflows/ci.yml").read_text(encoding="utf-8"))
    assert workflow["permissions"] == {"contents": "read"}
    (job,) = workflow["jobs"].values()
    assert "permissions" not in job
    steps = job["steps"]
    assert all(re.fullmatch(r"[\w-]+/[\w-]+@[0-9a-f]{40}", step["uses"]) for step in steps if "uses" in step)
    assert steps[0]["with"]["persist-credentials"] is False
    commands = [step["run"] for step in steps if "run" in step]
    assert any(".ci/run" in command for command in commands)
    # An expression in a command is pasted into the shell before it is quoted.
    assert not any("${{" in command for command in commands)


def test_each_language_stands_in_the_docs(root: Path) -> None:
    told = (root / "docs" / "languages.md").read_text(encoding="utf-8")
    files = set(re.findall(r"`\.([\w+]+)`", told))
    missing = {language.name for language in set(EXTENSIONS.values())} - {
        EXTENSIONS[f].name for f in files if f in EXTENSIONS
    }
    assert missing == set()
    assert {f for f in files if f not in EXTENSIONS} == set()
