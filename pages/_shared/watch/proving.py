"""Below the stage: a proof that a labelling of the model is optimal, or bounds as close as it comes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

import streamlit as st

import bender_core as bc
from bender_core.checking.certificate import Round
from bender_core.engine.gap import relative_gap
from bender_core.engine.result import verdict_of
from bender_core.forms.lattice import lattice
from bender_core.io import dump_labeling
from bender_core.looking.words import at_least, at_most, number
from bender_core.trying.change import Fork
from bender_core.trying.policy import LARGEST, first_change
from bender_core.trying.steps import CYCLES
from bender_core.units import duration
from bender_core.visualization.proof import plot_proof
from pages._shared.app.branches import Branch, branch_of
from pages._shared.app.glossary import GLOSSARY
from pages._shared.app.naming import file_of, picture, run_file
from pages._shared.app.proof import ProofInProgress
from pages._shared.app.requests import PROOF
from pages._shared.app.session import Lab, lab
from pages._shared.app.text import complaint
from pages._shared.forks.growing import made_again
from pages._shared.running.findings import findings
from pages._shared.running.following import follow
from pages._shared.running.watched import go_to
from pages._shared.watch.found_below import found_below

# Seconds between two drawings of how far it is.
DRAWN_SECONDS = 0.5


@st.fragment
def proving() -> None:
    """A proof, made on request, with its progress and its rounds."""
    current = lab()

    def begin() -> None:
        PROOF.set(True)

    # Open as soon as one is requested on the stage, as Stop is here.
    with st.expander("Prove it", expanded=current.proof is not None or PROOF.get() is not None):
        st.caption(
            "The bound decides some variables: every better labelling would have to take these values, so they leave "
            "the model. The rest continues in larger groups with the same messages, and so on, without branching, "
            f"until the bounds meet. Groups grow up to {LARGEST} variables. Beside them, "
            "<dfn data-term='frustrated'>frustrated cycles</dfn> raise a bound of their own. The <dfn>proof</dfn> "
            "continues the run on the stage, which then shows all its runs as <dfn data-term='chapter'>chapters</dfn> "
            "of one timeline.",
            unsafe_allow_html=True,
        )
        if PROOF.get():
            begin_requested(current)
        proof = current.proof
        if proof is None or not proof.alive:
            st.button("Prove it" if proof is None else "Prove it again", on_click=begin)
        if proof is None:
            return
        if proof.alive:
            follow(lambda: proof.alive, partial(progress, current, proof), DRAWN_SECONDS)
        elif proof.rounds and proof.certificate is not None:
            put_on_stage(current, proof, proof.certificate)
        elif proof.failure:
            complaint(f"There is no proof: {proof.failure}.")
        elif proof.certificate is not None:
            outcome(current.mrf, proof, proof.certificate)
            files(current, proof.certificate)
            draw(current, proof)


@dataclass(eq=False)
class Beginning:
    """A requested proof: it continues from a run of the whole model."""

    branch: Branch
    event: int
    made: Branch | None = None  # its first run


def begin_requested(current: Lab) -> None:
    """Begin the requested proof, or show the progress."""
    request = PROOF.get()
    if not isinstance(request, Beginning) or request.branch not in list(current.branches):
        request = beginning(current)
        PROOF.set(request)
    given_up = findings(current.run).given_up
    if given_up is not None and given_up.about is request:
        PROOF.set(None)
        return
    # A run that has done nothing yet loses nothing by groups of another size.
    change = bc.Change(prove=True) if request.event else first_change(current.mrf)

    def make(_: bc.Engine, stop: bc.Stop) -> bool:
        run = made_again(current, request.branch, stop)
        with run.work.lent(stop):
            go_to(run.engine, request.event, stop)
            forked = current.branches.with_room(lambda: change.fork(run.engine, stop), request.branch)
        request.made = branch_of(request.branch, Fork(request.event, change), forked)
        return True

    try:
        found_below(current.run, "the proof's first run", request, make)
    except (ValueError, bc.EngineError) as error:
        PROOF.set(None)
        complaint(f"A proof cannot begin here: {error}.")
        return
    if request.made is not None:
        PROOF.set(None)
        current.proof = ProofInProgress([request.made])
        current.proof.start()


def beginning(current: Lab) -> Beginning:
    """Where a proof begins: where the run shown is, or where its last ancestor on the whole model was left."""
    branch, event = current.branches.shown, current.run.position
    while branch.variables < current.mrf.n and branch.parent is not None:
        branch, event = branch.parent, branch.event
    return Beginning(branch, event)


def put_on_stage(current: Lab, proof: ProofInProgress, found: bc.Certificate) -> None:
    """Show the end of the proof, with all its runs as chapters."""
    rounds, proof.rounds = proof.rounds, []
    if rounds[0].parent not in list(current.branches):
        return
    run = rounds[-1].run
    assert run is not None
    position = len(run.engine.trace)
    current.run.halt()  # or it could free what is added
    last = current.branches.add(*rounds)
    last.end = position if found.optimal else None
    current.show(last, position)
    st.rerun()


def progress(current: Lab, proof: ProofInProgress) -> None:
    """How far it is, and Stop."""
    st.button("Stop", on_click=proof.stop, key="proof-stop")
    if not proof.points:
        st.caption("Beginning…")
        return
    point = proof.points[-1]
    gap = relative_gap(point.lower, point.upper)
    st.caption(
        f"Chapter {proof.chapter + point.rounds}: {point.undecided:,} of {current.mrf.n:,} variables undecided, "
        f"LB {number(point.lower)}, UB {number(point.upper)}, gap {100 * gap:.3g} %…"
    )
    draw(current, proof)


def draw(current: Lab, proof: ProofInProgress) -> None:
    """The bounds and the variables over the work."""
    if len(proof.points) > 1:
        st.plotly_chart(
            plot_proof(list(proof.points)),
            key="proof-curves",
            config=picture(run_file(current, "proof")),
            height=380,
            alt="Lower and upper bound, and the number of undecided variables, over the work done",
        )


def files(current: Lab, found: bc.Certificate) -> None:
    """The files to download: the labelling, and the proof, which anybody can check."""
    with st.container(horizontal=True):
        st.download_button(
            "Labelling, JSON",
            dump_labeling(current.mrf, found.labeling, "json"),
            file_name=file_of(current.mrf, "_proof_labeling.json"),
            on_click="ignore",
        )
        if found.proof is not None:
            # It is packed on request, which takes a second for a large one.
            st.download_button(
                "Proof",
                found.proof.to_bytes,
                file_name=file_of(current.mrf, ".proof"),
                on_click="ignore",
                help="It is checked without the solver by: python -m bender_core verify MODEL PROOF",
            )


def outcome(mrf: bc.BinaryMRF, proof: ProofInProgress, found: bc.Certificate) -> None:
    """What has been proven, and by which rounds; these are numbered as on the stage."""
    rounds, first, last = proof.numbered(found.rounds), proof.chapter, proof.last
    took = f"{duration(found.seconds)}, {f'chapters {first} to {last}' if last > first else f'chapter {first}'}"
    if found.optimal:
        cost = number(found.upper_bound)
        st.success(f"Optimal, proven: the best labelling costs {cost}, and no other costs less ({took}).")
    else:
        known = verdict_of(found, lattice(mrf))
        st.info(
            f"Not proven ({found.status}, {took}): the best labelling costs {number(found.upper_bound)}, none costs "
            f"less than {at_least(known['rounded_bound'])}, which leaves a gap of {at_most(100 * known['gap'])} %. "
            f"{found.open_variables:,} variables are undecided."
        )
    if any(each.strategy == CYCLES for _, each in rounds):
        st.page_link(
            "pages/cycles.py",
            label="Watch the cycles of the chapter on the stage →",
            help="The cycles at the beginning of a chapter were found in the model of the chapter before.",
        )
    if rounds:
        listing([chapter for chapter, _ in rounds], [each for _, each in rounds])


def listing(chapters: Sequence[int], rounds: Sequence[Round]) -> None:
    """The rounds, with the chapter of each."""
    st.dataframe(
        {
            "chapter": chapters,
            "variables": [each.variables for each in rounds],
            "groups": [each.groups for each in rounds],
            "largest": [each.largest for each in rounds],
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
            "variables": st.column_config.NumberColumn(
                help="Left in the model when the chapter began", format="localized"
            ),
            "largest": st.column_config.NumberColumn(help="Variables in the largest group"),
            "made by": st.column_config.TextColumn(
                help="The strategy that made the groups. packed: the groups of the chapter before, without decided "
                "variables, united as far as M allows; their messages are kept. cycles: no groups; frustrated cycles "
                "gave the bound with which the chapter begins, or one beside it."
            ),
            "fixed": st.column_config.NumberColumn(help="Variables whose value was decided"),
            "tied": st.column_config.NumberColumn(help=GLOSSARY["tied"].meaning),
            "seconds": st.column_config.NumberColumn(help="From the beginning of the proof to the end of the chapter"),
        },
        hide_index=True,
        key="proof-rounds",
    )
