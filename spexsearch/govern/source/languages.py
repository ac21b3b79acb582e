"""Which language a file is in, what begins a comment there, and the words that languages reserve."""

from __future__ import annotations

import re
from posixpath import basename

from spexsearch.govern.source.grammars import (
    BASH,
    CPP,
    CSHARP,
    GO,
    JAVA,
    JAVASCRIPT,
    JSON,
    KOTLIN,
    LUA,
    PHP,
    PYTHON,
    RUBY,
    RUST,
    SCALA,
    SVELTE,
    SWIFT,
    TOML,
    TSX,
    TYPESCRIPT,
    VUE,
    YAML,
    C,
    Language,
    words,
)

EXTENSIONS: dict[str, Language] = {
    extension: language
    for extensions, language in (
        ("py pyi pyw", PYTHON),
        ("js mjs cjs jsx", JAVASCRIPT),
        ("ts mts cts", TYPESCRIPT),
        ("tsx", TSX),
        ("go", GO),
        ("rs", RUST),
        ("java", JAVA),
        ("kt kts", KOTLIN),
        ("c", C),
        ("cc cpp cxx c++ h hh hpp hxx", CPP),
        ("cs", CSHARP),
        ("rb rake gemspec ru", RUBY),
        ("php", PHP),
        ("swift", SWIFT),
        ("scala sc", SCALA),
        ("lua", LUA),
        ("sh bash zsh", BASH),
        ("json jsonc", JSON),
        ("yaml yml", YAML),
        ("toml", TOML),
        ("vue", VUE),
        ("svelte", SVELTE),
    )
    for extension in extensions.split()
}

_NAMES = {"Rakefile": RUBY, "Gemfile": RUBY, "Podfile": RUBY, "Pipfile": TOML, ".bashrc": BASH, ".babelrc": JSON}

_INTERPRETERS = {"python": PYTHON, "node": JAVASCRIPT, "bash": BASH, "sh": BASH, "zsh": BASH, "ruby": RUBY, "lua": LUA}
_INTERPRETERS |= {"php": PHP, "deno": TYPESCRIPT, "bun": TYPESCRIPT}
_SHEBANG = re.compile(
    rb"#![^\n]*?/(?:env +(?:-\S+ +)*)?(python|node|bash|sh|zsh|ruby|lua|php|deno|bun)[\d.]*(?:[ \r\n]|\Z)"
)

# For files without a row: what begins a comment, so that a commented line is told from code.
_LINE_COMMENTS = {
    extension: prefixes
    for extensions, prefixes in (
        ("sql hs elm adb ads vhd", ("--",)),
        ("ini cfg conf properties env", ("#", ";")),
        ("r jl pl pm tcl ex exs nix tf hcl mk cmake graphql gql cr nim ps1 fish awk dockerfile makefile", ("#",)),
        ("scss less sass dart zig proto groovy gradle m mm v sol fs fsx d jsonc json5 hx glsl wgsl cu", ("//",)),
        ("clj cljs cljc edn lisp el scm rkt asm s", (";",)),
        ("erl hrl tex m4", ("%",)),
    )
    for extension in extensions.split()
}

# Words of the languages themselves: they say nothing about what a change is about.
KEYWORDS = words(
    """
    abstract and any as assert async await base begin bool boolean break byte case catch char class companion
    const constexpr constructor continue crate data debugger declare def default defer del delete do double
    dyn elif else elsif elseif end endif enum event except explicit export extends extension extern false fi
    final finally float fn for foreach friend from fun func function get given global go goto guard if impl
    implements implicit import in include infix init inline inout instanceof int interface internal is isset
    keyof lambda lateinit lazy let local long loop match mod module move mut mutable namespace native never
    new nil none nonlocal not null nullptr number object of operator or out override package params pass
    private protected protocol pub public raise readonly record ref register repeat require rescue return
    satisfies sealed select self set short signed sizeof static str string struct super suspend switch symbol
    synchronized template then this throw throws trait transient true try type typealias typedef typename
    typeof undefined union unknown unless unsafe unsigned until use using val var virtual void volatile when
    where while with yield
    """
)


def _extension(path: str) -> str:
    name = basename(path)
    return name.rpartition(".")[2].lower() if "." in name else name.lower()


def language_of(path: str, source: bytes = b"") -> Language | None:
    """The language of a file by its name, else by the `#!` line of its first 200 bytes."""
    found = _NAMES.get(basename(path)) or (EXTENSIONS.get(_extension(path)) if "." in basename(path) else None)
    if found is None and source.startswith(b"#!") and (shebang := _SHEBANG.match(source[:200])):
        return _INTERPRETERS[shebang[1].decode()]
    return found


def line_comments(path: str) -> tuple[str, ...]:
    """What begins a comment line in such a file; none where that is not known."""
    language = language_of(path)
    return language.line_comments if language else _LINE_COMMENTS.get(_extension(path), ())
