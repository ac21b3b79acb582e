"""Reading a working tree without following anything."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from spexsearch.specs.plain import read_plainly


@pytest.mark.skipif(os.name != "posix", reason="links and pipes as POSIX has them")
def test_nothing_is_followed_and_nothing_outside_is_read(tmp_path: Path) -> None:
    root = tmp_path / "root"
    (root / "folder").mkdir(parents=True)
    (root / ".git").mkdir()
    (tmp_path / "secret").write_text("secret")
    (root / "folder" / "a.py").write_text("text\n")
    (root / ".git" / "config").write_text("x")
    (root / "link").symlink_to(tmp_path / "secret")
    (root / "linked").symlink_to(root / "folder")
    os.mkfifo(root / "pipe")
    assert read_plainly(root, "folder/a.py", 5) == b"text\n"
    assert read_plainly(root, "folder/a.py", 4) is None
    outside = ("../secret", str(tmp_path / "secret"), "folder/../../secret")
    for path in ("link", "linked/a.py", "pipe", "folder", "nope", ".git/config", "", "a\0b", *outside):
        assert read_plainly(root, path, 100) is None, path
