"""A sampler of dimod: its sample set has the best labelling, with the lower bound and whether it is proven.

Source: docs/formats.md §2.16.
"""

from __future__ import annotations

from typing import Any

try:
    import dimod
except ImportError as error:
    raise ImportError('dimod is not installed: pip install "bender-lab[dimod]"') from error

from bender_core.io.objects import from_bqm
from bender_core.trying.solving import solve


class BenderSampler(dimod.Sampler):  # type: ignore[misc, name-defined]
    """Solves binary quadratic models by proofs.

    Source: docs/formats.md §2.16, docs/method.md §15.

    Examples
    --------
    >>> bqm = dimod.BinaryQuadraticModel({"a": 1.0}, {("a", "b"): -2.0}, 0.0, "SPIN")
    >>> found = BenderSampler().sample(bqm)
    >>> dict(found.first.sample) == {"a": -1, "b": -1}, float(found.first.energy), found.info["proven"]
    (True, -3.0, True)
    """

    @property
    def parameters(self) -> dict[str, list[str]]:
        """What `sample` accepts beside the model."""
        return {"time_limit": [], "method": []}

    @property
    def properties(self) -> dict[str, Any]:
        """None."""
        return {}

    def sample(
        self, bqm: dimod.BinaryQuadraticModel, *, time_limit: float | None = None, method: str = "both", **others: Any
    ) -> Any:
        """The best labelling that was found.

        Parameters
        ----------
        bqm : dimod.BinaryQuadraticModel
        time_limit : float, optional
            Seconds.
        method : {"both", "groups", "cycles", "mplp-cp"}
            As for `solve`.
        **others
            Of other samplers: dimod warns that they are not used.

        Returns
        -------
        dimod.SampleSet
            Of one sample. ``info`` has ``lower_bound``, an energy; ``gap``, relative; ``proven``, whether no labelling
            costs less; ``status``, in words; and ``seconds``.

        Raises
        ------
        ModelError
            If a bias is not finite.
        ValueError
            If the time limit is not a number, or there is no such method.
        """
        self.remove_unknown_kwargs(**others)
        found = solve(from_bqm(bqm), time_limit=time_limit, method=method)
        values = 2 * found.labeling - 1 if bqm.vartype is dimod.SPIN else found.labeling
        info = {
            "lower_bound": found.lower_bound,
            "gap": found.gap,
            "proven": found.optimal,
            "status": found.status,
            "seconds": found.seconds,
        }
        samples: Any = dimod.SampleSet
        return samples.from_samples_bqm((values[None, :], list(bqm.variables)), bqm, info=info)
