"""The command line: ``bender-lab solve|verify|info|convert|experiment|app|warm-up``.

In a checkout: ``python -m bender_core``.

Exit 0 on success, 2 with one line for bad input, 130 after Ctrl-C, 141 where the output is no longer read. Output:
docs/formats.md §6.
"""

from __future__ import annotations

import argparse
import json
import math
import runpy
import sys
import time
from collections.abc import Callable
from dataclasses import asdict, replace
from importlib.util import find_spec
from pathlib import Path

import bender_core as bc
from bender_core.checking.command import verified
from bender_core.experiments import command as experiment
from bender_core.experiments import read_plan
from bender_core.experiments.bundle import bundle
from bender_core.experiments.contenders import Study
from bender_core.experiments.tables import of_plan
from bender_core.files import require_apart, require_place, write_whole
from bender_core.io import FORMATS, format_of, load_labeling, without_unheld_constant
from bender_core.io.command import model_arguments, requested_model
from bender_core.io.terminal import exit_code, following
from bender_core.resources import APP
from bender_core.stopping import INTERRUPTED, Interrupt
from bender_core.strategies import AUTO, STRATEGIES, Tell, default_strategy
from bender_core.trying.policy import BOTH, METHODS
from bender_core.trying.proof import Descent
from bender_core.trying.solving import MPLP_CP
from bender_core.units import so_far
from bender_core.variants import SCHEDULES

_WRITABLE = tuple(form.name for form in FORMATS if form.write is not None)
# The fraction of the time limit that `auto` may take; without an answer by then the model's default strategy is used.
_CHOOSING = 0.25
# The settings of a run, with their defaults.
_OF_A_RUN = {"max_size": 8, "strategy": AUTO, "variant": 9, "schedule": "srmp", "max_sweeps": None, "tolerance": 1e-9}


def main(arguments: list[str] | None = None) -> int:
    """Run one command; returns the exit code."""

    def run() -> int:
        options = _parser().parse_args(arguments)
        code: int = options.command(options)
        return code

    return exit_code(run)


def _parser() -> argparse.ArgumentParser:
    # By the name it was started with.
    name = "bender-lab" if Path(sys.argv[0]).stem == "bender-lab" else "python -m bender_core"
    parser = argparse.ArgumentParser(prog=name, description="MAP inference with Benders rows.")
    parser.add_argument("--version", action="version", version=f"Bender Lab {bc.__version__}")
    commands = parser.add_subparsers(required=True, metavar="COMMAND")

    solve = commands.add_parser("solve", help="prove that a labelling is optimal, as far as possible")
    model_arguments(solve)
    solve.add_argument(
        "--time-limit", type=_seconds, metavar="SECONDS", help="end after this time, with the bounds so far"
    )
    solve.add_argument("--certificate", type=Path, metavar="FILE", help="save the proof, for verify")
    solve.add_argument(
        "--method",
        choices=(*METHODS, MPLP_CP),
        help="what the proof rests on: messages between groups, frustrated cycles, or both (default); mplp-cp: MPLP "
        "with cycle pursuit instead, a rival without certificate",
    )
    solve.add_argument("--json", action="store_true", help="print one JSON object")
    run = solve.add_argument_group(
        "one run",
        "Any of these requests one run of message passing instead of a proof.",
        argument_default=argparse.SUPPRESS,
    )
    run.add_argument("--max-size", type=int, metavar="M", help="largest number of variables in a group (default 8)")
    run.add_argument(
        "--strategy", choices=list(STRATEGIES), help="how to group the variables (default auto; pursuit takes seconds)"
    )
    run.add_argument("--variant", type=int, choices=list(bc.VARIANTS), help="the paper's number (default 9)")
    run.add_argument("--schedule", choices=list(SCHEDULES), help="order and shares (default srmp)")
    run.add_argument("--max-sweeps", type=int, metavar="N", help="default 400; with a time limit, no limit")
    run.add_argument("--tolerance", type=float, help="relative to the bound (default 1e-9)")
    solve.set_defaults(command=_solve)

    verify = commands.add_parser("verify", help="check a proof without the solver")
    model_arguments(verify)
    verify.add_argument("proof", type=Path, help="saved by --certificate")
    verify.set_defaults(command=_verify)

    info = commands.add_parser("info", help="describe a model")
    model_arguments(info)
    info.add_argument("--labeling", type=Path, metavar="FILE", help="also print the energy of a labelling")
    info.add_argument("--json", action="store_true", help="print one JSON object")
    info.set_defaults(command=_info)

    convert = commands.add_parser("convert", help="write a model in another format")
    model_arguments(convert)
    convert.add_argument("to", type=Path, help="its ending gives the format")
    convert.add_argument("--to-format", metavar="NAME", help=f"{', '.join(_WRITABLE)}; by default from the ending")
    convert.add_argument(
        "--drop-constant", action="store_true", help="leave out a constant that the format cannot represent"
    )
    convert.set_defaults(command=_convert)

    experiments = commands.add_parser("experiment", help="many runs: plan, carry out, report, export")
    experiment.add_arguments(experiments, _export)

    app = commands.add_parser("app", help="start the app, and print its address")
    app.add_argument("--port", type=int, default=8501, metavar="N", help="of the app's server (default 8501)")
    app.set_defaults(command=_app)

    warm = commands.add_parser("warm-up", help="compile the solver, once per machine")
    warm.set_defaults(command=_warm_up)
    return parser


def _seconds(text: str) -> float:
    """A time limit.

    Raises
    ------
    argparse.ArgumentTypeError
    """
    try:
        seconds = float(text)
    except ValueError:
        seconds = math.nan
    if not seconds >= 0:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number of seconds")
    return seconds


def _require_place_for_certificate(options: argparse.Namespace) -> None:
    require_place(options.certificate)
    require_apart(options.certificate, options.file, "the certificate would replace the model")
    if options.evidence is not None:
        require_apart(options.certificate, options.evidence, "the certificate would replace the evidence")


def _solve(options: argparse.Namespace) -> int:
    """A run if one of its settings is given, or else a proof."""
    settings = [name for name in _OF_A_RUN if name in options]
    of_proof = [name for name in ("certificate", "method") if getattr(options, name) is not None]
    if settings and of_proof:
        setting = settings[0].replace("_", "-")
        raise ValueError(f"--{setting} requests one run, and --{of_proof[0]} a proof: leave out one")
    if options.certificate is not None:
        if options.method == MPLP_CP:
            raise ValueError(f"--method {MPLP_CP} leaves no certificate: leave out --certificate, or choose another")
        _require_place_for_certificate(options)
    mrf = requested_model(options)
    with Interrupt() as interrupt:
        stop = bc.Stop(requested=lambda: interrupt.requested)
        try:
            if settings:
                result, report = _run(mrf, argparse.Namespace(**(_OF_A_RUN | vars(options))), stop)
            else:
                result, report = _prove(mrf, options, stop)
        except bc.Stopped:
            print("interrupted before the run began: there is no result", file=sys.stderr)
            return INTERRUPTED
        if options.json:
            report["labeling"] = result.labeling.tolist()
            if mrf.objective.domain == "spins":
                report["spins"] = (2 * result.labeling - 1).tolist()
        try:
            _print(report, options.json)
        finally:
            # Also if nobody reads the report.
            if options.certificate is not None and result.certificate is not None:
                result.certificate.save(options.certificate)
        if not result.feasible:
            bound = f" and costs less than {mrf.bound:.17g}" if mrf.bound < math.inf else ""
            sentence = (
                f"infeasible: no labelling satisfies the hard constraints{bound}"
                if result.optimal
                else f"infeasible or not solved: no labelling has been found that satisfies the hard constraints{bound}"
            )
            print(sentence, file=sys.stderr)
        return INTERRUPTED if interrupt.requested else 0


def _prove(mrf: bc.BinaryMRF, options: argparse.Namespace, stop: bc.Stop) -> tuple[bc.Result, dict[str, object]]:
    """A proof, followed on the terminal if there is one."""
    with following() as tell:
        result = bc.solve(
            mrf,
            time_limit=options.time_limit,
            on_progress=lambda descent: tell(_far(descent)),
            stop=stop,
            method=options.method or BOTH,
        )
    found = result.certificate
    if found is None:  # by the rival
        return result, _report(mrf, result) | {"rounds": result.sweeps}
    return result, _report(mrf, result) | {
        "negligible": found.negligible,
        "open_variables": found.open_variables,
        "rounds": [asdict(one) for one in found.rounds] if options.json else len(found.rounds),
    }


def _far(descent: Descent | bc.CyclePursuit) -> str:
    """How far a proof or the rival is."""
    lower, upper = descent.lower_bound, descent.upper_bound
    if isinstance(descent, bc.CyclePursuit):
        return f"round {descent.rounds}: {lower:.9g} to {upper:.9g}, gap {bc.relative_gap(lower, upper):.2g}"
    if lower == -math.inf:
        return "preparing"
    return (
        f"round {len(descent.rounds) + 1}: {lower:.9g} to {upper:.9g}, gap {bc.relative_gap(lower, upper):.2g}, "
        f"{descent.known.whole.reduced.n} of {descent.known.whole.model.n} variables open"
    )


def _run(mrf: bc.BinaryMRF, options: argparse.Namespace, stop: bc.Stop) -> tuple[bc.Result, dict[str, object]]:
    """A run on groups that are made for it; the line on stderr says which, and why.

    Raises
    ------
    Stopped
        If ``stop`` says so before the run began.
    """
    begin = time.perf_counter()
    limit = bc.Stop(options.time_limit)
    part = _requested_partition(mrf, options, limit, stop)
    chosen = _chosen(part, options)
    result = bc.solve(
        mrf,
        part,
        variant=options.variant,
        schedule=options.schedule,
        max_sweeps=options.max_sweeps,
        tolerance=options.tolerance,
        time_limit=limit.left,
        stop=stop,
    )
    print(
        "{strategy}, M = {max_size}, variant {variant}, schedule {schedule}: {reason}".format(**chosen),
        file=sys.stderr,
    )
    report = _report(mrf, replace(result, seconds=time.perf_counter() - begin)) | {
        "groups": len(part),
        "largest": part.largest,
        "max_size": options.max_size,
        "strategy": part.strategy,
        "variant": options.variant,
        "chosen": {key: value for key, value in chosen.items() if key != "reason"},
        "reason": chosen["reason"],
        "rows": result.rows,
    }
    return result, report


def _requested_partition(mrf: bc.BinaryMRF, options: argparse.Namespace, limit: bc.Stop, stop: bc.Stop) -> bc.Partition:
    """The requested partition; if it takes too much of the time limit, the default one, or single variables."""
    first = bc.Stop(None if options.time_limit is None else _CHOOSING * options.time_limit, stop)
    ways = ((options.strategy, first), (default_strategy(mrf), bc.Stop(limit.left, stop)), ("singletons", stop))
    for strategy, until in ways:
        try:
            with following() as tell:
                part = bc.partition(mrf, options.max_size, strategy, stop=until, on_progress=_searched(strategy, tell))
        except bc.Stopped:
            stop.check()
            continue
        if strategy == options.strategy:
            return part
        skipped = "trials" if options.strategy == AUTO else options.strategy
        return replace(part, reason=f"{strategy}: the time limit leaves no time for {skipped}")
    raise AssertionError("single variables take no time")


def _searched(strategy: str, tell: Callable[[str], None]) -> Tell:
    """Says how far a search for groups is."""
    return lambda share, bound: tell(f"groups by {strategy}: {share:.0%}{so_far(bound)}")


def _chosen(part: bc.Partition, options: argparse.Namespace) -> dict[str, object]:
    """The partition, variant and schedule used, and the reason."""
    reason = part.reason or f"{part.strategy}: as requested"
    strategy, _, why = reason.partition(": ")
    return {
        "strategy": strategy,
        "max_size": options.max_size,
        "variant": options.variant,
        "schedule": options.schedule,
        "reason": why,
    }


def _report(mrf: bc.BinaryMRF, result: bc.Result) -> dict[str, object]:
    """The part of a report that runs and proofs share."""
    return {
        "model": mrf.name,
        "variables": mrf.n,
        "status": result.status,
        "meaning": result.meaning,
        "optimal": result.optimal,
        "lower_bound": result.lower_bound,
        "rounded_bound": result.rounded_bound,
        "step": result.step,
        "upper_bound": result.upper_bound,
        "gap": result.gap,
        mrf.objective.name: mrf.objective.value(result.upper_bound),
        f"{mrf.objective.name} bound": mrf.objective.value(result.lower_bound),
        "feasible": result.feasible,
        "sweeps": result.sweeps,
        "seconds": result.seconds,
    }


def _verify(options: argparse.Namespace) -> int:
    print(verified(requested_model(options), options.proof))
    return 0


def _export(options: argparse.Namespace) -> int:
    # Figures take a second to load.
    from bender_core.visualization.on_paper import files
    from bender_core.visualization.study import pictures

    store = experiment.store_of(options)
    tasks = experiment.tasks_of(read_plan(options.plan))
    study = Study(of_plan(store.runs(), tasks), tasks)
    if not study.runs:
        print("no run of this plan is done yet; run it first", file=sys.stderr)
        return 1
    to = options.to or options.plan.with_suffix(".zip")
    write_whole(to, bundle(options.plan, study, store, files(pictures(study)), bc.__version__))
    print(f"{len(study.runs)} runs, with tables and figures: {to}")
    return 0


def _info(options: argparse.Namespace) -> int:
    mrf = requested_model(options)
    coupling = mrf.coupling()
    report = {
        "model": mrf.name,
        "description": mrf.description,
        "source": mrf.source,
        "variables": mrf.n,
        "edges": mrf.n_edges,
        "groups": len(set(mrf.groups)) if mrf.groups is not None else 0,
        "attractive_edges": int((coupling < 0).sum()),
        "repulsive_edges": int((coupling > 0).sum()),
        "hard_entries": mrf.hard_entries,
        "objective": f"{mrf.objective.sense} {mrf.objective.name} of {mrf.objective.domain}",
        "content_hash": mrf.content_hash(),
    }
    if options.labeling is not None:
        labeling = load_labeling(options.labeling, mrf)
        energy = mrf.energy(labeling)
        report |= {
            "energy": energy,
            mrf.objective.name: mrf.objective.value(energy),
            "violated_constraints": mrf.violations(labeling),
        }
    _print(report, options.json)
    return 0


def _convert(options: argparse.Namespace) -> int:
    mrf = requested_model(options)
    name = options.to_format or format_of(options.to)
    if options.drop_constant:
        bare = without_unheld_constant(mrf, name)
        if bare.constant != mrf.constant:
            print(f"left out: the constant {mrf.constant - bare.constant:.17g}")
        mrf = bare
    bc.save(mrf, options.to, name)
    form = next(form for form in FORMATS if form.name == name)
    print(f"wrote {options.to}: {form.title}, {mrf.n} variables, {mrf.n_edges} edges")
    if mrf.hard_entries and not form.forbids:
        print(f"this format cannot store hard constraints; written as penalties: {mrf.hard_entries}")
    if mrf.bound < math.inf and form.loses:
        print(f"this format cannot store the bound {mrf.bound:.17g}; labellings that cost as much are allowed")
    changed = form.rounding(mrf)
    if changed:
        print(f"numbers are rounded; no energy changes by more than {changed:.2g}")
    if form.loses:
        print(f"this format cannot store: {form.loses}")
    return 0


def _app(options: argparse.Namespace) -> int:
    if find_spec("streamlit") is None:
        raise ValueError("the app needs packages that are not installed: pip install 'bender-lab[app]'")
    # In this process, which then gets every signal.
    sys.argv = ["streamlit", "run", str(APP / "app.py"), f"--server.port={options.port}"]
    runpy.run_module("streamlit", run_name="__main__", alter_sys=True)
    return 0


def _warm_up(options: argparse.Namespace) -> int:
    begin = time.perf_counter()
    bc.warm_up()
    print(f"the solver is compiled ({time.perf_counter() - begin:.1f} s)")
    return 0


def _print(report: dict[str, object], as_json: bool) -> None:
    if as_json:
        print(json.dumps(_finite(report), allow_nan=False))
        return
    width = max(map(len, report))
    for key, value in report.items():
        if isinstance(value, dict):
            value = ", ".join(f"{name.replace('_', ' ')} {content}" for name, content in value.items())
        print(f"{key.replace('_', ' '):<{width}}  {_printable(str(value))}")


def _printable(text: str) -> str:
    """The text without control characters: a file may contain some that move the cursor or clear the screen."""
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)


def _finite(value: object) -> object:
    """The same value with None for infinities, which JSON cannot represent."""
    if isinstance(value, dict):
        return {key: _finite(content) for key, content in value.items()}
    if isinstance(value, list):
        return [_finite(content) for content in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value


if __name__ == "__main__":
    sys.exit(main())
