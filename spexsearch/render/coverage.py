"""Who reaches the source, as text, as JSON and as a badge. Pure."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence

from spexsearch.govern.coverage import Covered, Tally
from spexsearch.render.escape import inert, json_line, visible
from spexsearch.render.text import counted

_LABEL = "spec coverage"
_COLORS = ((900, "brightgreen", "#4c1"), (700, "green", "#97ca00"), (400, "yellow", "#dfb317"), (0, "red", "#e05d44"))


def coverage_text(files: Sequence[Covered], whole: Tally, folders: Mapping[str, Tally], *, listing: bool) -> str:
    """A line a folder under a line of headings, the sum last; with `listing` the files that are not governed."""
    lines = ["governed  referred    nobody  folder"]
    lines += [f"{t.governed:8}  {t.referred:8}  {t.nobody:8}  {visible(name or '.')}" for name, t in folders.items()]
    if listing:
        lines += [f"{file.reach:8}  {visible(file.path)}" for file in files if file.reach != "governed"]
    part = f" ({whole.in_part} only in part)" if whole.in_part else ""
    lines.append(
        f"{percent(whole)} governed: {whole.governed} of {counted(whole.total, 'source file')}{part},"
        f" {whole.referred} referred to, {whole.nobody} known to nobody"
    )
    return "".join(f"{inert(line)}\n" for line in lines)


def coverage_json(
    files: Sequence[Covered], whole: Tally, folders: Mapping[str, Tally], *, ascii_only: bool = False
) -> str:
    """One object on one line: the sum, `folders` with the same keys, and `files` as {path, reach, in_part}."""
    value = {
        **_row(whole),
        "folders": [{"folder": name, **_row(part)} for name, part in folders.items()],
        "files": [file._asdict() for file in files],
    }
    return json_line(value, ascii_only=ascii_only) + "\n"


def percent(whole: Tally) -> str:
    """The share that is governed, as people read it."""
    return f"{whole.tenths / 10:g}%"


def badge_json(whole: Tally) -> str:
    """What shields.io asks an endpoint for."""
    named, _ = _color(whole)
    return json.dumps({"schemaVersion": 1, "label": _LABEL, "message": percent(whole), "color": named}) + "\n"


def badge_svg(whole: Tally) -> str:
    """A badge that needs no service. Nothing of the repository's text is in it."""
    _, color = _color(whole)
    said = percent(whole)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="144" height="20" role="img" aria-label="{_LABEL}: {said}">'
        f"<title>{_LABEL}: {said}</title>"
        f'<rect width="144" height="20" rx="3" fill="#555"/><rect x="94" width="50" height="20" rx="3" fill="{color}"/>'
        '<g font-family="Verdana,DejaVu Sans,sans-serif" font-size="11" text-anchor="middle">'
        f'<text x="47" y="14" fill="#fff" textLength="82">{_LABEL}</text>'
        f'<text x="119" y="14" fill="#000">{said}</text></g></svg>\n'
    )


def _row(part: Tally) -> dict[str, object]:
    return {"percent": part.tenths / 10, "total": part.total, **part._asdict()}


def _color(whole: Tally) -> tuple[str, str]:
    return next((named, drawn) for least, named, drawn in _COLORS if whole.tenths >= least)
