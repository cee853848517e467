"""The command line: ``python -m bender_core solve|certify|verify|info|convert|experiment|warm-up``.

Exit 0 on success, 2 with one line for bad input, 130 after Ctrl-C. Output: docs/formats.md §6.
"""

from __future__ import annotations

import argparse
import json
import math
import sys
import time
from dataclasses import asdict, replace
from pathlib import Path

import bender_core as bc
from bender_core.checking.command import verified
from bender_core.experiments import PlanError
from bender_core.experiments import command as experiment
from bender_core.io import FORMATS, format_of, load_labeling, without_unheld_constant
from bender_core.proofs.certifying import Descent
from bender_core.stopping import INTERRUPTED, Interrupt
from bender_core.strategies import AUTO, STRATEGIES, default_strategy
from bender_core.variants import SCHEDULES

_READABLE = tuple(form.name for form in FORMATS)
_WRITABLE = tuple(form.name for form in FORMATS if form.write is not None)
# The fraction of the time limit that `auto` may take; without an answer by then the model's default strategy is used.
_CHOOSING = 0.25


def main(arguments: list[str] | None = None) -> int:
    """Run one command; returns the exit code."""
    options = _parser().parse_args(arguments)
    try:
        command: int = options.command(options)
    except (bc.FormatError, bc.ModelError, bc.PartitionError, bc.TooLargeError, PlanError, ValueError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    except OSError as error:
        where = "the output" if error.filename is None else error.filename
        print(f"error: {where}: {error.strerror}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print("interrupted", file=sys.stderr)
        return INTERRUPTED
    return command


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m bender_core", description="MAP inference with Benders rows.")
    commands = parser.add_subparsers(required=True, metavar="COMMAND")

    solve = commands.add_parser("solve", help="bound and decode a model")
    _model_arguments(solve)
    solve.add_argument(
        "--max-size", type=int, default=8, metavar="M", help="largest number of variables in a group (default 8)"
    )
    solve.add_argument(
        "--strategy",
        choices=list(STRATEGIES),
        default="auto",
        help="how to group the variables (default auto)",
    )
    solve.add_argument(
        "--variant", type=int, choices=list(bc.VARIANTS), default=9, help="the paper's number (default 9)"
    )
    solve.add_argument("--schedule", choices=list(SCHEDULES), default="srmp", help="order and shares (default srmp)")
    solve.add_argument("--max-sweeps", type=int, metavar="N", help="default 400; with a time limit, no limit")
    solve.add_argument("--tolerance", type=float, default=1e-9, help="relative to the bound (default 1e-9)")
    solve.add_argument(
        "--time-limit",
        type=_seconds,
        metavar="SECONDS",
        help="a run that stalls is followed by others until then",
    )
    solve.add_argument("--json", action="store_true", help="print one JSON object")
    solve.set_defaults(command=_solve)

    certify = commands.add_parser("certify", help="prove that a labelling is optimal, as far as possible")
    _model_arguments(certify)
    certify.add_argument(
        "--max-size", type=int, default=16, metavar="M", help="largest number of variables in a group (default 16)"
    )
    certify.add_argument("--seed", type=int, default=0, help="of the cuts that depend on one (default 0)")
    certify.add_argument("--time-limit", type=_seconds, metavar="SECONDS")
    certify.add_argument("--certificate", type=Path, metavar="FILE", help="save the proof, for verify")
    certify.add_argument("--json", action="store_true", help="print one JSON object")
    certify.set_defaults(command=_certify)

    verify = commands.add_parser("verify", help="check a proof without the solver")
    _model_arguments(verify)
    verify.add_argument("proof", type=Path, help="saved by --certificate")
    verify.set_defaults(command=_verify)

    info = commands.add_parser("info", help="describe a model")
    _model_arguments(info)
    info.add_argument("--labeling", type=Path, metavar="FILE", help="also print the energy of a labelling")
    info.add_argument("--json", action="store_true", help="print one JSON object")
    info.set_defaults(command=_info)

    convert = commands.add_parser("convert", help="write a model in another format")
    _model_arguments(convert)
    convert.add_argument("to", type=Path, help="its ending gives the format")
    convert.add_argument("--to-format", metavar="NAME", help=f"{', '.join(_WRITABLE)}; by default from the ending")
    convert.add_argument(
        "--drop-constant", action="store_true", help="leave out a constant that the format cannot represent"
    )
    convert.set_defaults(command=_convert)

    experiments = commands.add_parser("experiment", help="many runs: plan, carry out, report")
    experiment.add_arguments(experiments)

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


def _model_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("file", type=Path)
    parser.add_argument("--format", metavar="NAME", help=f"{', '.join(_READABLE)}; by default from the content")
    parser.add_argument("--evidence", type=Path, metavar="FILE", help="UAI evidence: values of observed variables")


def _load(options: argparse.Namespace) -> bc.BinaryMRF:
    mrf = bc.load(options.file, format=options.format, evidence=options.evidence)
    if mrf.readings:
        taken, *others = (next(form for form in FORMATS if form.name == name) for name in mrf.readings)
        ways = ", ".join(f"to read it as {form.title} say --format {form.name}" for form in others)
        print(f"{options.file}: read as {taken.title}; {ways}", file=sys.stderr)
    return mrf


def _solve(options: argparse.Namespace) -> int:
    mrf = _load(options)
    begin = time.perf_counter()
    with Interrupt() as interrupt:
        limit = bc.Stop(options.time_limit)
        stop = bc.Stop(wanted=lambda: interrupt.wanted)
        try:
            part = _cut(mrf, options, limit, stop)
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
        except bc.Stopped:
            print("interrupted before the run began: there is no result", file=sys.stderr)
            return INTERRUPTED
        print(
            "{strategy}, M = {max_size}, variant {variant}, schedule {schedule}: {reason}".format(**chosen),
            file=sys.stderr,
        )
        report = _report(mrf, part, chosen, replace(result, seconds=time.perf_counter() - begin))
        if options.json:
            report |= {"tried": [asdict(run) for run in result.tried], "labeling": result.labeling.tolist()}
            if mrf.objective.domain == "spins":
                report["spins"] = (2 * result.labeling - 1).tolist()
        _print(report, options.json)
        if not result.feasible:
            print("infeasible or not solved: the best labelling found violates a hard constraint", file=sys.stderr)
        return INTERRUPTED if interrupt.wanted else 0


def _cut(mrf: bc.BinaryMRF, options: argparse.Namespace, limit: bc.Stop, stop: bc.Stop) -> bc.Partition:
    """The requested partition; if it takes too much of the time limit, the default one, or single variables."""
    first = bc.Stop(None if options.time_limit is None else _CHOOSING * options.time_limit, stop)
    ways = ((options.strategy, first), (default_strategy(mrf), bc.Stop(limit.left, stop)), ("singletons", stop))
    for strategy, until in ways:
        try:
            part = bc.partition(mrf, options.max_size, strategy, stop=until)
        except bc.Stopped:
            stop.check()
            continue
        if strategy == options.strategy:
            return part
        asked = "trials" if options.strategy == AUTO else options.strategy
        return replace(part, reason=f"{strategy}: the time limit leaves no time for {asked}")
    raise AssertionError("single variables take no time")


def _chosen(part: bc.Partition, options: argparse.Namespace) -> dict[str, object]:
    """The partition, variant and schedule used, and the reason."""
    reason = part.reason or f"{part.strategy}: as requested"
    strategy, _, why = reason.partition(": ")
    return {
        "strategy": strategy,
        "max_size": part.max_size,
        "variant": options.variant,
        "schedule": options.schedule,
        "reason": why,
    }


def _report(mrf: bc.BinaryMRF, part: bc.Partition, chosen: dict[str, object], result: bc.Result) -> dict[str, object]:
    return {
        "model": mrf.name,
        "variables": mrf.n,
        "groups": len(part),
        "max_size": part.max_size,
        "strategy": part.strategy,
        "variant": chosen["variant"],
        "chosen": {key: value for key, value in chosen.items() if key != "reason"},
        "reason": chosen["reason"],
        "status": result.status,
        "meaning": result.meaning,
        "lower_bound": result.lower_bound,
        "rounded_bound": result.rounded_bound,
        "step": result.step,
        "upper_bound": result.upper_bound,
        "gap": result.gap,
        mrf.objective.name: mrf.objective.value(result.upper_bound),
        f"{mrf.objective.name} bound": mrf.objective.value(result.lower_bound),
        "feasible": result.feasible,
        "sweeps": result.sweeps,
        "rows": result.rows,
        "seconds": result.seconds,
    }


def _certify(options: argparse.Namespace) -> int:
    mrf = _load(options)
    with Interrupt() as interrupt:
        found = bc.certify(
            mrf,
            options.max_size,
            options.time_limit,
            on_progress=_tell if sys.stderr.isatty() else None,
            seed=options.seed,
            stop=bc.Stop(wanted=lambda: interrupt.wanted),
        )
        if sys.stderr.isatty():
            print(file=sys.stderr)
        report: dict[str, object] = {
            "model": mrf.name,
            "variables": mrf.n,
            "status": found.status,
            "optimal": found.optimal,
            "lower_bound": found.lower_bound,
            "upper_bound": found.upper_bound,
            "gap": bc.relative_gap(found.lower_bound, found.upper_bound),
            mrf.objective.name: mrf.objective.value(found.upper_bound),
            f"{mrf.objective.name} bound": mrf.objective.value(found.lower_bound),
            "feasible": found.feasible,
            "negligible": found.negligible,
            "open_variables": found.open_variables,
            "rounds": [asdict(one) for one in found.rounds] if options.json else len(found.rounds),
            "seconds": found.seconds,
        }
        if options.json:
            report["labeling"] = found.labeling.tolist()
            if mrf.objective.domain == "spins":
                report["spins"] = (2 * found.labeling - 1).tolist()
        _print(report, options.json)
        if options.certificate is not None:
            found.save(options.certificate)
        if not found.feasible:
            said = "infeasible: no labelling fulfils" if found.optimal else "the best labelling found violates"
            print(f"{said} the hard constraints", file=sys.stderr)
        return INTERRUPTED if interrupt.wanted else 0


def _tell(descent: Descent) -> None:
    """How far a proof is, on one line of the terminal."""
    left, n = descent.whole.reduced.n, descent.whole.model.n
    bounds = f"{descent.lower_bound:.9g} to {descent.upper_bound:.9g}"
    said = f"round {len(descent.rounds) + 1}: {bounds}, {left} of {n} variables open"
    print(f"\r{said:<78}", end="", file=sys.stderr, flush=True)


def _verify(options: argparse.Namespace) -> int:
    print(verified(_load(options), options.proof))
    return 0


def _info(options: argparse.Namespace) -> int:
    mrf = _load(options)
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
    mrf = _load(options)
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
    if form.loses:
        print(f"this format cannot store: {form.loses}")
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
