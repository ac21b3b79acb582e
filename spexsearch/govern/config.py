"""The configuration: `[tool.spex]` in pyproject.toml, or spex.toml. What it does not know, it refuses."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from math import isfinite
from typing import Any, Literal, NamedTuple, cast

from spexsearch.errors import ConfigError
from spexsearch.govern.kinds import Kind
from spexsearch.govern.report import LEVELS, RULES, Level
from spexsearch.specs.globs import Glob

Mode = Literal["graded", "strict", "advisory"]
FailOn = Literal["error", "warning", "never"]

MODES = ("graded", "strict", "advisory")
FAIL_ON = ("error", "warning", "never")

MAX_LEARNINGS = 3

NEIGHBOUR = "spexcode.json"
OWN_FILE = "spex.toml"
OWN_FILES = ("pyproject.toml", OWN_FILE)
FILES = (*OWN_FILES, NEIGHBOUR)
_NEIGHBOUR_KEYS = ("governedRoots", "sourceExtensions", "sourceIncludeGlobs", "testGlobs")


class Config(NamedTuple):
    """The settings of one check.

    `rules` fixes a rule's level, or turns it off; `thresholds` are the scores from which a graded finding is an error
    or a warning, where the built-in grading is not wanted. `learnings`: how many are recalled at most.
    """

    mode: Mode = "graded"
    fail_on: FailOn = "error"
    rules: Mapping[str, Level | Literal["off"]] = {}
    source: tuple[Glob, ...] = ()
    tests: tuple[Glob, ...] = ()
    ignore: tuple[Glob, ...] = ()
    specs: tuple[Glob, ...] = ()
    thresholds: Mapping[str, float] = {}
    learnings: int = MAX_LEARNINGS

    def kind_of(self, path: str, kind: Kind) -> Kind:
        """The kind of a file, which is `kind` by its name and text, where the configuration has no other word on it."""
        if self.tests and (kind == "test" or any(glob.matches(path) for glob in self.tests)):
            kind = "test" if any(glob.matches(path) for glob in self.tests) else "code"
        if self.source and kind in ("code", "config", "other"):
            kind = "code" if any(glob.matches(path) for glob in self.source) else "other"
        return kind


def read_config(texts: Mapping[str, bytes]) -> Config:
    """Texts of those of `FILES` that exist -> Config. Raises ConfigError for anything unknown or of the wrong type."""
    tables = {name: table for name in OWN_FILES if (table := _table(name, texts.get(name))) is not None}
    if len(tables) > 1:
        raise ConfigError("both pyproject.toml ([tool.spex]) and spex.toml configure this check; keep one of them")
    given = next((_config(name, table) for name, table in tables.items()), Config())
    neighbour = texts.get(NEIGHBOUR)
    return given if neighbour is None else _with_neighbour(given, neighbour)


def _with_neighbour(config: Config, data: bytes) -> Config:
    """What SpexCode's own configuration says of source and tests, where ours is silent."""
    import json

    try:
        lint = json.loads(data).get("lint", {})
        roots, endings, includes, tests = (_strings(lint.get(key, [])) for key in _NEIGHBOUR_KEYS)
    except (ValueError, AttributeError, TypeError, RecursionError) as error:
        raise ConfigError(f"{NEIGHBOUR} cannot be read ({error}); mend it, or say `source` in spex.toml") from None
    folders = [root.strip("/").removeprefix("./") for root in roots]
    below = ["**/" if folder in ("", ".") else f"{folder}/**/" for folder in folders]
    source = [f"{folder}*.{ending}" for folder in below for ending in endings]
    return config._replace(
        source=config.source or tuple(Glob(glob) for glob in [*source, *_any_depth(includes)]),
        tests=config.tests or tuple(Glob(glob) for glob in _any_depth(tests)),
    )


def _strings(value: object) -> list[str]:
    if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
        raise TypeError(f"{value!r} is no list of texts")
    return value


def _any_depth(globs: list[str]) -> list[str]:
    # A pattern without a slash holds at any depth there.
    return [glob if "/" in glob else f"**/{glob}" for glob in globs]


def _table(name: str, data: bytes | None) -> dict[str, Any] | None:
    # Most pyproject.toml files say nothing of us, and parsing costs more than looking.
    if data is None or (name == "pyproject.toml" and b"spex" not in data):
        return None
    import tomllib

    try:
        document = tomllib.loads(data.decode("utf-8"))
    except (ValueError, RecursionError) as error:
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
    import difflib

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


def _thresholds(where: str, value: object) -> dict[str, float]:
    if not isinstance(value, dict):
        raise ConfigError(f"{where} must be a table of error and warning")
    for name, score in value.items():
        if name not in ("error", "warning"):
            raise ConfigError(f"{where}: unknown threshold {name!r}; there are error and warning")
        if isinstance(score, bool) or not isinstance(score, (int, float)) or not isfinite(score):
            raise ConfigError(f"{where}.{name} must be a number, not {score!r}")
    return {name: float(score) for name, score in value.items()}


def _learnings(where: str, value: object) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value <= MAX_LEARNINGS:
        raise ConfigError(f"{where} must be a whole number from 0 to {MAX_LEARNINGS}, not {value!r}")
    return value


_KEYS: dict[str, Callable[[str, object], object]] = {
    "mode": _choice(*MODES),
    "fail-on": _choice(*FAIL_ON),
    "rules": _rules,
    "source": _globs,
    "tests": _globs,
    "ignore": _globs,
    "specs": _globs,
    "thresholds": _thresholds,
    "learnings": _learnings,
}
