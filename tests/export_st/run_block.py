#!/usr/bin/env python3
"""Runs an exported block: run_block.py FILE.st < observations, one state in each line.

The first line that comes out is 1 or 0: whether the self-test passed. Then there is a line for each state: OK and the actions.
"""

import sys

import st


def main():
    with open(sys.argv[1], encoding="utf-8") as file:
        machine = st.Instance(st.load(file.read()))
    names = [name for name in machine.block.variables if name.startswith("OBS_")]
    print(int(machine.call(SELFTEST=True)["OK"]))
    for line in sys.stdin:
        outputs = machine.call(SELFTEST=False, **dict(zip(names, map(float, line.split()), strict=True)))
        print(int(outputs["OK"]), *(f"{float(value):.9g}" for name, value in outputs.items() if name.startswith("ACT_")))


if __name__ == "__main__":
    main()
