"""Agents of Stable-Baselines3, read as data."""

import io
import json
import os
import zipfile

import mercer
import numpy as np
import pytest
from conftest import ACTOR, DATA, SB3
from torch_writer import box, discrete, state_dict, write_agent

REFERENCE = np.load(DATA / "policies/pendulum_5000.npz", allow_pickle=False)


def layers(rng, prefix, sizes, last=None):
    """Linear layers as torch names them: activations take every second place."""
    out = {}
    for i, (n, m) in enumerate(zip(sizes[:-1], sizes[1:])):
        out[f"{prefix}.{2 * i}.weight"] = rng.normal(size=(m, n)).astype(np.float32)
        out[f"{prefix}.{2 * i}.bias"] = rng.normal(size=m).astype(np.float32)
    return out


def linear(rng, name, n, m):
    return {f"{name}.weight": rng.normal(size=(m, n)).astype("f4"), f"{name}.bias": rng.normal(size=m).astype("f4")}


def run(tensors, prefix, x, activation, last):
    own = [key for key in tensors if key.startswith(prefix + ".") and key.endswith("weight")]
    places = sorted(int(key.split(".")[-2]) for key in own)
    for i in places:
        x = x @ tensors[f"{prefix}.{i}.weight"].T + tensors[f"{prefix}.{i}.bias"]
        x = activation(x) if last or i != places[-1] else x
    return x


def relu(x):
    return np.maximum(x, 0)


def test_an_agent_that_sb3_saved():
    """The actor of the shared agent: the same network as its ONNX export, to the bit."""
    agent, exported = mercer.read_sb3(SB3), mercer.load_policy(ACTOR, "pendulum")
    obs = REFERENCE["obs"].astype(float)
    assert np.array_equal(agent.mean_action(obs), exported.mean_action(obs))
    assert np.array_equal(agent.sample(obs, 5), exported.sample(obs, 5))
    np.testing.assert_allclose(agent.mean_action(obs)[:, 0], np.ravel(REFERENCE["action"]), atol=1e-5)
    assert agent.name == str(SB3) and agent.contract["action"]["axes"][0]["high"] == 2
    named = mercer.read_sb3(SB3, "pendulum")
    assert [axis["name"] for axis in named.contract["observation"]["axes"]] == ["cos_theta", "sin_theta", "speed"]
    one, other = (mercer.rollout("pendulum", policy, 3, 1).returns for policy in (named, exported))
    assert np.array_equal(one, other)


def test_sac_with_state_dependent_noise(tmp_path, rng):
    tensors = {**layers(rng, "actor.latent_pi", [3, 8, 6]), **linear(rng, "actor.mu.0", 6, 2),
               "actor.log_std": rng.normal(-2, 0.1, size=(6, 2)).astype(np.float32)}
    write_agent(tmp_path / "a.zip", tensors, box([-1] * 3, [1] * 3), box([-1, -3], [1, 5]), use_sde=True)
    policy, x = mercer.read_sb3(tmp_path / "a.zip"), rng.normal(size=(20, 3))
    latent = run(tensors, "actor.latent_pi", x, relu, True)
    mean = np.clip(latent @ tensors["actor.mu.0.weight"].T + tensors["actor.mu.0.bias"], -2, 2)
    np.testing.assert_allclose(policy.mean_action(x), [0, 1] + [1, 4] * np.tanh(mean), atol=1e-5)
    variance = latent**2 @ np.exp(tensors["actor.log_std"]) ** 2 + 1e-6
    u = mean + 0.3 * np.sqrt(variance)
    wanted = np.sum(-0.045 - 0.5 * np.log(2 * np.pi * variance) - np.log([1, 4] * (1 - np.tanh(u) ** 2)), axis=1)
    np.testing.assert_allclose(policy.log_prob(x, [0, 1] + [1, 4] * np.tanh(u)), wanted, rtol=1e-3, atol=1e-3)


def test_td3(tmp_path, rng):
    tensors = {**layers(rng, "actor.mu", [4, 8, 8, 1]), **layers(rng, "critic.qf0", [5, 8, 1])}
    write_agent(tmp_path / "a.zip", tensors, box([-np.inf] * 4, [np.inf] * 4), box([-2], [2]))
    policy, x = mercer.read_sb3(tmp_path / "a.zip"), rng.normal(size=(20, 4))
    np.testing.assert_allclose(policy.mean_action(x), 2 * np.tanh(run(tensors, "actor.mu", x, relu, False)), atol=1e-5)


def test_dqn(tmp_path, rng):
    tensors = layers(rng, "q_net.q_net", [2, 16, 3])
    write_agent(tmp_path / "a.zip", tensors, box([-1, -1], [1, 1]), discrete(3))
    policy, x = mercer.read_sb3(tmp_path / "a.zip"), rng.normal(size=(50, 2))
    assert np.array_equal(policy.mean_action(x), np.argmax(run(tensors, "q_net.q_net", x, relu, False), axis=1))


@pytest.mark.parametrize("activation, function", [(None, np.tanh), ("ReLU", relu)])
def test_ppo_on_a_box(tmp_path, rng, activation, function):
    tensors = {**layers(rng, "mlp_extractor.policy_net", [3, 8, 8]),
               **layers(rng, "mlp_extractor.value_net", [3, 8, 8]),
               **linear(rng, "action_net", 8, 2), **linear(rng, "value_net", 8, 1), "log_std": np.array([-1.0, -2.0])}
    kwargs = {} if activation is None else {"policy_kwargs": {":type:": "<class 'dict'>", ":serialized:": "gAWV",
              "activation_fn": f"<class 'torch.nn.modules.activation.{activation}'>"}}
    write_agent(tmp_path / "a.zip", tensors, box([-1] * 3, [1] * 3), box([-9, -9], [9, 9]), **kwargs)
    policy, x = mercer.read_sb3(tmp_path / "a.zip"), 0.3 * rng.normal(size=(20, 3))
    latent = run(tensors, "mlp_extractor.policy_net", x, function, True)
    mean = latent @ tensors["action_net.weight"].T + tensors["action_net.bias"]
    np.testing.assert_allclose(policy.mean_action(x), np.clip(mean, -9, 9), atol=1e-5)
    density = policy.log_prob(x, mean + [0.1, 0.2])
    std = np.exp([-1.0, -2.0])
    wanted = np.sum(-0.5 * (np.array([0.1, 0.2]) / std) ** 2 - np.log(std * np.sqrt(2 * np.pi)))
    np.testing.assert_allclose(density, wanted, atol=1e-4)


def test_ppo_with_discrete_actions(tmp_path, rng):
    tensors = {**layers(rng, "mlp_extractor.policy_net", [3, 8, 8]), **linear(rng, "action_net", 8, 4)}
    write_agent(tmp_path / "a.zip", tensors, box([-1] * 3, [1] * 3), discrete(4))
    policy, x = mercer.read_sb3(tmp_path / "a.zip"), rng.normal(size=(20, 3))
    latent = run(tensors, "mlp_extractor.policy_net", x, np.tanh, True)
    logits = latent @ tensors["action_net.weight"].T + tensors["action_net.bias"]
    assert np.array_equal(policy.mean_action(x), np.argmax(logits, axis=1))
    wanted = logits[:, 1] - np.log(np.exp(logits).sum(axis=1))
    np.testing.assert_allclose(policy.log_prob(x, np.ones(20, int)), wanted, atol=1e-4)


def test_normalised_observations(tmp_path, rng):
    mean, var = rng.normal(size=3), rng.random(3) + 0.5
    np.savez(tmp_path / "n.npz", mean=mean, var=var)
    policy, plain = mercer.read_sb3(SB3, normalisation=tmp_path / "n.npz"), mercer.read_sb3(SB3)
    x = rng.normal(size=(20, 3))
    wanted = plain.mean_action(np.clip((x - mean) / np.sqrt(var + 1e-8), -10, 10))
    np.testing.assert_allclose(policy.mean_action(x), wanted, atol=1e-6)
    np.savez(tmp_path / "other.npz", sigma=var)
    with pytest.raises(ValueError, match="needed: mean and var"):
        mercer.read_sb3(SB3, normalisation=tmp_path / "other.npz")


class Evil:
    """Unpickling this would make a folder; nothing here may."""

    def __init__(self, folder):
        self.folder = folder

    def __reduce__(self):
        return os.mkdir, (self.folder,)


def test_pickles_are_never_executed(tmp_path, rng):
    trap = tmp_path / "made"
    write_agent(tmp_path / "evil.zip", layers(rng, "q_net.q_net", [2, 4, 3]), box([-1, -1], [1, 1]), discrete(3),
                extra={"trap": Evil(str(trap))})
    with pytest.raises(ValueError, match="a call of posix.mkdir"):
        mercer.read_sb3(tmp_path / "evil.zip")
    assert not trap.exists()


def test_what_is_no_plain_agent_is_refused(tmp_path, rng):
    spaces = (box([-1] * 3, [1] * 3), box([-2], [2]))
    (tmp_path / "text.zip").write_text("no zip")
    with pytest.raises(ValueError, match="E303"):
        mercer.read_sb3(tmp_path / "text.zip")
    with pytest.raises(OSError):
        mercer.read_sb3(tmp_path / "none.zip")
    with zipfile.ZipFile(tmp_path / "empty.zip", "w") as archive:
        archive.writestr("data", "{}")
    with pytest.raises(ValueError, match="no agent"):
        mercer.read_sb3(tmp_path / "empty.zip")
    pictures = {"features_extractor.cnn.0.weight": np.zeros((4, 3, 8, 8)), "action_net.weight": np.zeros((1, 8))}
    for tensors, text in [({"something.weight": np.zeros((2, 2))}, "no SAC, TD3, PPO or DQN"), (pictures, "MlpPolicy"),
                          ({"lstm_actor.weight_ih_l0": np.zeros((4, 4))}, "recurrent"),
                          (layers(rng, "actor.latent_pi", [3, 4]), "has no tensor")]:
        write_agent(tmp_path / "a.zip", tensors, *spaces)
        with pytest.raises(ValueError, match=text):
            mercer.read_sb3(tmp_path / "a.zip")
    picture = dict(box([0], [1]), _shape=[8, 8])
    write_agent(tmp_path / "a.zip", layers(rng, "actor.mu", [3, 4, 1]), picture, spaces[1])
    with pytest.raises(ValueError, match="shape"):
        mercer.read_sb3(tmp_path / "a.zip")
    odd = {"policy_kwargs": {":serialized:": "x", "activation_fn": "<class 'torch.nn.modules.activation.Mish'>"}}
    write_agent(tmp_path / "a.zip", layers(rng, "actor.mu", [3, 4, 1]), *spaces, **odd)
    with pytest.raises(ValueError, match="Mish"):
        mercer.read_sb3(tmp_path / "a.zip")


def test_damaged_tensors_are_refused(tmp_path, rng):
    content = state_dict(layers(rng, "actor.mu", [3, 4, 1]))
    from mercer.torch_data import read_tensors

    assert len(read_tensors(content)) == 4
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        parts = {name: archive.read(name) for name in archive.namelist()}
    for name in ("archive/data/0", "archive/data.pkl"):
        damaged = io.BytesIO()
        with zipfile.ZipFile(damaged, "w") as archive:
            for key, value in parts.items():
                archive.writestr(key, value[: len(value) // 2] if key == name else value)
        with pytest.raises(ValueError, match="E30"):
            read_tensors(damaged.getvalue())
    with pytest.raises(ValueError, match="E303"):
        read_tensors(content[:-40])


def test_the_data_of_an_agent_is_json(tmp_path):
    with zipfile.ZipFile(SB3) as archive:
        assert json.loads(archive.read("data"))["observation_space"]["_shape"] == [3]


def test_an_embedding_of_an_agent_names_the_agent_not_a_file_that_is_gone(tmp_path):
    agent = mercer.read_sb3(SB3, "pendulum")
    small = mercer.embed(agent, "pendulum", route="continuous", k=2, rollouts=5, rounds=1, episodes=5)
    small.save(tmp_path / "p.mercer")
    facts = mercer.read(tmp_path / "p.mercer").facts
    assert facts["teacher"] == str(SB3)
