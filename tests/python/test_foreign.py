"""Environments of other packages: both generations of the interface, vectors, wrappers, and what a search does there."""

import pickle
import signal
import threading
import time
import warnings

import mercer
import numpy as np
import pytest
from gym_pendulum import Box, Corridor, Pendulum, Vector
from wrapped import (
    ClipAction,
    DummyVecEnv,
    FrameStackObservation,
    NativeVector,
    NormalizeObservation,
    OldPendulum,
    RescaleAction,
    TimeAwareObservation,
    TimeLimit,
    VecNormalize,
)

MEAN, VARIANCE = np.array([0.1, -0.2, 0.5]), np.array([0.5, 0.4, 6.0])
SMALL = {"bases": ["chebyshev"], "formats": ["int8"], "select_episodes": 6, "certify_episodes": 12, "most_terms": 2,
         "polish": "action"}


def without(options, name):
    return {key: value for key, value in options.items() if key != name}


def swing(obs):
    """Of the raw observation."""
    return np.clip([-obs[..., 1] * 4 - obs[..., 2]], -2, 2).T


def right_of_zero(obs):
    return int(obs[0] >= 0)


def returns(env, policy=swing, episodes=5, **options):
    return mercer.rollout(env, policy, episodes, 3, act="mean", **options).returns


def test_the_old_interface_plays_the_same():
    np.testing.assert_allclose(returns(OldPendulum()), returns(Pendulum()))
    assert not mercer.rollout(OldPendulum(), swing, 2, 3).terminated.any()  # cut off, not ended


def test_a_vector_of_stable_baselines_plays_the_same():
    np.testing.assert_allclose(returns(DummyVecEnv([Pendulum] * 4)), returns(Pendulum()), rtol=1e-6)
    got, wanted = (mercer.rollout(env, swing, 3, 3).final_observations for env in (DummyVecEnv([Pendulum] * 2), Pendulum()))
    np.testing.assert_allclose(got, wanted, atol=1e-6)  # the one before it was reset


class Normalised:
    """An agent that was trained behind a normalising wrapper."""

    def predict(self, obs, state=None, episode_start=None, deterministic=True):
        assert np.asarray(obs).dtype == np.float32
        return swing(obs * np.sqrt(VARIANCE + 1e-8) + MEAN), None


@pytest.mark.parametrize("env", [
    VecNormalize(DummyVecEnv([Pendulum] * 3), MEAN, VARIANCE),
    NormalizeObservation(Pendulum(), MEAN, VARIANCE),
    TimeLimit(NormalizeObservation(Pendulum(), MEAN, VARIANCE), 200),
], ids=["VecNormalize", "NormalizeObservation", "TimeLimit"])
def test_normalisers_of_an_environment_go_to_the_policy(env):
    np.testing.assert_allclose(returns(env, Normalised()), returns(Pendulum()), rtol=1e-4)
    np.testing.assert_allclose(returns(env, mercer.load_policy("uniform", "pendulum")),
                               returns(Pendulum(), mercer.load_policy("uniform", "pendulum")), rtol=1e-5)
    embedding = mercer.compress(Normalised(), env, 0.9, allow_unmet=True, **SMALL)
    axes = embedding.contract["observation"]["axes"]
    assert [axis["high"] for axis in axes] == [1, 1, 8]  # it takes raw observations
    learner = getattr(env, "env", env) if isinstance(env, TimeLimit) else env
    assert np.array_equal(learner.obs_rms.mean, MEAN) and getattr(learner, "training", True)  # nothing was learned


def test_other_wrappers():
    clipped = returns(ClipAction(Pendulum()))
    assert np.array_equal(clipped, returns(Pendulum()))
    embedding = mercer.compress(swing, ClipAction(Pendulum()), 0.9, allow_unmet=True, **SMALL)
    assert embedding.contract["action"]["axes"][0]["high"] == 2
    assert np.array_equal(returns(RescaleAction(Pendulum()), lambda obs: swing(obs) / 2), clipped)
    stacked = mercer.rollout(FrameStackObservation(Pendulum(), 2), lambda obs: swing(obs[..., 3:]), 5, 3, act="mean")
    assert np.array_equal(stacked.returns, clipped) and stacked.observations.shape[1] == 6
    timed = mercer.rollout(TimeAwareObservation(Pendulum()), lambda obs: swing(obs[..., :3]), 5, 3, act="mean")
    assert np.array_equal(timed.returns, clipped) and timed.observations[199, 3] == 199
    assert mercer.rollout(TimeLimit(Pendulum(), 30), swing, 2).steps == 60


@pytest.mark.parametrize("mode", ["NextStep", "Disabled"])
def test_vectors_that_take_one_seed(mode):
    made = [mercer.rollout(NativeVector(Corridor, 4, mode), right_of_zero, 8, 3) for _ in range(2)]
    assert np.array_equal(made[0].returns, made[1].returns) and set(made[0].returns) <= set(range(-10, -4))
    for one in made:
        assert np.array_equal(one.returns, -np.diff(one.offsets))


def test_a_horizon_of_ones_own():
    embedding = mercer.compress(swing, Vector(Pendulum, 6), 0.9, horizon=25, return_range=(-500, 0), allow_unmet=True,
                                **SMALL)
    assert embedding.certificate.loss_return < 500 and embedding.certificate.cut is None
    assert -500 < embedding.certificate.teacher_return < 0  # 200 steps earn less
    for horizon in (0, 2.5, -1):
        with pytest.raises(ValueError, match="E202.*horizon"):
            mercer.compress(swing, Pendulum(), 0.05, horizon=horizon)
    with pytest.raises(ValueError, match="E203.*horizon"):
        mercer.compress("uniform", "pendulum", 0.05, horizon=20)


class Slow(Corridor):
    """Half a millisecond a step."""

    def step(self, action):
        time.sleep(0.0005)
        return super().step(action)


def test_the_budget_bounds_search_and_certificate():
    begin = time.monotonic()
    embedding = mercer.compress(right_of_zero, Slow(), 0.0001, bases=["legendre"], budget=4, allow_unmet=True)
    assert time.monotonic() - begin < 8
    assert 50 <= embedding.certificate.episodes < 1000  # of 4,000: what a quarter of the time allows
    given = mercer.compress(right_of_zero, Slow(), 0.0001, bases=["legendre"], budget=2, certify_episodes=60,
                            allow_unmet=True)
    assert given.certificate.episodes == 60


def test_terms_end_no_search_that_has_time_left():
    heard = []
    with pytest.raises(mercer.CertificateError):
        mercer.compress(lambda obs: 2 * np.sin(40 * obs[..., 2:]), Vector(Pendulum, 4), 0.0001, bases=["chebyshev"],
                        formats=["int8"], select_episodes=4, certify_episodes=4, polish="action", budget=60,
                        on_candidate=lambda one, _: heard.append(one["k"]))
    assert max(heard) > 20


def test_what_loses_too_much_is_not_played_to_the_end():
    class Counted(Corridor):
        episodes = 0

        def reset(self, *, seed=None, options=None):
            self.episodes += 1
            return super().reset(seed=seed)

    def odd(obs):  # no line follows this one
        return int(np.floor(obs[0]) % 2 == 0 or obs[0] > 5)

    env = Counted()
    found = mercer.compress(odd, env, 0.001, bases=["legendre"], formats=["int8"], most_terms=1, select_episodes=400,
                            certify_episodes=10, polish="action", allow_unmet=True)
    assert len(found.tried) == 1 and env.episodes < 2 + 400 + 4 * 25 + 96 + 60


def test_the_return_is_searched_where_the_action_is_not_enough(teacher):
    few = {**SMALL, "generations": 4, "candidate_episodes": 10, "select_episodes": 10}
    alone, both = (mercer.compress(teacher, Vector(Pendulum, 10), 0.0, allow_unmet=True, **how)
                   for how in (few, without(few, "polish")))
    assert len(both.tried) > len(alone.tried)
    assert min(one["loss"] for one in both.tried) < min(one["loss"] for one in alone.tried)


def test_an_error_names_how_coefficients_were_polished():
    few = {**SMALL, "generations": 1, "candidate_episodes": 2}
    with pytest.raises(mercer.CertificateError, match="polish.*return.*polish.*action") as raised:
        mercer.compress(swing, Vector(Pendulum, 6), 0.0001, **few)
    assert raised.value.code == "E501"
    with pytest.raises(mercer.CertificateError) as raised:
        mercer.compress(swing, Vector(Pendulum, 6), 0.0001, **without(few, "polish"))  # tries both
    assert "polish" not in str(raised.value)
    with pytest.raises(mercer.CertificateError, match="time ran out.*budget"):
        mercer.compress(swing, Vector(Pendulum, 6), 0.0001, budget=0.01)


class Wide(Pendulum):
    """A pendulum among many observations that never change."""

    def __init__(self, size):
        super().__init__()
        self.observation_space = Box([-1] * size, [1] * size)
        self.rest = np.linspace(-1, 1, size - 3)

    def _obs(self):
        return np.concatenate([super()._obs() / [1, 1, 8], self.rest]).astype(np.float32)


def swing_among_others(obs):
    return swing(obs[..., :3] * np.array([1, 1, 8]))


@pytest.mark.parametrize("size", [27, 111])
def test_many_observations(size):
    """Products lower their degree by themselves; ridges have none."""
    env = Vector(lambda: Wide(size), 5)
    for bases in (["ridge"], ["chebyshev"], ["mixed"]):
        found = mercer.compress(swing_among_others, env, 0.9, allow_unmet=True, **{**SMALL, "bases": bases})
        assert np.isfinite(found.certificate.upper_return) and found.predict(np.zeros(size))[0].shape == (1,)
        pickle.loads(pickle.dumps(found)).predict(np.zeros(size))
    with pytest.raises(ValueError, match="E208.*degree"):
        mercer.compress(swing_among_others, env, 0.9, degree=5, **{**SMALL, "bases": ["chebyshev"]})


def hop(obs):
    return np.sin(3 * np.asarray(obs)[..., :3])


@pytest.mark.parametrize("env, policy", [("hopper", hop), (Vector(lambda: Wide(12), 5), swing_among_others)],
                         ids=["built in", "foreign"])
def test_ctrl_c_is_heard_in_the_choice_of_terms(env, policy):
    """Of thousands of products: each term that is chosen takes a while."""
    asked = []

    def interrupt():
        asked.append(time.monotonic())
        signal.raise_signal(signal.SIGINT)

    def report(stage, share):
        if stage.startswith("fit") and not asked:
            asked.append(None)
            threading.Timer(0.01, interrupt).start()

    if isinstance(env, str) and env not in [one[0] for one in mercer.known_envs()]:
        pytest.skip("needs MuJoCo")
    with pytest.raises(KeyboardInterrupt):
        mercer.compress(policy, env, 0.01, route="continuous", bases=["chebyshev"], degree=5, select_episodes=4,
                        certify_episodes=4, progress=report)
    assert len(asked) == 2 and time.monotonic() - asked[1] < 1


def test_equal_returns_promise_no_more_than_their_number_shows():
    class Same(Corridor):
        def reset(self, *, seed=None, options=None):
            super().reset(seed=seed)
            self.place = 0.0
            return np.zeros(1, np.float32), {}

    embedding = mercer.compress(right_of_zero, Same(), 0.05, bases=["legendre"], most_terms=2, select_episodes=12,
                                certify_episodes=40, allow_unmet=True)
    certificate = embedding.certificate
    assert certificate.loss_return == 0 and certificate.upper_percent > 5 and not certificate.met


def test_a_task_that_is_built_in_is_pointed_out():
    from mercer import wrappers

    class Named(Pendulum):
        spec = type("Spec", (), {"id": "Pendulum-v1", "max_episode_steps": 200, "kwargs": {}})

    wrappers._hinted.clear()
    with pytest.warns(UserWarning, match="Pendulum-v1 is built in") as heard:
        mercer.rollout(Named(), swing, 1)
    assert heard[0].filename == __file__
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        mercer.rollout(Named(), swing, 1)  # once is enough
        mercer.rollout(Pendulum(), swing, 1)
        wrappers._hinted.clear()
        mercer.rollout(RescaleAction(Named()), swing, 1)  # is another task


@pytest.mark.parametrize("loss", [5, -1, -0.01, "5", "-1%", np.float64(1.5)])
def test_losses_that_were_meant_as_percent(loss):
    with pytest.raises(ValueError, match="E202.*max_loss is .*%") as raised:
        mercer.compress("uniform", "pendulum", loss)
    assert raised.value.code == "E202" and raised.value.remedy
    with pytest.raises(ValueError, match="E202.*max_loss"):
        mercer.certify("pendulum", "uniform", "uniform", max_loss=loss)
