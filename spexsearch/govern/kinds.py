"""What kind of file a path names: a table of names, folders and extensions. Configuration overrides it elsewhere."""

from __future__ import annotations

import re
from typing import Literal

Kind = Literal["code", "test", "style", "config", "doc", "spec", "generated", "other"]


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_GENERATED_NAMES = _words(
    """
    package-lock.json npm-shrinkwrap.json yarn.lock pnpm-lock.yaml bun.lock bun.lockb deno.lock poetry.lock uv.lock
    pdm.lock pipfile.lock cargo.lock gemfile.lock composer.lock go.sum go.work.sum packages.lock.json mix.lock
    pubspec.lock podfile.lock package.resolved flake.lock gradle.lockfile .terraform.lock.hcl
    """
)
_GENERATED_FOLDERS = _words(
    """
    node_modules bower_components vendor third_party dist __snapshots__ __generated__ __pycache__ .next .nuxt
    .svelte-kit .venv site-packages
    """
)
_GENERATED_ENDS = re.compile(
    r"[.-]min\.(?:js|css|mjs)$|\.(?:map|snap)$|_pb2(?:_grpc)?\.pyi?$|\.pb\.(?:go|cc|h|swift)$|\.(?:g|freezed)\.dart$"
    r"|\.designer\.(?:cs|vb)$|[._]generated\.\w+$|\.gen\.\w+$"
)
_TEST_FOLDERS = _words(
    "test tests __tests__ __mocks__ testdata fixtures e2e cypress androidtest bench benchmark benchmarks"
)
_TEST_NAMES = re.compile(
    r"^test_[^/]*\.\w+$|^conftest\.py$|[._-](?:test|tests|spec|e2e|cy)\.(?:[cm]?[jt]sx?|vue|svelte)$|_(?:test|spec)\.\w+$"
)
# Camel case tells `LoginTest.java` from `latest.java`, so these are matched before the name is lowered.
_TEST_CLASSES = re.compile(
    r"(?:[a-z0-9](?:Tests?|Spec)|^Tests?[A-Z]\w*)\.(?:java|kt|kts|cs|scala|swift|php|groovy|cpp|cc)$"
)
_CONFIG_NAMES = re.compile(
    r"^(?:dockerfile|containerfile|makefile|gnumakefile|justfile|procfile|jenkinsfile|vagrantfile|brewfile|pipfile|cmakelists\.txt"
    r"|requirements[\w.-]*\.txt|constraints[\w.-]*\.txt|go\.mod|go\.work|codeowners|\.[\w.-]+rc|\.[\w-]*ignore|\.editorconfig"
    r"|\.gitattributes|\.gitmodules|\.env[\w.-]*|.+\.config\.[cm]?[jt]s)$"
)
_DOC_NAMES = re.compile(r"^(?:licen[cs]e|copying|notice|authors|contributors|changelog|changes|readme|todo)(?:\.\w+)?$")
_BY_EXTENSION: tuple[tuple[Kind, str], ...] = (
    ("style", "css scss sass less styl pcss postcss"),
    (
        "config",
        "json jsonc json5 yaml yml toml ini cfg conf properties env xml plist gradle csproj vbproj fsproj props targets"
        " sln editorconfig tfvars lock nix",
    ),
    ("doc", "md mdx markdown rst txt adoc asciidoc org tex"),
    (
        "code",
        "py pyi pyw pyx js mjs cjs jsx ts mts cts tsx go rs java kt kts c cc cpp cxx c++ h hh hpp hxx cs fs "
        "fsx vb rb rake php swift scala sc lua sh bash zsh fish ps1 bat cmd vue svelte astro html htm hbs ejs "
        "erb pug sql ex exs erl hrl hs elm ml mli clj cljs cljc dart zig nim cr d r jl pl pm m mm groovy sol "
        "v vhd tf hcl proto graphql gql thrift awk tcl el lisp scm rkt asm s glsl wgsl hlsl cu metal gd "
        "coffee gemspec",
    ),
)
_EXTENSIONS = {extension: kind for kind, extensions in _BY_EXTENSION for extension in extensions.split()}
_RULED_OUT = re.compile(rb"^\W*@generated\b|\b[Gg]enerated\b.*\bDO NOT EDIT\b|\bDO NOT EDIT\b.*\b[Gg]enerated\b")
_COMMENT_SIGN = re.compile(rb"\s*(?://|#|/?\*|--|;|<!--|%|\"\"\"|''')")
_HEADER_BYTES, _HEADER_LINES = 4096, 15


def kind_of(path: str) -> Kind:
    """The kind of a repository-relative path, by its name alone."""
    *folders, name = path.split("/")
    lowered = name.lower()
    within = {folder.lower() for folder in folders}
    if lowered in _GENERATED_NAMES or within & _GENERATED_FOLDERS or _GENERATED_ENDS.search(lowered):
        return "generated"
    extension = lowered.rpartition(".")[2] if "." in lowered else ""
    if lowered == "spec.md" and (".spec" in within or name == "SPEC.md"):
        return "spec"
    if within & _TEST_FOLDERS or _TEST_NAMES.search(lowered) or _TEST_CLASSES.search(name):
        return "test"
    if _CONFIG_NAMES.match(lowered) or ".github" in within:
        return "config"
    if _DOC_NAMES.match(lowered):
        return "doc"
    return _EXTENSIONS.get(extension, "other")


def says_generated(head: bytes) -> bool:
    """Whether a comment in the first lines says that a program wrote the file."""
    lines = head[:_HEADER_BYTES].split(b"\n")[:_HEADER_LINES]
    return any(_RULED_OUT.search(line) and _COMMENT_SIGN.match(line) for line in lines)


def is_generated(old: bytes | None, new: bytes | None) -> bool:
    """Whether every side of a change that exists says so: a marker that the change adds to a file hides nothing."""
    sides = [side for side in (old, new) if side is not None]
    return bool(sides) and all(says_generated(side) for side in sides)
