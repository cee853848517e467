"""A run with other settings, or of another model, that is made in the background while the present one is shown."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import NamedTuple

import bender_core as bc
from bender_core.units import so_far
from pages._shared.app.permalink import Origin
from pages._shared.running.background import Personal
from pages._shared.running.kept import Kept


class Choice(NamedTuple):
    """The choices that make a run.

    Attributes
    ----------
    mrf : BinaryMRF
    origin : dict of str
        Of the model, for links.
    max_size : int
        M.
    strategy : str
    variant : int
    schedule : str
    part : Partition or None
        The groups, if they are known.
    remark : str
        What is to be said of the run once it is shown.
    """

    mrf: bc.BinaryMRF
    origin: Origin
    max_size: int
    strategy: str
    variant: int
    schedule: str
    part: bc.Partition | None = None
    remark: str = ""


@dataclass(eq=False)
class NextRun(Personal):
    """A run that is being made.

    Attributes
    ----------
    choice : Choice
    doing : str
        The progress, in words.
    refusal : str
        Why it cannot be made; empty if it can.
    fits : int or None
        The nearest M with which it could.
    needed : int
        If it does not fit, its bytes.
    part : Partition or None
        Its groups; None until they are made.
    made : Engine or None
        None until it is made.
    """

    choice: Choice
    among: object  # the runs among which it will be
    is_beside: bool = False  # whether it will be shown beside the present one, not instead of it
    at: int | None = None  # the position shown; None: the same place
    proves: bool = False  # whether a proof of it begins once it is shown
    doing: str = ""
    refusal: str = ""
    fits: int | None = None
    needed: int = 0
    part: bc.Partition | None = None
    made: bc.Engine | None = None

    def refuse(self, error: bc.TooLargeError) -> None:
        """Note that it does not fit."""
        self.refusal, self.fits = f"M {self.choice.max_size} does not fit: {error}", error.fits
        self.needed = error.needed

    def start(self, make: Callable[[bc.BinaryMRF, bc.Partition, int, str, bc.Stop], bc.Engine]) -> None:
        """Make its groups, then the run by ``make``."""
        self.begin(partial(self._drive, make))

    def _drive(
        self,
        make: Callable[[bc.BinaryMRF, bc.Partition, int, str, bc.Stop], bc.Engine],
        stopped: threading.Event,
    ) -> None:
        choice, stop = self.choice, bc.Stop(requested=stopped.is_set)
        what = f"making groups by {choice.strategy}, M {choice.max_size}"

        def tell(share: float, bound: float) -> None:
            self.doing = f"{what}: {share:.0%}{so_far(bound)}"

        try:
            self.doing = what
            self.part = choice.part or bc.partition(
                choice.mrf, choice.max_size, choice.strategy, stop=stop, on_progress=tell
            )
            self.doing = f"making the tables of {len(self.part)} groups"
            self.made = make(choice.mrf, self.part, choice.variant, choice.schedule, stop)
        except bc.TooLargeError as error:
            self.refuse(error)
        except (ValueError, bc.EngineError) as error:
            self.refusal = str(error)
        except bc.Stopped:
            return
        except Exception:
            # Without a word the choice would seem to be lost.
            logging.getLogger(__name__).exception("A run cannot be made")
            self.refusal = "This run cannot be made; the server's log says why."


# Instead of the run shown, and beside it.
NEXT, NEXT_BESIDE = Kept[NextRun]("next_run"), Kept[NextRun]("next_run_beside")
