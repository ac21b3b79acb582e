"""`spex-govern`: a change held against its specs."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from spexsearch import __version__
from spexsearch.cli.common import COLORS, ArgumentParser, complain, guarded, tell, use_color
from spexsearch.cli.outputs import DOCUMENTS, FORMATS
from spexsearch.errors import ExitCode, InputError, NotARepositoryError, UsageError
from spexsearch.govern.config import FAIL_ON
from spexsearch.govern.model import MAX_DIFF
from spexsearch.govern.report import RULES

if TYPE_CHECKING:
    from spexsearch.cli.inputs import Case, Wanted

PROG = "spex-govern"
MAX_MESSAGE = 1 << 20
"""Bytes of a commit message, or of the refs that are pushed, that are read."""
NO_SPECS = (
    "no specs here, so nothing governs this change; a spec is `.spec/<name>/spec.md`, or a SPEC.md with id, type, title"
)

EPILOG = """\
what is judged:
  spex-govern                    what is staged
  spex-govern HEAD               that commit, against its first parent
  spex-govern main...HEAD        what a branch brought (`--base main` is the same)
  spex-govern change.patch       a unified diff; `-` reads it from standard input

exit status:
  0  nothing at or above --fail-on      1  findings
  2  cannot be judged: no diff, an unknown revision, a shallow clone, a bad configuration, git failed
  3  a fault of this tool               130  interrupted

A spec is settled by an edit beyond white space and markup, or by a line `Spec-OK: <id>` in a commit message."""


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command; the exit status."""
    return guarded(_run, argv, prog=PROG)


def _parser() -> ArgumentParser:
    parser = ArgumentParser(
        PROG,
        description="Hold a change against the specs that govern its code.",
        epilog=EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument(
        "diff", nargs="?", metavar="DIFF", help="a revision, a range, a diff file or -; what is staged if absent"
    )
    parser.add_argument("--base", metavar="REV", help="judge REV...HEAD")
    parser.add_argument("--specs", metavar="REV", help="read the specs at REV")
    parser.add_argument("--commit-msg", metavar="FILE", type=Path, help="a commit message whose Spec-OK lines count")
    parser.add_argument("--format", choices=FORMATS, default="text", help="how to print the report (default: text)")
    parser.add_argument(
        "--report",
        metavar="F=FILE",
        type=_report,
        action="append",
        default=[],
        help="write the report in format F to FILE too",
    )
    parser.add_argument(
        "--fix", action="store_true", help="write the fixes of the findings into the specs, then exit 1"
    )
    parser.add_argument(
        "--push", metavar="REMOTE", help="judge what git tells a pre-push hook on standard input, for this remote"
    )
    parser.add_argument("--fail-on", choices=FAIL_ON, help="the level from which the exit status is 1 (default: error)")
    parser.add_argument("--explain", metavar="RULE", help="say what a rule means and how to settle it")
    parser.add_argument("--config", metavar="FILE", type=Path, help="read the configuration from FILE")
    parser.add_argument("--color", choices=COLORS, default="auto", help="colour the text (default: on a terminal)")
    loudness = parser.add_mutually_exclusive_group()
    loudness.add_argument("-v", "--verbose", action="store_true", help="notes, evidence and problems too")
    loudness.add_argument("-q", "--quiet", action="store_true", help="print no report; the exit status says it")
    parser.add_argument("--version", action="version", version=f"{PROG} {__version__}")
    return parser


def _run(argv: list[str]) -> int:
    arguments = _parser().parse_args(argv)
    if arguments.explain is not None:
        print(_explained(arguments.explain))
        return ExitCode.OK
    cases = _pushed(arguments) if arguments.push is not None else [_case(arguments, os.environ)]
    if len(cases) != 1 and (arguments.report or arguments.format in DOCUMENTS):
        raise UsageError("several refs are several reports; ask for text, or judge them one by one")
    if not cases:
        complain(PROG, "git tells of nothing to push; nothing is judged")
    return max([_judged(case, arguments) for case in cases], default=ExitCode.OK)


def _judged(case: Case, arguments: argparse.Namespace) -> int:
    from spexsearch.cli import inputs, outputs, recall

    report = inputs.judge(case)
    governed = case.before.tree.specs or case.after.tree.specs
    notices = case.notices if governed else (*case.notices, NO_SPECS)
    # The hook that sees the message comes behind one that has said it all.
    if arguments.commit_msg is None or "GIT_INDEX_FILE" not in os.environ:
        report, notice = recall.with_learnings(report, case.root, case.config.learnings, os.environ)
        notices = (*notices, notice) if notice else notices
    for notice in notices if not arguments.quiet else ():
        complain(PROG, notice)
    color = use_color(arguments.color, sys.stdout, os.environ)
    if not arguments.quiet:
        sys.stdout.write(outputs.rendered(report, arguments.format, verbose=arguments.verbose, color=color))
    for written, path in arguments.report:
        outputs.write_whole(path, outputs.rendered(report, written, verbose=arguments.verbose))
    if arguments.fix and (fixed := outputs.apply_fixes(_root(case), report.findings)):
        tell(outputs.fixes_text(fixed).rstrip("\n"))
        return ExitCode.FINDINGS
    unmerged = [change.path for change in report.changes if change.status == "U"]
    if unmerged:
        raise InputError(f"unmerged: {', '.join(unmerged[:3])}; resolve the conflict, stage it, run this again")
    return outputs.status(report.findings, arguments.fail_on or case.config.fail_on)


def _root(case: Case) -> Path:
    if case.root is None:
        raise UsageError("--fix needs a working tree, and this repository has none")
    return case.root


def _pushed(arguments: argparse.Namespace) -> list[Case]:
    from spexsearch.cli import inputs
    from spexsearch.govern.repository import Repository

    if arguments.diff is not None or arguments.base is not None:
        raise UsageError("give a DIFF, --base or --push, not several")
    told = _standard_input(MAX_MESSAGE + 1)
    if len(told) > MAX_MESSAGE:
        raise InputError("git tells of more refs than can be judged at once; push them in parts")
    refs = told.decode("utf-8", "surrogateescape")
    return list(inputs.pushed(Repository.discover(Path()), refs, arguments.push, _wanted(arguments)))


def _wanted(arguments: argparse.Namespace) -> Wanted:
    from spexsearch.cli.inputs import Wanted

    return Wanted(arguments.specs, arguments.config, _message(arguments.commit_msg))


def _report(text: str) -> tuple[str, Path]:
    written, found, path = text.partition("=")
    if not found or not path or written not in FORMATS:
        raise argparse.ArgumentTypeError(f"{text!r} is not FORMAT=FILE with one of {', '.join(FORMATS)}")
    return written, Path(path)


def _explained(rule: str) -> str:
    if rule not in RULES:
        raise UsageError(f"no rule is called {rule!r}; the rules are {', '.join(RULES)}")
    return f"{rule}\n\n{RULES[rule]}"


def _case(arguments: argparse.Namespace, environ: Mapping[str, str]) -> Case:
    from spexsearch.cli import inputs
    from spexsearch.govern.repository import Repository

    wanted = _wanted(arguments)
    diff: str | None = arguments.diff
    if arguments.base is not None:
        if diff is not None:
            raise UsageError("give a DIFF or --base, not both")
        if not arguments.base:
            raise UsageError("--base is empty; name the revision that the change is to be compared with")
        return inputs.revisions(Repository.discover(Path()), f"{arguments.base}...HEAD", wanted)
    if diff is None:
        return inputs.staged_or_last(Repository.discover(Path()), wanted, environ)
    try:
        repo: Repository | None = Repository.discover(Path())
    except NotARepositoryError:
        if diff != "-" and not _is_diff_file(diff):
            raise
        repo = None
    # A file that is called like a branch must not take its place: whoever means the file writes ./NAME.
    if repo is not None and diff != "-" and (inputs.names_revisions(repo, diff) or not _is_diff_file(diff)):
        return inputs.revisions(repo, diff, wanted)
    return inputs.diff_text(repo.root if repo else Path(), repo, _diff_bytes(diff), wanted)


def _is_diff_file(diff: str) -> bool:
    path = Path(diff)
    try:
        return path.exists() and not path.is_dir()
    except (OSError, ValueError):
        return False


def _diff_bytes(diff: str) -> bytes:
    """What standard input or a file holds, one byte more than is judged at most."""
    if diff == "-":
        return _standard_input(MAX_DIFF + 1)
    with Path(diff).open("rb") as stream:
        return stream.read(MAX_DIFF + 1)


def _standard_input(limit: int) -> bytes:
    if sys.stdin is None:
        raise UsageError("standard input is closed; give a diff on it, or name a file")
    return sys.stdin.buffer.read(limit)


def _message(path: Path | None) -> str | None:
    if path is None:
        return None
    try:
        with path.open("rb") as stream:
            return stream.read(MAX_MESSAGE).decode("utf-8", "replace")
    except OSError as error:
        raise InputError(f"--commit-msg {path} cannot be read ({error.strerror}); name the message's file") from None
