"""What every command does alike: arguments, streams, and the exit status of whatever goes wrong."""

from __future__ import annotations

import argparse
import io
import os
import sys
from collections.abc import Callable, Mapping, Sequence
from typing import Literal, NoReturn, TextIO

from spexsearch.errors import ExitCode, SpexError, UsageError
from spexsearch.render.escape import inert, visible

Color = Literal["auto", "always", "never"]
COLORS: tuple[Color, ...] = ("auto", "always", "never")


class ArgumentParser(argparse.ArgumentParser):
    """argparse without abbreviated options; what it refuses is a UsageError of one line that names `--help`."""

    def __init__(self, prog: str, **settings: object) -> None:
        """`settings` are those of `argparse.ArgumentParser`."""
        super().__init__(prog=prog, allow_abbrev=False, **settings)  # type: ignore[arg-type]

    def error(self, message: str) -> NoReturn:
        """Raise instead of exiting: the exit status has one home."""
        raise UsageError(f"{message}; see `{self.prog} --help`")

    def parse_words(self, argv: Sequence[str], words: str) -> argparse.Namespace:
        """Parse options and words in any order; all that follows `--` is words, dash or not.

        `words` names the positional (nargs="*") that takes them. argparse's own reading of `--` differs from one Python
        to the next.
        """
        end = argv.index("--") if "--" in argv else len(argv)
        parsed = self.parse_intermixed_args(list(argv[:end]))
        setattr(parsed, words, [*getattr(parsed, words), *argv[end + 1 :]])
        return parsed


def guarded(run: Callable[[list[str]], int], argv: Sequence[str] | None, *, prog: str) -> int:
    """Run a command and return its exit status; whatever it raises becomes one line on standard error and a status.

    `argv` None: the process's own arguments. A fault's traceback goes to a file that only its owner can read.
    """
    _prepare_streams()
    try:
        if sys.stdout is None:
            raise UsageError("standard output is closed, and a result that nobody can read is none; open it")
        status = run(list(sys.argv[1:] if argv is None else argv))
        if sys.stdout is not None:
            sys.stdout.flush()
    except SpexError as error:
        complain(prog, str(error))
        return error.exit_code
    except SystemExit as done:  # argparse, after --help and --version
        return done.code if isinstance(done.code, int) else ExitCode.OK
    except KeyboardInterrupt:
        return ExitCode.INTERRUPTED
    except BrokenPipeError:
        return _abandon_output()
    except OSError as error:
        where = f": {error.filename}" if error.filename else ""
        complain(prog, f"{error.strerror or error}{where}; mend it, then run this again")
        return ExitCode.CANNOT_JUDGE
    except Exception as error:
        complain(prog, f"internal fault, {type(error).__name__}: {error}; {_keep_traceback(prog)}")
        return ExitCode.FAULT
    return status


def count(text: str) -> int:
    """A number from 1 on, for the options of a command."""
    try:
        number = int(text)
    except ValueError:
        number = 0
    if number < 1:
        raise argparse.ArgumentTypeError(f"{text!r} is no number from 1 on")
    return number


def complain(prog: str, message: str) -> None:
    """One line on standard error."""
    tell(inert(f"{prog}: {visible(message)}"))


def tell(line: str) -> None:
    """One line on standard error, already safe to show, after what standard output has been given so far."""
    if sys.stdout is not None:
        try:
            sys.stdout.flush()
        except BrokenPipeError:
            raise
        except OSError:
            _abandon_output()  # a full disk keeps what it was given, and the last flush would fail again
    if sys.stderr is not None:
        sys.stderr.write(line + "\n")


def speaks(stream: TextIO, characters: str) -> bool:
    """Whether a stream's encoding has these characters."""
    try:
        characters.encode(stream.encoding or "ascii")
    except (LookupError, UnicodeEncodeError):
        return False
    return True


def is_narrow(stream: TextIO) -> bool:
    """Whether JSON must be written in ASCII: read as UTF-8, any other encoding's bytes would be wrong."""
    return not (stream.encoding or "").lower().replace("_", "-").startswith(("utf-8", "utf8"))


def use_color(when: Color, stream: TextIO, environ: Mapping[str, str]) -> bool:
    """Whether to send colour and bold. `auto`: NO_COLOR, then FORCE_COLOR, then whether it is a terminal that can."""
    if when != "auto":
        return when == "always"
    if environ.get("NO_COLOR"):
        return False
    if environ.get("FORCE_COLOR", "0") not in ("", "0"):
        return True
    return environ.get("TERM") != "dumb" and stream.isatty()


def _prepare_streams() -> None:
    """A narrow encoding must not end a command, and output is the same bytes on every system."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace", newline="\n")


def _abandon_output() -> int:
    """Send what is left of the output nowhere, so that the interpreter's last flush says nothing."""
    try:
        descriptor = sys.stdout.fileno()
        sink = os.open(os.devnull, os.O_WRONLY)
        os.dup2(sink, descriptor)
        os.close(sink)
    except (OSError, io.UnsupportedOperation):
        pass
    return ExitCode.BROKEN_PIPE


def _keep_traceback(prog: str) -> str:
    """Write the traceback of the exception being handled to a file, and say which."""
    import tempfile
    import traceback

    try:
        descriptor, name = tempfile.mkstemp(prefix=f"{prog}-", suffix=".log")
        with os.fdopen(descriptor, "w", encoding="utf-8", errors="backslashreplace") as log:
            log.write(traceback.format_exc())
    except OSError as error:
        return f"the traceback could not be kept ({error.strerror}); set TMPDIR to a folder that can be written"
    return f"the traceback is in {name}"
