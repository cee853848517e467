"""Below the stage: a proof that a labelling of the model is optimal, or bounds as close as it comes."""

from __future__ import annotations

from functools import partial

import streamlit as st

import bender_core as bc
from bender_core.io import dump_labeling
from bender_core.proofs.certifying import LARGEST
from bender_core.run.bounds import relative_gap
from bender_core.run.explain import number
from bender_core.visualization.proof import plot_proof
from pages._shared.app.naming import file_of, picture, run_file
from pages._shared.app.session import Lab, lab
from pages._shared.app.text import complaint
from pages._shared.running.following import follow
from pages._shared.running.proof import Proof

# Seconds between two drawings of how far it is.
DRAWN_SECONDS = 0.5


@st.fragment
def proving() -> None:
    """A proof on request, with its progress and its rounds."""
    current = lab()

    def begin() -> None:
        current.proof = Proof(current.mrf)
        current.proof.start()

    with st.expander("Prove it", expanded=current.proof is not None):
        st.caption(
            "Message passing over small groups decides some variables: every better labelling would have to take these "
            "values. What is left goes on in larger groups with the same messages, and so on, without branching, until "
            f"the bounds meet. Groups grow up to {LARGEST} variables. It is apart from the run on the stage."
        )
        proof = current.proof
        if proof is None or not proof.alive:
            st.button("Prove it" if proof is None else "Once more", on_click=begin)
        if proof is None:
            return
        if proof.alive:
            follow(lambda: proof.alive, partial(progress, current, proof), DRAWN_SECONDS)
        elif proof.failure:
            complaint(f"There is no proof: {proof.failure}.")
        elif proof.certificate is not None:
            outcome(proof.certificate)
            files(current, proof.certificate)
            draw(current, proof)


def progress(current: Lab, proof: Proof) -> None:
    """How far it is, and Stop."""
    st.button("Stop", on_click=proof.stop, key="proof-stop")
    if not proof.stands:
        st.caption("Beginning…")
        return
    stand = proof.stands[-1]
    gap = relative_gap(stand.lower, stand.upper)
    st.caption(
        f"Round {stand.rounds + 1}: {stand.undecided:,} of {current.mrf.n:,} variables undecided, "
        f"LB {number(stand.lower)}, UB {number(stand.upper)}, gap {100 * gap:.3g} %…"
    )
    draw(current, proof)


def draw(current: Lab, proof: Proof) -> None:
    """The bounds and the variables over the work."""
    if len(proof.stands) > 1:
        st.plotly_chart(
            plot_proof(list(proof.stands)),
            key="proof-curves",
            config=picture(run_file(current, "proof")),
            height=380,
            alt="Lower and upper bound, and the number of undecided variables, over the work done",
        )


def files(current: Lab, found: bc.Certificate) -> None:
    """What can be taken away: the labelling, and the proof, which anybody can check."""
    with st.container(horizontal=True):
        st.download_button(
            "Labelling, JSON",
            dump_labeling(current.mrf, found.labeling, "json"),
            file_name=file_of(current.mrf, "_proof_labeling.json"),
            on_click="ignore",
        )
        if found.proof is not None:
            # It is packed when it is asked for: that takes a second where it is large.
            st.download_button(
                "Proof",
                found.proof.to_bytes,
                file_name=file_of(current.mrf, ".proof"),
                on_click="ignore",
                help="It is checked without the solver by: python -m bender_core verify MODEL PROOF",
            )


def outcome(found: bc.Certificate) -> None:
    """What has been proven, and by which rounds."""
    took = f"{found.seconds:.2g} s, {len(found.rounds)} round{'s' * (len(found.rounds) != 1)}"
    if found.optimal:
        st.success(f"Optimal, proven: no labelling costs less than {number(found.upper_bound)} ({took}).")
    else:
        gap = relative_gap(found.lower_bound, found.upper_bound)
        st.info(
            f"Not proven ({found.status}, {took}): the best labelling costs {number(found.upper_bound)}, none costs "
            f"less than {number(found.lower_bound)}, which leaves a gap of {100 * gap:.3g} %. "
            f"{found.open_variables:,} variables are undecided."
        )
    rounds = found.rounds
    st.dataframe(
        {
            "round": range(1, len(rounds) + 1),
            "variables": [each.variables for each in rounds],
            "groups": [each.groups for each in rounds],
            "largest": [each.max_size for each in rounds],
            "made by": [each.strategy for each in rounds],
            "schedule": [each.schedule for each in rounds],
            "sweeps": [each.sweeps for each in rounds],
            "lower bound": [number(each.lower_bound) for each in rounds],
            "upper bound": [number(each.upper_bound) for each in rounds],
            "fixed": [each.fixed for each in rounds],
            "tied": [each.tied for each in rounds],
            "seconds": [round(each.seconds, 3) for each in rounds],
        },
        column_config={
            "variables": st.column_config.NumberColumn(help="Of the model, when the round began", format="localized"),
            "largest": st.column_config.NumberColumn(help="Variables in the largest group"),
            "made by": st.column_config.TextColumn(
                help="The strategy that made the groups; packed: those of the round before, as far as they were left, "
                "united as far as they fit; the round went on with their messages"
            ),
            "fixed": st.column_config.NumberColumn(help="Variables to which the round gave a value"),
            "tied": st.column_config.NumberColumn(help="Variables that equal, or oppose, another one"),
            "seconds": st.column_config.NumberColumn(help="From the beginning of the proof to the end of the round"),
        },
        hide_index=True,
        key="proof-rounds",
    )
