"""Ask toulbar2 for the optimum of a model, which is read as JSON; a script that needs nothing else of this package."""

import json
import sys

import pytoulbar2


def main() -> None:
    """Read the model, build it for toulbar2, and let that print what it finds."""
    print("ready", flush=True)
    model = json.load(sys.stdin)
    network = pytoulbar2.CFN(resolution=model["places"], verbose=0)
    for i, costs in enumerate(model["unary"]):
        network.AddVariable(f"x{i}", range(2))
        network.AddFunction([i], costs)
    for ends, costs in zip(model["edges"], model["pairwise"], strict=True):
        network.AddFunction(ends, costs)
    print("built", flush=True)
    network.Solve(showSolutions=1)


if __name__ == "__main__":
    main()
