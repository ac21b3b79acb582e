"""What can go wrong, and the exit status each kind ends in."""

from __future__ import annotations

from enum import IntEnum


class ExitCode(IntEnum):
    """The exit statuses of every command; nothing else is ever returned."""

    OK = 0
    FINDINGS = 1
    CANNOT_JUDGE = 2
    FAULT = 3
    INTERRUPTED = 130
    BROKEN_PIPE = 141  # what a shell reports for a program that SIGPIPE ended: nobody was left to read the verdict


class SpexError(Exception):
    """The command, the configuration or the input cannot be judged. One line: what is wrong, and what to do."""

    exit_code = ExitCode.CANNOT_JUDGE


class UsageError(SpexError):
    """The command line asks for something that does not exist."""


class ConfigError(SpexError):
    """The configuration cannot be read, or says something unknown."""


class InputError(SpexError):
    """The input is no unified diff, is cut off, or is larger than what can be judged."""


class GitError(SpexError):
    """Git failed, or does not have what was asked for."""


class NotARepositoryError(GitError):
    """There is no git repository here."""
