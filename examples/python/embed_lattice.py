"""The published route: the table of an actor on a lattice of states and actions, in 300 coefficients of a cosine basis.
Run it from the root of the repository: embed_lattice.py [ACTOR [OUT.mercer]]."""

import sys

import mercer

actor = sys.argv[1] if len(sys.argv) > 1 else "tests/data/policies/pendulum_5000_actor.onnx"
out = sys.argv[2] if len(sys.argv) > 2 else "lattice.mercer"

embedding = mercer.embed_lattice(actor, "pendulum", basis="dct", k=300, rollouts=100, seed=1)
embedding.save(out)

cells = len(embedding.facts["table"])
print(f"{out}: {cells} visited cells in {embedding.k} coefficients, {embedding.payload_bytes} bytes")
played = mercer.evaluate("pendulum", embedding, against=actor, episodes=200, seed=2)
print(f"mean return {played['return']['mean']:.2f}, of the teacher {played['against']['return']['mean']:.2f}")
