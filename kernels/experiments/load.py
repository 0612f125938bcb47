"""Experiments from their files: one TOML file each in `resources/experiments`.

title, question, look_for, today   words for people
order                              place in the list
source, gpu                        where it was published, on which GPU
fill, fmad                         inputs; one rounding for product and sum
timed, every_element               whether points are timed; whether all of a large result is verified
[names]                            the publication's name of each kernel, by id
[x], [y]                           coordinate or figure, title with unit, log
[[run]]                            kernels, widths, threads, memory, sizes by scale, and whether it extends
[[curve]]                          label, where, and published x and y
[[claim]]                          text, kind, series, figure, along, published, within
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any, Final

from kernels import RESOURCES
from kernels.bench.sample import MEMORIES
from kernels.errors import InputError
from kernels.experiments.model import (
    COORDINATES,
    FIGURES,
    KINDS,
    SCALES,
    SUGGESTED,
    Axis,
    Curve,
    Experiment,
    Part,
    PublishedClaim,
)
from kernels.toml_fields import Fields, read_fields
from kernels.workload import Size

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from kernels.experiments.model import Where

_SERIES: Final = {
    "best": (1, 1),
    "order": (2, 9),
    "ratio": (2, 2),
    "value": (1, 1),
    "largest": (1, 1),
    "correct": (1, 9),
    "occupancy": (1, 1),
}
"""Minimum and maximum number of selections of each kind of claim."""


@cache
def experiments() -> tuple[Experiment, ...]:
    """Return every experiment of the catalogue, in teaching order.

    Raises
    ------
    InputError
        When a file is wrong; with its name, the field, and what would work.
    """
    found = [read_experiment(file) for file in sorted((RESOURCES / "experiments").glob("*.toml"))]
    return tuple(sorted(found, key=lambda e: (e.order, e.id)))


def find_experiment(name: str) -> Experiment:
    """Return the experiment of that id.

    Raises
    ------
    InputError
        When there is none; the message lists the ids.
    """
    for experiment in experiments():
        if experiment.id == name:
            return experiment
    raise InputError(f"no experiment '{name}': choose one of {', '.join(e.id for e in experiments())}")


def read_experiment(file: Path) -> Experiment:
    """Read one file; raises InputError as `experiments` does. Kernels are looked up when it is planned."""
    top = read_fields(file)
    x = _axis(top.table("x"), COORDINATES)
    y = _axis(top.table("y"), FIGURES)
    found = Experiment(
        id=file.stem,
        title=top.text("title"),
        order=int(top.number("order", 1000)),
        question=top.text("question"),
        look_for=top.sentences("look_for"),
        today=top.sentences("today", ()),
        source=top.text("source"),
        gpu=top.text("gpu"),
        names={key: str(value) for key, value in top.table("names", required=False).take_rest().items()},
        x=x,
        y=y,
        parts=tuple(_part(table) for table in top.tables("run")),
        curves=tuple(_curve(table) for table in top.tables("curve")),
        claims=tuple(_claim(table, y.name) for table in top.tables("claim", required=False)),
        fill=top.text("fill", "random(1)"),
        fmad=top.flag("fmad", default=True),
        timed=top.flag("timed", default=True),
        every_element=top.flag("every_element", default=False),
    )
    top.refuse_unknown()
    return found


def _axis(table: Fields, names: Sequence[str]) -> Axis:
    axis = Axis(table.one_of("name", names), table.text("title"), table.flag("log", default=False))
    table.refuse_unknown()
    return axis


def _part(table: Fields) -> Part:
    sizes = table.table("sizes")
    part = Part(
        kernels=table.sentences("kernels"),
        sizes={
            scale: tuple(_size(text) for text in sizes.values(scale, _is_size, "sizes", '[512, "3,4,5"]', []))
            for scale in SCALES
        },
        widths=table.values("widths", _is_width, f'whole numbers or "{SUGGESTED}"', "[8, 16]", ()),
        threads=table.whole_numbers("threads"),
        memory=table.values(
            "memory", lambda v: v in MEMORIES, f"words of {', '.join(MEMORIES)}", '["device"]', ["device"]
        ),
        extends=table.flag("extends", default=True),
    )
    sizes.refuse_unknown()
    table.refuse_unknown()
    if not any(part.sizes.values()):
        raise table.refuse(
            "sizes", f"is empty: give sizes.quick = [1024], or the sizes of another scale ({', '.join(SCALES)})"
        )
    return part


def _curve(table: Fields) -> Curve:
    curve = Curve(
        label=table.text("label"),
        where=_where(table, table.table("where").take_rest()),
        x=table.values("x", lambda v: isinstance(v, str) or type(v) is int, "numbers or words", "[10, 20]", ()),
        y=table.values("y", lambda v: type(v) in (int, float), "numbers", "[0.5, 1.5]", ()),
    )
    table.refuse_unknown()
    if len(curve.x) != len(curve.y):
        raise table.refuse("y", f"has {len(curve.y)} members and 'x' {len(curve.x)}: give one y for every x")
    return curve


def _claim(table: Fields, figure: str) -> PublishedClaim:
    kind = table.one_of("kind", KINDS)
    selections = table.values("series", lambda v: isinstance(v, dict), "selections", '[{ kernel = "…" }]')
    claim = PublishedClaim(
        text=table.text("text"),
        kind=kind,
        series=tuple(_where(table, data) for data in selections),
        figure=table.one_of("figure", FIGURES, figure),
        along=table.one_of("along", COORDINATES, "width"),
        published=table.number("published", None),
        within=table.number("within", 1.0 if kind == "order" else 1.25, least=1),
    )
    table.refuse_unknown()
    fewest, most = _SERIES[kind]
    if not fewest <= len(selections) <= most:
        number = str(fewest) if fewest == most else f"{fewest} to {most}"
        raise table.refuse("series", f"has {len(selections)} selections, a claim of kind {kind} takes {number}")
    if kind in ("order", "correct", "occupancy") and claim.published is not None:
        raise table.refuse("published", f"must be left out for a claim of kind {kind}, which has no figure")
    return claim


def _where(table: Fields, data: dict[str, Any]) -> Where:
    found: Where = {}
    for key, value in data.items():
        if key not in COORDINATES:
            raise table.refuse(key, f"is no coordinate: use {', '.join(COORDINATES)}")
        members = value if isinstance(value, list) else [value]
        if not members or not all(isinstance(v, str) or type(v) is int for v in members):
            raise table.refuse(key, "must be a word or a whole number, or a list of them")
        found[key] = tuple(members) if isinstance(value, list) else value
    return found


def _is_width(value: object) -> bool:
    return value == SUGGESTED or (type(value) is int and value > 0)


def _is_size(value: object) -> bool:
    try:
        _size(value)
    except InputError:
        return False
    return True


def _size(value: object) -> Size:
    return Size.parse(str(value))
