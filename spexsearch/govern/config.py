"""The configuration: `[tool.spex]` in pyproject.toml, or spex.toml. What it does not know, it refuses."""

from __future__ import annotations

import difflib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, cast

from spexsearch.errors import ConfigError
from spexsearch.govern.report import LEVELS, RULES, Level
from spexsearch.specs.globs import Glob

Mode = Literal["graded", "strict", "advisory"]
FailOn = Literal["error", "warning", "never"]

MODES = ("graded", "strict", "advisory")
FAIL_ON = ("error", "warning", "never")

FILES = ("pyproject.toml", "spex.toml")


@dataclass(frozen=True, slots=True)
class Config:
    """The settings of one check. `rules` fixes a rule's level, or turns it off."""

    mode: Mode = "graded"
    fail_on: FailOn = "error"
    rules: Mapping[str, Level | Literal["off"]] = field(default_factory=dict)
    source: tuple[Glob, ...] = ()
    tests: tuple[Glob, ...] = ()
    ignore: tuple[Glob, ...] = ()


def read_config(texts: Mapping[str, bytes]) -> Config:
    """Texts of those of `FILES` that exist -> Config. Raises ConfigError for anything unknown or of the wrong type."""
    tables = {name: table for name in FILES if (table := _table(name, texts.get(name))) is not None}
    if len(tables) > 1:
        raise ConfigError("both pyproject.toml ([tool.spex]) and spex.toml configure this check; keep one of them")
    for name, table in tables.items():
        return _config(name, table)
    return Config()


def _table(name: str, data: bytes | None) -> dict[str, Any] | None:
    # Most pyproject.toml files say nothing of us, and parsing costs more than looking.
    if data is None or (name == "pyproject.toml" and b"spex" not in data):
        return None
    import tomllib

    try:
        document = tomllib.loads(data.decode("utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, RecursionError) as error:
        raise ConfigError(f"{name} cannot be read ({error}); mend it, then run this again") from None
    if name == "spex.toml":
        return document
    tool = document.get("tool", {})
    table = tool.get("spex") if isinstance(tool, dict) else None
    if table is not None and not isinstance(table, dict):
        raise ConfigError(f"{name}: tool.spex must be a table")
    return table


def _config(name: str, table: dict[str, Any]) -> Config:
    values: dict[str, Any] = {}
    for key, value in table.items():
        read = _KEYS.get(key)
        if read is None:
            raise ConfigError(f"{name}: unknown key {key!r}{_nearest(key, _KEYS)}; known keys: {', '.join(_KEYS)}")
        values[key.replace("-", "_")] = read(f"{name}: {key}", value)
    return Config(**values)


def _nearest(key: str, known: Mapping[str, object]) -> str:
    close = difflib.get_close_matches(key, known, n=1)
    return f", did you mean {close[0]!r}?" if close else ""


def _choice(*allowed: str) -> Callable[[str, object], str]:
    def read(where: str, value: object) -> str:
        if not isinstance(value, str) or value not in allowed:
            raise ConfigError(f"{where} must be one of {', '.join(allowed)}, not {value!r}")
        return value

    return read


def _globs(where: str, value: object) -> tuple[Glob, ...]:
    if not isinstance(value, list) or not all(isinstance(item, str) and item for item in value):
        raise ConfigError(f'{where} must be a list of globs, as in ["src/**/*.py"]')
    return tuple(Glob(item) for item in value)


def _rules(where: str, value: object) -> dict[str, Level | Literal["off"]]:
    if not isinstance(value, dict):
        raise ConfigError(f"{where} must be a table of rule = level")
    level = _choice(*LEVELS, "off")
    for rule in value:
        if rule not in RULES:
            raise ConfigError(f"{where}: unknown rule {rule!r}{_nearest(rule, RULES)}; known rules: {', '.join(RULES)}")
    return {rule: cast("Level", level(f"{where}.{rule}", given)) for rule, given in value.items()}


_KEYS: dict[str, Callable[[str, object], object]] = {
    "mode": _choice(*MODES),
    "fail-on": _choice(*FAIL_ON),
    "rules": _rules,
    "source": _globs,
    "tests": _globs,
    "ignore": _globs,
}
