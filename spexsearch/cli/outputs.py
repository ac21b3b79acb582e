"""Where a report goes: rendered, written to files, and its fixes into the specs."""

from __future__ import annotations

import os
from collections import defaultdict
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

from spexsearch import __version__
from spexsearch.errors import ExitCode, UsageError
from spexsearch.govern.report import Finding, Fix, Report
from spexsearch.render.escape import visible
from spexsearch.specs.folder import MAX_SPEC
from spexsearch.specs.plain import read_plainly

FORMATS = ("text", "json", "github", "markdown", "sarif", "gitlab")
DOCUMENTS = ("json", "markdown", "sarif", "gitlab")
"""The formats of which two, one after the other, are not one of both."""


def rendered(report: Report, written: str, *, verbose: bool = False, color: bool = False) -> str:
    """The report in one of `FORMATS`."""
    # Each is fetched when it is asked for: a hook needs the text alone.
    if written == "json":
        from spexsearch.render import json

        return json.render(report, __version__)
    if written == "github":
        from spexsearch.render import github

        return github.render(report)
    if written == "markdown":
        from spexsearch.render import markdown

        return markdown.render(report, whole=verbose)
    if written == "sarif":
        from spexsearch.render import sarif

        return sarif.render(report, __version__)
    if written == "gitlab":
        from spexsearch.render import gitlab

        return gitlab.render(report)
    from spexsearch.render import text

    return text.render(report, verbose=verbose, color=color)


def status(findings: Iterable[Finding], fail_on: str) -> ExitCode:
    """The exit status that findings give: 1 where any is at or above the level that fails."""
    failing = {"error": ("error",), "warning": ("error", "warning"), "never": ()}[fail_on]
    return ExitCode.FINDINGS if any(finding.level in failing for finding in findings) else ExitCode.OK


def write_whole(path: Path, text: str) -> None:
    """Write a file whole or not at all. Raises UsageError where it cannot be written."""
    data = text.encode("utf-8", "backslashreplace")
    try:
        target = path.resolve()
        if target.exists() and not target.is_file():
            target.write_bytes(data)  # a device or a pipe is written to, not replaced
        else:
            _replace(path, data)
    except OSError as error:
        raise UsageError(
            f"{path} cannot be written ({error.strerror}); name a file in a folder that is there"
        ) from None


def _replace(path: Path, data: bytes) -> None:
    import tempfile

    descriptor, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        with os.fdopen(descriptor, "wb") as stream:
            stream.write(data)
        # A new file has the rights that the process gives; one that is replaced keeps its own.
        umask = os.umask(0)
        os.umask(umask)
        os.chmod(name, path.stat().st_mode & 0o777 if path.exists() else 0o666 & ~umask)  # noqa: PTH101
        os.replace(name, path)  # noqa: PTH105
    except BaseException:
        with suppress(OSError):
            os.unlink(name)  # noqa: PTH108
        raise


def apply_fixes(root: Path, findings: Iterable[Finding]) -> list[str]:
    """Write the fixes into the files of the working tree; what was done, a line each.

    Only the bytes of the fix change. A line that is not what the fix expects, or says it twice, is left alone.
    """
    fixes: dict[str, list[Fix]] = defaultdict(list)
    for finding in findings:
        for fix in (finding.fix, *finding.also):
            if fix is not None:
                fixes[fix.path].append(fix)
    return [line for path in sorted(fixes) for line in _fix_file(root, path, fixes[path])]


def fixes_text(done: Iterable[str]) -> str:
    """What `apply_fixes` did, for people."""
    return "".join(f"fixed {visible(line)}\n" for line in done) + "look at it, stage it, commit again\n"


def _fix_file(root: Path, path: str, fixes: Iterable[Fix]) -> list[str]:
    data = read_plainly(root, path, MAX_SPEC)
    if data is None:
        return []
    lines = data.split(b"\n")
    done = []
    for fix in sorted(fixes, key=lambda fix: fix.line):
        old, new = (text.encode("utf-8", "surrogateescape") for text in (fix.old, fix.new))
        if fix.line <= len(lines) and lines[fix.line - 1].count(old) == 1:
            lines[fix.line - 1] = lines[fix.line - 1].replace(old, new)
            done.append(f"{fix.path}:{fix.line}  {fix.old} -> {fix.new}")
    if done:
        _replace(root / path, b"\n".join(lines))
    return done
