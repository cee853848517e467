"""The rest of a model when some variables are known, others equal or opposite. Source: docs/method.md §15.5."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

import numpy as np

from bender_core.checking.proof import CycleStep, Proof, Step
from bender_core.model import BinaryMRF, FloatArray, IntArray


@dataclass(frozen=True)
class Polynomial:
    """The energy of the open variables, less that of the labelling: docs/method.md §15.5."""

    excess: float
    linear: FloatArray
    pairs: IntArray  # (k, 2), the lower variable first
    coupling: FloatArray

    @property
    def size(self) -> float:
        """All coefficients together, without the constant."""
        return float(np.abs(self.linear).sum() + np.abs(self.coupling).sum())


class Remainder:
    """The rest of a model: every variable is known, or equal or opposite to an open one."""

    def __init__(self, mrf: BinaryMRF, proof: Proof) -> None:
        self.mrf = mrf
        self.unary, self.pairwise = _capped(mrf.unary, proof.cap), _capped(mrf.pairwise, proof.cap)
        # The open variable that decides each variable, n if it is known; and its value if that one is 0, or if known.
        self.decider, self.value = np.arange(mrf.n), np.zeros(mrf.n, np.int64)
        x, (i, j) = proof.labeling, mrf.edges.T
        taken = [mrf.unary[np.arange(mrf.n), x], mrf.pairwise[np.arange(len(i)), x[i], x[j]]]
        self.refund = [-mrf.constant, *(-np.concatenate(taken)).tolist()]

    @property
    def open(self) -> IntArray:
        """The variables that are open."""
        return np.flatnonzero(self.decider == np.arange(self.mrf.n))

    def take(self, step: Step | CycleStep) -> None:
        """Remove the variables that a step has decided."""
        for made in ("polynomial", "_terms", "_exact"):
            self.__dict__.pop(made, None)
        for j, i, value in [*((j, self.mrf.n, v) for j, v in step.fixed), *((j, i, o) for i, j, o in step.tied)]:
            follows = self.decider == j
            self.decider[follows] = i
            self.value[follows] ^= value

    @cached_property
    def polynomial(self) -> Polynomial:
        """The energy of the open variables, each coefficient rounded once."""
        n = self.mrf.n
        keys, sums = _exact_sums(*self._terms)
        found = np.column_stack([keys // (n + 1), keys % (n + 1)])
        is_linear = (found[:, 1] == n) & (found[:, 0] < n)
        linear = np.zeros(n)
        linear[found[is_linear, 0]] = sums[is_linear]
        is_pair = (found[:, 1] < n) & (sums != 0)
        return Polynomial(float(sums[keys == n * (n + 1) + n].sum()), linear, found[is_pair], sums[is_pair])

    def exact(self) -> tuple[Fraction, dict[tuple[int, int], Fraction]]:
        """The same without rounding: the excess, and the coefficients by pair of open variables.

        That of one variable belongs to a pair of it and ``n``.
        """
        keys, (*coefficients, excess) = self._exact
        pairs = zip((keys[:-1] // (self.mrf.n + 1)).tolist(), (keys[:-1] % (self.mrf.n + 1)).tolist(), strict=True)
        return excess, dict(zip(pairs, coefficients, strict=True))

    def off(self, step: Fraction) -> tuple[Fraction, Fraction]:
        """The sum of the distances of the coefficients from multiples of a step, and the excess, before rounding."""
        _, exact = self._exact
        *coefficients, excess = exact  # the last key belongs to the constant
        return sum((_missed(c, step) for c in coefficients), Fraction(0)), excess

    def decimals(self, step: Fraction) -> float:
        """The sum of the absolute values of all decimal coefficients."""
        coefficients = np.concatenate([self.polynomial.linear, self.polynomial.coupling])
        is_decimal = coefficients * _unit(step.denominator) % 1.0 != 0.0
        return float(np.abs(coefficients[is_decimal]).sum())

    def step(self, denominator: int) -> Fraction:
        """The largest step of multiples of 1 / denominator that all coefficients are multiples of.

        Up to the rounding of the decimals in them; 0 if there is none.
        """
        unit = _unit(denominator)
        of_terms, energies = self._terms
        decimals = np.where(energies * unit % 1.0 != 0.0, np.abs(energies), 0.0)
        keys, exact = self._exact
        # One rounding each, and one more for the sum of their absolute values.
        most = np.bincount(np.searchsorted(keys, of_terms), decimals, len(keys)) * (2.0**-52)
        found = 0
        for coefficient, allowed in zip(exact[:-1], most.tolist()[:-1], strict=True):
            if _missed(coefficient, Fraction(1, denominator)) > allowed:
                return Fraction(0)
            found = math.gcd(found, round(coefficient * denominator))
        return Fraction(found, denominator)

    @cached_property
    def _exact(self) -> tuple[IntArray, list[Fraction]]:
        """The coefficients without rounding, and their keys, as in `_terms`."""
        of_terms, energies = self._terms
        keys, sums = _exact_sums(of_terms, energies)
        exact = [Fraction(0)] * len(keys)
        while sums.any():
            exact = [c + Fraction(s) for c, s in zip(exact, sums.tolist(), strict=True)]
            of_terms, energies = np.concatenate([of_terms, keys]), np.concatenate([energies, -sums])
            # Their rounding errors.
            _, sums = _exact_sums(of_terms, energies)
        return keys, exact

    @cached_property
    def _terms(self) -> tuple[IntArray, FloatArray]:
        """The terms of the coefficients, and their keys: ``i (n + 1) + j``, where n stands for no variable.

        An entry counts where its indicators are 1: ``[x_i = s] = free + slope * x_decider``.
        """
        mrf, n = self.mrf, self.mrf.n
        i, j = mrf.edges.T
        low, high, terms = [np.full(len(self.refund), n)], [np.full(len(self.refund), n)], [np.array(self.refund)]

        def add(one: IntArray, other: IntArray, energies: FloatArray) -> None:
            low.append(np.minimum(one, other))
            high.append(np.where(one == other, n, np.maximum(one, other)))
            terms.append(energies)

        none = np.full(max(n, len(i), 1), n)
        add(none[:1], none[:1], np.array([mrf.constant]))
        for s in (0, 1):
            (free, slope), home = self._indicator(np.arange(n), s), self.decider
            add(none[:n], none[:n], self.unary[:, s] * free)
            add(home, none[:n], self.unary[:, s] * slope)
            for t in (0, 1):
                (free_i, slope_i), (free_j, slope_j) = self._indicator(i, s), self._indicator(j, t)
                entry, none_ij = self.pairwise[:, s, t], none[: len(i)]
                add(none_ij, none_ij, entry * free_i * free_j)
                add(home[i], none_ij, entry * slope_i * free_j)
                add(none_ij, home[j], entry * free_i * slope_j)
                add(home[i], home[j], entry * slope_i * slope_j)
        return np.concatenate(low) * (n + 1) + np.concatenate(high), np.concatenate(terms)

    def _indicator(self, i: IntArray, s: int) -> tuple[FloatArray, FloatArray]:
        hits = self.value[i] == s
        return hits.astype(float), np.where(self.decider[i] == self.mrf.n, 0.0, np.where(hits, -1.0, 1.0))


def minima(mrf: BinaryMRF) -> list[float]:
    """The least entries of all tables, and the constant: no energy is lower than their sum."""
    return [mrf.constant, *mrf.unary.min(axis=1).tolist(), *mrf.pairwise.min(axis=(1, 2)).tolist()]


def exact_sum(terms: list[float]) -> Fraction:
    """The sum of floats without any rounding: each partial sum found is the rounding error of the previous ones."""
    found, left = Fraction(0), list(terms)
    while part := math.fsum(left):
        found += Fraction(part)
        left.append(-part)
    return found


def _capped(tables: FloatArray, cap: float) -> FloatArray:
    """Tables in which no entry exceeds the least one by more than the cap; no energy of a labelling increases."""
    axes = tuple(range(1, tables.ndim))
    lowered: FloatArray = np.minimum(tables, tables.min(axis=axes, keepdims=True) + cap)
    return lowered


def _unit(denominator: int) -> float:
    """Numbers that are not decimals are exact: whole numbers, and multiples of a power of 2, of 1 / unit."""
    return float(denominator if denominator & (denominator - 1) == 0 else 1)


def _missed(coefficient: Fraction, step: Fraction) -> Fraction:
    return abs(coefficient - round(coefficient / step) * step)


def _exact_sums(keys: IntArray, terms: FloatArray) -> tuple[IntArray, FloatArray]:
    """The sums of all terms with the same key, each rounded once."""
    order = np.argsort(keys, kind="stable")
    found, first = np.unique(keys[order], return_index=True)
    ends, listed = [*first[1:].tolist(), len(keys)], terms[order].tolist()
    return found, np.array([math.fsum(listed[a:b]) for a, b in zip(first.tolist(), ends, strict=True)])
