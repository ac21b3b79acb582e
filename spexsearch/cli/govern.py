"""`spex-govern`: a change held against its specs."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from spexsearch import __version__
from spexsearch.cli.common import COLORS, ArgumentParser, complain, guarded, use_color
from spexsearch.errors import ExitCode, InputError, NotARepositoryError, UsageError
from spexsearch.govern.config import FAIL_ON
from spexsearch.govern.report import RULES, Report

if TYPE_CHECKING:
    from spexsearch.cli.inputs import Case

PROG = "spex-govern"
FORMATS = ("text", "json", "github")
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
    from spexsearch.cli import inputs

    case = _case(arguments, os.environ)
    report = inputs.judge(case)
    notices = case.notices if report.specs else (*case.notices, NO_SPECS)
    for notice in notices if not arguments.quiet else ():
        complain(PROG, notice)
    if not arguments.quiet:
        sys.stdout.write(_rendered(report, arguments))
    return _status(report, arguments.fail_on or case.config.fail_on)


def _explained(rule: str) -> str:
    if rule not in RULES:
        raise UsageError(f"no rule is called {rule!r}; the rules are {', '.join(RULES)}")
    return f"{rule}\n\n{RULES[rule]}"


def _case(arguments: argparse.Namespace, environ: Mapping[str, str]) -> Case:
    from spexsearch.cli import inputs
    from spexsearch.govern.repository import Repository

    wanted = inputs.Wanted(arguments.specs, arguments.config, _message(arguments.commit_msg))
    diff: str | None = arguments.diff
    if arguments.base is not None:
        if diff is not None:
            raise UsageError("give a DIFF or --base, not both")
        return inputs.revisions(Repository.discover(Path()), f"{arguments.base}...HEAD", wanted)
    if diff is None:
        return inputs.staged_or_last(Repository.discover(Path()), wanted, environ)
    data = _diff_bytes(diff)
    if data is None:
        return inputs.revisions(Repository.discover(Path()), diff, wanted)
    try:
        repo = Repository.discover(Path())
    except NotARepositoryError:
        return inputs.diff_text(Path(), None, data, wanted)
    return inputs.diff_text(repo.root, repo, data, wanted)


def _diff_bytes(diff: str) -> bytes | None:
    """The diff that standard input or a file holds; None where the argument is neither."""
    if diff == "-":
        return sys.stdin.buffer.read()
    try:
        return Path(diff).read_bytes() if Path(diff).is_file() else None
    except (OSError, ValueError) as error:
        raise InputError(f"{diff} cannot be read ({error}); name a diff file, a revision or a range") from None


def _message(path: Path | None) -> str:
    if path is None:
        return ""
    try:
        return path.read_bytes().decode("utf-8", "replace")
    except OSError as error:
        raise InputError(
            f"--commit-msg {path} cannot be read ({error.strerror}); name the file that holds the message"
        ) from None


def _rendered(report: Report, arguments: argparse.Namespace) -> str:
    if arguments.format == "json":
        from spexsearch.render import json

        return json.render(report, __version__)
    if arguments.format == "github":
        from spexsearch.render import github

        return github.render(report)
    from spexsearch.render import text

    return text.render(report, verbose=arguments.verbose, color=use_color(arguments.color, sys.stdout, os.environ))


def _status(report: Report, fail_on: str) -> int:
    failing = {"error": ("error",), "warning": ("error", "warning"), "never": ()}[fail_on]
    return ExitCode.FINDINGS if any(finding.level in failing for finding in report.findings) else ExitCode.OK
