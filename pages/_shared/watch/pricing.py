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
from bender_core.looking.words import at_least, at_most, number
from pages._shared.app.naming import run_file
from pages._shared.app.session import Lab, lab
from pages._shared.app.text import complaint, label
from pages._shared.running.background import Personal
from pages._shared.running.following import follow
from pages._shared.running.kept import Kept
from pages._shared.running.watched import TELL_SECONDS
from pages._shared.watch import protocol

# The time limit for each price.
SECONDS = 20.0


@dataclass(eq=False)
class Pricing(Personal):
    """Prices found one after the other in the background.

    Attributes
    ----------
    mrf : BinaryMRF
    variables : tuple of int
        All that are priced, those found before included, in this order.
    best : Certificate or None
        Of the best labelling; None until it is proven, which is done first.
    account : Account
        To which the proofs are charged.
    found : list of Price
    failure : str
        Why there are no more.
    """

    mrf: bc.BinaryMRF
    variables: tuple[int, ...]
    best: bc.Certificate | None
    account: bc.Account
    found: list[bc.Price] = field(default_factory=list)
    failure: str = ""
    _is_over: bool = False  # whether no more are taken
    _queue: threading.Lock = field(default_factory=threading.Lock)

    def start(self) -> None:
        self.begin(self._price)

    @property
    def missing(self) -> list[int]:
        """The variables whose prices are not found yet."""
        known = {price.variable for price in list(self.found)}
        return [i for i in self.variables if i not in known]

    def put_first(self, variables: Sequence[int]) -> bool:
        """Price variables ahead of those still waiting; returns whether that is still possible."""
        with self._queue:
            if self._is_over or not self.busy:
                return False
            known = [price.variable for price in self.found]
            self.variables = tuple(dict.fromkeys((*known, *variables, *self.variables)))
            return True

    def view(self, is_going: bool) -> list[protocol.Priced]:
        """The prices, for the stage; if it is going on, those to come as well."""
        found = list(self.found)
        known = {price.variable for price in found}
        to_come = [i for i in self.variables if i not in known] if is_going else []
        awaited = "Its other value is being priced…"
        return [protocol.Priced(variable=i, text="…", words=awaited, pending=True) for i in to_come] + [
            protocol.Priced(variable=price.variable, text=short(price), words=in_full(price), pending=False)
            for price in found
        ]

    @property
    def doing(self) -> str:
        """The progress, in words."""
        if self.best is None:
            return "Proving the best labelling first…"
        return f"{len(self.found):,} of {len(self.variables):,} variables…"

    def _next(self) -> int | None:
        """The variable to be priced next; None if there is none, and then there will be none."""
        with self._queue:
            missing = self.missing
            self._is_over = not missing
            return next(iter(missing), None)

    def _price(self, stopped: threading.Event) -> None:
        stop = bc.Stop(requested=stopped.is_set)
        try:
            best = self.best or bc.certify(self.mrf, stop=stop, account=self.account)
            if stop():
                return
            self.best = best
            while (variable := self._next()) is not None:
                for price in bc.prices(self.mrf, best, [variable], SECONDS, stop, self.account):
                    if stop():
                        return  # it is not complete
                    self.found.append(price)
                if stop():
                    return
        except (ValueError, bc.EngineError) as error:
            self.failure = str(error)


_PRICING = Kept[Pricing]("pricing")


@st.fragment
def pricing() -> None:
    """Prices of variables, computed on request."""
    current = lab()
    found = _present(current)
    with st.expander("How sure is the answer", expanded=found is not None):
        st.caption(
            "The best <dfn>labelling</dfn> of the model is proven first, whatever the run above has found. The price "
            "of a variable is how much more the best labelling in which it has its other value costs. Each is "
            f"a proof of its own, exact where it is complete within {SECONDS:g} s, else enclosed by bounds. In the "
            "view *answer* above, click a variable to price it.",
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


def _present(current: Lab) -> Pricing | None:
    """The prices of the model that is open, if there are any."""
    found = _PRICING.get()
    if found is not None and found.mrf is not current.mrf:
        found.stop()
        _PRICING.forget()
        return None
    return found


def _begin(current: Lab, chosen: tuple[int, ...]) -> None:
    """Begin to price variables, all if none is chosen."""
    _replace(current, Pricing(current.mrf, chosen or tuple(range(current.mrf.n)), None, current.account))


def price_next(current: Lab, variables: Sequence[int]) -> None:
    """Price variables ahead of those still waiting; what is priced already stays, and what was to be priced follows."""
    chosen, before = [i for i in variables if i < current.mrf.n], _present(current)
    if not chosen or (before is not None and before.put_first(chosen)):
        return
    found = [] if before is None else list(before.found)
    known = [price.variable for price in found]
    if missing := [i for i in chosen if i not in known]:
        _replace(current, Pricing(current.mrf, (*known, *missing), None, current.account, found))


def _replace(current: Lab, begun: Pricing) -> None:
    """Begin to price in place of what went on; a proof of the whole model is used again."""
    proof, before = current.proof.certificate if current.proof is not None else None, _present(current)
    is_whole = proof is not None and proof.optimal and len(proof.labeling) == current.mrf.n
    begun.best = proof if is_whole else None
    if before is not None:
        before.stop()
        begun.best = begun.best or before.best
    _PRICING.set(begun)
    begun.start()


def prices_view(current: Lab) -> list[protocol.Priced]:
    """The prices so far, and those to come, for the stage."""
    found = _present(current)
    return [] if found is None else found.view(found.busy)


def short(price: bc.Price) -> str:
    """A price beside its variable, after the value that it is of."""
    if math.isinf(price.at_least):
        return f"={price.value}: +∞"
    return f"={price.value}: " + (f"+{number(price.at_least)}" if price.exact else f"≥ +{at_least(price.at_least)}")


def in_full(price: bc.Price) -> str:
    """A price in a sentence, which names the value: the labelling shown may be another than the best one."""
    if math.isinf(price.at_least):
        return f"No labelling has the value {price.value} here."
    more = words(price).removeprefix("exactly ")
    return f"With the value {price.value} here, the best labelling costs {more} more than the optimum."


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
        return f"at least {at_least(price.at_least)}"
    return f"between {at_least(price.at_least)} and {at_most(price.at_most)}"


def _sentence(least: bc.Price, names: Sequence[str]) -> str:
    """The variable whose other value costs least."""
    more = number(least.at_least) if least.exact else f"at least {at_least(least.at_least)}"
    name = names[least.variable]
    return f"The least sure: **{name}**. {least.value} in place of {1 - least.value} costs {more} more."


def table(mrf: bc.BinaryMRF, prices: Sequence[bc.Price]) -> str:
    """The prices as a file, one line per variable."""
    text = io.StringIO()
    lines = csv.writer(text, lineterminator="\n")
    lines.writerow(["variable", "value", "price at least", "price at most", "exact"])
    for price in prices:
        bounds = repr(float(price.at_least)), repr(float(price.at_most))
        lines.writerow([mrf.names[price.variable], 1 - price.value, *bounds, int(price.exact)])
    return text.getvalue()
