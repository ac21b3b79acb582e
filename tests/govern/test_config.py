"""The configuration: every key, and every refusal in one line that says what to do."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spexsearch.errors import ConfigError
from spexsearch.govern.config import FAIL_ON, FILES, MODES, Config, read_config
from spexsearch.govern.kinds import Kind
from spexsearch.govern.report import LEVELS, RULES
from spexsearch.specs.globs import Glob


def read(text: str) -> Config:
    """What spex.toml says; the same in pyproject.toml."""
    found = read_config({"spex.toml": text.encode()})
    assert read_config({"pyproject.toml": f"[tool.spex]\n{text}".encode()}) == found
    return found


def refused(name: str, data: bytes) -> str:
    with pytest.raises(ConfigError) as caught:
        read_config({name: data})
    message = str(caught.value)
    assert "\n" not in message
    return message


def test_silence_is_the_default() -> None:
    config = Config()
    assert (config.mode, config.fail_on, dict(config.rules), dict(config.thresholds)) == ("graded", "error", {}, {})
    assert (config.source, config.tests, config.ignore, config.specs) == ((), (), (), ())
    for texts in ({}, {"spex.toml": b""}, {"pyproject.toml": b""}, {"pyproject.toml": b"[tool.other]\nspex = 1\n"}):
        assert read_config(texts) == config
    assert read_config({"pyproject.toml": b"# spex\ntool = 1\n"}) == config
    assert read_config({"other.toml": b"mode = 1"}) == config


def test_other_peoples_tables_are_none_of_our_business() -> None:
    # Not even a pyproject.toml that cannot be read, as long as it does not speak of this tool.
    assert read_config({"pyproject.toml": b"[broken"}) == Config()
    assert "pyproject.toml cannot be read" in refused("pyproject.toml", b"[tool.spex\n")


@pytest.mark.parametrize("mode", MODES)
def test_modes(mode: str) -> None:
    assert read(f"mode = '{mode}'").mode == mode


@pytest.mark.parametrize("level", FAIL_ON)
def test_fail_on(level: str) -> None:
    assert read(f"fail-on = '{level}'").fail_on == level


@pytest.mark.parametrize("level", [*LEVELS, "off"])
@pytest.mark.parametrize("rule", RULES)
def test_rules(rule: str, level: str) -> None:
    assert dict(read(f"rules = {{{rule} = '{level}'}}").rules) == {rule: level}
    assert dict(read(f"rules.{rule} = '{level}'").rules) == {rule: level}


@pytest.mark.parametrize("key", ["source", "tests", "ignore", "specs"])
def test_globs(key: str) -> None:
    assert getattr(read(f"{key} = ['src/**', 'b.py']"), key) == (Glob("src/**"), Glob("b.py"))
    assert getattr(read(f"{key} = []"), key) == ()


def test_thresholds() -> None:
    assert read("thresholds = {error = 1, warning = 0.5}").thresholds == {"error": 1.0, "warning": 0.5}
    assert read("thresholds = {error = -1}").thresholds == {"error": -1.0}


@pytest.mark.parametrize("most", [0, 1, 3])
def test_learnings(most: int) -> None:
    assert read(f"learnings = {most}").learnings == most
    assert Config().learnings == 3


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("mod = 'strict'", "spex.toml: unknown key 'mod', did you mean 'mode'?; known keys: mode, "),
        ("zzz = 1", "unknown key 'zzz'; known keys: "),
        ("fail_on = 'error'", "did you mean 'fail-on'?"),
        ("mode = 'loud'", "spex.toml: mode must be one of graded, strict, advisory, not 'loud'"),
        ("mode = 1", "not 1"),
        ("mode = ['strict']", "mode must be one of"),
        ("fail-on = 'note'", "fail-on must be one of error, warning, never, not 'note'"),
        ("rules = 'off'", "rules must be a table"),
        ("rules = {untouched = 'off'}", "unknown rule 'untouched', did you mean 'untouched-spec'?; known rules: "),
        ("rules = {untouched-spec = 'loud'}", "rules.untouched-spec must be one of error, warning, note, off"),
        ("rules = {untouched-spec = false}", "not False"),
        ("source = 'src'", "source must be a list of globs"),
        ("tests = [1]", "tests must be a list of globs"),
        ("ignore = ['']", "ignore must be a list of globs"),
        ("specs = {}", "specs must be a list of globs"),
        ("thresholds = 1", "thresholds must be a table"),
        ("thresholds = {note = 1}", "unknown threshold 'note'"),
        ("thresholds = {error = 'high'}", "thresholds.error must be a number, not 'high'"),
        ("thresholds = {warning = true}", "thresholds.warning must be a number"),
        ("thresholds = {error = inf}", "must be a number"),
        ("thresholds = {error = nan}", "must be a number"),
        ("learnings = 4", "learnings must be a whole number from 0 to 3, not 4"),
        ("learnings = -1", "learnings must be a whole number"),
        ("learnings = true", "learnings must be a whole number"),
        ("learnings = 1.0", "learnings must be a whole number"),
        ("learnings = 'all'", "learnings must be a whole number"),
        ("a = [", "spex.toml cannot be read"),
        ("a = 1\na = 2", "spex.toml cannot be read"),
    ],
)
def test_what_is_refused(text: str, said: str) -> None:
    assert said in refused("spex.toml", text.encode())


def test_what_is_no_text_and_what_is_no_table() -> None:
    assert "spex.toml cannot be read" in refused("spex.toml", b"\xff")
    assert "tool.spex must be a table" in refused("pyproject.toml", b"tool.spex = 1")
    assert "pyproject.toml: unknown key 'mod'" in refused("pyproject.toml", b"[tool.spex]\nmod = 1")
    nested = b"[" * 100_000
    assert "spex.toml cannot be read" in refused("spex.toml", b"a = " + nested)


def test_two_configurations_are_one_too_many() -> None:
    both = {"pyproject.toml": b"[tool.spex]\nmode = 'strict'", "spex.toml": b"mode = 'strict'"}
    with pytest.raises(ConfigError, match="keep one of them"):
        read_config(both)
    assert read_config(both | {"pyproject.toml": b"[tool.other]\n# spex"}).mode == "strict"


# --- what another tool says of source and tests


def neighbour(**lint: Any) -> dict[str, bytes]:
    return {"spexcode.json": json.dumps({"lint": lint}).encode()}


@pytest.mark.parametrize(
    ("lint", "source", "tests"),
    [
        ({}, [], []),
        ({"governedRoots": ["src", "./lib/"], "sourceExtensions": ["ts"]}, ["src/**/*.ts", "lib/**/*.ts"], []),
        ({"governedRoots": ["."], "sourceExtensions": ["ts", "py"]}, ["**/*.ts", "**/*.py"], []),
        ({"governedRoots": ["src"]}, [], []),
        ({"sourceIncludeGlobs": ["*.sh", "bin/*"]}, ["**/*.sh", "bin/*"], []),
        ({"testGlobs": ["*.test.ts", "e2e/**"]}, [], ["**/*.test.ts", "e2e/**"]),
    ],
)
def test_a_neighbours_configuration_is_read(lint: dict[str, Any], source: list[str], tests: list[str]) -> None:
    config = read_config(neighbour(**lint))
    assert [glob.pattern for glob in config.source] == source
    assert [glob.pattern for glob in config.tests] == tests


def test_ours_is_heard_first() -> None:
    texts = neighbour(sourceIncludeGlobs=["a/*"], testGlobs=["b/*"])
    config = read_config(texts | {"spex.toml": b"source = ['c/*']\nmode = 'strict'"})
    assert (config.source, config.tests, config.mode) == ((Glob("c/*"),), (Glob("b/*"),), "strict")
    config = read_config(texts | {"spex.toml": b"tests = ['c/*']"})
    assert (config.source, config.tests) == ((Glob("a/*"),), (Glob("c/*"),))


@pytest.mark.parametrize(
    "data",
    [b"{", b"[]", b"\xff", b'{"lint": 1}', b'{"lint": {"testGlobs": "x"}}', b'{"lint": {"governedRoots": [1]}}'],
)
def test_a_neighbours_configuration_that_cannot_be_read_is_refused(data: bytes) -> None:
    assert "spexcode.json cannot be read" in refused("spexcode.json", data)


# --- kinds


SOURCE, TESTS = (Glob("src/**"),), (Glob("**/*.t.py"),)


@pytest.mark.parametrize(
    ("config", "path", "kind", "told"),
    [
        (Config(), "a.py", "code", "code"),
        (Config(), "tests/a.py", "test", "test"),
        (Config(tests=TESTS), "src/a.t.py", "code", "test"),
        (Config(tests=TESTS), "tests/a.py", "test", "code"),
        (Config(tests=TESTS), "a.css", "style", "style"),
        (Config(source=SOURCE), "src/a.py", "code", "code"),
        (Config(source=SOURCE), "src/a.json", "config", "code"),
        (Config(source=SOURCE), "src/a", "other", "code"),
        (Config(source=SOURCE), "lib/a.py", "code", "other"),
        (Config(source=SOURCE), "lib/a.json", "config", "other"),
        (Config(source=SOURCE), "lib/a.css", "style", "style"),
        (Config(source=SOURCE), "src/a.md", "doc", "doc"),
        (Config(source=SOURCE), "src/x.lock", "generated", "generated"),
        (Config(source=SOURCE), "src/tests/a.py", "test", "test"),
        (Config(source=SOURCE, tests=TESTS), "src/a.t.py", "code", "test"),
        (Config(source=SOURCE, tests=TESTS), "src/tests/a.py", "test", "code"),
        (Config(source=SOURCE, tests=TESTS), "lib/tests/a.py", "test", "other"),
    ],
)
def test_the_kind_of_a_file(config: Config, path: str, kind: Kind, told: str) -> None:
    assert config.kind_of(path, kind) == told


@given(st.dictionaries(st.sampled_from(FILES), st.binary(max_size=40) | st.from_regex(rb"[a-z]{1,6} = [\[\"'{1]{0,3}")))
def test_any_bytes_are_a_configuration_or_refused(texts: dict[str, bytes]) -> None:
    try:
        found: object = read_config(texts)
    except ConfigError as error:
        found = str(error)
    assert isinstance(found, Config) or (isinstance(found, str) and "\n" not in found)
