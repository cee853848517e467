"""Results of the Partition page about a model and its partitions, cached for all sessions.

Everything cached is immutable or handed out as a copy. Models and partitions are keyed by their content; arguments
that begin with an underscore are not part of the key.
"""

from __future__ import annotations

import hashlib

import streamlit as st

import bender_core as bc
from bender_core.groups import Partition
from bender_core.model import FloatArray
from bender_core.visualization.layout import hypergraph_layout, variable_layout


def fingerprint(mrf: bc.BinaryMRF) -> str:
    """A hash of all that partitions and drawings depend on: energy, names, kinds and positions of the variables."""
    digest = hashlib.sha256(mrf.content_hash().encode())
    digest.update(repr((mrf.names, mrf.groups)).encode())
    if mrf.positions is not None:
        digest.update(mrf.positions.tobytes())
    return digest.hexdigest()


def owners(part: Partition) -> bytes:
    return part.group_of().tobytes()


@st.cache_resource(show_spinner=False, max_entries=128)
def partition(model: str, max_size: int, strategy: str, _mrf: bc.BinaryMRF) -> Partition:
    """A partition by strategy (partitions are immutable, so all sessions may share it)."""
    return bc.partition(_mrf, max_size, strategy)


@st.cache_data(show_spinner=False, max_entries=16)
def variable_places(model: str, _mrf: bc.BinaryMRF) -> FloatArray:
    return variable_layout(_mrf)


@st.cache_data(show_spinner=False, max_entries=64)
def group_places(model: str, groups: bytes, _mrf: bc.BinaryMRF, _part: Partition) -> FloatArray:
    return hypergraph_layout(_mrf, _part)
