"""A memory limit and the charges to it: one account for a run, or for all runs of a session.

Source: docs/method.md §11.1.
"""

from __future__ import annotations

import operator
import os
import threading
from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager


def memory_limit() -> int:
    """The bytes that the runs of a session may use together: BENDER_MEMORY_MB from the environment, or 1 GB.

    Raises
    ------
    ValueError
        If the environment variable is not a number of megabytes.
    """
    setting = os.environ.get("BENDER_MEMORY_MB", "1024")
    if not setting.strip().isdecimal():
        raise ValueError(f"BENDER_MEMORY_MB is {setting!r}; set it to a whole number of megabytes")
    return int(setting) << 20


_Lock = AbstractContextManager[bool | None]


class Account:
    """A limit that several runs share. Everything is charged before it grows. Thread-safe.

    Parameters
    ----------
    limit : int, optional
        Bytes; by default the current value of `memory_limit`.
    within : Account, optional
        A larger account, on which all charges to this one appear as one entry.
    name : str
        The name of that entry.

    Raises
    ------
    TypeError
        If the limit is not an integer.
    ValueError
        If it is negative.

    Examples
    --------
    >>> account = Account(1000)
    >>> line = account.open("a run", {"rows": 600})
    >>> line.charge("rows", 600), line.charge("rows", 300), account.free
    (False, True, 100)
    """

    def __init__(self, limit: int | None = None, within: Account | None = None, name: str = "") -> None:
        if limit is not None and operator.index(limit) < 0:
            raise ValueError(f"the limit is {limit} bytes; it must not be negative")
        self._limit = limit
        self._lock: _Lock = threading.RLock() if within is None else within._lock
        self._charges: list[Charges] = []
        self._above = None if within is None else within.open(name, {})

    @property
    def limit(self) -> int:
        """Bytes that may be charged."""
        return memory_limit() if self._limit is None else self._limit

    @property
    def used(self) -> int:
        """Bytes charged now."""
        with self._lock:
            return sum(each.used for each in self._charges)

    @property
    def free(self) -> int:
        """Bytes left, never negative."""
        own = max(self.limit - self.used, 0)
        return own if self._above is None else min(own, self._above.account.free)

    @property
    def charges(self) -> list[Charges]:
        """The charges of every run, oldest first."""
        with self._lock:
            return list(self._charges)

    def open(self, name: str, items: Mapping[str, int]) -> Charges | None:
        """The charges of a new run; None, and nothing is charged, if they do not fit.

        Parameters
        ----------
        name : str
            The name of the run.
        items : mapping of str to int
            Bytes by purpose.

        Returns
        -------
        Charges or None
        """
        with self._lock:
            charges = Charges(name, self)
            if not self._take(sum(items.values())):
                return None
            charges.items.update(items)
            self._charges.append(charges)
            return charges

    def _take(self, count: int) -> bool:
        """Charge bytes (release, if negative) here and in the enclosing account; returns whether they fit."""
        if count > 0 and self.used + count > self.limit:
            return False
        return self._above is None or self._above.charge("all", count)

    def _owe(self, charges: Charges, items: Mapping[str, int]) -> None:
        """Restore a released charge, whether it fits or not: its memory is in use."""
        charges.items.update(items)
        self._charges.append(charges)
        if self._above is not None:
            self._above.items["all"] = self._above.items.get("all", 0) + charges.used


class Charges:
    """The charges of one run to an account.

    Attributes
    ----------
    name : str
    account : Account
    items : dict of str to int
        Bytes by purpose: "messages", "rows", "events", "snapshots", ...
    """

    def __init__(self, name: str, account: Account) -> None:
        self.name = name
        self.account = account
        self.items: dict[str, int] = {}

    @property
    def used(self) -> int:
        """Bytes."""
        return sum(self.items.values())

    def charge(self, item: str, count: int) -> bool:
        """Charge more bytes (release them, if negative); returns False, and charges nothing, if they do not fit.

        Nothing fits once they are released.
        """
        with self.account._lock:
            if self not in self.account._charges or not self.account._take(count):
                return False
            self.items[item] = self.items.get(item, 0) + count
            return True

    def close(self) -> None:
        """Release all charges."""
        with self.account._lock:
            if self in self.account._charges:
                self.account._take(-self.used)
                self.account._charges.remove(self)
            self.items.clear()

    @contextmanager
    def giving_way(self) -> Iterator[None]:
        """Release the charges to make room for others; if those fail, restore them."""
        items = dict(self.items)
        self.close()
        try:
            yield
        except BaseException:
            with self.account._lock:
                self.account._owe(self, items)
            raise
