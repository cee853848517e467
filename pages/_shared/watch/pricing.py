"""Below the stage: how sure the best labelling is, variable by variable."""

from __future__ import annotations

import csv
import io
import math
import threading
from collections.abc import Sequence
from dataclasses import dataclass, field

import streamlit as st

import bender_core as bc
from bender_core.looking.words import number
from pages._shared.app.naming import run_file
from pages._shared.app.session import Lab, lab
from pages._shared.app.text import complaint, label
from pages._shared.running.background import Personal
from pages._shared.running.following import follow
from pages._shared.running.kept import Kept
from pages._shared.running.watched import TELL_SECONDS

# The time limit for each price.
SECONDS = 20.0


@dataclass(eq=False)
class Pricing(Personal):
    """Prices found one after the other in the background.

    Attributes
    ----------
    mrf : BinaryMRF
    variables : tuple of int
    best : Certificate or None
        Of the best labelling; None until it is proven, which is done first.
    found : list of Price
    failure : str
        Why there are no more.
    """

    mrf: bc.BinaryMRF
    variables: tuple[int, ...]
    best: bc.Certificate | None
    found: list[bc.Price] = field(default_factory=list)
    failure: str = ""

    def start(self) -> None:
        self.begin(self._price)

    @property
    def doing(self) -> str:
        """The progress, in words."""
        if self.best is None:
            return "Proving the best labelling first…"
        return f"{len(self.found):,} of {len(self.variables):,} variables…"

    def _price(self, stopped: threading.Event) -> None:
        stop = bc.Stop(requested=stopped.is_set)
        try:
            best = self.best or bc.certify(self.mrf, stop=stop)
            if stop():
                return
            self.best = best
            for price in bc.prices(self.mrf, best, self.variables, SECONDS, stop):
                if stop():
                    return  # it is not complete
                self.found.append(price)
        except (ValueError, bc.EngineError) as error:
            self.failure = str(error)


_PRICING = Kept[Pricing]("pricing")


@st.fragment
def pricing() -> None:
    """Prices of variables, computed on request."""
    current, found = lab(), _PRICING.get()
    if found is not None and found.mrf is not current.mrf:
        found.stop()
        _PRICING.forget()
        found = None
    with st.expander("How sure is the answer"):
        st.caption(
            "The best <dfn>labelling</dfn> of the model is proven first, whatever the run above has found. The price "
            "of a variable is how much more the best labelling costs in which it has its other value. Each is "
            f"a proof of its own, exact where it is complete within {SECONDS:g} s, else enclosed by bounds.",
            unsafe_allow_html=True,
        )
        names = [label(name) for name in current.mrf.names]
        chosen = st.multiselect(
            "Variables", range(current.mrf.n), format_func=names.__getitem__, placeholder="all", key="pricing-variables"
        )
        going = found is not None and found.busy
        if going:
            assert found is not None
            st.button("Stop pricing", on_click=found.stop)
            follow(lambda: found.busy, lambda: st.caption(found.doing), TELL_SECONDS)
        else:
            st.button("Price them", on_click=_begin, args=(current, tuple(chosen)))
        if found is not None:
            if found.failure:
                complaint(f"The prices cannot be computed: {found.failure}.")
            show(current, found, names)


def _begin(current: Lab, chosen: tuple[int, ...]) -> None:
    """Begin to price variables, all if none is chosen; a proof of the whole model is used again."""
    proof = current.proof.certificate if current.proof is not None else None
    known = proof if proof is not None and len(proof.labeling) == current.mrf.n else None
    before = _PRICING.get()
    if before is not None and before.mrf is current.mrf:
        before.stop()
        known = known or before.best
    begun = Pricing(current.mrf, chosen or tuple(range(current.mrf.n)), known)
    _PRICING.set(begun)
    begun.start()


def show(current: Lab, found: Pricing, names: Sequence[str]) -> None:
    """The prices so far, the least first."""
    prices = sorted(found.found, key=lambda price: (price.at_least, price.at_most))
    if not prices:
        return
    assert found.best is not None
    st.markdown(f"{_sentence(prices[0], names)} The best labelling costs {number(found.best.upper_bound)}.")
    finite = [price.at_least for price in prices if math.isfinite(price.at_least)]
    st.dataframe(
        {
            "variable": [names[price.variable] for price in prices],
            "is": [1 - price.value for price in prices],
            "its other value costs more by": [words(price) for price in prices],
            "price": [price.at_least if math.isfinite(price.at_least) else None for price in prices],
        },
        column_config={
            "price": st.column_config.ProgressColumn(
                format="%.4g",
                min_value=0.0,
                max_value=max([*finite, 1e-12]),
                help="Energy; where it is not exact, the lower bound",
            )
        },
        hide_index=True,
        key="prices",
        placeholder="never",
    )
    st.download_button(
        "Prices, CSV", table(found.mrf, prices), file_name=run_file(current, "prices.csv"), on_click="ignore"
    )


def words(price: bc.Price) -> str:
    """A price in words."""
    if price.exact:
        return "no labelling has it" if math.isinf(price.at_least) else f"exactly {number(price.at_least)}"
    if math.isinf(price.at_most):
        return f"at least {number(price.at_least)}"
    return f"between {number(price.at_least)} and {number(price.at_most)}"


def _sentence(least: bc.Price, names: Sequence[str]) -> str:
    """The variable whose other value costs least."""
    costs = f"costs {'' if least.exact else 'at least '}{number(least.at_least)} more"
    return f"The least sure: **{names[least.variable]}**. {least.value} in place of {1 - least.value} {costs}."


def table(mrf: bc.BinaryMRF, prices: Sequence[bc.Price]) -> str:
    """The prices as a file, one line per variable."""
    text = io.StringIO()
    lines = csv.writer(text, lineterminator="\n")
    lines.writerow(["variable", "value", "price at least", "price at most", "exact"])
    for price in prices:
        bounds = repr(float(price.at_least)), repr(float(price.at_most))
        lines.writerow([mrf.names[price.variable], 1 - price.value, *bounds, int(price.exact)])
    return text.getvalue()
