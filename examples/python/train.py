"""Trains a small SAC actor for the pendulum in two or three seconds: train.py [FOLDER]. Started again, it continues in
the same folder. The snapshot is a policy that all other examples take."""

import sys

import mercer

folder = sys.argv[1] if len(sys.argv) > 1 else "pendulum_run"
run = mercer.train("pendulum", folder, steps=4000, hidden=[64, 64], batch_size=128, seed=1)

snapshot = run["snapshots"][-1]
print(f"{snapshot['file']}: mean return {snapshot['return']['mean']:.2f} after {run['steps']} steps")
