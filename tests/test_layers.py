"""The layers hold: every import of every module is walked, lazy ones inside functions too."""

from __future__ import annotations

import ast
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

PACKAGE = "spexsearch"
LAYERS = {"errors": 0, "specs": 1, "floor": 2, "govern": 3, "render": 4, "cli": 5, "actions": 5, "action": 5}
# What only one module may import.
ALONE = {
    "unidiff": "govern/diff.py",
    "ast_grep_py": "govern/units.py",
    "subprocess": "govern/git/run.py",
    "spexsearch.govern.git.run": "govern/repository.py",
    "git": "govern/git/history.py",
}
# Renderers and the check get all they need handed to them.
PURE = ("render/", "govern/check.py", "govern/rules.py", "govern/evidence.py", "govern/report.py")
IMPURE = {
    "os",
    "sys",
    "io",
    "pathlib",
    "shutil",
    "tempfile",
    "subprocess",
    "socket",
    "urllib",
    "http",
    "time",
    "random",
}
PURE_PARTS = {"pathlib.PurePosixPath", "urllib.parse.quote"}
IMPURE_CALLS = {"open", "print", "input"}


def imports(source: str) -> Iterator[tuple[int, str]]:
    """Every import as (line, dotted name); `from a import b` gives `a.b`. Those for type checkers alone count too."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            yield from ((node.lineno, alias.name) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield from ((node.lineno, f"{'.' * node.level}{node.module or ''}.{alias.name}") for alias in node.names)


def calls(source: str) -> Iterator[tuple[int, str]]:
    """Every call of a plain name as (line, name)."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            yield node.lineno, node.func.id


def faults(module: str, source: str) -> list[str]:
    """What a module, given by its path in the package, imports although it may not."""
    here = module.removesuffix(".py").split("/")[0]
    names = list(imports(source))
    found = [f"{line}: {fault}" for line, name in names if (fault := _fault(module, here, name))]
    own = {".".join(name.split(".")[1:3]) for _, name in names if name.startswith(f"{PACKAGE}.")}
    if here not in ("cli", "actions", "action") and own >= {"govern.repository", "govern.check"}:
        found.append("joins the repository to the check")
    if module.startswith(PURE):
        found += [f"{line}: calls {name}" for line, name in calls(source) if name in IMPURE_CALLS]
    return found


def _fault(module: str, here: str, name: str) -> str | None:
    for alone, only in ALONE.items():
        if f"{name}.".startswith(f"{alone}.") and module != only:
            return f"only {only} imports {alone}"
    top, *below = name.split(".")
    if top == "":
        return "a relative import hides its layer"
    if top != PACKAGE:
        pure = module.startswith(PURE) and top in IMPURE and name not in PURE_PARTS
        return f"{name} in a module without input and output" if pure else None
    if below == ["__version__"] or module == "__init__.py":
        return None
    layer = below[0] if below else ""
    if layer not in LAYERS:
        return f"{name} has no layer"
    return None if LAYERS[layer] <= LAYERS[here] else f"{here} imports upwards: {name}"


def modules(root: Path) -> list[str]:
    package = root / PACKAGE
    return sorted(path.relative_to(package).as_posix() for path in package.rglob("*.py"))


def test_every_import_runs_down(root: Path) -> None:
    found = modules(root)
    assert len(found) > len(LAYERS)
    told = [
        f"{module}:{fault}"
        for module in found
        for fault in faults(module, (root / PACKAGE / module).read_text(encoding="utf-8"))
    ]
    assert told == []


def test_every_module_has_a_layer(root: Path) -> None:
    heads = {module.removesuffix(".py").split("/")[0] for module in modules(root)}
    assert heads - {"__init__"} <= LAYERS.keys()


@pytest.mark.parametrize(
    ("module", "source", "told"),
    [
        ("specs/loader.py", "from spexsearch.floor.nodes import search_nodes", "specs imports upwards"),
        ("floor/index.py", "def f():\n    import spexsearch.govern.model", "2: floor imports upwards"),
        ("govern/check.py", "from spexsearch.render import text", "govern imports upwards"),
        ("errors.py", "from spexsearch import specs", "errors imports upwards"),
        ("floor/nodes.py", "from spexsearch import load_tree", "spexsearch.load_tree has no layer"),
        ("floor/nodes.py", "from .tokens import words", "relative"),
        ("govern/units.py", "import unidiff", "only govern/diff.py imports unidiff"),
        ("govern/diff.py", "from ast_grep_py import SgRoot", "only govern/units.py imports ast_grep_py"),
        ("cli/spex.py", "import subprocess", "only govern/git/run.py imports subprocess"),
        (
            "cli/inputs.py",
            "from spexsearch.govern.git import run as gitrun",
            "only govern/repository.py imports spexsearch.govern.git.run",
        ),
        ("cli/govern.py", "from git.repo import Repo", "only govern/git/history.py imports git"),
        ("render/text.py", "import os.path", "os.path in a module without"),
        ("govern/check.py", "from pathlib import Path", "pathlib.Path in a module without"),
        ("render/text.py", "print('x')", "calls print"),
        ("render/markup.py", "from urllib import request", "urllib.request in a module without"),
        (
            "govern/rules.py",
            "from spexsearch.govern.repository import Repository\nfrom spexsearch.govern import check",
            "joins the repository to the check",
        ),
    ],
)
def test_the_walk_sees_what_may_not_be(module: str, source: str, told: str) -> None:
    (fault,) = faults(module, source)
    assert told in fault


@pytest.mark.parametrize(
    ("module", "source"),
    [
        (
            "cli/inputs.py",
            "from spexsearch.govern.repository import Repository\nfrom spexsearch.govern.check import check",
        ),
        ("render/owners.py", "from spexsearch.govern.report import Report"),
        ("govern/repository.py", "from spexsearch.govern.git import run as gitrun"),
        ("govern/git/history.py", "def walk():\n    import git"),
        ("render/tree.py", "from pathlib import PurePosixPath"),
        ("render/markup.py", "from urllib.parse import quote"),
        ("cli/govern.py", "from spexsearch import __version__"),
    ],
)
def test_the_walk_lets_pass_what_may_be(module: str, source: str) -> None:
    assert faults(module, source) == []


@pytest.mark.parametrize(
    ("module", "never"),
    [
        (PACKAGE, {"yaml", "unidiff", "ast_grep_py", "pyromark", "rapidfuzz", "git", "subprocess", "argparse"}),
        (f"{PACKAGE}.cli.spex", {"yaml", "unidiff", "ast_grep_py", "pyromark", "rapidfuzz", "git", "subprocess"}),
        (f"{PACKAGE}.cli.govern", {"git", "pyromark", "rapidfuzz"}),
    ],
)
def test_a_fresh_import_stays_light(module: str, never: set[str]) -> None:
    program = f"import sys, {module}; print(*sys.modules, sep='\\n')"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    loaded = set(done.stdout.split())
    assert module in loaded
    assert not loaded & never
