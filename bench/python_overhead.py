"""What the adapter for Gymnasium's interface costs over a bare loop, in time for a step.

    PYTHONPATH=build/release/python python3 bench/python_overhead.py

Both play the same episodes of a pendulum in pure numpy, in turn; the least CPU time of each counts. The rollout also
keeps every step, which the bare loop does not. The last rows ask the library's own policies for one action at a time.
"""

import pathlib
import sys
import time

import numpy as np

ROOT = pathlib.Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "tests/python"))

import mercer  # noqa: E402
from gym_pendulum import Pendulum  # noqa: E402

EPISODES, REPETITIONS = 20, 9


def bare(env, policy):
    total = 0.0
    for e in range(EPISODES):
        obs, _ = env.reset(seed=e)
        over = False
        while not over:
            obs, reward, terminated, truncated, _ = env.step(policy(obs))
            total += reward
            over = terminated or truncated
    return total


def swing(obs):
    return np.clip(-2 * obs[1:2] - 0.5 * obs[2:3], -2, 2)


def main():
    env = Pendulum()
    teacher = mercer.load_policy(ROOT / "tests/data/policies/pendulum_5000_actor.onnx", "pendulum")
    small = mercer.embed_continuous(teacher, "pendulum", k=6, rollouts=20, rounds=1)
    ways = {
        "bare loop, a function": lambda: bare(env, swing),
        "mercer.rollout, a function": lambda: mercer.rollout(env, swing, EPISODES).returns.sum(),
        "mercer.rollout, returns only": lambda: mercer.rollout(env, swing, EPISODES, keep_steps=False).returns.sum(),
        "bare loop, embedding.predict": lambda: bare(env, lambda obs: small.predict(obs)[0]),
        "mercer.rollout, embedding": lambda: mercer.rollout(env, small, EPISODES, act="mean").returns.sum(),
        "mercer.rollout, a network": lambda: mercer.rollout(env, teacher, EPISODES, act="mean").returns.sum(),
    }
    least = dict.fromkeys(ways, np.inf)
    for _ in range(REPETITIONS):
        for name, play in ways.items():
            begin = time.process_time()
            play()
            least[name] = min(least[name], (time.process_time() - begin) / (EPISODES * 200))
    base = least["bare loop, a function"]
    for name, seconds in least.items():
        print(f"{name:44} {1e6 * seconds:7.2f} us a step, {100 * (seconds / base - 1):+6.1f}% over the bare loop")


if __name__ == "__main__":
    main()
