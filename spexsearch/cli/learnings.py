"""`spex learnings`: recorded learnings asked for, and one more recorded."""

from __future__ import annotations

import argparse
import os
import shlex
import sys
from pathlib import Path

from spexsearch.cli.common import ArgumentParser, complain, count, is_narrow
from spexsearch.cli.root import current_folder, top_level
from spexsearch.cli.stores import MOST_OTHERS, STORE, Places, find_stores, own_store
from spexsearch.errors import ExitCode, UsageError
from spexsearch.floor.learning_rows import MAX_LINE, store_name
from spexsearch.floor.learnings import SHOWN, TYPES, Found, Stores, find_learnings

PROG = "spex learnings"
_EPILOG = """\
examples:
  spex learnings --query "retry timeout"        what was learned of them: all of the words before some of them
  spex learnings --type pitfall --limit 25      the pitfalls, those with the most confidence first
  spex learnings --query deploy --json          [{key, type, insight, confidence, source, ts, files, cross_project}]
  spex learnings add --type pitfall --key retry-needs-jitter --confidence 8 --source observed \\
      --insight "Retries without jitter arrive together" --file src/client.py

A learning appears if any word of the query is part of its key, its insight or a file's path. First come those whose
insight holds most of the words whole; then those whose key or files do; then those with the most confidence left, then
the newest. Confidence in what was observed or inferred falls by 1 in 30 days.

Learnings are read from .spec/learnings.jsonl below the root, one JSON object a line, and from what the gstack tools
keep of the project ($GSTACK_HOME, or ~/.gstack). Exit status 0 whether or not something was found."""
_ADD_EPILOG = """\
example:
  spex learnings add --type pitfall --key retry-needs-jitter --confidence 8 --source observed \\
      --insight "Retries without jitter arrive together" --file src/client.py

The learning takes the place of an older one with the same type and key. Only what a user stated is marked trusted."""


def parser() -> ArgumentParser:
    """The parser of the command's arguments; those of `add` are read apart."""
    made = _parser(PROG, "Recorded learnings, those that answer best first. `spex learnings add` records one.", _EPILOG)
    made.add_argument("stray", nargs="*", help=argparse.SUPPRESS)
    made.add_argument(
        "--query", nargs="+", default=[], metavar="WORD", help="the words to look for (default: all rows)"
    )
    made.add_argument("--type", choices=TYPES, metavar="T", help=f"learnings of one type: {', '.join(TYPES)}")
    made.add_argument("--limit", type=count, default=SHOWN, metavar="N", help=f"how many at most (default: {SHOWN})")
    made.add_argument(
        "--cross-project",
        action="store_true",
        help=f"trusted ones of up to {MOST_OTHERS} other projects too, as the gstack tools keep them",
    )
    made.add_argument("--json", action="store_true", help="print one array and nothing else")
    return made


def _add_parser() -> ArgumentParser:
    from spexsearch.floor.learning_append import SOURCES

    made = _parser(f"{PROG} add", "Record a learning.", _ADD_EPILOG)
    made.add_argument("--type", required=True, choices=TYPES, metavar="T", help=f"one of {', '.join(TYPES)}")
    made.add_argument("--key", required=True, metavar="KEY", help="its name, of A-Z, a-z, 0-9, - and _")
    made.add_argument("--insight", required=True, metavar="TEXT", help="what was learned, in a sentence")
    made.add_argument("--confidence", required=True, type=count, metavar="N", help="from 1 to 10")
    made.add_argument("--source", required=True, choices=SOURCES, metavar="S", help=f"one of {', '.join(SOURCES)}")
    made.add_argument(
        "--file", action="append", default=[], dest="files", metavar="PATH", help="a file that it is about; repeatable"
    )
    return made


def _parser(prog: str, description: str, epilog: str) -> ArgumentParser:
    made = ArgumentParser(
        prog, description=description, epilog=epilog, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    made.add_argument("-C", dest="directory", metavar="DIR", help="the root: the learnings of DIR")
    return made


def run(argv: list[str], directory: str | None) -> int:
    """Run the command; the exit status. `directory`: the folder of a global `-C`."""
    return _add(argv[1:], directory) if argv[:1] == ["add"] else _search(argv, directory)


def _search(argv: list[str], directory: str | None) -> int:
    asked = parser().parse_args(argv)
    if asked.stray:
        raise UsageError(f"what to look for stands behind --query: {PROG} --query {shlex.join(asked.stray)}")
    from spexsearch.render.learnings import learnings_json, learnings_text

    root = _root(asked.directory or directory)
    query = " ".join(asked.query)
    places = find_stores(root, os.environ, cross_project=asked.cross_project)
    found = find_learnings(Stores(places.own, places.others), query, asked.limit, asked.type)
    _tell_of(found, places, bool(query.split() or asked.type))
    if asked.cross_project and not places.known:
        complain("spex", "no other project has learnings in $GSTACK_HOME/projects, or in ~/.gstack/projects without it")
    if asked.json:
        sys.stdout.write(learnings_json(found.hits, ascii_only=is_narrow(sys.stdout)))
    else:
        sys.stdout.write(learnings_text(found.hits, found.matched if query.split() else None))
    return ExitCode.OK


def _tell_of(found: Found, places: Places, asked_for: bool) -> None:
    """What the answer leaves out goes to standard error, so that it does not look like an answer from all there is."""
    for path, (rows, first) in found.left_out.items():
        told = f"{rows} row{'' if rows == 1 else 's'} left out of {store_name(path)}, the first in line {first}"
        complain("spex", f"{told}: a row is a JSON object with key and type, of at most {MAX_LINE >> 20} MiB")
    for reason in found.unread:
        complain("spex", reason)
    if places.known > len(places.others):
        names = ", ".join(path.parent.name for path in places.others)
        complain("spex", f"of {places.known} other projects {len(places.others)} are read: {names}")
    if not found.hits and asked_for and any(path.exists() for path in places.own):
        complain("spex", f"no learning answers; leave out words or --type, or list all with `{PROG}`")
    elif not found.hits:
        complain("spex", f"no learnings are recorded here; `{PROG} add --help` says how to")


def _add(argv: list[str], directory: str | None) -> int:
    asked = _add_parser().parse_args(argv)
    from spexsearch.cli.ground import path_inside
    from spexsearch.floor.learning_append import append_row, new_row

    directory = asked.directory or directory
    root, here = _root(directory), current_folder(directory)
    files = [path_inside(text, root, here) for text in asked.files]
    row = new_row(asked.type, asked.key, asked.insight, asked.confidence, asked.source, files)
    append_row(own_store(root), row)
    print(f"added {asked.type} {asked.key} to {STORE}")
    return ExitCode.OK


def _root(directory: str | None) -> Path:
    """The folder that `-C` names; else git's top level or, where only the current folder has specs, that."""
    here = current_folder(directory)
    if not here.is_dir():
        raise UsageError(f"there is no folder {directory}; name one that exists")
    if directory is not None:
        return here
    places = [place for place in (top_level(here), here) if place is not None]
    return next((place for place in places if (place / STORE).parent.is_dir()), places[0])
