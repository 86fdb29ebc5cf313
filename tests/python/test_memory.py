"""Teachers in memory: agents of Stable-Baselines3, torch modules; and policies that pickle."""

import multiprocessing
import pickle
import shutil

import mercer
import numpy as np
import pytest
from conftest import ACTOR, SB3
from gym_pendulum import Corridor, Pendulum
from torch_writer import box, write_agent
from wrapped import DummyVecEnv, VecNormalize

MEAN, VARIANCE = np.array([0.1, -0.2, 0.5]), np.array([0.5, 0.4, 6.0])
OBS = np.random.default_rng(5).uniform([-1, -1, -8], [1, 1, 8], (50, 3)).astype(np.float32)


# --- a stand-in of torch: what is asked of its tensors and modules ---


class Tensor:
    def __init__(self, values):
        self.values = np.asarray(values, dtype=np.float32)

    def detach(self):
        return self

    cpu = detach

    def numpy(self):
        return self.values

    def new_tensor(self, values):
        return Tensor(values)


class Module:
    def __init__(self, *parts):
        self.parts, self.heard = parts, []

    def named_modules(self):
        yield "", self
        for i, part in enumerate(self.parts):
            for name, one in part.named_modules():
                yield f"{i}.{name}", one

    def children(self):
        return iter(self.parts)

    def parameters(self):
        for part in self.parts:
            yield from part.parameters()

    def state_dict(self):
        return {}

    def register_forward_hook(self, hook):
        self.heard.append(hook)
        return type("Handle", (), {"remove": lambda _: self.heard.remove(hook)})()

    def forward(self, x):
        for part in self.parts:
            x = part(x)
        return x

    def __call__(self, x):
        out = self.forward(x)
        for hook in list(self.heard):
            hook(self, (x,), out)
        return out


class Linear(Module):
    def __init__(self, rng, n, m):
        super().__init__()
        self.weight, self.bias = Tensor(rng.normal(size=(m, n)) / np.sqrt(n)), Tensor(rng.normal(size=m) / 4)

    def parameters(self):
        return iter([self.weight, self.bias])

    def forward(self, x):
        return Tensor(x.values @ self.weight.values.T + self.bias.values)


class Tanh(Module):
    def forward(self, x):
        return Tensor(np.tanh(x.values))


class ELU(Module):
    alpha = 0.7

    def forward(self, x):
        return Tensor(np.where(x.values > 0, x.values, self.alpha * np.expm1(np.minimum(x.values, 0))))


class Softsign(Module):
    def forward(self, x):
        return Tensor(x.values / (1 + np.abs(x.values)))


class Doubled(Module):
    """Does something between its layers that no layer shows."""

    def forward(self, x):
        for part in self.parts:
            x = Tensor(2 * part(x).values)
        return x


def run(module, obs=OBS):
    return module(Tensor(obs)).values


def test_a_plain_perceptron_of_torch_is_read(rng):
    module = Module(Module(Linear(rng, 3, 16), Tanh(), Linear(rng, 16, 8), ELU()), Linear(rng, 8, 1), Tanh())
    policy = mercer.policies.as_policy(module, "pendulum")
    np.testing.assert_allclose(policy.mean_action(OBS), run(module), atol=1e-6)
    assert policy.log_prob is not None and "Module" in policy.name and not module.heard
    embedding = mercer.compress(module, "pendulum", 0.5, bases=["chebyshev"], formats=["int8"], most_terms=3, generations=0,
                                select_episodes=50, certify_episodes=500, route="continuous", allow_unmet=True)
    assert embedding.payload_bytes < 40
    pickle.loads(pickle.dumps(policy))


@pytest.mark.parametrize("make", [lambda rng: Module(Linear(rng, 3, 8), Softsign(), Linear(rng, 8, 1)),
                                  lambda rng: Doubled(Linear(rng, 3, 8), Tanh(), Linear(rng, 8, 1))])
def test_other_modules_are_called(rng, make):
    module = make(rng)
    policy = mercer.policies.as_policy(module, "pendulum")
    np.testing.assert_allclose(policy.mean_action(OBS), run(module), atol=1e-6)


def test_a_module_with_a_value_for_each_discrete_action(rng):
    module = Module(Linear(rng, 1, 8), Tanh(), Linear(rng, 8, 2))
    places = np.arange(11.0)[:, None]
    policy = mercer.policies.as_policy(module, Corridor())
    assert np.array_equal(policy.mean_action(places), run(module, places).argmax(axis=1))


# --- agents ---


class Agent:
    """What an algorithm of Stable-Baselines3 has, as far as anybody asks."""

    policy = object()

    def __init__(self, source, env=None, wrong=0.0):
        self.source, self.env, self.wrong = source, env, wrong
        self.actor = mercer.load_policy(ACTOR, "pendulum")
        self.asked = 0

    def save(self, path):
        shutil.copy(self.source, path)

    def get_parameters(self):
        return {}

    def get_vec_normalize_env(self):
        return self.env

    def predict(self, obs, state=None, episode_start=None, deterministic=True):
        self.asked += 1
        return np.float32(self.actor.mean_action(obs)) + self.wrong, None


def test_an_agent_in_memory_is_read_as_its_file():
    agent = Agent(SB3)
    policy = mercer.policies.as_policy(agent, Pendulum())
    assert np.array_equal(policy.mean_action(OBS), mercer.read_sb3(SB3, normaliser="none").mean_action(OBS))
    assert agent.asked == 1  # to compare
    mercer.rollout("pendulum", agent, 20)
    assert agent.asked == 2


def test_an_agent_behind_a_normaliser():
    env = VecNormalize(DummyVecEnv([Pendulum] * 2), MEAN, VARIANCE)
    wanted = mercer.load_policy(ACTOR, "pendulum").mean_action(np.float32((OBS - MEAN) / np.sqrt(VARIANCE + 1e-8)))
    for policy in (mercer.policies.as_policy(Agent(SB3), env), mercer.policies.as_policy(Agent(SB3, env), "pendulum")):
        np.testing.assert_allclose(policy.mean_action(OBS), wanted, atol=1e-5)


def test_agents_that_cannot_be_read_play_themselves(tmp_path, rng):
    with pytest.warns(UserWarning, match="played by its own predict.*acts differently"):
        policy = mercer.policies.as_policy(Agent(SB3, wrong=0.3), "pendulum")
    np.testing.assert_allclose(policy.mean_action(OBS[:5]), Agent(SB3, wrong=0.3).predict(OBS[:5])[0], atol=1e-6)
    write_agent(tmp_path / "a.zip", {"odd.weight": rng.normal(size=(2, 2))}, box([-1] * 3, [1] * 3), box([-2], [2]))
    with pytest.warns(UserWarning, match="played by its own predict"):
        mercer.policies.as_policy(Agent(tmp_path / "a.zip"), "pendulum")


class Refusing(Agent):
    """Stable-Baselines3 checks shapes itself, and raises what has no code."""

    def predict(self, obs, state=None, episode_start=None, deterministic=True):
        if np.shape(obs)[-1] != 3:
            raise ValueError(f"Error: Unexpected observation shape {np.shape(obs)} for Box environment")
        return super().predict(obs, state, episode_start, deterministic)


@pytest.mark.parametrize("play", [mercer.policies.as_policy, lambda agent, env: mercer.rollout(env, agent, 2),
                                  lambda agent, env: mercer.evaluate(env, agent, episodes=2)])
def test_an_agent_of_another_task_is_an_error_with_a_code(play):
    for agent in (Refusing(SB3), Refusing(SB3, wrong=0.3)):
        with pytest.raises(ValueError, match="agent|observations") as raised:
            play(agent, "cart-pole")
        assert raised.value.code == "E206" and raised.value.remedy


def test_what_an_agent_raises_gets_a_code():
    class Unsaved(Refusing):
        def save(self, path):
            raise TypeError("cannot pickle '_thread.lock' object")

    class Short(Agent):
        def predict(self, obs, state=None, episode_start=None, deterministic=True):
            return np.zeros(3), None

    with pytest.raises(ValueError, match="Unsaved.predict fails on observations of task 'cart-pole': ValueError") as raised:
        mercer.policies.as_policy(Unsaved(SB3), "cart-pole")
    assert raised.value.code == "E206"
    with pytest.warns(UserWarning, match="TypeError: cannot pickle"):
        mercer.policies.as_policy(Unsaved(SB3), "pendulum")
    with pytest.raises(ValueError, match="gives 3 numbers for 64 observations of task 'pendulum'; legal: 64") as raised:
        mercer.policies.as_policy(Short(SB3), "pendulum")
    assert raised.value.code == "E206"


# --- pickles ---


def actions_of(policy):
    return policy.mean_action(OBS)


def test_policies_pickle(tmp_path, teacher, small):
    shutil.copy(SB3, tmp_path / "agent.zip")
    agent = mercer.load_policy(tmp_path / "agent.zip", normaliser="none")
    content = pickle.dumps(agent)
    (tmp_path / "agent.zip").unlink()  # the pickle needs no file
    assert np.array_equal(pickle.loads(content).mean_action(OBS), agent.mean_action(OBS))
    assert pickle.loads(pickle.dumps(pickle.loads(content))).contract == agent.contract
    for policy in (teacher, small.policy, mercer.load_policy(ACTOR, Pendulum())):
        assert np.array_equal(pickle.loads(pickle.dumps(policy)).mean_action(OBS), policy.mean_action(OBS))
    uniform = mercer.load_policy("uniform", "pendulum")
    assert np.array_equal(pickle.loads(pickle.dumps(uniform)).sample(OBS, 3), uniform.sample(OBS, 3))
    table = mercer.tabular_policy([[0.2, 0.8], [1, 0]])
    assert np.array_equal(pickle.loads(pickle.dumps(table)).mean_action([[0], [1]]), table.mean_action([[0], [1]]))
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        assert np.array_equal(pool.map(actions_of, [teacher])[0], teacher.mean_action(OBS))


def test_a_policy_of_functions_says_why_it_does_not_pickle():
    with pytest.raises(ValueError, match="does not pickle") as raised:
        pickle.dumps(mercer.policies.as_policy(lambda obs: obs[..., :1], "pendulum"))
    assert raised.value.code == "E203"
