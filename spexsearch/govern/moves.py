"""Units that only went to another file: the same tokens under the same name do what they did."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from spexsearch.govern.significance import ORDER, QUIET, Effect, Significance, size_of
from spexsearch.govern.source.sweep import IMPORT_CLOSE, IMPORT_OPEN
from spexsearch.govern.units import Outline, Unit

Shape = tuple[str, tuple[str, ...]]
"""A unit's own name and its tokens."""


def without_moves(effects: Sequence[Effect]) -> list[Effect]:
    """The effects without the units that one change takes away and another one brings, alike and each once.

    Tests and generated files take no part: code that goes there is gone.
    """
    gone = [_only_on(effect, 0) for effect in effects]
    come = [_only_on(effect, 1) for effect in effects]
    went = _once(gone).keys() & _once(come).keys()
    if not went:
        return list(effects)
    return [
        _without(effect, [unit for shape, unit in (*old.items(), *new.items()) if shape in went])
        for effect, old, new in zip(effects, gone, come, strict=True)
    ]


def _only_on(effect: Effect, side: int) -> dict[Shape, Unit]:
    """The units that only one side of a change has: 0 the old one, 1 the new one."""
    own, other = effect.sides[side], effect.sides[1 - side]
    if effect.kind in QUIET or not effect.outlined or own is None:
        return {}
    known = {unit.name for unit in other.units} if other else set()
    return {_shape(unit): unit for unit in own.units if unit.name not in known and unit.tokens}


def _shape(unit: Unit) -> Shape:
    return unit.name.rpartition(".")[2], unit.tokens


def _once(found: Sequence[Mapping[Shape, Unit]]) -> dict[Shape, int]:
    counts: dict[Shape, int] = {}
    for shapes in found:
        for shape in shapes:
            counts[shape] = counts.get(shape, 0) + 1
    return {shape: count for shape, count in counts.items() if count == 1}


def _without(effect: Effect, moved: Sequence[Unit]) -> Effect:
    if not moved:
        return effect
    names = {unit.name for unit in moved}
    units = {name: told for name, told in effect.units.items() if name not in names}
    loose = _loose(effect)
    told: list[Significance] = [*units.values(), *([loose] if loose != "none" else [])]
    return effect._replace(
        units=units,
        loose=loose,
        significance=min(told, key=ORDER.index, default="rename"),
        behaviour=round(max(0.0, effect.behaviour - sum(size_of(unit.tokens) for unit in moved)), 1),
    )


def _loose(effect: Effect) -> Significance:
    """What happens outside units. A file that comes or goes with nothing but imports there only moves what it holds."""
    sides = [side for side in effect.sides if side is not None]
    if len(sides) == 1 and not list(_beside_imports(sides[0])):
        return "import" if sides[0].loose else "none"
    return effect.loose


def _beside_imports(side: Outline) -> Iterator[str]:
    depth = 0
    for token in side.loose:
        depth += (token == IMPORT_OPEN) - (token == IMPORT_CLOSE)
        if depth == 0 and token != IMPORT_CLOSE:
            yield token
