"""The evolution strategy, and small networks of whole numbers."""

import numpy as np
import pytest
from alternatives.cma import CmaEs
from alternatives.keeping import Aim, Limits
from alternatives.playing import play
from alternatives.polish import mean_outcomes, polish
from alternatives.small_network import SmallNetwork
from alternatives.tasks import ContinuousMountainCar, MountainCar, Pendulum
from alternatives.whole_numbers import WholeNumberNetwork, WholeNumberNetworks, rounded_rows


def a_network(task, width=4, seed=1):
    random = np.random.default_rng(seed)
    states = random.uniform(task.low[:, None], task.high[:, None], (2, 300))
    seen = np.stack(task.observations(states), axis=-1)
    student = SmallNetwork(width, steps=300)
    actions = np.where(seen[:, 1] < 0, 0, 2) if task.choices else task.largest * np.tanh(seen[:, -1] * 20)
    student.fit(task, seen, actions, random)
    return WholeNumberNetworks.of(student)


@pytest.mark.parametrize("n", [2, 8, 20])
def test_evolution_finds_the_least_of_a_turned_and_stretched_quadratic(n):
    random = np.random.default_rng(n)
    turn = np.linalg.qr(random.normal(size=(n, n)))[0]
    stretched, least = turn * np.logspace(0, 2, n), random.normal(size=n)  # axes that differ by 10^4 in cost
    search = CmaEs(np.zeros(n), 0.5, random)
    cost = lambda points: (((points - least) @ stretched) ** 2).sum(1)  # noqa: E731
    for _ in range(150 * n):
        search.tell(cost(search.ask()))
        if cost(search.mean[None])[0] < 1e-10:
            break
    assert cost(search.mean[None])[0] < 1e-10
    # It has learnt the shape: long along the flat axis, short along the steep one, 10^4 apart at best.
    flat, steep = turn[:, 0], turn[:, -1]
    assert flat @ search.covariance @ flat > 100 * (steep @ search.covariance @ steep)


def test_evolution_heeds_only_the_order_of_costs():
    first, second = (CmaEs(np.ones(5), 0.3, np.random.default_rng(2)) for _ in range(2))
    for _ in range(30):
        points, others = first.ask(), second.ask()
        first.tell((points**2).sum(1))
        second.tell(np.log((others**2).sum(1)) * 7 - 3)
    np.testing.assert_array_equal(first.mean, second.mean)


def test_rounding_to_whole_numbers():
    rows = np.random.default_rng(3).normal(size=(6, 40)) * np.logspace(-3, 2, 6)[:, None]
    units = np.abs(rows).max(1, keepdims=True) / 127
    whole = rounded_rows(rows) / units
    np.testing.assert_allclose(whole, np.rint(whole), atol=1e-9)
    assert np.abs(whole).max() == pytest.approx(127)
    assert (np.abs(rounded_rows(rows) - rows) <= units / 2 * (1 + 1e-9)).all()
    np.testing.assert_allclose(rounded_rows(rounded_rows(rows)), rounded_rows(rows), rtol=1e-12)
    assert not rounded_rows(np.zeros((1, 4))).any()


@pytest.mark.parametrize("task, width, expected", [(Pendulum, 4, 89), (Pendulum, 2, 65), (ContinuousMountainCar, 4, 77),
                                                   (MountainCar, 4, 87)])
def test_bytes_of_weights_scales_and_normalisation(task, width, expected):
    networks, numbers = a_network(task, width)
    assert networks.bytes == expected
    assert expected == len(numbers) + 4 * 6 + 4 * 2 * len(networks.middle)


@pytest.mark.parametrize("task", [Pendulum, ContinuousMountainCar, MountainCar])
def test_many_at_once_come_to_what_each_comes_to_alone(task):
    networks, numbers = a_network(task)
    random = np.random.default_rng(4)
    candidates = numbers + 0.3 * random.normal(size=(5, len(numbers)))
    candidates[4] = 0  # does nothing, and takes the whole time where others are over
    starts = task.starts(7, random)
    alone = [play(task, WholeNumberNetwork(networks, one).act, starts) for one in candidates]
    returns, roughness, failures = mean_outcomes(networks, candidates, starts)
    # Single precision: an episode may end a step sooner or later.
    earned = [one.returns.mean() for one in alone]
    np.testing.assert_allclose(returns, earned, rtol=2e-3, atol=0.3)
    np.testing.assert_allclose(roughness, [one.roughness.mean() for one in alone], rtol=2e-2, atol=1e-4)
    np.testing.assert_array_equal(failures, [one.failures or 0 for one in alone])
    assert len(set(np.round(earned, 3))) > 1 and roughness[:4].min() > 0


def test_the_small_network_and_its_whole_numbers_act_alike():
    networks, numbers = a_network(Pendulum, 4)
    seen = np.stack(Pendulum.observations(Pendulum.starts(100, np.random.default_rng(5))), axis=-1)
    hidden = (seen - networks.middle) / networks.spread
    ends = np.cumsum([0] + [int(np.prod(shape)) for shape in networks.shapes])
    parts = [rounded_rows(numbers[None, a:b])[0].reshape(s) for a, b, s in zip(ends, ends[1:], networks.shapes)]
    for weight, bias in zip(parts[:3], parts[3:]):
        hidden = np.tanh(hidden @ weight + bias)
    np.testing.assert_allclose(WholeNumberNetwork(networks, numbers).act(seen), 2 * hidden[:, 0], atol=1e-12)


def test_polish_earns_more_on_starts_it_has_not_seen():
    networks, numbers = a_network(ContinuousMountainCar, 2)
    numbers = numbers + 0.5 * np.random.default_rng(6).normal(size=len(numbers))
    better = polish(networks, numbers, np.random.default_rng(7), generations=10, aim=Aim(1.0), judging=100)
    starts = ContinuousMountainCar.starts(200, np.random.default_rng(8))
    before, after = mean_outcomes(networks, np.array([numbers, better]), starts)[0]
    assert after > before


def test_polish_under_limits_is_smoother_than_on_the_return_alone():
    networks, numbers = a_network(Pendulum, 2)
    starts = Pendulum.starts(200, np.random.default_rng(8))
    start = mean_outcomes(networks, numbers[None], starts)[1][0]
    free, limited = (polish(networks, numbers, np.random.default_rng(7), 15, Aim(1.0, limits), judging=100)
                     for limits in (None, Limits(0.2 * start)))
    smooth = mean_outcomes(networks, np.array([free, limited]), starts)[1]
    assert smooth[1] < 0.5 * smooth[0]
