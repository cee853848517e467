"""Models that were uploaded, kept on the server for a while so that a reload finds them again."""

from __future__ import annotations

import threading
from collections import OrderedDict
from secrets import token_hex

import streamlit as st

import bender_core as bc

# Of all sessions together; the model unused for longest is dropped first.
MOST, MOST_BYTES = 64, 256_000_000


class Uploads:
    """Models by keys that cannot be guessed: only the tab that uploaded one has its key.

    Parameters
    ----------
    most : int
        How many are kept.
    most_bytes : int
        The most bytes that they may take together.
    """

    def __init__(self, most: int = MOST, most_bytes: int = MOST_BYTES) -> None:
        self.most, self.most_bytes = most, most_bytes
        self._kept: OrderedDict[str, bc.BinaryMRF] = OrderedDict()
        self._lock = threading.Lock()

    def keep(self, mrf: bc.BinaryMRF) -> str:
        """Keep a model; returns its key."""
        key = f"{mrf.content_hash()[:16]}{token_hex(8)}"
        with self._lock:
            self._kept[key] = mrf
            while len(self._kept) > 1 and (len(self._kept) > self.most or self._bytes() > self.most_bytes):
                self._kept.popitem(last=False)
        return key

    def find(self, key: str) -> bc.BinaryMRF | None:
        """The model of a key, if it is still there."""
        with self._lock:
            if key in self._kept:
                self._kept.move_to_end(key)
            return self._kept.get(key)

    def _bytes(self) -> int:
        return sum(mrf.unary.nbytes + mrf.edges.nbytes + mrf.pairwise.nbytes for mrf in self._kept.values())


@st.cache_resource(show_spinner=False)
def uploads() -> Uploads:
    """Those of this server."""
    return Uploads()
