"""A memory limit, and what is charged to it: one account for a run, or for all runs of a session."""

from __future__ import annotations

import os
import threading
from collections.abc import Mapping


def memory_limit() -> int:
    """The bytes that runs may take together: BENDER_MEMORY_MB from the environment, or 1 GB."""
    return int(os.environ.get("BENDER_MEMORY_MB", "1024")) << 20


class Account:
    """A limit that several runs share. Whatever can grow is charged before it grows; safe to use from several threads.

    Parameters
    ----------
    limit : int, optional
        Bytes; `memory_limit` by default.

    Attributes
    ----------
    limit : int
    """

    def __init__(self, limit: int | None = None) -> None:
        self.limit = memory_limit() if limit is None else limit
        self._lock = threading.Lock()
        self._lines: list[Line] = []

    @property
    def used(self) -> int:
        """Bytes charged at the moment."""
        with self._lock:
            return self._used()

    @property
    def free(self) -> int:
        """Bytes that are left, never negative."""
        return max(self.limit - self.used, 0)

    @property
    def lines(self) -> list[Line]:
        """What is charged, a line a run, oldest first."""
        with self._lock:
            return list(self._lines)

    def open(self, name: str, items: Mapping[str, int]) -> Line | None:
        """A new line with these charges; None, and nothing is charged, if they do not fit."""
        line = Line(name, self, items)
        with self._lock:
            if self._used() + line.used > self.limit:
                return None
            self._lines.append(line)
        return line

    def _used(self) -> int:
        return sum(line.used for line in self._lines)


class Line:
    """What one run has charged to an account.

    Attributes
    ----------
    name : str
    items : dict of str to int
        Bytes by what they are for: "tables", "rows", "events", "snapshots", ...
    """

    def __init__(self, name: str, account: Account, items: Mapping[str, int]) -> None:
        self.name = name
        self.items = dict(items)
        self._account = account

    @property
    def limit(self) -> int:
        """Of the whole account, bytes."""
        return self._account.limit

    @property
    def used(self) -> int:
        """Bytes on this line."""
        return sum(self.items.values())

    def charge(self, item: str, count: int) -> bool:
        """Charge some bytes more (or, if negative, fewer); returns False, and charges nothing, if they do not fit."""
        account = self._account
        with account._lock:
            if count > 0 and account._used() + count > account.limit:
                return False
            self.items[item] = self.items.get(item, 0) + count
            return True

    def close(self) -> None:
        """Give everything back."""
        with self._account._lock:
            self.items.clear()
            if self in self._account._lines:
                self._account._lines.remove(self)
