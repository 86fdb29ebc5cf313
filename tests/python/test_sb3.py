"""Agents of Stable-Baselines3, read as data, and compared with what numpy makes of their tensors."""

import json
import os
import zipfile

import mercer
import numpy as np
import pytest
from conftest import ACTOR, DATA, SB3
from torch_reader import read_tensors
from torch_writer import box, dictionary, discrete, policy_class, state_dict, write_agent, write_normaliser

REFERENCE = np.load(DATA / "policies/pendulum_5000.npz", allow_pickle=False)
OPEN = box([-np.inf] * 3, [np.inf] * 3)
ACTIONS = box([-1, -3], [1, 5])  # centre (0, 1), scale (1, 4)
TORCH = "<class 'torch.nn.modules.activation.{}'>"


def read(path, env=None, **settings):
    return mercer.read_sb3(path, env, **{"normaliser": "none", **settings})


def layers(rng, prefix, sizes, bias=True):
    """Linear layers as torch names them: activations take every second place."""
    out = {}
    for i, (n, m) in enumerate(zip(sizes[:-1], sizes[1:])):
        out[f"{prefix}.{2 * i}.weight"] = rng.normal(size=(m, n)).astype(np.float32)
        if bias:
            out[f"{prefix}.{2 * i}.bias"] = rng.normal(size=m).astype(np.float32)
    return out


def linear(rng, name, n, m):
    return {f"{name}.weight": rng.normal(size=(m, n)).astype("f4"), f"{name}.bias": rng.normal(size=m).astype("f4")}


def apply(tensors, name, x):
    return x @ tensors[f"{name}.weight"].T.astype(float) + tensors.get(f"{name}.bias", 0.0)


def run(tensors, prefix, x, activation, last):
    own = [key for key in tensors if key.startswith(prefix + ".") and key.endswith("weight")]
    places = sorted(int(key.split(".")[-2]) for key in own)
    for i in places:
        x = apply(tensors, f"{prefix}.{i}", x)
        x = activation(x) if last or i != places[-1] else x
    return x


def relu(x):
    return np.maximum(x, 0)


def normal_density(deviation, std):
    return np.sum(-0.5 * (deviation / std) ** 2 - np.log(std * np.sqrt(2 * np.pi)), axis=-1)


def test_an_agent_that_sb3_saved():
    """The actor of the shared agent: the same network as its ONNX export, to the bit."""
    agent, exported = read(SB3), mercer.load_policy(ACTOR, "pendulum")
    obs = REFERENCE["obs"].astype(float)
    assert np.array_equal(agent.mean_action(obs), exported.mean_action(obs))
    assert np.array_equal(agent.sample(obs, 5), exported.sample(obs, 5))
    np.testing.assert_allclose(agent.mean_action(obs)[:, 0], np.ravel(REFERENCE["action"]), atol=1e-5)
    assert agent.name == str(SB3) and agent.contract["action"]["axes"][0]["high"] == 2
    named = read(SB3, "pendulum")
    assert [axis["name"] for axis in named.contract["observation"]["axes"]] == ["cos_theta", "sin_theta", "speed"]
    one, other = (mercer.rollout("pendulum", policy, 3, 1).returns for policy in (named, exported))
    assert np.array_equal(one, other)


@pytest.mark.parametrize("torch", [{"layout": "zip"}, {"layout": "legacy"}, {"protocol": 4}, {"transpose": True},
                                   {"kind": "f8"}, {"layout": "legacy", "kind": "f8", "protocol": 3}])
def test_layouts_of_torch(tmp_path, rng, torch):
    tensors = layers(rng, "actor.mu", [3, 8, 2])
    write_agent(tmp_path / "a.zip", tensors, OPEN, ACTIONS, torch=torch)
    x = rng.normal(size=(20, 3))
    wanted = [0, 1] + [1, 4] * np.tanh(run(tensors, "actor.mu", x, relu, False))
    np.testing.assert_allclose(read(tmp_path / "a.zip").mean_action(x), wanted, atol=1e-5)


@pytest.mark.parametrize("kind, step", [("f2", 2.0**-11), ("bf", 2.0**-7)])
def test_half_precision(tmp_path, rng, kind, step):
    tensors = layers(rng, "actor.mu", [3, 2])
    write_agent(tmp_path / "a.zip", tensors, OPEN, box([-1, -1], [1, 1]), torch={"kind": kind})
    x = np.eye(3)
    found = np.arctanh(read(tmp_path / "a.zip").mean_action(x))
    weights = tensors["actor.mu.0.weight"].T + tensors["actor.mu.0.bias"]
    assert np.all(np.abs(found - weights) < 3 * step * (1 + np.abs(weights)))


@pytest.mark.parametrize("arch", [[8, 6], []])
def test_sac(tmp_path, rng, arch):
    width = ([3] + arch)[-1]
    tensors = {**layers(rng, "actor.latent_pi", [3] + arch), **linear(rng, "actor.mu", width, 2),
               **linear(rng, "actor.log_std", width, 2), **layers(rng, "critic.qf0", [5, 8, 1])}
    write_agent(tmp_path / "a.zip", tensors, OPEN, ACTIONS, policy_kwargs={"net_arch": arch})
    policy, x = read(tmp_path / "a.zip"), 0.3 * rng.normal(size=(20, 3))
    latent = run(tensors, "actor.latent_pi", x, relu, True) if arch else x
    mean, std = apply(tensors, "actor.mu", latent), np.exp(np.clip(apply(tensors, "actor.log_std", latent), -20, 2))
    np.testing.assert_allclose(policy.mean_action(x), [0, 1] + [1, 4] * np.tanh(mean), atol=1e-5)
    u = mean + 0.1 * std
    wanted = normal_density(0.1 * std, std) - np.sum(np.log([1, 4] * (1 - np.tanh(u) ** 2)), axis=1)
    inside = np.max(np.abs(u), axis=1) < 3  # closer to the edge, tanh has few digits left
    assert inside.any()
    found = policy.log_prob(x, [0, 1] + [1, 4] * np.tanh(u))
    np.testing.assert_allclose(found[inside], wanted[inside], rtol=2e-3, atol=2e-3)


@pytest.mark.parametrize("expln, full", [(False, True), (True, True), (False, False)])
@pytest.mark.parametrize("algorithm", ["sac", "ppo", "squashed ppo"])
def test_state_dependent_noise(tmp_path, rng, algorithm, expln, full):
    """Mean and spread where the noise is drawn anew at every step; log_std above 0 is where expln differs."""
    log_std = rng.normal(-1, 1, size=(6, 2 if full else 1)).astype(np.float32)
    log_std[0] = 0.7
    kwargs = {"use_expln": expln, "full_std": full, "log_std_init": -2}
    if algorithm == "sac":
        tensors = {**layers(rng, "actor.latent_pi", [3, 8, 6]), **linear(rng, "actor.mu.0", 6, 2), "actor.log_std": log_std}
    else:
        tensors = {**layers(rng, "mlp_extractor.policy_net", [3, 8, 6]), **linear(rng, "action_net", 6, 2),
                   **linear(rng, "value_net", 6, 1), "log_std": log_std}
        kwargs["squash_output"] = algorithm == "squashed ppo"
    write_agent(tmp_path / "a.zip", tensors, OPEN, ACTIONS, use_sde=True, policy_kwargs=kwargs)
    policy, x = read(tmp_path / "a.zip"), 0.3 * rng.normal(size=(20, 3))
    if algorithm == "sac":
        latent = run(tensors, "actor.latent_pi", x, relu, True)
        mean = np.clip(apply(tensors, "actor.mu.0", latent), -2, 2)
    else:
        latent = run(tensors, "mlp_extractor.policy_net", x, np.tanh, True)
        mean = apply(tensors, "action_net", latent)
    grown = np.log1p(np.maximum(log_std, 0) + 1e-6) + 1 if expln else np.exp(log_std)
    std = np.where(log_std > 0, grown, np.exp(log_std)) * np.ones((6, 2))
    sigma = np.sqrt(latent**2 @ std.astype(float) ** 2 + 1e-6)
    if algorithm == "ppo":
        np.testing.assert_allclose(policy.mean_action(x), np.clip(mean, [-1, -3], [1, 5]), atol=1e-5)
        found, wanted = policy.log_prob(x, mean + 0.3 * sigma), normal_density(0.3 * sigma, sigma)
    else:
        np.testing.assert_allclose(policy.mean_action(x), [0, 1] + [1, 4] * np.tanh(mean), atol=1e-5)
        u = np.clip(mean + 0.3 * sigma, -2.5, 2.5)
        found = policy.log_prob(x, [0, 1] + [1, 4] * np.tanh(u))
        wanted = normal_density(u - mean, sigma) - np.sum(np.log([1, 4] * (1 - np.tanh(u) ** 2)), axis=1)
    np.testing.assert_allclose(found, wanted, rtol=2e-3, atol=2e-3)


def test_td3_and_its_task(tmp_path, rng):
    tensors = {**layers(rng, "actor.mu", [4, 8, 8, 1]), **layers(rng, "critic.qf0", [5, 8, 1])}
    write_agent(tmp_path / "a.zip", tensors, box([-3.4e38, -3.4028235e38, 1, 2], [np.inf, 3.4028235e38, 2, 3]), box([-2], [2]))
    policy, x = mercer.load_policy(tmp_path / "a.zip", normaliser="none"), rng.normal(size=(20, 4))
    np.testing.assert_allclose(policy.mean_action(x), 2 * np.tanh(run(tensors, "actor.mu", x, relu, False)), atol=1e-5)
    axes = policy.contract["observation"]["axes"]
    assert [axis["high"] for axis in axes] == [np.inf, np.inf, 2, 3]
    assert axes[0]["low"] == pytest.approx(-3.4e38) and axes[1]["low"] == -np.inf


def test_inspect_shows_layers_and_critics(tmp_path, rng):
    tensors = layers(rng, "actor.mu", [3, 8, 2])
    for critic in ("critic.qf0", "critic.qf1"):
        tensors |= layers(rng, critic, [5, 6, 1])
    path = write_agent(tmp_path / "td3.zip", tensors, OPEN, ACTIONS)
    told = mercer.inspect(path, normaliser="none", names=["x", "y", "z"], period=0.02)
    assert (told["kind"], told["algorithm"]) == ("agent", "TD3")
    assert told["layers"] == [
        {"name": "actor.mu.0", "inputs": 3, "outputs": 8},
        {"name": "actor.mu.2", "inputs": 8, "outputs": 2},
    ]
    assert told["critics"] == [{"name": "q1", "size": 1}, {"name": "q2", "size": 1}]
    assert [axis["name"] for axis in told["contract"]["observation"]["axes"]] == ["x", "y", "z"]
    assert told["contract"]["dt"] == 0.02
    with pytest.raises(ValueError, match="period = '0'"):
        mercer.inspect(path, normaliser="none", period=0)


def test_dqn(tmp_path, rng):
    tensors = layers(rng, "q_net.q_net", [2, 16, 3])
    write_agent(tmp_path / "a.zip", tensors, box([-1, -1], [1, 1]), discrete(3))
    policy, x = read(tmp_path / "a.zip"), rng.normal(size=(50, 2))
    assert np.array_equal(policy.mean_action(x), np.argmax(run(tensors, "q_net.q_net", x, relu, False), axis=1))


def test_quantile_dqn_plays_the_largest_mean(tmp_path, rng):
    tensors = layers(rng, "quantile_net.quantile_net", [2, 16, 5 * 3])
    write_agent(tmp_path / "a.zip", tensors, box([-1, -1], [1, 1]), discrete(3))
    policy, x = read(tmp_path / "a.zip"), rng.normal(size=(200, 2))
    quantiles = run(tensors, "quantile_net.quantile_net", x, relu, False).reshape(200, 5, 3)
    assert np.array_equal(policy.mean_action(x), np.argmax(quantiles.mean(axis=1), axis=1))


@pytest.mark.parametrize("name, squash, kwargs", [("ARSLinearPolicy", False, {}), ("ARSPolicy", True, {}),
                                                  ("ARSLinearPolicy", True, {"squash_output": True})])
@pytest.mark.parametrize("old", [False, True])
def test_augmented_random_search(tmp_path, rng, name, squash, kwargs, old):
    tensors = layers(rng, "action_net", [3, 2] if "Linear" in name else [3, 8, 2], bias="Linear" not in name)
    if old and "Linear" in name:  # before sb3-contrib 1.6 one layer without a number
        tensors = {"action_net.weight": tensors["action_net.0.weight"]}
    write_agent(tmp_path / "a.zip", tensors, OPEN, ACTIONS, policy_kwargs=kwargs,
                policy_class=policy_class("sb3_contrib.ars.policies", name))
    policy, x = read(tmp_path / "a.zip"), rng.normal(size=(20, 3))
    out = apply(tensors, "action_net", x) if "action_net.weight" in tensors else run(tensors, "action_net", x, relu, False)
    wanted = [0, 1] + [1, 4] * np.tanh(out) if squash else np.clip(out, [-1, -3], [1, 5])
    np.testing.assert_allclose(policy.mean_action(x), wanted, atol=1e-5)


ACTIVATIONS = {
    None: np.tanh, TORCH.format("ReLU"): relu, TORCH.format("ELU"): lambda x: np.where(x > 0, x, np.expm1(x)),
    f"functools.partial({TORCH.format('LeakyReLU')}, 0.3)": lambda x: np.where(x > 0, x, 0.3 * x),
    f"functools.partial({TORCH.format('LeakyReLU')}, negative_slope=0.2)": lambda x: np.where(x > 0, x, 0.2 * x),
    f"functools.partial({TORCH.format('ELU')}, alpha=0.5)": lambda x: np.where(x > 0, x, 0.5 * np.expm1(x)),
    TORCH.format("SiLU"): lambda x: x / (1 + np.exp(-x)),
}


@pytest.mark.parametrize("activation", ACTIVATIONS)
@pytest.mark.parametrize("shared", [False, True])
def test_ppo_on_a_box(tmp_path, rng, activation, shared):
    """Separate networks, and those of versions before 1.8 with shared layers below them."""
    tensors = {**layers(rng, "mlp_extractor.policy_net", [5 if shared else 3, 8, 8]),
               **layers(rng, "mlp_extractor.value_net", [5 if shared else 3, 8, 8]),
               **linear(rng, "action_net", 8, 2), **linear(rng, "value_net", 8, 1), "log_std": np.array([-1.0, -2.0])}
    if shared:
        tensors.update(layers(rng, "mlp_extractor.shared_net", [3, 5]))
    kwargs = {} if activation is None else {"policy_kwargs": {":type:": "<class 'dict'>", ":serialized:": "gAWV",
                                                              "activation_fn": activation}}
    write_agent(tmp_path / "a.zip", tensors, OPEN, box([-9, -9], [9, 9]), **kwargs)
    policy, x = read(tmp_path / "a.zip"), 0.3 * rng.normal(size=(20, 3))
    function = ACTIVATIONS[activation]
    hidden = run(tensors, "mlp_extractor.shared_net", x, function, True) if shared else x
    latent = run(tensors, "mlp_extractor.policy_net", hidden, function, True)
    mean = apply(tensors, "action_net", latent)
    np.testing.assert_allclose(policy.mean_action(x), np.clip(mean, -9, 9), atol=2e-5)
    wanted = normal_density(np.array([0.1, 0.2]), np.exp([-1.0, -2.0]))
    np.testing.assert_allclose(policy.log_prob(x, mean + [0.1, 0.2]), wanted, atol=1e-3)


def test_ppo_with_discrete_actions(tmp_path, rng):
    tensors = {**layers(rng, "mlp_extractor.policy_net", [3, 8, 8]), **linear(rng, "action_net", 8, 4)}
    write_agent(tmp_path / "a.zip", tensors, OPEN, discrete(4))
    policy, x = read(tmp_path / "a.zip"), rng.normal(size=(20, 3))
    logits = apply(tensors, "action_net", run(tensors, "mlp_extractor.policy_net", x, np.tanh, True))
    assert np.array_equal(policy.mean_action(x), np.argmax(logits, axis=1))
    wanted = logits[:, 1] - np.log(np.exp(logits).sum(axis=1))
    np.testing.assert_allclose(policy.log_prob(x, np.ones(20, int)), wanted, atol=1e-4)


@pytest.mark.parametrize("protocol", [2, 3, 4, 5])
def test_normalisers_of_every_protocol(tmp_path, rng, protocol):
    mean, var = 3 * rng.normal(size=3), rng.random(3) + 0.5
    tensors = layers(rng, "actor.mu", [3, 8, 2])
    write_agent(tmp_path / "a.zip", tensors, OPEN, ACTIONS)
    file = write_normaliser(tmp_path / "vecnormalize.pkl", mean, var, protocol, clip_obs=2.0, epsilon=1e-4)
    x = 5 * rng.normal(size=(50, 3))
    seen = np.clip((x - mean) / np.sqrt(var + 1e-4), -2, 2)
    assert np.any(np.abs(seen) == 2)
    wanted = [0, 1] + [1, 4] * np.tanh(run(tensors, "actor.mu", seen, relu, False))
    for policy in (mercer.read_sb3(tmp_path / "a.zip"), mercer.read_sb3(tmp_path / "a.zip", normalisation=file)):
        np.testing.assert_allclose(policy.mean_action(x), wanted, atol=2e-5)
    np.savez(tmp_path / "n.npz", mean=mean, var=var, clip_obs=2.0, epsilon=1e-4)
    other = mercer.read_sb3(tmp_path / "a.zip", normalisation=tmp_path / "n.npz")
    np.testing.assert_allclose(other.mean_action(x), wanted, atol=2e-5)
    np.savez(tmp_path / "other.npz", sigma=var)
    with pytest.raises(OSError, match="needed: mean and var"):
        mercer.read_sb3(tmp_path / "a.zip", normalisation=tmp_path / "other.npz")


def test_agents_that_need_their_normaliser_do_not_play_without(tmp_path, rng):
    tensors = {**layers(rng, "mlp_extractor.policy_net", [3, 8]), **linear(rng, "action_net", 8, 2), "log_std": np.zeros(2)}
    write_agent(tmp_path / "a.zip", tensors, OPEN, ACTIONS, _last_original_obs={":serialized:": "x"})
    with pytest.raises(ValueError, match="vecnormalize.pkl"):
        mercer.read_sb3(tmp_path / "a.zip")
    (tmp_path / "a").mkdir()
    write_normaliser(tmp_path / "a/vecnormalize.pkl", [1, 2, 3], [1, 1, 1])
    assert mercer.read_sb3(tmp_path / "a.zip").contract["normalisation"]["mean"] == [1, 2, 3]
    write_normaliser(tmp_path / "a/vecnormalize.pkl", [1, 2, 3], [1, 1, 1], norm_obs=False)
    assert "normalisation" not in mercer.read_sb3(tmp_path / "a.zip").contract


def test_dictionaries_of_observations(tmp_path, rng):
    """The network takes the parts in the order of its space, the task gives them in the order that is asked for."""
    tensors = layers(rng, "actor.mu", [6, 8, 2])
    sizes = {"achieved_goal": 1, "desired_goal": 2, "observation": 3}
    write_agent(tmp_path / "a.zip", tensors, dictionary(sizes), ACTIONS)
    with pytest.raises(ValueError, match=r"achieved_goal \(1\), desired_goal \(2\), observation \(3\)"):
        read(tmp_path / "a.zip")
    for bad in (["observation"], ["observation", "observation", "desired_goal"], ["observation", "goal", "desired_goal"]):
        with pytest.raises(ValueError, match="order names|obs_order names"):
            read(tmp_path / "a.zip", obs_order=bad)
    order = ["observation", "achieved_goal", "desired_goal"]
    mean = {key: rng.normal(size=size) for key, size in sizes.items()}
    var = {key: rng.random(size) + 0.5 for key, size in sizes.items()}
    write_normaliser(tmp_path / "vecnormalize.pkl", mean, var)
    policy, x = mercer.read_sb3(tmp_path / "a.zip", obs_order=order), rng.normal(size=(20, 6))
    parts = {"observation": x[:, :3], "achieved_goal": x[:, 3:4], "desired_goal": x[:, 4:]}
    seen = np.hstack([(parts[key] - mean[key]) / np.sqrt(var[key] + 1e-8) for key in sizes])
    wanted = [0, 1] + [1, 4] * np.tanh(run(tensors, "actor.mu", seen, relu, False))
    np.testing.assert_allclose(policy.mean_action(x), wanted, atol=2e-5)
    np.testing.assert_allclose(policy.predict(parts)[0], wanted, atol=2e-5)  # whatever the order of the parts
    np.testing.assert_allclose(policy.mean_action({key: parts[key][3] for key in sizes}), wanted[3], atol=2e-5)
    with pytest.raises(ValueError, match="E203.*without 'desired_goal'"):
        policy.predict({key: parts[key] for key in order[:2]})
    with pytest.raises(ValueError, match="E206.*shape"):
        policy.predict({**parts, "observation": x})
    names = [axis["name"] for axis in policy.contract["observation"]["axes"]]
    assert names == ["observation0", "observation1", "observation2", "achieved_goal0", "desired_goal0", "desired_goal1"]


def test_agents_are_checked_against_the_environment(tmp_path, rng):
    write_agent(tmp_path / "two.zip", layers(rng, "actor.mu", [3, 4, 2]), OPEN, box([-2, -2], [2, 2]))
    write_agent(tmp_path / "box.zip", layers(rng, "actor.mu", [4, 4, 1]), box([-9] * 4, [9] * 4), box([-1], [1]))
    two, one = read(tmp_path / "two.zip"), read(tmp_path / "box.zip")
    for call in (lambda: read(tmp_path / "two.zip", "pendulum"), lambda: mercer.evaluate("pendulum", two, 5),
                 lambda: mercer.compress(two, "pendulum", max_loss=0.05), lambda: mercer.evaluate("cart-pole", one, 5),
                 lambda: read(tmp_path / "box.zip", "cart-pole")):
        with pytest.raises(ValueError, match="E206"):
            call()


def test_multi_binary_is_not_discrete():
    class MultiBinary:
        n, shape = 3, (3,)

    from mercer.spaces import to_axes

    with pytest.raises(ValueError, match="MultiBinary is neither"):
        to_axes(MultiBinary(), "action")


class Evil:
    """Unpickling this would make a folder; nothing here may."""

    def __init__(self, folder):
        self.folder = folder

    def __reduce__(self):
        return os.mkdir, (self.folder,)


@pytest.mark.parametrize("layout", ["zip", "legacy"])
def test_pickles_are_never_executed(tmp_path, rng, layout):
    trap = tmp_path / "made"
    write_agent(tmp_path / "evil.zip", layers(rng, "q_net.q_net", [2, 4, 3]), box([-1, -1], [1, 1]), discrete(3),
                extra={"trap": Evil(str(trap))}, torch={"layout": layout})
    with pytest.raises(OSError, match="'posix.mkdir'"):
        read(tmp_path / "evil.zip")
    write_agent(tmp_path / "a.zip", layers(rng, "q_net.q_net", [2, 4, 3]), box([-1, -1], [1, 1]), discrete(3))
    write_normaliser(tmp_path / "evil.pkl", [0, 0], [1, 1], trap=Evil(str(trap)))
    with pytest.raises(OSError, match="'posix.mkdir'"):
        read(tmp_path / "a.zip", normaliser=tmp_path / "evil.pkl")
    assert not trap.exists()


def test_what_is_no_plain_agent_is_refused(tmp_path, rng):
    spaces = (OPEN, box([-2], [2]))
    (tmp_path / "text.zip").write_text("no zip")
    with pytest.raises(OSError, match="E304"):
        read(tmp_path / "text.zip")
    with pytest.raises(OSError, match="E301"):
        read(tmp_path / "none.zip")
    with zipfile.ZipFile(tmp_path / "empty.zip", "w") as archive:
        archive.writestr("data", "{}")
    with pytest.raises(OSError, match="not an agent"):
        read(tmp_path / "empty.zip")
    pictures = {"features_extractor.cnn.0.weight": np.zeros((4, 3, 8, 8)), "action_net.weight": np.zeros((1, 8))}
    for tensors, text in [({"something.weight": np.zeros((2, 2))}, "no known policy"), (pictures, "MlpPolicy"),
                          ({"lstm_actor.weight_ih_l0": np.zeros((4, 4))}, "recurrent"),
                          ({"actor.log_std.weight": np.zeros((1, 3))}, "has no tensor")]:
        write_agent(tmp_path / "a.zip", tensors, *spaces)
        with pytest.raises(OSError, match=text):
            read(tmp_path / "a.zip")


def test_sizes_are_bounded(tmp_path):
    """More weights than a small policy has, in a zip of some kilobytes."""
    write_agent(tmp_path / "a.zip", {"actor.mu.0.weight": np.zeros((2049, 2049), "f4")}, OPEN, ACTIONS)
    assert (tmp_path / "a.zip").stat().st_size < 50000
    with pytest.raises(ValueError, match="E208.*4194304 weights"):
        read(tmp_path / "a.zip")


def test_the_fixture_is_what_its_script_says():
    with zipfile.ZipFile(SB3) as archive:
        assert json.loads(archive.read("data"))["observation_space"]["_shape"] == [3]
        tensors = read_tensors(archive.read("policy.pth"))
    assert all(key.startswith("actor.") for key in tensors)
    assert np.array_equal(read_tensors(state_dict(tensors))["actor.mu.weight"], tensors["actor.mu.weight"])


def test_an_embedding_of_an_agent_names_the_agent(tmp_path):
    agent = read(SB3, "pendulum")
    small = mercer.embed(agent, "pendulum", route="continuous", k=2, rollouts=5, rounds=1, episodes=5)
    small.save(tmp_path / "p.mercer")
    facts = mercer.read(tmp_path / "p.mercer").facts
    assert facts["teacher"] == str(SB3)
