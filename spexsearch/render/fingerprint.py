"""What stays the same of a finding while the lines around it move: how services know it again from run to run."""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from collections.abc import Iterable

from spexsearch.govern.report import Finding

_NUMBER = re.compile(r"\d+")


def fingerprints(findings: Iterable[Finding]) -> list[str]:
    """One a finding, in their order, no two alike: 32 hexadecimal digits, a colon, and which of its like it is."""
    seen: Counter[str] = Counter()
    marks = []
    for finding in findings:
        digest = hashlib.sha256("\0".join(_lasting(finding)).encode("utf-8", "surrogatepass")).hexdigest()[:32]
        seen[digest] += 1
        marks.append(f"{digest}:{seen[digest]}")
    return marks


def _lasting(finding: Finding) -> tuple[str, ...]:
    # The claim's detail begins with the line where it stands; two spaces on is what it says.
    claim = next((text.partition("  ")[2] for label, text in finding.details if label == "claim"), "")
    # A fault of a file has nothing but its message to be told by; a count in it says how much, not which.
    message = "" if finding.spec else _NUMBER.sub("", finding.message)
    return finding.rule, finding.path, finding.spec_path or "", finding.unit or "", claim, message
