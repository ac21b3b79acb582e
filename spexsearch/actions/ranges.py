"""An event -> the case to judge: which commits, by whose configuration, and what the description acknowledges."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path, PurePosixPath
from typing import NamedTuple

from spexsearch.actions.description import spoken
from spexsearch.actions.event import Event, PullRequest
from spexsearch.actions.settings import Runner, Settings
from spexsearch.cli import inputs
from spexsearch.errors import ConfigError, NotARepositoryError, UsageError
from spexsearch.govern.config import Config
from spexsearch.govern.repository import Repository
from spexsearch.govern.states import REGULAR
from spexsearch.specs.folder import MAX_SPEC


class Range(NamedTuple):
    """The commits that lead from `base` (None: nothing at all) to `head`, and what there is to say of the choice."""

    base: str | None
    head: str
    notices: tuple[str, ...] = ()


def open_repository(settings: Settings, runner: Runner, environ: Mapping[str, str]) -> Repository:
    """The checkout. It is the workflow's own, so that it is trusted whoever owns the files, as in a container."""
    folder = runner.inside(settings.directory, "working-directory")
    if not folder.is_dir():
        raise UsageError(f"working-directory {settings.directory!r} is no folder of the workspace; is it checked out?")
    clean = {name: value for name, value in environ.items() if not name.startswith("GIT_")}
    trusted = {"GIT_CONFIG_COUNT": "1", "GIT_CONFIG_KEY_0": "safe.directory", "GIT_CONFIG_VALUE_0": "*"}
    try:
        return Repository.discover(folder, clean | trusted)
    except NotARepositoryError:
        raise NotARepositoryError(
            "the workspace holds no git repository; check it out first: actions/checkout with fetch-depth: 0"
        ) from None


def case_of(repo: Repository, event: Event, settings: Settings, runner: Runner) -> inputs.Case:
    """Everything that `check` needs. Raises SpexError where the event, the inputs or the clone do not give it."""
    chosen = choose(repo, event, settings, runner)
    config, notices = _given_config(repo, chosen, settings, runner)
    message = spoken(event.pull.description) if event.pull else None
    wanted = inputs.Wanted(config=config, message=message)
    case = inputs.between(repo, chosen.base, chosen.head, "range", wanted)
    return case._replace(
        config=_with_inputs(case.config, event, settings), notices=(*chosen.notices, *notices, *case.notices)
    )


def choose(repo: Repository, event: Event, settings: Settings, runner: Runner) -> Range:
    """The commits that an event is about; those that the inputs name go before."""
    if settings.base:
        head = _named(repo, settings.head or "HEAD")
        return Range(repo.merge_base(_named(repo, settings.base), head), head)
    if event.pull is not None:
        return _of_pull(repo, event.pull, settings, runner.sha)
    if settings.head:
        raise UsageError(f"the input head needs the input base where the event is {event.name or 'none'}; give both")
    if event.name == "push":
        return _of_push(repo, event)
    if event.name == "merge_group":
        head = repo.resolve(event.after)
        return Range(repo.merge_base(repo.resolve(event.before), head), head)
    raise UsageError(f"the event {event.name or '(none)'} brings no change; give the input base, and head if not HEAD")


def _of_pull(repo: Repository, pull: PullRequest, settings: Settings, sha: str) -> Range:
    here = repo.head()
    if not settings.head and here is not None and here != pull.head and sha in (here, ""):
        # GitHub checks out its own merge of the two; against its first parent only the pull request is left. A branch
        # that has moved since may end in a merge of its author's making, which says nothing of what its parents are.
        merged = f"{here}^2"
        if repo.is_revision(merged) and repo.resolve(merged) == pull.head:
            return Range(repo.parent(here), here)
    head = _named(repo, settings.head) if settings.head else repo.resolve(pull.head)
    if pull.base and (repo.is_revision(pull.base) or not pull.base_ref):
        return Range(repo.merge_base(repo.resolve(pull.base), head), head)
    return Range(repo.merge_base(_named(repo, pull.base_ref), head), head)


def _of_push(repo: Repository, event: Event) -> Range:
    if not event.after.strip("0"):
        raise UsageError(f"{event.ref} was deleted, and nothing is left to judge; start this on other pushes only")
    head = repo.resolve(event.after)
    new = not event.before.strip("0")
    if not new and (repo.is_revision(event.before) or _is_shallow(repo)):
        return Range(repo.merge_base(repo.resolve(event.before), head), head)
    why = f"{event.ref} is new" if new else f"{event.before[:10]}, where {event.ref} was before, is gone: a forced push"
    if not event.default_branch or event.ref == f"refs/heads/{event.default_branch}":
        if new:
            return Range(None, head)
        return Range(repo.parent(head), head, (f"{why}; judging its last commit",))
    base = repo.merge_base(_named(repo, event.default_branch), head)
    return Range(base, head, (f"{why}; judging what it has since {event.default_branch}",))


def _named(repo: Repository, name: str) -> str:
    """The commit of a name; a branch may be there as the remote's alone."""
    if not repo.is_revision(name) and repo.is_revision(f"origin/{name}"):
        return repo.resolve(f"origin/{name}")
    return repo.resolve(name)


def _is_shallow(repo: Repository) -> bool:
    return (repo.git_common_dir / "shallow").exists()


def _with_inputs(config: Config, event: Event, settings: Settings) -> Config:
    config = config._replace(mode=settings.mode or config.mode, fail_on=settings.fail_on or config.fail_on)
    pull = event.pull
    if pull is None or not settings.is_advisory(pull.author, bot=pull.is_bot):
        return config
    rules = {rule: "warning" if level == "error" else level for rule, level in config.rules.items()}
    return config._replace(mode="advisory", fail_on="never", rules=rules)


def _given_config(
    repo: Repository, chosen: Range, settings: Settings, runner: Runner
) -> tuple[Path | None, tuple[str, ...]]:
    """The configuration that the input names, as the base has it, so that a change cannot loosen it."""
    if not settings.config:
        return None, ()
    place = Path(settings.config)
    if place.is_absolute() and not place.resolve().is_relative_to(repo.root):
        return place, ()
    path = place.resolve().relative_to(repo.root).as_posix() if place.is_absolute() else settings.config
    path = PurePosixPath(path).as_posix()
    data = _content(repo, chosen.base, path)
    if data is None:
        if _content(repo, chosen.head, path) is None:
            raise ConfigError(f"config {path!r} is no file of the repository; name one from its top")
        return None, (f"config {path!r} is not in the base yet, and counts once it is; till then the base's own holds",)
    kept = runner.temp / f"spexsearch-config-{chosen.base}" / PurePosixPath(path).name
    try:
        kept.parent.mkdir(exist_ok=True)
        kept.write_bytes(data)
    except OSError as error:
        raise UsageError(f"{kept} cannot be written ({error.strerror}); see RUNNER_TEMP") from None
    return kept, ()


def _content(repo: Repository, commit: str | None, path: str) -> bytes | None:
    entry = repo.list_tree(commit).get(path) if commit else None
    if entry is None or entry.mode not in REGULAR:
        return None
    data = repo.read_blobs([entry.blob], MAX_SPEC).get(entry.blob)
    if data is None:
        raise ConfigError(f"config {path!r} is larger than {MAX_SPEC >> 20} MiB; a configuration is not")
    return data
