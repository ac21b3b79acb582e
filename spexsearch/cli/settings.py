"""Thresholds written into the configuration of a working tree, and nothing else of it touched."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from spexsearch.cli.ground import config_texts
from spexsearch.cli.outputs import write_whole
from spexsearch.errors import ConfigError
from spexsearch.govern.config import OWN_FILE, read_config


def write_thresholds(root: Path, thresholds: Mapping[str, float]) -> str:
    """Set the thresholds where the configuration is: spex.toml, or `[tool.spex]`; without either in a new spex.toml.

    The name of the file. Raises ConfigError where that cannot be read, or cannot be changed without harm.
    """
    texts = config_texts(root)
    read_config(texts)
    name = OWN_FILE if OWN_FILE in texts or not _has_table(texts.get("pyproject.toml")) else "pyproject.toml"
    text = with_thresholds(name, texts.get(name, b"").decode("utf-8"), thresholds)
    read_config(texts | {name: text.encode()})
    write_whole(root / name, text)
    return name


def _has_table(data: bytes | None) -> bool:
    import tomllib

    tool = tomllib.loads((data or b"").decode("utf-8")).get("tool", {})
    return isinstance(tool, dict) and "spex" in tool


def with_thresholds(name: str, text: str, thresholds: Mapping[str, float]) -> str:
    """The text of `spex.toml` or `pyproject.toml` with these thresholds; all else stays as it was written."""
    import tomllib

    import tomlkit

    document = tomlkit.parse(text)
    table: Any = document if name == OWN_FILE else document["tool"]["spex"]
    if "thresholds" not in table:
        table["thresholds"] = tomlkit.inline_table()
    for level, score in sorted(thresholds.items()):
        table["thresholds"][level] = score
    written = tomlkit.dumps(document)
    wanted = tomllib.loads(text)
    own = wanted if name == OWN_FILE else wanted["tool"]["spex"]
    own["thresholds"] = own.get("thresholds", {}) | thresholds
    if tomllib.loads(written) != wanted:
        raise ConfigError(f"{name} cannot be changed without harm; write by hand: thresholds = {dict(thresholds)}")
    return written
