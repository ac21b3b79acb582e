"""What every test shares: the project's folder, the data beside it, and a world without anyone's git configuration."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable
from dataclasses import dataclass, field
from html.parser import HTMLParser
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
SHARED = ROOT.parent / "shared"


@pytest.fixture(scope="session")
def root() -> Path:
    """The project's own checkout."""
    return ROOT


@pytest.fixture(scope="session")
def shared() -> Path:
    """The measured data beside the checkout; whoever has none skips the test by name."""
    if not (SHARED / "README.md").is_file():
        pytest.skip("needs the data in ../shared, which is not here")
    return SHARED


@pytest.fixture(autouse=True)
def hermetic(monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory) -> None:
    """Git as on a fresh machine: no user or system configuration, a fixed identity, no surrounding hook's variables."""
    for name in list(os.environ):
        if name.startswith(("GIT_", "PRE_COMMIT", "SPEX_", "GITHUB_")) or name in ("CI", "NO_COLOR", "FORCE_COLOR"):
            monkeypatch.delenv(name)
    home = tmp_path_factory.mktemp("home")
    (home / ".gitconfig").write_text(
        "[init]\n\tdefaultBranch = main\n[user]\n\tname = Test\n\temail = test@example.invalid\n"
    )
    for name, value in {
        "HOME": str(home),
        "USERPROFILE": str(home),
        "XDG_CONFIG_HOME": str(home / "config"),
        "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_AUTHOR_DATE": "2024-05-01T12:00:00+0000",
        "GIT_COMMITTER_DATE": "2024-05-01T12:00:00+0000",
    }.items():
        monkeypatch.setenv(name, value)


class Repo:
    """A real repository in a folder, with short words for what tests do to it."""

    def __init__(self, path: Path, *init: str) -> None:
        """Create it, empty; `init` are options of `git init`."""
        self.path = path
        path.mkdir(parents=True, exist_ok=True)
        self.git("init", "-q", *init)

    def git(
        self, *arguments: str, check: bool = True, cwd: Path | None = None, env: dict[str, str] | None = None
    ) -> str:
        """Run git in it; standard output."""
        done = subprocess.run(
            ["git", *arguments], cwd=cwd or self.path, env=os.environ | (env or {}), capture_output=True, check=False
        )
        if check and done.returncode:
            raise AssertionError(f"git {' '.join(arguments)}: {done.stderr.decode('utf-8', 'replace')}")
        return done.stdout.decode("utf-8", "surrogateescape")

    def put(self, path: str, content: str | bytes, mode: int = 0o644) -> None:
        """Put a file into the working tree."""
        file = self.path / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(content.encode("utf-8", "surrogateescape") if isinstance(content, str) else content)
        file.chmod(mode)

    def write(self, files: dict[str, str]) -> None:
        """Put files, by path, and stage them."""
        for path, text in files.items():
            self.put(path, text)
        self.git("add", "--all", "--", *files)

    def replaced(self, path: str, old: str, new: str) -> None:
        """Replace a text that a file has by another, and stage it."""
        text = (self.path / path).read_bytes().decode("utf-8", "surrogateescape")
        assert old in text, f"{path} has no {old!r}"
        self.write({path: text.replace(old, new)})

    def commit(self, message: str, files: dict[str, str] | None = None) -> str:
        """Commit what is staged, and these files; the commit's name."""
        self.write(files or {})
        self.git("commit", "-q", "--allow-empty", "--no-verify", "-m", message)
        return self.git("rev-parse", "HEAD").strip()

    def commit_all(self, message: str = "change") -> str:
        """Commit everything that the working tree has; the commit's name."""
        self.git("add", "--all")
        return self.commit(message)


@pytest.fixture
def make_repo(tmp_path: Path) -> Callable[..., Repo]:
    """A maker of repositories below the test's own folder: name, then options of `git init`."""

    def make(name: str = "repo", *init: str) -> Repo:
        return Repo(tmp_path / name, *init)

    return make


@pytest.fixture
def repo(make_repo: Callable[..., Repo]) -> Repo:
    """An empty repository."""
    return make_repo()


SPEC = """\
---
title: session renewal
desc: How a login session is extended.
code:
  - src/session.py#renew
related:
  - src/clock.py
---
# session renewal

A session is renewed at most once an hour.
"""

CLOCK_SPEC = """\
---
title: clock
desc: The one source of time, in seconds.
code:
  - src/clock.py
---
The clock never goes back.
"""

SOURCE = """\
LIMIT = 3600


def renew(session, now):
    return now - session.renewed > LIMIT


def close(session):
    session.open = False
"""


@pytest.fixture
def governed(repo: Repo) -> Repo:
    """A repository with two specs and the code they claim, committed."""
    repo.commit(
        "start",
        {
            ".spec/auth/renewal/spec.md": SPEC,
            ".spec/auth/clock/spec.md": CLOCK_SPEC,
            "src/session.py": SOURCE,
            "src/clock.py": "def now():\n    return 0\n",
        },
    )
    return repo


_VOID = {"br", "hr", "img", "input", "wbr"}


@dataclass
class Page(HTMLParser):
    """A page taken apart: its tags, its links, its text inside and outside code, the rows of its tables."""

    tags: set[str] = field(default_factory=set)
    links: list[str] = field(default_factory=list)
    codes: list[str] = field(default_factory=list)
    texts: list[str] = field(default_factory=list)
    rows: int = 0

    def __post_init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self._open: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Note the tag, and where a link leads."""
        self.tags.add(tag)
        self.links += [value or "" for name, value in attrs if name in ("href", "src")]
        self.rows += tag == "tr"
        if tag == "code":
            self.codes.append("")
        if tag not in _VOID:
            self._open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        """Close what is open."""
        if tag in self._open:
            while self._open.pop() != tag:
                pass

    def handle_data(self, data: str) -> None:
        """Note text."""
        if "code" in self._open:
            self.codes[-1] += data
        else:
            self.texts.append(data)


@pytest.fixture(scope="session")
def page() -> Callable[[str], Page]:
    """Makes the page that GitHub makes of Markdown; raw HTML is let through, so that whatever comes through is seen."""
    import cmarkgfm
    from cmarkgfm.cmark import Options

    def make(markdown: str) -> Page:
        parsed = Page()
        options = Options.CMARK_OPT_UNSAFE | Options.CMARK_OPT_FOOTNOTES
        parsed.feed(cmarkgfm.github_flavored_markdown_to_html(markdown, options=options))
        parsed.close()
        return parsed

    return make
