"""Correct results of k-means in float64, with ties and bounds of the error of float32.

Bounds of the error, with u = 2⁻²⁴ and γ_m = m·u / (1 - m·u) (Higham, Accuracy and Stability, sections 3.1 and 4.2):

- A squared distance Σ(x - y)² of d coordinates is a sum of non-negative terms: each takes one rounding in the
  difference, which the square doubles, one in the square, and at most d - 1 in the sum, in any order, with or without
  fused multiply-add. Its relative error is at most γ_(d+2).
- Hence two centres are equally near within rounding when their distances D and E in float64 differ by at most
  γ_(d+2)·(D + E). Such an object is a tie, and either label is correct.
- A sum of n floats has an error of at most γ_(n-1)·Σ|x|, in any order, also by atomics and from partial sums.
- A mean adds the rounding of the division, and of the count beyond 2²⁴ objects.

Over several iterations the centres of the kernel differ from those in float64. If a coordinate of a centre differs by
at most e, the root of a distance differs by at most |e|, the Euclidean norm of the bounds of the coordinates, which
widens the ties. With S the objects that surely belong to a centre, U those that a tie may add, and m the mean in
float64, every mean of S and a part of U differs from m by at most Σ_U|x - m| / max(|S|, 1), as Σ(x - m) over the
objects of m is 0.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Final

import numpy as np

from kernels.reference import FLOAT32_UNIT_ROUNDOFF, Exact, Reference, gamma
from kernels.workload.kmeans_loops import ITERATIONS

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from numpy.typing import NDArray

    from kernels.reference import Result
    from kernels.workload.model import Size

    Inputs = Mapping[str, NDArray[np.generic]]
    Floats = NDArray[np.float64]

_AT_ONCE: Final = 2**20
"""Distances that are computed at once: they stay in the caches."""

_FLOAT64_SLACK: Final = 2.0**-40
"""Relative error of |x|² - 2·x·y + |y|² in float64, by far: nearer distances are computed again as Σ(x - y)²."""


@dataclass(frozen=True, slots=True)
class LabelReference(Reference):
    """The nearest centre of each object, and the ties: objects with several centres equally near within rounding."""

    ties: NDArray[np.int64] = field(kw_only=True)
    """Objects, by rising number."""
    nearest: NDArray[np.bool_] = field(kw_only=True)
    """Which centres are nearest, [tie, centre]."""

    def error(self, found: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return how far each label is off; 0 where a tie allows it."""
        difference: Floats = np.abs(found - self.rows)
        difference[self.ties[self._chosen(found)]] = 0.0
        return difference

    def note(self, found: NDArray[np.float64]) -> str:
        """Return the number of ties, and of those with another label than the reference."""
        other = int(np.count_nonzero(self._chosen(found) & (found[self.ties] != self.rows[self.ties])))
        if not len(self.ties):
            return ""
        objects = "1 object is" if len(self.ties) == 1 else f"{len(self.ties):,} objects are"
        return f"{objects} equally near to several centres within rounding, {other:,} of them with another label"

    def _chosen(self, found: NDArray[np.float64]) -> NDArray[np.bool_]:
        """Return which ties have the label of a nearest centre."""
        labels = found[self.ties]
        known = np.isin(labels, np.arange(self.nearest.shape[1]))
        places = np.where(known, labels, 0).astype(np.int64)
        chosen: NDArray[np.bool_] = known & self.nearest[np.arange(len(places)), places]
        return chosen


@dataclass(frozen=True, slots=True)
class Nearest:
    """The nearest centre of each object.

    Parameters
    ----------
    objects : ndarray
        [object, coordinate], float32 or float64.
    centres : ndarray
        [centre, coordinate].
    spread : ndarray or None
        Bound on how far each centre is from the kernel's, as a Euclidean distance; None if they are the same.
    """

    objects: NDArray[np.generic]
    centres: NDArray[np.generic]
    spread: Floats | None = None

    def reference(self) -> LabelReference:
        """Compute distances in float64; of centres at one distance the first."""
        count, relative = len(self.objects), gamma(self.objects.shape[1] + 2)
        centres = self.centres.astype(np.float64)
        spread = np.zeros(len(centres)) if self.spread is None else self.spread
        labels, ties, nearest = np.empty(count), [np.empty(0, np.int64)], [np.empty((0, len(centres)), np.bool_)]
        step = max(1, _AT_ONCE // len(centres))
        for first in range(0, count, step):
            part = self.objects[first : first + step].astype(np.float64)
            squares = (part * part).sum(1)[:, None] + (centres * centres).sum(1)
            distances = np.maximum(squares - 2 * (part @ centres.T), 0)
            slack = _FLOAT64_SLACK * squares
            labels[first : first + step] = distances.argmin(1)
            unclear = np.flatnonzero(_within(distances, slack, spread, relative).sum(1) != 1)
            for row in unclear.tolist():
                exact = ((part[row] - centres) ** 2).sum(1)
                labels[first + row] = exact.argmin()
                allowed = _within(exact[None], np.zeros(1), spread, relative)
                if allowed.sum() > 1:
                    ties.append(np.array([first + row]))
                    nearest.append(allowed)
        return LabelReference(
            labels, np.zeros(count), norm_limit=np.inf, ties=np.concatenate(ties), nearest=np.concatenate(nearest)
        )

    def sequential(self) -> NDArray[np.int32]:
        """Compute distances in float32, coordinate by coordinate; of centres at one distance the first."""
        labels = np.empty(len(self.objects), np.int32)
        centres = self.centres.astype(np.float32)
        step = max(1, _AT_ONCE // len(centres))
        with np.errstate(all="ignore"):
            for first in range(0, len(labels), step):
                part = self.objects[first : first + step].astype(np.float32)
                distances = np.zeros((len(part), len(centres)), np.float32)
                for mine, theirs in zip(part.T, centres.T, strict=True):
                    difference = mine[:, None] - theirs
                    distances += difference * difference
                labels[first : first + step] = distances.argmin(1)
        return labels


def _within(distances: Floats, slack: Floats, spread: Floats, relative: float) -> NDArray[np.bool_]:
    """Return which squared distances may be the smallest one of their row as computed in float32."""
    low, high = np.maximum(distances - slack, 0), distances + slack
    if spread.any():
        low, high = np.maximum(np.sqrt(low) - spread, 0) ** 2, (np.sqrt(high) + spread) ** 2
    allowed: NDArray[np.bool_] = low * (1 - relative) <= (high * (1 + relative)).min(1)[:, None]
    return allowed


@dataclass(frozen=True, slots=True)
class Bounded:
    """Values in float64 with the bound of the error, and in float32 in the order of plain loops."""

    values: Floats
    bound: Floats
    in_order: Callable[[], NDArray[np.generic]]

    def reference(self) -> Reference:
        """Return the values with their bound, which alone decides."""
        return Reference(self.values, self.bound, norm_limit=np.inf)

    def sequential(self) -> NDArray[np.generic]:
        """Return the values in float32."""
        return self.in_order()


def sum_up(objects: NDArray[np.generic], labels: NDArray[np.generic], count: int) -> Floats:
    """Add up the objects, [object, coordinate], of each of `count` centres, in float64."""
    columns = (np.bincount(labels, column, count) for column in objects.T)
    return np.stack(list(columns), 1)


def _sums_in_order(objects: NDArray[np.generic], labels: NDArray[np.generic], count: int) -> NDArray[np.float32]:
    """Add up the objects of each centre in float32, from the first to the last."""
    sums = np.zeros((count, objects.shape[1]), np.float32)
    with np.errstate(all="ignore"):
        for column, total in zip(objects.T, sums.T, strict=True):
            np.add.at(total, labels.astype(np.int64), column)
    return sums


def _gammas(counts: NDArray[np.generic]) -> Floats:
    """Return γ_m for each number of objects, as a column."""
    lengths = counts.astype(np.float64)[:, None] * FLOAT32_UNIT_ROUNDOFF
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(lengths < 1, lengths / (1 - lengths), np.inf)


@dataclass(frozen=True, slots=True)
class _State:
    """Results of some iterations in float64, with the bounds of the errors of the kernel's."""

    labels: LabelReference
    centres: Floats
    centre_bound: Floats
    sums: Floats
    sum_bound: Floats
    counts: Floats
    count_bound: Floats


class _Run:
    """Iterations from the initial centres; computed on first use, for all outputs at once."""

    def __init__(self, objects: NDArray[np.generic], initial: NDArray[np.generic]) -> None:
        self._objects = objects
        """[object, coordinate]."""
        self._initial = initial

    @cached_property
    def exact(self) -> _State:
        """The last iteration in float64."""
        centres = self._initial.astype(np.float64)
        bound = np.zeros_like(centres)
        for _ in range(ITERATIONS):
            state = self._iterate(centres, bound)
            centres, bound = state.centres, state.centre_bound
        return state

    def _iterate(self, before: Floats, bound_before: Floats) -> _State:
        k = len(before)
        labels = Nearest(self._objects, before, np.linalg.norm(bound_before, axis=1)).reference()
        chosen = labels.rows.astype(np.int64)
        counts = np.bincount(chosen, minlength=k)
        sums = sum_up(self._objects, chosen, k)
        full = counts[:, None] > 0
        centres = np.where(full, sums / np.maximum(counts, 1)[:, None], before)

        tied = self._objects[labels.ties].astype(np.float64)
        may = labels.nearest.astype(np.float64)
        sure = counts - np.bincount(chosen[labels.ties], minlength=k)
        most = sure + may.sum(0)
        # Of all ties that may belong to a centre: Σ|x|, and Σ|x - m| for its mean m.
        tied_sums = may.T @ np.abs(tied)
        deviations = np.stack([may[:, j] @ np.abs(tied - centres[j]) for j in range(k)]) if k else tied_sums
        absolute = sum_up(np.abs(self._objects), chosen, k) + tied_sums
        fewest = np.maximum(sure, 1)[:, None]
        rounding = _gammas(most + 2) * absolute / fewest
        bound = np.where(most[:, None] > 0, deviations / fewest + rounding, bound_before)
        empty = np.where(sure[:, None] == 0, np.abs(before - centres) + bound_before, 0)
        return _State(
            labels,
            centres,
            np.maximum(bound, empty),
            sums,
            _gammas(most) * absolute + tied_sums,
            counts.astype(np.float64),
            may.sum(0),
        )

    @cached_property
    def in_order(self) -> dict[str, NDArray[np.generic]]:
        """The last iteration in float32, as plain loops compute it."""
        centres = self._initial.astype(np.float32)
        for _ in range(ITERATIONS):
            labels = Nearest(self._objects, centres).sequential()
            sums = _sums_in_order(self._objects, labels, len(centres))
            counts = np.bincount(labels, minlength=len(centres)).astype(np.int32)
            centres = _divided(sums, counts, centres)
        return {"labels": labels, "sums": sums, "counts": counts, "centres": centres}


@dataclass(frozen=True, slots=True)
class _Part:
    """One output of a run of several iterations."""

    run: _Run
    name: str

    def reference(self) -> Reference:
        """Return it in float64."""
        state = self.run.exact
        if self.name == "labels":
            return state.labels
        values, bound = {
            "centres": (state.centres, state.centre_bound),
            "sums": (state.sums, state.sum_bound),
            "counts": (state.counts, state.count_bound),
        }[self.name]
        return Reference(values, bound, norm_limit=np.inf)

    def sequential(self) -> NDArray[np.generic]:
        """Return it in float32."""
        return self.run.in_order[self.name]


def _divided(
    sums: NDArray[np.generic], counts: NDArray[np.generic], before: NDArray[np.generic]
) -> NDArray[np.float32]:
    divisor = np.maximum(counts.astype(np.int64), 1)
    with np.errstate(all="ignore"):
        means = sums.astype(np.float32) / divisor.astype(np.float32)[:, None]
    return np.where(counts.astype(np.bool_)[:, None], means, before).astype(np.float32)


def update_results(inputs: Inputs, size: Size) -> dict[str, Result]:
    """Return sums and counts of the objects of each centre."""
    objects, labels = inputs["objects"].T, inputs["labels"]
    counts = np.bincount(labels, minlength=size.k)
    absolute = sum_up(np.abs(objects), labels, size.k)
    sums = sum_up(objects, labels, size.k)
    bound = _gammas(np.maximum(counts - 1, 0)) * absolute
    return {
        "sums": Bounded(sums, bound, lambda: _sums_in_order(objects, labels, size.k)),
        "counts": Exact(counts.astype(np.int32)),
    }


def division_results(inputs: Inputs) -> dict[str, Result]:
    """Return the means; an empty centre stays where it is."""
    sums, counts, before = (inputs[name] for name in ("sums", "counts", "centres"))
    full, divisor = counts.astype(np.bool_)[:, None], np.maximum(counts.astype(np.int64), 1)[:, None]
    values = np.where(full, sums.astype(np.float64) / divisor, before.astype(np.float64))
    bound = np.where(full, gamma(2) * np.abs(values), 0.0)
    return {"new_centres": Bounded(values, bound, lambda: _divided(sums, counts, before))}


def run_results(inputs: Inputs) -> dict[str, Result]:
    """Return all outputs of `ITERATIONS` iterations, which are computed once."""
    run = _Run(inputs["objects"].T, inputs["initial"])
    return {name: _Part(run, name) for name in ("labels", "centres", "sums", "counts")}
