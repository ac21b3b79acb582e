"""`spex`: the specs searched, listed, and asked who governs a path."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable, Collection, Sequence
from time import perf_counter
from typing import TYPE_CHECKING, NamedTuple

from spexsearch import __version__
from spexsearch.cli.common import COLORS, ArgumentParser, complain, count, guarded, is_narrow, speaks, tell, use_color
from spexsearch.errors import ExitCode, UsageError

if TYPE_CHECKING:
    from spexsearch.specs.model import SpecTree

PROG = "spex"
_USAGE = "%(prog)s [-C DIR] COMMAND …"
_EPILOG = """\
commands:
  search QUERY…           the specs, or the sections, that answer a question, best first
  owner PATH[#SYMBOL]…    who claims a path, who refers to it, who probably governs it
  tree                    the specs as a tree
  lint                    the faults of the tree itself
  coverage                how much of the source is governed, by folder
  replay [RANGE]          what the checker would have said of past commits, against what their authors did
  learnings               recorded learnings, those that answer best first; `learnings add` records one
  help [COMMAND]          this, or the help of a command

The root is git's top level, or the current folder outside git and where the top level has no specs."""
_SEARCH_EPILOG = """\
A word that no spec holds completes to those it starts, so the last one may be half-typed. Several phrasings of one
question (QUERY and each -p) are ranked apart and joined by their ranks. With --sections each line is
`path:line  Spec › Section — snippet`, with (n/m words) where only some of the words are there.
The corpus is mostly English: a query in another language may need translating.
A query that begins with a dash stands after `--`. Exit status 0 whether or not something was found."""
_LINT_EPILOG = """\
Exit status 1 where there are errors. `spex-govern --explain dangling-claim` and `--explain broken-spec` say more."""
_REPLAY_EPILOG = """\
Each unit, a commit or with --units merges what a merge on the first-parent line brought in, is judged against its first
parent as if its authors had left alone the specs that were there; what they edited is what should have been said.
Oldest first by date. A line of JSON is {errors, gold, parent, scores, unit, warnings}, all paths as at the parent."""
_OWNER_EPILOG = """\
PATH is read from the current folder and, where nothing is there, from the root. It need not exist.
Where no spec claims it, the specs nearest to its words are named: a guess, said to be one."""

_SPECS_SHOWN = 10
_SECTIONS_SHOWN = 8

Keep = Collection[str] | None
Found = tuple[int, Callable[[], str]]


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command; the exit status."""
    return guarded(_run, argv, prog=PROG)


def _run(argv: list[str]) -> int:
    # What follows `--` is for the command: argparse would take the `--` itself away.
    end = argv.index("--") if "--" in argv else len(argv)
    asked = _parser().parse_args(argv[:end])
    if asked.command is None:
        raise UsageError(f"which command? {', '.join(_COMMANDS)}; see `{PROG} --help`")
    return _COMMANDS[asked.command].run([*asked.rest, *argv[end:]], asked.directory)


def _parser() -> ArgumentParser:
    parser = ArgumentParser(
        PROG,
        usage=_USAGE,
        description="Search the specs of a repository.",
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    _add_directory(parser)
    parser.add_argument("--version", action="version", version=f"{PROG} {__version__}")
    parser.add_argument("command", nargs="?", choices=list(_COMMANDS), help=argparse.SUPPRESS)
    parser.add_argument("rest", nargs=argparse.REMAINDER, help=argparse.SUPPRESS)
    return parser


def _command_parser(name: str, description: str, epilog: str = "") -> ArgumentParser:
    parser = ArgumentParser(
        f"{PROG} {name}",
        description=description,
        epilog=epilog,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    _add_directory(parser)
    return parser


def _add_directory(parser: ArgumentParser) -> None:
    parser.add_argument("-C", dest="directory", metavar="DIR", help="the root: read the specs of DIR")


def _search_parser() -> ArgumentParser:
    parser = _command_parser("search", "The specs that answer a question, best first.", _SEARCH_EPILOG)
    parser.add_argument("query", nargs="*", metavar="QUERY", help="words; several arguments are one query")
    parser.add_argument(
        "-p", action="append", default=[], dest="phrasings", metavar="PHRASING", help="another wording of the question"
    )
    parser.add_argument("--sections", action="store_true", help="the sections that answer, instead of the specs")
    parser.add_argument(
        "--json",
        action="store_true",
        help="print [{id, title, path, score, snippet}] and nothing else; with --sections [{spec, title, path, line,"
        " heading, trail, score, matched, terms, snippet}]",
    )
    parser.add_argument(
        "--limit", type=count, metavar="N", help="how many at most (default: 10; of sections 8, and 25 at most)"
    )
    parser.add_argument("--type", metavar="T", help="specs whose frontmatter has this type")
    parser.add_argument("--tag", metavar="T", help="specs with this tag")
    parser.add_argument("--parent", metavar="ID", help="specs directly below the one with this id")
    parser.add_argument(
        "--ranker",
        choices=("sections", "floor"),
        help="rank specs by their best section and their names (default), or as the reference does",
    )
    parser.add_argument("-q", "--quiet", action="store_true", help="leave out the line of compute time")
    parser.add_argument("--color", choices=COLORS, default="auto", help="mark the matches (default: on a terminal)")
    return parser


def _search(argv: list[str], directory: str | None) -> int:
    asked = _search_parser().parse_words(argv, "query")
    query = " ".join(asked.query)
    phrasings = [text for text in (query, *asked.phrasings) if text.strip()]
    if not phrasings:
        raise UsageError(f"nothing to search for; usage: {PROG} search QUERY… [-p PHRASING]… [--sections] [--json]")
    if asked.sections and asked.ranker == "floor":
        raise UsageError("the floor ranks specs, not sections; leave out --sections or --ranker")
    from spexsearch.cli.ground import open_ground
    from spexsearch.floor.nodes import corpus_tokens, nearest_titles
    from spexsearch.floor.selection import selected
    from spexsearch.render.search import nothing_text

    started = perf_counter()
    tree = open_ground(asked.directory or directory).tree
    keep = selected(tree, asked.type, asked.tag, asked.parent)
    found, show = (_find_sections if asked.sections else _find_specs)(tree, phrasings, asked, keep)
    specs, tokens = len(tree.specs), corpus_tokens(tree)
    spent = 1000 * (perf_counter() - started)
    if not asked.quiet:
        tell(f"[spex search] compute {spent:.1f}ms · {specs} specs · {tokens} tokens (excludes process start)")
    unread = sum(problem.unreadable for problem in tree.problems)
    if unread:
        complain(PROG, f"{_files(unread)} could not be read and {'is' if unread == 1 else 'are'} not searched")
    if keep is not None and not keep:
        complain(PROG, "no spec has what --type, --tag and --parent ask for; `spex tree` lists them all")
    sys.stdout.write(show())
    if not found:
        sought = "section" if asked.sections else "spec"
        message = nothing_text(phrasings[0], nearest_titles(tree, " ".join(phrasings)), sought)
        (tell if asked.json else print)(message.rstrip("\n"))
    return ExitCode.OK


def _find_specs(tree: SpecTree, phrasings: list[str], asked: argparse.Namespace, keep: Keep) -> Found:
    from spexsearch.floor.nodes import search_nodes
    from spexsearch.render.search import hits_json, hits_text

    hits = search_nodes(tree, phrasings, asked.limit or _SPECS_SHOWN, asked.ranker or "sections", keep=keep)
    if asked.json:
        return len(hits), lambda: hits_json(hits, ascii_only=_narrow())
    return len(hits), lambda: hits_text(hits, phrasings, mark=use_color(asked.color, sys.stdout, os.environ))


def _find_sections(tree: SpecTree, phrasings: list[str], asked: argparse.Namespace, keep: Keep) -> Found:
    from spexsearch.floor.section_index import SectionIndex
    from spexsearch.floor.sections import MAX_SECTIONS, find_sections
    from spexsearch.render.search import sections_json, sections_text

    limit = min(asked.limit or _SECTIONS_SHOWN, MAX_SECTIONS)
    hits, count = find_sections(SectionIndex.build(tree.specs), phrasings, limit, keep)
    if asked.json:
        return count, lambda: sections_json(hits, ascii_only=_narrow())
    mark = use_color(asked.color, sys.stdout, os.environ)
    return count, lambda: sections_text(hits, phrasings, count, most=MAX_SECTIONS, mark=mark)


def _tree_parser() -> ArgumentParser:
    parser = _command_parser("tree", "The specs as a tree: title [id] — desc.")
    parser.add_argument("--json", action="store_true", help="print [{id, title, desc, path, parent}], parents first")
    return parser


def _tree(argv: list[str], directory: str | None) -> int:
    asked = _tree_parser().parse_args(argv)
    from spexsearch.cli.ground import open_ground
    from spexsearch.render.tree import DRAWING, tree_json, tree_text

    tree = open_ground(asked.directory or directory).tree
    if tree.problems:
        first = tree.problems[0]
        count = len({problem.path for problem in tree.problems})
        complain(PROG, f"{_files(count)} with problems, first {first.path}:{first.line}: {first.message}")
    if asked.json:
        sys.stdout.write(tree_json(tree, ascii_only=_narrow()))
    else:
        sys.stdout.write(tree_text(tree, draw=speaks(sys.stdout, DRAWING)))
    return ExitCode.OK


def _owner_parser() -> ArgumentParser:
    parser = _command_parser("owner", "Who claims a path, who refers to it, who probably governs it.", _OWNER_EPILOG)
    parser.add_argument("paths", nargs="*", metavar="PATH[#SYMBOL]", help="a file, a folder, or a unit of a file")
    parser.add_argument("--json", action="store_true", help="print one object an argument, in one array")
    return parser


def _owner(argv: list[str], directory: str | None) -> int:
    asked = _owner_parser().parse_words(argv, "paths")
    if not asked.paths:
        raise UsageError(f"which path? usage: {PROG} owner PATH[#SYMBOL]… [--json]")
    from spexsearch.cli.ground import open_ground, read_place
    from spexsearch.govern.owners import Owners
    from spexsearch.render.owners import owners_json, owners_text

    ground = open_ground(asked.directory or directory)
    places = [read_place(text, ground) for text in asked.paths]
    owners = Owners(ground.tree)
    answers = [owners.of(place) for place in places]
    if asked.json:
        sys.stdout.write(owners_json(answers, ascii_only=_narrow()))
    else:
        sys.stdout.write(owners_text(answers))
    return ExitCode.OK


def _lint_parser() -> ArgumentParser:
    parser = _command_parser(
        "lint", "The faults of the spec tree: broken specs, claims that name nothing.", _LINT_EPILOG
    )
    parser.add_argument("--json", action="store_true", help="print the findings as spex-govern's report has them")
    parser.add_argument(
        "--fix", action="store_true", help="write the fixes of the findings into the specs, then exit 1"
    )
    parser.add_argument("--color", choices=COLORS, default="auto", help="colour the text (default: on a terminal)")
    parser.add_argument("-v", "--verbose", action="store_true", help="notes too")
    return parser


def _lint(argv: list[str], directory: str | None) -> int:
    asked = _lint_parser().parse_args(argv)
    from spexsearch.cli.ground import here_config, lint_ground, open_ground
    from spexsearch.cli.outputs import apply_fixes, fixes_text, status
    from spexsearch.render.lint import lint_json, lint_text

    ground = open_ground(asked.directory or directory)
    findings = lint_ground(ground)
    if asked.json:
        sys.stdout.write(lint_json(findings, ascii_only=_narrow()))
    else:
        color = use_color(asked.color, sys.stdout, os.environ)
        sys.stdout.write(lint_text(findings, len(ground.tree.specs), verbose=asked.verbose, color=color))
    if asked.fix and (fixed := apply_fixes(ground.root, findings)):
        tell(fixes_text(fixed).rstrip("\n"))
        return ExitCode.FINDINGS
    return status(findings, here_config(ground.root).fail_on)


def _replay_parser() -> ArgumentParser:
    from spexsearch.cli.replay import add_arguments

    parser = _command_parser("replay", "What the checker would have said of past commits.", _REPLAY_EPILOG)
    add_arguments(parser)
    return parser


def _replay(argv: list[str], directory: str | None) -> int:
    asked = _replay_parser().parse_args(argv)
    from spexsearch.cli.replay import replay

    return replay(asked, asked.directory or directory)


def _learnings_parser() -> ArgumentParser:
    from spexsearch.cli.learnings import parser

    return parser()


def _learnings(argv: list[str], directory: str | None) -> int:
    from spexsearch.cli.learnings import run

    return run(argv, directory)


def _coverage_parser() -> ArgumentParser:
    from spexsearch.cli.coverage import parser

    return parser()


def _coverage(argv: list[str], directory: str | None) -> int:
    from spexsearch.cli.coverage import run

    return run(argv, directory)


def _help_parser() -> ArgumentParser:
    parser = _command_parser("help", "The help of a command.")
    parser.add_argument("about", nargs="?", metavar="COMMAND", choices=list(_COMMANDS), help=", ".join(_COMMANDS))
    return parser


def _help(argv: list[str], _: str | None) -> int:
    about = _help_parser().parse_args(argv).about
    (_COMMANDS[about].parser() if about else _parser()).print_help()
    return ExitCode.OK


def _files(count: int) -> str:
    return f"{count} spec file{'' if count == 1 else 's'}"


def _narrow() -> bool:
    return is_narrow(sys.stdout)


class _Command(NamedTuple):
    """One subcommand: how its arguments are read, and what it does with them and the folder of a global `-C`."""

    parser: Callable[[], ArgumentParser]
    run: Callable[[list[str], str | None], int]


_COMMANDS = {
    "search": _Command(_search_parser, _search),
    "owner": _Command(_owner_parser, _owner),
    "tree": _Command(_tree_parser, _tree),
    "lint": _Command(_lint_parser, _lint),
    "coverage": _Command(_coverage_parser, _coverage),
    "replay": _Command(_replay_parser, _replay),
    "learnings": _Command(_learnings_parser, _learnings),
    "help": _Command(_help_parser, _help),
}


if __name__ == "__main__":
    sys.exit(main())
