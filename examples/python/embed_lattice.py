"""The published route: the table of an actor on a lattice of states and actions, in 300 coefficients of a cosine basis.
Run it from the root of the repository: embed_lattice.py [ACTOR [OUT.mercer]]."""

import sys

import mercer

actor = sys.argv[1] if len(sys.argv) > 1 else "tests/data/policies/pendulum_5000_actor.onnx"
out = sys.argv[2] if len(sys.argv) > 2 else "lattice.mercer"

# 100 episodes show which cells are visited, 200 others measure the result.
embedding = mercer.embed_lattice(actor, "pendulum", basis="dct", k=300, rollouts=100, episodes=200, seed=1)
embedding.save(out)

facts, returns = embedding.facts, embedding.facts["returns"]
print(f"{out}: {facts['visited_cells']} visited cells in {embedding.k} coefficients, {embedding.payload_bytes} bytes")
print(f"mean return {returns['embedding']['mean']:.2f}, of the teacher {returns['teacher']['mean']:.2f}")
