"""`spex coverage`: how much of the source the specs reach."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from spexsearch.cli.common import ArgumentParser, complain, count, is_narrow, tell
from spexsearch.errors import ExitCode, GitError, InputError, UsageError

PROG = "spex coverage"
_EPILOG = """\
examples:
  spex coverage                          governed, referred to and known to nobody, by folder
  spex coverage --list --depth 1         the files that are not governed too; only the topmost folders
  spex coverage --json                   {percent, total, governed, referred, nobody, in_part, folders, files}
  spex coverage --badge coverage.svg     a picture; a name that ends in .json is written for shields.io's endpoint
  spex coverage --fail-under 80          exit status 1 where less than 80 % is governed

Governed: an entry of `code:` is on the file, or on a unit of it (in part). Referred to: an entry of `related:` is, or
the text of a spec says its whole path. Source is what git tracks (outside git, what is there) and the configuration
takes for code or style, less tests, generated files and `ignore`. The specs are read as they lie on disk."""


def parser() -> ArgumentParser:
    """The parser of the command's arguments."""
    made = ArgumentParser(
        PROG,
        description="How much of the source specs govern.",
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    made.add_argument("-C", dest="directory", metavar="DIR", help="the root: read the specs of DIR")
    made.add_argument("--json", action="store_true", help="print one object and nothing else")
    made.add_argument("--list", action="store_true", dest="listing", help="name the files that are not governed")
    made.add_argument(
        "--depth", type=count, default=2, metavar="N", help="how deep folders are told apart (default: 2)"
    )
    made.add_argument("--badge", type=Path, metavar="FILE", help="write a badge: FILE ends in .svg or .json")
    made.add_argument("--fail-under", type=_percent, metavar="PERCENT", help="exit 1 where less is governed")
    return made


def _percent(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = -1.0
    if not 0.0 <= value <= 100.0:
        raise argparse.ArgumentTypeError(f"{text!r} is no percentage from 0 to 100")
    return value


def run(argv: list[str], directory: str | None) -> int:
    """Run the command; the exit status."""
    asked = parser().parse_args(argv)
    if asked.badge and asked.badge.suffix not in (".svg", ".json"):
        raise UsageError(f"--badge {asked.badge}: a badge is a picture or an endpoint; end its name in .svg or .json")
    from spexsearch.cli.ground import open_ground
    from spexsearch.cli.outputs import write_whole
    from spexsearch.govern.coverage import by_folder, coverage, tally
    from spexsearch.render import coverage as show
    from spexsearch.render.text import counted

    ground = open_ground(asked.directory or directory)
    files = coverage(ground.tree, _sources(ground.root))
    if not files:
        raise InputError(
            "no source here: git tracks none, or `source` and `ignore` in the configuration leave none out"
        )
    whole, folders = tally(files), by_folder(files, asked.depth)
    if ground.tree.problems:
        problems = counted(len(ground.tree.problems), "problem")
        complain(PROG, f"the specs have {problems}, and claims may be missing; see `spex lint`")
    if asked.json:
        sys.stdout.write(show.coverage_json(files, whole, folders, ascii_only=is_narrow(sys.stdout)))
    else:
        sys.stdout.write(show.coverage_text(files, whole, folders, listing=asked.listing))
    if asked.badge:
        write_whole(asked.badge, (show.badge_svg if asked.badge.suffix == ".svg" else show.badge_json)(whole))
    if asked.fail_under is not None and 100 * whole.governed < asked.fail_under * whole.total:
        tell(f"{PROG}: {show.percent(whole)} is governed, less than {asked.fail_under:g}%; `--list` names the rest")
        return ExitCode.FINDINGS
    return ExitCode.OK


def _sources(root: Path) -> list[str]:
    """The source below the root, as the check sees it."""
    from spexsearch.cli.ground import here_config
    from spexsearch.govern.kinds import kind_of, says_generated
    from spexsearch.specs.dialects import is_among_specs
    from spexsearch.specs.folder import MAX_SPEC
    from spexsearch.specs.plain import read_plainly

    config = here_config(root)
    return [
        path
        for path in _files(root)
        if config.kind_of(path, kind_of(path)) in ("code", "style")
        and not is_among_specs(path)
        and not any(glob.matches(path) for glob in config.ignore)
        and not says_generated(read_plainly(root, path, MAX_SPEC) or b"")
    ]


def _files(root: Path) -> list[str]:
    """What git tracks below the root, or outside git every regular file."""
    from spexsearch.cli.root import top_level

    if top_level(root) is None:
        from spexsearch.specs.folder import read_folder

        return read_folder(root).files
    from spexsearch.govern.repository import Repository
    from spexsearch.govern.states import REGULAR

    repo = Repository.discover(root)
    if not repo.has_worktree:
        raise GitError("this repository has no working tree; run this in a checkout")
    below = root.resolve().relative_to(repo.root.resolve()).as_posix()
    prefix = "" if below == "." else f"{below}/"
    # The index has no one entry for an unmerged file: the sum would be short of it.
    if unmerged := [change.path for change in repo.staged_changes() if change.status == "U"]:
        raise InputError(f"unmerged: {', '.join(unmerged[:3])}; resolve the conflict, stage it, run this again")
    entries = repo.list_index().items()
    return [path[len(prefix) :] for path, entry in entries if entry.mode in REGULAR and path.startswith(prefix)]
