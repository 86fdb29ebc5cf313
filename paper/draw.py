#!/usr/bin/python3
"""Draws what `mercer reproduce` wrote: ID/figure.svg, .pdf and .png for every item in a folder of results.

usage: paper/draw.py [RESULTS [ID ...]]
"""

import json
import pathlib
import sys

import draw_measures as measures
import draw_policies as policies
import draw_returns as returns
from drawing import plt

DRAW = {"turntable": policies.turntable, "bandit": policies.bandit, "mountain-car": returns.mountain_car,
        "pendulum-gaussian": returns.pendulum, "pendulum-boltzmann": returns.pendulum,
        "return-spread": returns.return_spread, "pruned": measures.pruned, "stationary": measures.stationary,
        "discretisation": returns.discretisation, "chain": measures.chain, "binning": policies.binning,
        "polar": policies.polar, "complexity": measures.complexity, "additions": returns.additions,
        "rates": measures.rates, "real-size": measures.real_size, "kernels": measures.kernels, "printed": policies.printed, "mixtures": measures.mixtures,
        "variance": measures.variance}


def main():
    results = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else "results")
    index = results / "index.json"
    if not index.exists():
        sys.exit(f"draw.py: no {index}; run 'mercer reproduce --out {results}' first")
    wanted = sys.argv[2:]
    for item in json.loads(index.read_text()):
        if wanted and item["id"] not in wanted:
            continue
        folder = results / item["id"]
        figure = DRAW[item["id"]](folder)
        for ending, made in (("svg", {"Date": None}), ("pdf", {"CreationDate": None}), ("png", None)):
            figure.savefig(folder / f"figure.{ending}", metadata=made)
        plt.close(figure)
        print(folder / "figure.svg")


if __name__ == "__main__":
    main()
