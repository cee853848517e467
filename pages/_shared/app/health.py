"""What the operator of a server wants to know, as plain text at ``/health``; it makes no session and no model."""

from __future__ import annotations

import os
import threading
from pathlib import Path
from weakref import WeakSet

from starlette.requests import Request
from starlette.responses import PlainTextResponse
from streamlit import runtime
from streamlit.runtime.stats import ACTIVE_SESSIONS_FAMILY, GaugeStat

import bender_core as bc
from bender_core.account import memory_limit
from pages._shared.running import solver

# Of all sessions that still have memory.
_accounts: WeakSet[bc.Account] = WeakSet()
_adding = threading.Lock()


def count_in(account: bc.Account) -> None:
    """Count what is charged to the account of a session, as long as the session lasts."""
    with _adding:
        _accounts.add(account)


def charged() -> int:
    """The bytes that the runs of all sessions are charged."""
    with _adding:
        accounts = list(_accounts)
    return sum(account.used for account in accounts)


def health(request: Request) -> PlainTextResponse:
    """Answer a request: a line for each fact; the status is 503 if pages cannot show any run."""
    state, is_well = solver.state()
    facts = {"version": bc.__version__, "solver": state}
    try:
        limit = f"{memory_limit() >> 20} MB"
    except ValueError as error:
        limit, is_well = str(error), False
    facts |= {
        "sessions": str(_sessions()),
        "memory of all runs": f"{charged() >> 20} MB",
        "limit of a session": limit,
    } | _resident()
    text = "".join(f"{name}: {fact}\n" for name, fact in facts.items())
    return PlainTextResponse(text, 200 if is_well else 503, headers={"Cache-Control": "no-store"})


def _sessions() -> int:
    """Sessions to which a tab is connected."""
    if not runtime.exists():
        return 0
    stats = runtime.get_instance().stats_mgr.get_stats([ACTIVE_SESSIONS_FAMILY])[ACTIVE_SESSIONS_FAMILY]
    return sum(int(stat.value) for stat in stats if isinstance(stat, GaugeStat))


def _resident() -> dict[str, str]:
    """The memory of this process, where the system tells it."""
    status = Path("/proc/self/statm")
    if not status.exists():
        return {}
    pages = int(status.read_text().split()[1])
    return {"memory of the server": f"{pages * os.sysconf('SC_PAGE_SIZE') >> 20} MB"}
