"""The finished runs of a plan, read once for every change of the store."""

from __future__ import annotations

from dataclasses import dataclass, replace

import streamlit as st

from bender_core.experiments import Store, Task
from bender_core.experiments.contenders import Study
from bender_core.experiments.tables import of_plan
from pages._shared.experiments.planning import Planned


@dataclass(frozen=True, eq=False)
class Finished:
    """What is done of a plan.

    Attributes
    ----------
    plan : Planned
    study : Study
        The finished runs.
    todo : list of Task
        The tasks still to do.
    stamp : str
        Differs whenever something has changed.
    """

    plan: Planned
    study: Study
    todo: list[Task]
    stamp: str

    def of(self, family: str) -> Finished:
        """The same with the runs on one family of instances alone; of all of them if it has no name."""
        return replace(self, study=self.study.of(family), stamp=f"{self.stamp} {family}") if family else self


def finished(on_table: Planned, store: Store) -> Finished:
    """What is done of a plan."""
    return _finished(f"{on_table.name} {store.path} {store.stamp}", on_table, store)


# Of several plans and sessions; a study of ten thousand runs takes 100 MB.
@st.cache_resource(show_spinner=False, max_entries=4)
def _finished(stamp: str, _on_table: Planned, _store: Store) -> Finished:
    tasks = _on_table.tasks
    return Finished(_on_table, Study(of_plan(_store.runs(), tasks), tasks), _store.missing(tasks), stamp)
