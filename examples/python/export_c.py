"""An actor as C99 without a heap or a library: fits six terms to it and writes controller.h, controller.c and a main.c
that tests them. Run it from the root of the repository: export_c.py [ACTOR [FOLDER]]."""

import sys

import mercer

actor = sys.argv[1] if len(sys.argv) > 1 else "tests/data/policies/pendulum_5000_actor.onnx"
folder = sys.argv[2] if len(sys.argv) > 2 else "firmware"

embedding = mercer.embed_continuous(actor, "pendulum", k=6, rollouts=50, episodes=100, seed=1)
made = embedding.export_c(folder, math="none")
print(f"{made['files'][1]}: {made['flash_bytes']} bytes of constants, {made['operations']} operations an action")
