"""A report as JSON, schema `spex-govern/1`."""

from __future__ import annotations

import json

from spexsearch.govern.report import Report, to_json
from spexsearch.render.escape import inert_json


def render(report: Report, version: str) -> str:
    """One indented JSON object and a final LF, ASCII only: undecodable bytes of paths stay lone surrogate escapes."""
    return inert_json(json.dumps(to_json(report, version), indent=2)) + "\n"
