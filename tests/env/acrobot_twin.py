"""Episodes of Acrobot-v1 in numpy, written as tests/data/golden/env/env_acrobot_*.json.

    /usr/bin/python3 tests/env/acrobot_twin.py

The equations of motion of Sutton and Barto's book, M(q) q'' + c(q, q') + g(q) = (0, torque), with the mass matrix solved by
numpy, where the library eliminates by hand.
"""

import json
import pathlib

import numpy as np

MASS = LENGTH = INERTIA = 1.0
CENTRE = 0.5
GRAVITY = 9.8
DT = 0.2
LIMIT = 500


def derivative(state, torque):
    t1, t2, w1, w2 = state
    coupling = MASS * LENGTH * CENTRE
    own = MASS * CENTRE**2 + INERTIA
    cross = own + coupling * np.cos(t2)
    matrix = np.array([[MASS * CENTRE**2 + INERTIA + MASS * LENGTH**2 + own + 2 * coupling * np.cos(t2), cross], [cross, own]])
    turning = coupling * np.sin(t2) * np.array([-w2 * w2 - 2 * w1 * w2, w1 * w1])
    lower = MASS * CENTRE * GRAVITY * np.sin(t1 + t2)
    weight = np.array([(MASS * CENTRE + MASS * LENGTH) * GRAVITY * np.sin(t1) + lower, lower])
    return np.concatenate([[w1, w2], np.linalg.solve(matrix, np.array([0, torque]) - turning - weight)])


def step(state, action):
    torque = action - 1.0
    k1 = derivative(state, torque)
    k2 = derivative(state + DT / 2 * k1, torque)
    k3 = derivative(state + DT / 2 * k2, torque)
    k4 = derivative(state + DT * k3, torque)
    after = state + DT / 6 * (k1 + 2 * k2 + 2 * k3 + k4)
    for d in (0, 1):
        while after[d] > np.pi:
            after[d] -= 2 * np.pi
        while after[d] < -np.pi:
            after[d] += 2 * np.pi
    after[2] = np.clip(after[2], -4 * np.pi, 4 * np.pi)
    after[3] = np.clip(after[3], -9 * np.pi, 9 * np.pi)
    return after


def observed(state):
    return [np.cos(state[0]), np.sin(state[0]), np.cos(state[1]), np.sin(state[1]), state[2], state[3]]


def play(description, start, choose, steps):
    state = np.array(start, dtype=float)
    episode = {"env": "Acrobot-v1", "desc": description, "versions": {"numpy": np.__version__}, "initial_state": list(state)}
    actions, rewards, states, obs = [], [], [state.tolist()], [observed(state)]
    terminated = None
    while terminated is None and len(actions) < steps:
        action = int(choose(state))
        state = step(state, action)
        if -np.cos(state[0]) - np.cos(state[0] + state[1]) > 1:
            terminated = len(actions)
        actions.append(action)
        rewards.append(-1.0 if terminated is None else 0.0)
        states.append(state.tolist())
        obs.append([float(x) for x in observed(state)])
    cut = None if terminated is not None else len(actions) - 1
    return episode | {"n_steps": len(actions), "actions": actions, "rewards": rewards, "states": states, "obs": obs,
                      "terminated_at": terminated, "truncated_at": cut}


def main():
    random = np.random.default_rng(0)
    small = random.uniform(-0.1, 0.1, 4)

    def pump(state):
        return 2 if state[3] > 0 else 0

    def anything(_):
        return random.integers(0, 3)

    episodes = [
        play("released near the bottom, no torque", small, lambda _: 1, 120),
        play("random torques", small, anything, 120),
        play("torque along the speed of the lower link: reaches the goal", small, pump, LIMIT),
        play("turns over at full speed, random torques", [3.0, -3.0, 4 * np.pi, -9 * np.pi], anything, 60),
        play("the lower link spins", [0.1, 0.5, 0, 9 * np.pi], lambda _: 2, 60),
    ]
    folder = pathlib.Path(__file__).parent.parent / "data" / "golden" / "env"
    for number, episode in enumerate(episodes):
        (folder / f"env_acrobot_{number}.json").write_text(json.dumps(episode) + "\n")
        print(number, episode["desc"], episode["n_steps"], episode["terminated_at"])


if __name__ == "__main__":
    main()
