"""The contents of a proof: for every step groups, messages, and proven facts. Source: docs/method.md §15.5."""

from __future__ import annotations

import io
import math
import os
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from bender_core.checking.archive import Archive, ArchiveError
from bender_core.files import write_whole
from bender_core.io import FormatError
from bender_core.model import FloatArray, IntArray

_FORMAT, VERSION = "bender-lab-proof", 3
# Of tables of pairs, and of facts.
_PAIR, _FACTS = 2, {"fixed": 2, "tied": 3}


@dataclass(frozen=True, eq=False)
class Step:
    """Messages, and the facts that they prove about the part of the model that the earlier steps have left.

    Source: docs/method.md §15.5. Variables have the numbers of the whole model.

    Attributes
    ----------
    groups : tuple of ndarray of int64
        The remaining variables by group; bit k of a state is the value of member k.
    edges : ndarray of int64, shape (E, 2)
        Pairs of groups.
    messages : ndarray
        Energies: for every edge the message into its first group, a number for every state, then that into its second.
    fixed : ndarray of int64, shape (f, 2)
        Variables that leave the model, and their values.
    tied : ndarray of int64, shape (t, 3)
        A variable, another one that leaves the model, and 1 if they are opposite, 0 if they are equal.
    lattice : float
        The distance of possible energies; 0 if none is known.
    """

    groups: tuple[IntArray, ...]
    edges: IntArray
    messages: FloatArray
    fixed: IntArray
    tied: IntArray
    lattice: float

    @property
    def nbytes(self) -> int:
        """The size of what proves the facts, bytes."""
        return self.messages.nbytes


@dataclass(frozen=True, eq=False)
class CycleStep:
    """Frustrated cycles, their shares, and the facts that they prove about what the earlier steps have left.

    Source: docs/cycles.md §6. Variables have the numbers of the whole model.

    Attributes
    ----------
    cycles : tuple of ndarray of int64, shape (k, 2)
        The edges of every cycle: pairs of remaining variables; the number after the last one is the ghost.
    shares : ndarray, shape (len(cycles),)
        What every cycle takes from each of its edges, energy, not negative.
    fixed, tied, lattice
        As in a `Step`.
    """

    cycles: tuple[IntArray, ...]
    shares: FloatArray
    fixed: IntArray
    tied: IntArray
    lattice: float

    @property
    def nbytes(self) -> int:
        """The size of what proves the facts, bytes."""
        return self.shares.nbytes + sum(cycle.nbytes for cycle in self.cycles)


@dataclass(frozen=True, eq=False)
class Proof:
    """A bound on all labellings, and the steps that prove it; `check_proof` checks it without the solver.

    Source: docs/method.md §15.5.

    Attributes
    ----------
    model : str
        The content hash of the model.
    labeling : ndarray of int64, shape (n,)
    lower_bound, upper_bound : float
        The bound, and the energy of the labelling; equal if it is optimal.
    negligible : float
        No labelling costs less than the bound by more than this, energy.
    steps : tuple of Step and CycleStep
    cap : float
        The steps are of the capped model: no entry of a table exceeds the least one by more than this, energy.
    version : int
        Of the file. Proofs of version 1 state a tolerance that the checker replaces by its own; before version 3 there
        are no cycles.
    """

    model: str
    labeling: IntArray
    lower_bound: float
    upper_bound: float
    negligible: float
    steps: tuple[Step | CycleStep, ...]
    cap: float = math.inf
    version: int = VERSION

    @property
    def nbytes(self) -> int:
        """The size of messages, cycles and shares, bytes."""
        return sum(step.nbytes for step in self.steps)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the proof into a file, which on failure is left unchanged.

        Source: docs/formats.md §6.1. The same proof gives the same bytes.

        Parameters
        ----------
        path : str or path

        Raises
        ------
        OSError
            If it cannot be written.
        """
        write_whole(Path(path), self.to_bytes())

    def to_bytes(self) -> bytes:
        """The content of the file that `save` writes.

        Returns
        -------
        bytes
        """
        numbers = [self.lower_bound, self.upper_bound, self.negligible, self.cap]
        arrays: dict[str, NDArray[np.generic]] = {
            "format": np.array(_FORMAT),
            "version": np.array(self.version),
            "model": np.array(self.model),
            "labeling": self.labeling,
            "bounds": np.array(numbers if self.version > 1 else numbers[:3]),
            "steps": np.array(len(self.steps)),
        }
        for k, step in enumerate(self.steps, 1):
            contents = {"fixed": step.fixed, "tied": step.tied, "lattice": np.array(step.lattice)}
            if isinstance(step, Step):
                contents |= _parted("members", step.groups) | {"edges": step.edges, "messages": step.messages}
            else:
                contents |= _parted("cycles", step.cycles, (0, _PAIR)) | {"shares": step.shares}
            if self.version > 2:
                contents["kind"] = np.array(_KINDS[type(step)])
            arrays |= {f"{k}.{name}": array for name, array in contents.items()}
        packed = io.BytesIO()
        np.savez_compressed(packed, allow_pickle=False, **arrays)
        return packed.getvalue()


# In files.
_KINDS: dict[type[Step | CycleStep], str] = {Step: "groups", CycleStep: "cycles"}


def load_proof(path: str | os.PathLike[str]) -> Proof:
    """Read a proof from a file.

    Source: docs/formats.md §6.1. Its claims are not checked; use `check_proof`.

    Parameters
    ----------
    path : str or path

    Returns
    -------
    Proof

    Raises
    ------
    FormatError
        If it is no file of a proof, or takes more memory than a run may.
    OSError
        If it cannot be read.
    """
    try:
        return _read(Archive(Path(path)))
    except ArchiveError:
        what = "the file is no proof, or damaged"
        raise FormatError(None, what, "give a file that a proof was saved to") from None
    except MemoryError:
        what = "the memory of this machine does not suffice for the proof"
        raise FormatError(None, what, "use one with more") from None


def _read(arrays: Archive) -> Proof:
    if _text(arrays, "format") != _FORMAT:
        raise FormatError(None, "the file is of another kind", "give a file that a proof was saved to")
    version = _integer(arrays, "version")
    if not 1 <= version <= VERSION:
        mend = "make the proof anew, or use the program that made it"
        raise FormatError(None, f"the proof has version {version}, this program reads up to {VERSION}", mend)
    # Version 1 knows no cap.
    bounds = [*_floats(arrays, "bounds", (3 if version == 1 else 4,)).tolist(), math.inf]
    lower, upper, negligible, cap = bounds[:4]
    count = _integer(arrays, "steps")
    if count < 0:
        raise ArchiveError
    steps = tuple(_step(arrays, k, version) for k in range(1, count + 1))
    labeling = _integers(arrays, "labeling", (-1,))
    return Proof(_text(arrays, "model"), labeling, lower, upper, negligible, steps, cap, version)


def _step(arrays: Archive, k: int, version: int) -> Step | CycleStep:
    kind = _KINDS[Step] if version < 3 else _text(arrays, f"{k}.kind")
    fixed, tied = (_integers(arrays, f"{k}.{name}", (-1, width)) for name, width in _FACTS.items())
    lattice = float(_floats(arrays, f"{k}.lattice", ()))
    if kind == _KINDS[Step]:
        groups, edges = _parts(arrays, k, "members", (-1,)), _integers(arrays, f"{k}.edges", (-1, _PAIR))
        return Step(groups, edges, _floats(arrays, f"{k}.messages", (-1,)), fixed, tied, lattice)
    if kind != _KINDS[CycleStep]:
        raise ArchiveError
    cycles, shares = _parts(arrays, k, "cycles", (-1, _PAIR)), _floats(arrays, f"{k}.shares", (-1,))
    return CycleStep(cycles, shares, fixed, tied, lattice)


def _parted(name: str, parts: tuple[IntArray, ...], empty: tuple[int, ...] = (0,)) -> dict[str, NDArray[np.generic]]:
    """Arrays one after the other, and their sizes."""
    sizes = np.array([len(part) for part in parts], np.int64)
    return {"sizes": sizes, name: np.concatenate([*parts, np.empty(empty, np.int64)])}


def _parts(arrays: Archive, k: int, name: str, shape: tuple[int, ...]) -> tuple[IntArray, ...]:
    sizes, together = _integers(arrays, f"{k}.sizes", (-1,)), _integers(arrays, f"{k}.{name}", shape)
    # Python integers, as a sum that overflows might seem to fit.
    if (sizes < 0).any() or sum(sizes.tolist()) != len(together):
        raise ArchiveError
    return tuple(np.split(together, np.cumsum(sizes)[:-1])) if len(sizes) else ()


def _text(arrays: Archive, name: str) -> str:
    return str(_shaped(arrays, name, "U", ()))


def _integer(arrays: Archive, name: str) -> int:
    return int(_integers(arrays, name, ()))


def _integers(arrays: Archive, name: str, shape: tuple[int, ...]) -> IntArray:
    return _shaped(arrays, name, "i", shape).astype(np.int64, order="C")


def _floats(arrays: Archive, name: str, shape: tuple[int, ...]) -> FloatArray:
    return _shaped(arrays, name, "f", shape).astype(np.float64)


def _shaped(arrays: Archive, name: str, kind: str, shape: tuple[int, ...]) -> NDArray[np.generic]:
    """An array of a kind and shape, -1 being any length."""
    array = arrays.array(name)
    fits = array.ndim == len(shape) and all(want in (-1, got) for want, got in zip(shape, array.shape, strict=True))
    if array.dtype.kind != kind or not fits:
        raise ArchiveError
    return array
