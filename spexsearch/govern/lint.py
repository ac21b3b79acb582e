"""The faults of a spec tree by itself: the rules about claims and spec files, as if the whole tree were new."""

from __future__ import annotations

from collections.abc import Mapping

from spexsearch.govern.config import Config
from spexsearch.govern.model import ChangeSet, State
from spexsearch.govern.report import Finding, finding_order
from spexsearch.govern.rules import Judgement, levelled
from spexsearch.govern.rules.broken import broken_spec
from spexsearch.govern.rules.claims import dangling_claim
from spexsearch.specs.claims import ClaimIndex
from spexsearch.specs.model import SpecTree


def claimed_files(tree: SpecTree) -> list[str]:
    """The files whose units are claimed, which `lint` has to see."""
    return sorted({claim.path for spec in tree.specs for claim in spec.claims if claim.symbol is not None})


def lint(state: State, contents: Mapping[str, bytes], config: Config) -> list[Finding]:
    """The findings of one state. `contents`: the claimed files' bytes, by the names that `state.files` gives them."""
    nothing = State(SpecTree())
    claims = ClaimIndex(state.tree)
    judgement = Judgement(
        ChangeSet("staged", (), contents=contents), (), (), {}, nothing, state, ClaimIndex(nothing.tree), claims, config
    )
    found = (levelled(finding, config) for finding in (*dangling_claim(judgement).values(), *broken_spec(judgement)))
    return sorted((finding for finding in found if finding is not None), key=finding_order)
