"""Thresholds written into a configuration: two numbers change, and not a byte besides."""

from __future__ import annotations

from pathlib import Path

import pytest

from spexsearch.cli.settings import with_thresholds, write_thresholds
from spexsearch.errors import ConfigError
from spexsearch.govern.config import read_config

CHOSEN = {"error": 0.75, "warning": 0.4}


@pytest.mark.parametrize(
    ("name", "before", "after"),
    [
        ("spex.toml", "", "thresholds = {error = 0.75, warning = 0.4}\n"),
        (
            "spex.toml",
            '# ours\nmode = "graded"   # said\n\n[thresholds]\nerror = 0.5 # by hand\n\n[rules]\nbroken-spec = "off"\n',
            '# ours\nmode = "graded"   # said\n\n[thresholds]\nerror = 0.75 # by hand\nwarning = 0.4\n\n'
            '[rules]\nbroken-spec = "off"\n',
        ),
        ("spex.toml", "thresholds = {error = 1, warning = 1}\n", "thresholds = {error = 0.75, warning = 0.4}\n"),
        ("spex.toml", "thresholds.error = 1.0\n", "thresholds.error = 0.75\nthresholds.warning = 0.4\n"),
        (
            "pyproject.toml",
            '[project]\nname = "x"  # a name\n\n[tool.spex]\nmode = "graded"\n\n[tool.ruff]\nline-length = 9\n',
            '[project]\nname = "x"  # a name\n\n[tool.spex]\nmode = "graded"\n'
            "thresholds = {error = 0.75, warning = 0.4}\n\n[tool.ruff]\nline-length = 9\n",
        ),
        (
            "pyproject.toml",
            "[tool.spex.thresholds]\nwarning = 1\n[tool.other]\na = 1\n",
            "[tool.spex.thresholds]\nwarning = 0.4\nerror = 0.75\n[tool.other]\na = 1\n",
        ),
    ],
)
def test_the_rest_stays_as_it_was_written(name: str, before: str, after: str) -> None:
    found = with_thresholds(name, before, CHOSEN)
    assert read_config({name: found.encode()}).thresholds == CHOSEN
    assert found == after


def test_one_threshold_leaves_the_other(tmp_path: Path) -> None:
    (tmp_path / "spex.toml").write_text("[thresholds]\nerror = 0.5\nwarning = 0.3\n")
    assert write_thresholds(tmp_path, {"warning": 0.2}) == "spex.toml"
    assert (tmp_path / "spex.toml").read_text() == "[thresholds]\nerror = 0.5\nwarning = 0.2\n"


def test_the_file_that_configures_is_the_one_that_is_written(tmp_path: Path) -> None:
    project = tmp_path / "pyproject.toml"
    project.write_text("[project]\nname = 'x'\n")
    assert write_thresholds(tmp_path, CHOSEN) == "spex.toml"
    assert project.read_text() == "[project]\nname = 'x'\n"
    (tmp_path / "spex.toml").unlink()
    project.write_text("[tool.spex]\n")
    assert write_thresholds(tmp_path, CHOSEN) == "pyproject.toml"
    assert not (tmp_path / "spex.toml").exists()


def test_a_configuration_that_cannot_be_read_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "spex.toml").write_text("mode = 'loud'\n")
    with pytest.raises(ConfigError):
        write_thresholds(tmp_path, CHOSEN)
    assert (tmp_path / "spex.toml").read_text() == "mode = 'loud'\n"
