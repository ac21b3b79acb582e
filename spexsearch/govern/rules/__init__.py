"""The rules: what is left to settle, and how loudly to say so. One module a kind, each a function of the judgement."""

from __future__ import annotations

from collections.abc import Iterable

from spexsearch.govern.config import Config
from spexsearch.govern.report import Finding
from spexsearch.govern.rules.broken import broken_spec
from spexsearch.govern.rules.claims import dangling_claim, dropped_claim
from spexsearch.govern.rules.judgement import Judgement
from spexsearch.govern.rules.stale import stale_words
from spexsearch.govern.rules.ungoverned import ungoverned_code

__all__ = ["Judgement", "levelled", "run"]


def run(judgement: Judgement) -> list[Finding]:
    """Every rule's findings, at the levels that the configuration gives them, in no order."""
    dangling = dangling_claim(judgement)
    told = {key: levelled(finding, judgement.config) for key, finding in dangling.items()}
    # Only what is still said as an error may stand for the rest that there is to say of a claim.
    loud = frozenset(key for key, finding in told.items() if finding is not None and finding.level == "error")
    untouched: Iterable[Finding] = ()
    if judgement.governing:
        # It brings the ranking along, which a run with nothing staged does without.
        from spexsearch.govern.rules.untouched import untouched_spec

        untouched = untouched_spec(judgement, loud)
    found = (
        *dangling.values(),
        *untouched,
        *stale_words(judgement),
        *dropped_claim(judgement),
        *ungoverned_code(judgement),
        *broken_spec(judgement),
    )
    return [given for finding in found if (given := levelled(finding, judgement.config)) is not None]


def levelled(finding: Finding, config: Config) -> Finding | None:
    """The finding at the level that the configuration gives it; None where its rule is off."""
    fixed = config.rules.get(finding.rule)
    if fixed == "off":
        return None
    if fixed is not None:
        return finding._replace(level=fixed)
    return finding._replace(level="warning") if config.mode == "advisory" and finding.level == "error" else finding
