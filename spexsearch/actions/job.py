"""One run of the Action: judge, or take a report that was made elsewhere; then tell it in every place there is."""

from __future__ import annotations

import importlib.util
import tempfile
import traceback
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from spexsearch.actions import log, ranges
from spexsearch.actions.artifact import as_json, read_report
from spexsearch.actions.event import Event, read_event
from spexsearch.actions.settings import Runner, Settings, runner, settings
from spexsearch.cli import inputs, outputs
from spexsearch.cli.recall import with_learnings
from spexsearch.errors import ExitCode, SpexError, UsageError
from spexsearch.govern.report import Report
from spexsearch.render import github, markdown, text
from spexsearch.render.escape import inert, visible
from spexsearch.render.markup import link, prose

SHALLOW = """\
```yaml
      - uses: actions/checkout@v4
        with:
          fetch-depth: 0
```"""


class Outcome(NamedTuple):
    """What is to be told: the report, from which level it fails, and sentences about the choice of what was judged.

    `number` and `head` are those of the pull request; None and "" where there is none.
    """

    report: Report
    fail_on: str
    notices: tuple[str, ...] = ()
    number: int | None = None
    head: str = ""
    run: int = 0
    here: bool = True


def run(environ: Mapping[str, str]) -> ExitCode:
    """Run the Action; the exit status, which depends on the findings alone. Raises SpexError where it cannot judge."""
    job = runner(environ)
    try:
        given = settings(environ)
        event = read_event(job.event, job.event_file)
        outcome = _posted(event, given, job) if given.report else _judged(event, given, job, environ)
        return _tell(outcome, given, job)
    except SpexError as error:
        _tell_failure(str(error), job)
        raise
    except Exception:
        # The machine is gone when this is read, and with it any file that is named.
        log.say("\n".join(inert(visible(line)) for line in traceback.format_exc().splitlines()))
        raise


def _judged(event: Event, given: Settings, job: Runner, environ: Mapping[str, str]) -> Outcome:
    repo = ranges.open_repository(given, job, environ)
    case = ranges.case_of(repo, event, given, job)
    report, unread = with_learnings(inputs.judge(case), case.root, case.config.learnings, environ)
    pull = event.pull
    notices = (*case.notices, unread) if unread else case.notices
    if pull is not None and given.is_advisory(pull.author, bot=pull.is_bot):
        notices = (*notices, f"advice only: {pull.author} is one of the advisory-authors, and nothing fails")
    if pull is not None and (given.base or given.head):
        # Whoever judges other commits than those of the pull request does not speak of it.
        notices = (*notices, "the inputs base and head chose what was judged")
    return Outcome(
        report=report,
        fail_on=case.config.fail_on,
        notices=notices,
        number=pull.number if pull else None,
        head=pull.head if pull and not (given.base or given.head) else report.head or "",
        run=job.run,
    )


def _posted(event: Event, given: Settings, job: Runner) -> Outcome:
    """A report that another run made. Which pull request it is about is GitHub's word, never the report's."""
    report = read_report(job.file(given.report, "report"))
    outcome = Outcome(report=report, fail_on=given.fail_on or "error", here=False)
    if event.pull is not None:
        return outcome._replace(number=event.pull.number, head=event.pull.head, run=job.run)
    finished = event.finished
    if finished is None:
        raise UsageError(f"the input report is for workflow_run, and this event is {job.event}; leave it out")
    if finished.event not in ("pull_request", "pull_request_target"):
        return outcome._replace(notices=(f"that run was of {finished.event}, which has no pull request",))
    found, why = _found(event, given, job)
    if found is None:
        return outcome._replace(notices=(why,))
    return outcome._replace(number=found[0], head=found[1], run=finished.number)


def _found(event: Event, given: Settings, job: Runner) -> tuple[tuple[int, str] | None, str]:
    from spexsearch.actions import comments

    assert event.finished is not None
    if not given.token or not job.api:
        return None, "there is no token to ask GitHub with"
    try:
        place = comments.Place(job.api, job.repository, given.token, event.finished.number)
        found = comments.find_pull(place, event.finished)
    except comments.UnwrittenError as error:
        return None, f"the pull request could not be looked up ({error})"
    return found, "no open pull request has that head any more; a newer push has a run of its own"


def _tell(outcome: Outcome, given: Settings, job: Runner) -> ExitCode:
    report = outcome.report
    said = [inert(visible(notice)) for notice in outcome.notices]
    log.say("\n".join([*said, text.render(report, verbose=True)]))
    values = _written(report, given, job) if outcome.here else {"report": given.report, "sarif": ""}
    if outcome.here:
        log.obeyed(github.worst(report))
    remarks = [*(prose(notice) for notice in outcome.notices)]
    site = markdown.Site(job.page, outcome.head, job.page_of(outcome.run or job.run))
    remarks += _commented(outcome, given, job, site)
    if outcome.here and github.left_out(report):
        remarks.append(
            f"{text.counted(github.left_out(report), 'finding')} of these have no annotation: GitHub shows"
            f" {github.SHOWN} errors and {github.SHOWN} warnings of a step."
        )
    room = log.room_in(job.summary) - 100
    log.add_to_summary(
        job.summary, "## Specs\n\n" + markdown.render(report, site, limit=room, remarks=remarks, whole=True)
    )
    counts = {"findings": len(report.findings), "errors": report.count("error"), "warnings": report.count("warning")}
    log.set_outputs(job.output, {name: str(count) for name, count in counts.items()} | values)
    return outputs.status(report.findings, outcome.fail_on)


def _written(report: Report, given: Settings, job: Runner) -> dict[str, str]:
    """The files, by the names of their outputs."""
    # A job may hold several steps that judge, each with a report of its own.
    file = Path(tempfile.mkdtemp(prefix="spex-govern-", dir=job.temp)) / "report.json"
    _write(file, as_json(report))
    if given.sarif:
        _write(job.file(given.sarif, "sarif"), outputs.rendered(report, "sarif"))
    return {"report": str(file), "sarif": given.sarif}


def _write(file: Path, content: str) -> None:
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UsageError(f"{file.parent} cannot be made ({error.strerror}); name a file in a folder that can") from None
    outputs.write_whole(file, content)


def _commented(outcome: Outcome, given: Settings, job: Runner, site: markdown.Site) -> Sequence[str]:
    """Write the comment where there is a pull request, and say what became of it, as Markdown."""
    if outcome.number is None or given.comment == "never":
        return ()
    if not given.token or not job.api or not job.repository:
        return ("There is no comment: no token was given.",)
    if importlib.util.find_spec("github") is None:
        return ("There is no comment: PyGithub is missing; install `spexsearch[action]`.",)
    from spexsearch.actions import comments

    report = outcome.report
    loud = any(finding.level != "note" for finding in report.findings)
    remarks = [prose(notice) for notice in outcome.notices]
    limit = markdown.LIMIT - 100
    body = markdown.render(report, site, limit=limit, remarks=remarks if loud else ())
    short = f"{markdown.short(report)}\n{link('The summary of the run', site.run)} has the rest.\n"
    place = comments.Place(job.api, job.repository, given.token, outcome.run)
    try:
        done = comments.publish(place, outcome.number, body, short, create=loud or given.comment == "always")
    except comments.UnwrittenError as error:
        log.obeyed(github.command("notice", f"spex-govern wrote no comment ({error}); the summary has the result"))
        why = "; a token of a pull request from a fork, or of Dependabot, may only read" if "403" in str(error) else ""
        return (f"There is no comment: {prose(str(error))}{why}.",)
    log.say(done)
    return ()


def _tell_failure(message: str, job: Runner) -> None:
    log.obeyed(github.command("error", f"spex-govern cannot judge this: {message}"))
    shallow = ("", SHALLOW) if "fetch-depth" in message else ()
    log.add_to_summary(job.summary, "\n".join(["## Specs", "", f"🛑 Not judged: {prose(message)}", *shallow, ""]))
