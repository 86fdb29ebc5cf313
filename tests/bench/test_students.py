"""What could stand in for a network: how large each is, and that it does what it says."""

import numpy as np
import pytest
from alternatives.bumps import Bumps
from alternatives.imitate import imitate
from alternatives.playing import play
from alternatives.small_network import SmallNetwork
from alternatives.subjects import file_of
from alternatives.table import Table
from alternatives.tasks import ContinuousMountainCar, MountainCar, Pendulum
from alternatives.teacher import Network, rounded
from alternatives.tree import Tree


class Rule:
    """A teacher that pushes the way the car goes."""

    def __init__(self, task):
        self.task = task

    def act(self, observations):
        if self.task.choices:
            return np.where(observations[:, 1] < 0, 0, 2)
        return np.where(observations[:, 1] < 0, -0.8, 0.8)


def fitted(student, task=Pendulum, count=400):
    random = np.random.default_rng(3)
    states = random.uniform(task.low[:, None], task.high[:, None], (2, count))
    seen = np.stack(task.observations(states), axis=-1)
    actions = Rule(task).act(seen) if task.choices else np.tanh(seen[:, 1]) * task.largest
    student.fit(task, seen, actions, random)
    return student, seen, actions


def test_bytes():
    assert Network(Pendulum, file_of("pendulum_5000")).bytes == 4 * (3 * 256 + 256 + 256 * 256 + 256 + 256 + 1)
    assert Network(Pendulum, file_of("pendulum_5000"), 8).bytes == 3 * 256 + 256 * 256 + 256 + 4 * (256 + 256 + 1 + 3)
    assert Network(Pendulum, file_of("pendulum_5000"), 6).bytes == 66560 * 6 // 8 + 4 * (256 + 256 + 1 + 3)
    assert fitted(SmallNetwork(4, steps=3))[0].bytes == 4 * (12 + 4 + 16 + 4 + 4 + 1 + 6)
    assert fitted(SmallNetwork(4, steps=3), MountainCar)[0].bytes == 4 * (8 + 4 + 16 + 4 + 12 + 3 + 4)
    assert fitted(Bumps(8))[0].bytes == 4 * (8 * 3 + 9 + 6 + 1)
    tree = fitted(Tree(8))[0]
    assert tree.tree.get_n_leaves() == 8 and tree.bytes == 7 * 7 + 8 * 2
    assert Table(ContinuousMountainCar, Rule(ContinuousMountainCar), 9).bytes == 81
    assert Table(MountainCar, Rule(MountainCar), 9).bytes == 21  # two bits a choice


@pytest.mark.parametrize("make", [lambda: SmallNetwork(8), lambda: Bumps(64), lambda: Tree(64)])
@pytest.mark.parametrize("task", [Pendulum, MountainCar])
def test_imitators_learn(make, task):
    student, seen, actions = fitted(make(), task, 2000)
    acted = student.act(seen)
    if task.choices:
        assert (acted == actions).mean() > 0.95 and set(acted) <= {0, 1, 2}
    else:
        assert np.sqrt(np.mean((acted - actions) ** 2)) < 0.2 and np.abs(acted).max() <= task.largest


def test_slopes_of_the_small_network_are_those_of_its_error():
    student, seen, actions = fitted(SmallNetwork(3, steps=5))
    inputs, wanted = (seen - student.middle) / student.spread, actions[:, None] / 2
    error = lambda: np.mean((student.layers(inputs)[3] - wanted) ** 2)  # noqa: E731
    for weight, slope in zip(student.weights, student.slopes(inputs, wanted)):
        spot = (0,) * weight.ndim
        kept = weight[spot]
        weight[spot] = kept + 1e-5
        above = error()
        weight[spot] = kept - 1e-5
        assert slope[spot] == pytest.approx((above - error()) / 2e-5, abs=1e-7)
        weight[spot] = kept


def test_rounding_of_the_network():
    weights = np.random.default_rng(5).normal(size=(30, 20))
    for bits in (8, 6, 4):
        most = 2 ** (bits - 1) - 1
        unit = np.abs(weights).max() / most
        units = rounded(weights, bits) / unit
        np.testing.assert_allclose(units, np.rint(units), atol=1e-9)
        assert np.abs(units).max() == pytest.approx(most)
        assert np.abs(rounded(weights, bits) - weights).max() <= unit / 2 * (1 + 1e-12)


class Plane:
    """Linear in both coordinates of the car."""

    @staticmethod
    def act(observations):
        return 0.3 * observations[:, 0] + 5.0 * observations[:, 1] + 0.1


def test_tables_interpolate_between_their_points_and_come_round():
    random = np.random.default_rng(6)
    states = random.uniform(ContinuousMountainCar.low, ContinuousMountainCar.high, (300, 2))
    table = Table(ContinuousMountainCar, Plane, 6)
    assert np.abs(table.act(states) - Plane.act(states)).max() <= 1 / 254 + 1e-12  # of the rounding alone
    corners = np.stack([ContinuousMountainCar.low, ContinuousMountainCar.high])
    assert np.abs(table.act(corners) - Plane.act(corners)).max() <= 1 / 254 + 1e-12

    class Sine:
        act = staticmethod(lambda seen: 2 * seen[:, 1])

    angles = np.concatenate([random.uniform(-np.pi, np.pi, 500), [-np.pi, np.pi, np.pi - 1e-12]])
    seen = np.stack([np.cos(angles), np.sin(angles), np.full(len(angles), 8.0)], axis=-1)
    between = 2 * (2 * np.pi / 64) ** 2 / 8  # of a sine by straight lines
    assert np.abs(Table(Pendulum, Sine, 64).act(seen) - 2 * np.sin(angles)).max() <= 1 / 127 + between


def test_tables_of_choices_take_the_nearest_point():
    states = np.random.default_rng(7).uniform(MountainCar.low, MountainCar.high, (300, 2))
    states = states[np.abs(states[:, 1]) > 0.07 / 10]  # half a step of 11 points away from the switch
    np.testing.assert_array_equal(Table(MountainCar, Rule(MountainCar), 11).act(states), Rule(MountainCar).act(states))


@pytest.mark.parametrize("task", [ContinuousMountainCar, MountainCar])
def test_imitation_keeps_up_with_a_simple_rule(task):
    random = np.random.default_rng(8)
    student = imitate(task, Rule(task), lambda: Tree(2), random, episodes=5, most=500)
    assert student.bytes == 11
    starts = task.starts(50, random)
    taught = play(task, Rule(task).act, starts).returns.mean()
    assert play(task, student.act, starts).returns.mean() >= taught - 0.05 * abs(taught)
