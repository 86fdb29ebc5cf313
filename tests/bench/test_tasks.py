"""The benchmark's tasks in numpy are the library's."""

import mercer
import numpy as np
import pytest
from alternatives.mercer_route import actor
from alternatives.playing import play
from alternatives.subjects import SUBJECTS, file_of
from alternatives.tasks import ContinuousMountainCar, MountainCar, Pendulum, decide, targets
from alternatives.teacher import Network

TASKS = [Pendulum, ContinuousMountainCar, MountainCar]


def some_actions(task, count, random):
    if task.choices:
        return random.integers(task.choices, size=count)
    return random.uniform(-1.5 * task.largest, 1.5 * task.largest, count)  # beyond the range, too


@pytest.mark.parametrize("task", TASKS)
def test_steps_are_those_of_the_library(task):
    random, count = np.random.default_rng(1), 500
    env = mercer.make(task.name, num_envs=count)
    env.reset(seed=1)
    states = random.uniform(task.low[:, None], task.high[:, None], (2, count))
    if task is ContinuousMountainCar:
        states = states.astype(np.float32).astype(float)  # as its states are
    states[0, :20], states[1, :20] = task.low[0], task.low[1]  # into the left wall
    states[0, 20:60], states[1, 20:60] = 0.44, 0.06  # and across the goal
    env.set_state(states.T.copy())
    ends = 0
    for _ in range(3):
        actions = some_actions(task, count, random)
        seen, rewards, over, _ = env.step(actions if task.choices else actions[:, None])
        states, own_rewards, own_over = task.step(states, actions)
        np.testing.assert_allclose(np.stack(task.observations(states), axis=-1), seen, rtol=0, atol=1e-9)
        np.testing.assert_allclose(own_rewards, rewards, rtol=0, atol=1e-9)
        np.testing.assert_array_equal(own_over, over)
        ends += own_over.sum()
    assert (ends > 0) == (task is not Pendulum)


@pytest.mark.parametrize("name", ["pendulum_5000", "cmc_sde_10000", "mc_dqn_120000"])
def test_whole_episodes_of_an_embedding_earn_what_the_library_says(name):
    task = SUBJECTS[name]
    if task.choices:
        made = mercer.embed_lattice(str(file_of(name)), task.name, k=60, rollouts=10, seed=2)
    else:
        made = mercer.embed_continuous(str(file_of(name)), task.name, k=4, rollouts=10, rounds=1, seed=2)
    starts = task.place(mercer.make(task.name, num_envs=20).reset(seed=9))
    told = mercer.rollout(task.name, made.policy, episodes=20, seed=9, act="mean").returns
    np.testing.assert_allclose(play(task, actor(made, task), np.array(starts)).returns, told, rtol=1e-6)


@pytest.mark.parametrize("name", ["pendulum_10000", "cmc_plain_6000", "mc_dqn_120000"])
def test_networks_act_as_the_library_plays_them(name):
    task = SUBJECTS[name]
    random = np.random.default_rng(4)
    states = random.uniform(task.low[:, None], task.high[:, None], (2, 200))
    seen = np.stack(task.observations(states), axis=-1)
    expected = mercer.load_policy(str(file_of(name)), task.name).mean_action(seen).reshape(-1)
    np.testing.assert_allclose(Network(task, file_of(name)).act(seen), expected, atol=1e-5)


def test_every_policy_has_a_file_that_passes_its_own_pairs():
    for name, task in SUBJECTS.items():
        assert Network(task, file_of(name)).bytes > 10000
    with pytest.raises(FileNotFoundError, match="nobody"):
        file_of("nobody")


def test_a_network_that_does_not_act_as_its_pairs_say_is_refused(tmp_path):
    file = file_of("cmc_sde_10000")
    (tmp_path / file.name).write_bytes(file.read_bytes())
    with np.load(file.with_name("cmc_sde_10000.npz")) as known:
        pairs = {key: known[key] for key in ("obs", "action", "action_scale")}
    np.savez(tmp_path / "cmc_sde_10000.npz", **{**pairs, "action": pairs["action"] + 0.01})
    with pytest.raises(ValueError, match="does not act"):
        Network(ContinuousMountainCar, tmp_path / file.name)
    np.savez(tmp_path / "cmc_sde_10000.npz", **{**pairs, "action_scale": 2 * pairs["action_scale"]})
    with pytest.raises(ValueError, match="another range"):
        Network(ContinuousMountainCar, tmp_path / file.name)


def test_what_is_asked_of_a_regression_decides_for_the_same_action():
    random = np.random.default_rng(2)
    for task in TASKS:
        actions = some_actions(task, 50, random)
        if task.choices is None:
            actions = np.clip(actions, -task.largest, task.largest)
        np.testing.assert_allclose(decide(task, targets(task, actions)), actions)
        np.testing.assert_allclose(decide(task, targets(task, actions).T, axis=0), actions)


def test_episodes_that_are_over_earn_no_more():
    full = np.array([[-0.5, 0.4499], [0.0, 0.06]])  # the second is at the goal after one step
    act = lambda seen: np.full(len(seen), 0.5)  # noqa: E731
    played = play(ContinuousMountainCar, act, full, keep=True)
    returns = played.returns
    assert returns[1] == pytest.approx(100 - 0.1 * 0.25)
    assert returns[0] == pytest.approx(-0.1 * 0.25 * 999)  # too weak a push: to the end in the valley
    assert len(played.met) == 999 + 1 and list(played.steps) == [999, 1] and list(played.failed) == [True, False]
