"""Episodes with what each comes to, in tasks as they are and perturbed, against plain loops over scalars."""

import math

import numpy as np
import pytest
from alternatives.perturb import GRID, Perturbation, box
from alternatives.playing import play
from alternatives.tasks import ContinuousMountainCar, MountainCar, Pendulum

TASKS = [Pendulum, ContinuousMountainCar, MountainCar]


def rule(task):
    """Moves a lot, sometimes beyond the range of actions, and reaches the goal from some starts only."""

    def act(seen):
        first, last = seen[:, 0], seen[:, -1]
        if task.choices:
            return np.where(last >= -0.001, 2, np.where(first > -0.45, 1, 0))
        way = -1 if task is Pendulum else 1  # brakes the rod, pushes the car on
        return way * 1.3 * task.largest * np.tanh(40 * last / task.seen_high[-1] + 3 * first)

    return act


def scalar_step(task, state, action, m=1.0, force=None):
    x, v = state
    if task is Pendulum:
        u = min(max(action, -2.0), 2.0)
        wrapped = (x + math.pi) % (2 * math.pi) - math.pi
        reward = -(wrapped**2 + 0.1 * v**2 + 0.001 * u**2)
        v = min(max(v + 0.05 * (3 * 10 / (2 * 1) * math.sin(x) + 3 / (m * 1**2) * u), -8.0), 8.0)
        return (x + 0.05 * v, v), reward, False
    push = force * ((action - 1) if task.choices else min(max(action, -1.0), 1.0))
    v = min(max(v + push - 0.0025 * math.cos(3 * x), -0.07), 0.07)
    x = min(max(x + v, -1.2), 0.6)
    v = 0.0 if x <= -1.2 and v < 0 else v
    over = x >= (0.5 if task.choices else 0.45) and v >= 0
    reward = -1.0 if task.choices else 100.0 * over - 0.1 * action**2
    return ((x, v) if task.choices else (float(np.float32(x)), float(np.float32(v)))), reward, over


def scalar_episode(task, act, start, noise_of=None, delay=0, **physics):
    """Return, roughness and failure by the definitions; `noise_of(t)` is added to the observation of step t."""
    state, total, decided, over = tuple(start), 0.0, [], False
    for t in range(task.horizon):
        seen = np.array([float(one) for one in task.observations(np.array(state))])
        if noise_of:
            seen = np.minimum(np.maximum(seen + noise_of(t), task.seen_low), task.seen_high)
        decided.append(act(seen[None])[0])
        played = decided[t - delay] if t >= delay else (0.0 if task.choices is None else 1)
        state, reward, over = scalar_step(task, state, played, **physics)
        total += reward
        if over:
            break
    moves = 0.0
    for before, after in zip(decided, decided[1:]):
        if task.choices:
            moves += before != after
        else:
            low, high = -task.largest, task.largest
            moves += abs(min(max(after, low), high) - min(max(before, low), high)) / (high - low)
    return total, moves / (len(decided) - 1) if len(decided) > 1 else 0.0, not over


def physics_of(task, factor=1.0):
    return {"m": factor} if task is Pendulum else {"force": factor * (0.001 if task.choices else 0.0015)}


@pytest.mark.parametrize("task", TASKS)
@pytest.mark.parametrize("factor, delay", [(1.0, 0), (0.8, 0), (1.2, 0), (1.0, 1), (0.8, 3)])
def test_outcomes_are_those_of_a_plain_loop(task, factor, delay):
    starts = task.starts(12, np.random.default_rng(3))
    played = Perturbation(factor=factor, delay=delay).play(task, rule(task), starts, None)
    for episode in range(12):
        total, roughness, failed = scalar_episode(task, rule(task), starts[:, episode], delay=delay, **physics_of(task, factor))
        assert played.returns[episode] == pytest.approx(total, rel=1e-9)
        assert played.roughness[episode] == pytest.approx(roughness, rel=1e-9)
        assert played.failed is None if task is Pendulum else played.failed[episode] == failed
    assert played.roughness.max() > 0.01


@pytest.mark.parametrize("task", TASKS)
def test_noisy_observations_stay_in_their_range(task):
    """One episode, so that the scalar loop can draw the same numbers."""
    start = task.starts(1, np.random.default_rng(5))
    played = Perturbation(noise=0.3).play(task, rule(task), start, np.random.default_rng(6))
    random, scale = np.random.default_rng(6), 0.3 * (task.seen_high - task.seen_low) / 2
    drawn = lambda t: scale * random.standard_normal(len(scale))  # noqa: E731
    total, roughness, _ = scalar_episode(task, rule(task), start[:, 0], drawn, **physics_of(task))
    assert played.returns[0] == pytest.approx(total, rel=1e-9) and played.roughness[0] == pytest.approx(roughness, rel=1e-9)
    met = play(task, rule(task), task.starts(50, random), keep=True, noise=0.3, random=random).met
    assert (met >= task.seen_low).all() and (met <= task.seen_high).all() and (met == task.seen_high).any()


def test_noise_has_the_standard_deviation_that_is_asked_for():
    random = np.random.default_rng(1)
    still = np.repeat([[-0.5], [0.0]], 20000, axis=1)  # at rest in the valley, in the middle of the speeds
    shown = []
    play(MountainCar, lambda seen: shown.append(seen) or np.ones(len(seen), int), still, noise=0.02, random=random)
    assert shown[0][:, 1].std() == pytest.approx(0.02 * 0.07, rel=0.03)
    assert shown[0][:, 0].std() == pytest.approx(0.02 * 0.9, rel=0.03)


def test_a_single_step_is_not_rough():
    over_at_once = np.array([[0.4499], [0.06]])
    played = play(ContinuousMountainCar, lambda seen: np.ones(len(seen)), over_at_once)
    assert played.steps[0] == 1 and played.roughness[0] == 0 and played.failures == 0


def test_a_torque_that_flips_at_every_step_is_as_rough_as_can_be():
    sign = [1.0]

    def act(seen):
        sign[0] = -sign[0]
        return np.full(len(seen), 2 * sign[0])

    played = play(Pendulum, act, Pendulum.starts(3, np.random.default_rng(2)))
    np.testing.assert_allclose(played.roughness, 1.0)


def test_settings_are_spelled_as_the_program_reads_them():
    assert [one.spec(Pendulum) for one in GRID] == ["pendulum", "pendulum:m=0.8", "pendulum:m=1.2", "pendulum:noise=0.02",
                                                    "pendulum:noise=0.05", "pendulum:delay=1"]
    assert GRID[1].spec(ContinuousMountainCar) == "continuous-mountain-car:force=0.0012"
    assert Perturbation(1.2, 0.05, 1).spec(MountainCar) == "mountain-car:force=0.0012,noise=0.05,delay=1"
    assert box(ContinuousMountainCar) == "force=0.0012..0.0018; noise=0..0.05; delay=0..1"
    assert Perturbation(0.8).task(Pendulum).m == 0.8 and Pendulum.m == 1.0
