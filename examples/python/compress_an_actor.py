"""From a network to a few bytes with a promise: what an engineer does with a trained actor.

Run it with the folder that pictures and files go to: compress_an_actor.py OUT [ACTOR.onnx]
"""

import pathlib
import sys

import mercer

out = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else ".")
here = pathlib.Path(__file__).resolve().parents[2]
actor = sys.argv[2] if len(sys.argv) > 2 else here / "tests/data/policies/pendulum_5000_actor.onnx"

# 1. The teacher: a SAC actor of 67,330 weights, and what it earns.
teacher = mercer.load_policy(actor, "pendulum")
print("teacher:", mercer.evaluate("pendulum", teacher, episodes=200, act="mean")["return"]["mean"])

# 2. The smallest embedding that loses at most 5%, with 95% confidence. More episodes promise more: the defaults are
#    4,000 to select and 100,000 to certify, and take a quarter of a minute.
embedding = mercer.compress(
    teacher, "pendulum", max_loss=0.05, bases=["chebyshev"], route="continuous", most_terms=4, generations=12,
    candidate_episodes=64, select_episodes=300, certify_episodes=3000, seed=1,
)
print(embedding, *embedding.formulas, sep="\n  ")
print(embedding.certificate)

# 3. It acts as an agent of Stable-Baselines3 does.
action, _ = embedding.predict([1.0, 0.0, 0.5])
print("action upright, moving:", action)

# 4. The file, and what was tried on the way there.
embedding.save(out / "pendulum.mercer")
embedding.plot().figure.savefig(out / "front.png")
mercer.plots.polar(embedding).figure.savefig(out / "policy.png")
