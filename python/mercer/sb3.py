"""Agents of Stable-Baselines3, read from their .zip files without torch and without executing what they hold."""

from __future__ import annotations

import json
import os
import pathlib
import re
import tempfile
import zipfile
from typing import Any

import numpy as np

from . import _mercer
from .envs import task_of
from .onnx_file import Graph
from .policies import _setting_text
from .torch_data import read_tensors

_ACTIVATIONS = {"ReLU": "Relu", "Tanh": "Tanh", "ELU": "Elu", "LeakyReLU": "LeakyRelu", "Sigmoid": "Sigmoid"}


def _refuse(path: Any, why: str) -> ValueError:
    return ValueError(
        f"E304: '{os.fspath(path)}': {why}. Export the policy to ONNX instead (docs/guide/policies.md) and use load_policy."
    )


def _numbers(text: str, shape: list[int]) -> np.ndarray:
    """An array as numpy prints it: "[-1. -1. -8.]"; one number stands for all."""
    found = re.findall(r"[-+]?(?:inf|\d+\.?\d*(?:[eE][-+]?\d+)?)", text)
    values = np.array([float(x) for x in found])
    count = int(np.prod(shape))
    if len(values) not in (1, count):
        raise ValueError(f"{text!r} holds {len(values)} numbers; needed: {count}")
    return np.broadcast_to(values, count).copy()


def _space(path: Any, described: Any, name: str) -> dict[str, Any]:
    kind = str(described.get(":type:", "")) if isinstance(described, dict) else ""
    if "discrete.Discrete" in kind and "n" in described:
        count = int(described["n"])
        axis = {"name": name, "low": 0.0, "high": count - 1.0, "unit": "", "periodic": False}
        return {"count": count, "axes": [axis]}
    if "box.Box" not in kind or "low" not in described:
        raise _refuse(path, f"its {name} space is {kind or 'not told'}; legal: a box or discrete actions")
    shape = described.get("_shape") or described.get("shape")
    if not isinstance(shape, list) or len(shape) != 1:
        raise _refuse(path, f"its {name} space has shape {shape}; legal: one axis")
    try:
        low, high = _numbers(described["low"], shape), _numbers(described["high"], shape)
    except (TypeError, ValueError) as mistake:
        raise _refuse(path, f"the bounds of its {name} space cannot be read: {mistake}") from None
    axes = [
        {"name": f"{name}{i}", "low": float(a), "high": float(b), "unit": "", "periodic": False}
        for i, (a, b) in enumerate(zip(low, high))
    ]
    return {"count": 0, "axes": axes}


class _Layers:
    """Linear layers of one part of the state dictionary, in order."""

    def __init__(self, path: Any, tensors: dict[str, np.ndarray]) -> None:
        self.path, self.tensors = path, tensors

    def has(self, name: str) -> bool:
        return name in self.tensors

    def get(self, name: str) -> np.ndarray:
        if name not in self.tensors:
            raise _refuse(self.path, f"it has no tensor '{name}': its policy is no plain perceptron")
        return self.tensors[name]

    def chain(self, prefix: str) -> list[tuple[np.ndarray, np.ndarray]]:
        """prefix.0.weight, prefix.2.weight, ...: activations stand between them."""
        places = sorted(
            int(key[len(prefix) + 1 : -len(".weight")])
            for key in self.tensors
            if re.fullmatch(re.escape(prefix) + r"\.\d+\.weight", key)
        )
        if any(self.get(f"{prefix}.{i}.weight").ndim != 2 for i in places):
            raise _refuse(self.path, f"'{prefix}' holds layers that are not linear")
        return [(self.get(f"{prefix}.{i}.weight"), self.get(f"{prefix}.{i}.bias")) for i in places]

    def through(self, graph: Graph, x: str, prefix: str, activation: str, last: bool) -> str:
        """Runs x through a chain; `last` says whether an activation follows the last layer."""
        layers = self.chain(prefix)
        for i, (weight, bias) in enumerate(layers):
            x = graph.linear(x, weight, bias)
            if last or i + 1 < len(layers):
                x = graph.node(activation, x)
        return x


def _activation(path: Any, data: dict[str, Any], standard: str) -> str:
    told = data.get("policy_kwargs") or {}
    chosen = told.get("activation_fn") if isinstance(told, dict) else None
    if chosen is None:
        # SB3 writes arguments that JSON cannot hold as a pickle, and their text beside it.
        text = json.dumps(told)
        found = re.search(r"activation\.(\w+)'", text)
        if "activation_fn" in text and not found:
            raise _refuse(path, "its activation function is not told in plain text")
        name = found.group(1) if found else standard
    else:
        found = re.search(r"activation\.(\w+)", str(chosen))
        name = found.group(1) if found else str(chosen)
    if name not in _ACTIVATIONS:
        raise _refuse(path, f"its activation function is {name}; legal: {', '.join(_ACTIVATIONS)}")
    return _ACTIVATIONS[name]


def _sac(path: Any, layers: _Layers, data: dict, graph: Graph) -> dict[str, str]:
    x = layers.through(graph, "obs", "actor.latent_pi", _activation(path, data, "ReLU"), True)
    cut = layers.has("actor.mu.0.weight")  # the mean goes through a cut to +-clip_mean
    mean = "actor.mu.0" if cut else "actor.mu"
    weight, bias = layers.get(f"{mean}.weight"), layers.get(f"{mean}.bias")
    size = len(weight)
    told = data.get("policy_kwargs") or {}
    if told.get("use_expln"):
        raise _refuse(path, "it explores with expln")
    if cut:
        most = float(told.get("clip_mean", 2.0))
        raw = graph.linear(x, weight, bias)
        graph.node("Clip", raw, graph.tensor(np.array(-most)), graph.tensor(np.array(most)), name="mean")
    else:
        graph.linear(x, weight, bias, name="mean")
    if layers.has("actor.log_std.weight"):
        raw = graph.linear(x, layers.get("actor.log_std.weight"), layers.get("actor.log_std.bias"))
        graph.node("Clip", raw, graph.tensor(np.array(-20.0)), graph.tensor(np.array(2.0)), name="log_std")
    else:  # state-dependent exploration, drawn anew at every step here
        std = np.exp(layers.get("actor.log_std")) ** 2
        if std.ndim != 2 or std.shape[1] != size:
            raise _refuse(path, "its exploration noise has no column for each action")
        squared = graph.node("Mul", x, x)
        variance = graph.node("MatMul", squared, graph.tensor(std))
        logarithm = graph.node("Log", graph.node("Add", variance, graph.tensor(np.array(1e-6))))
        graph.node("Mul", logarithm, graph.tensor(np.array(0.5)), name="log_std")
    graph.output("mean", size)
    graph.output("log_std", size)
    return {}


def _td3(path: Any, layers: _Layers, data: dict, graph: Graph) -> dict[str, str]:
    x = layers.through(graph, "obs", "actor.mu", _activation(path, data, "ReLU"), False)
    graph.node("Identity", x, name="action")
    graph.output("action", len(layers.chain("actor.mu")[-1][0]))
    return {"squash": "tanh"}


def _dqn(path: Any, layers: _Layers, data: dict, graph: Graph) -> dict[str, str]:
    x = layers.through(graph, "obs", "q_net.q_net", _activation(path, data, "ReLU"), False)
    graph.node("Identity", x, name="q")
    graph.output("q", len(layers.chain("q_net.q_net")[-1][0]))
    return {}


def _ppo(path: Any, layers: _Layers, data: dict, graph: Graph) -> dict[str, str]:
    if layers.chain("mlp_extractor.shared_net"):
        raise _refuse(path, "its networks share layers, as SB3 before 1.8 made them")
    x = layers.through(graph, "obs", "mlp_extractor.policy_net", _activation(path, data, "Tanh"), True)
    weight, bias = layers.get("action_net.weight"), layers.get("action_net.bias")
    if not layers.has("log_std"):
        graph.linear(x, weight, bias, name="logits")
        graph.output("logits", len(weight))
        return {}
    log_std = layers.get("log_std")
    if log_std.ndim != 1:
        raise _refuse(path, "it explores with state-dependent noise")
    graph.linear(x, weight, bias, name="mean")
    constant = graph.node("MatMul", x, graph.tensor(np.zeros((weight.shape[1], len(log_std)))))
    graph.node("Add", constant, graph.tensor(log_std), name="log_std")
    graph.output("mean", len(weight))
    graph.output("log_std", len(weight))
    return {"squash": "none"}


def _kind(path: Any, layers: _Layers, data: dict) -> Any:
    """By what the tensors are called: the class itself is a pickle, which nobody opens here."""
    names = layers.tensors
    if any("features_extractor" in key and value.ndim > 0 for key, value in names.items()):
        raise _refuse(path, "it extracts features with a network of its own; legal: MlpPolicy")
    if any("lstm" in key for key in names):
        raise _refuse(path, "it is recurrent")
    if any(key.startswith("q_net.q_net.") for key in names):
        return _dqn
    if any(key.startswith("actor.latent_pi.") for key in names):
        return _sac
    if any(key.startswith("actor.mu.") for key in names):
        return _td3
    if "action_net.weight" in names:
        return _ppo
    raise _refuse(path, "its tensors are those of no SAC, TD3, PPO or DQN policy")


def _normalisation(path: Any) -> dict[str, str]:
    """VecNormalize's statistics: arrays mean and var (or obs_mean, obs_var), and epsilon and clip_obs if other."""
    told = np.load(os.fspath(path), allow_pickle=False)

    def first(*names: str) -> Any:
        return next((told[name] for name in names if name in told), None)

    mean, variance = first("mean", "obs_mean"), first("var", "obs_var", "variance")
    if mean is None or variance is None:
        raise ValueError(f"E304: '{os.fspath(path)}' holds {', '.join(told)}; needed: mean and var, of env.obs_rms")
    out = {"obs-mean": _setting_text(mean), "obs-var": _setting_text(variance)}
    epsilon, clip = first("epsilon"), first("clip_obs", "clip")
    if epsilon is not None:
        out["obs-epsilon"] = repr(float(epsilon))
    if clip is not None:
        out["obs-clip"] = repr(float(clip))
    return out


def sb3_to_onnx(path: str | os.PathLike) -> tuple[bytes, dict[str, str], dict[str, Any]]:
    """The network of an agent as ONNX, the settings it needs, and what its zip says about spaces and training."""
    try:
        with zipfile.ZipFile(path) as archive:
            if not {"data", "policy.pth"} <= set(archive.namelist()):
                raise _refuse(path, "it has no data and policy.pth: no agent of Stable-Baselines3")
            if archive.getinfo("data").file_size > 1 << 28 or archive.getinfo("policy.pth").file_size > 1 << 30:
                raise _refuse(path, "it is larger than any small policy")
            data = json.loads(archive.read("data"))
            tensors = read_tensors(archive.read("policy.pth"))
    except (zipfile.BadZipFile, json.JSONDecodeError) as mistake:
        raise ValueError(f"E303: '{os.fspath(path)}' is damaged, or no zip file: {mistake}") from None
    layers = _Layers(path, tensors)
    spaces = {
        "observation": _space(path, data.get("observation_space"), "obs"),
        "action": _space(path, data.get("action_space"), "action"),
    }
    if spaces["observation"]["count"] > 0:
        raise _refuse(path, "its observations are discrete; legal: a box")
    graph = Graph(len(spaces["observation"]["axes"]))
    settings = _kind(path, layers, data)(path, layers, data, graph)
    return graph.model(), settings, spaces


def read_sb3(
    path: str | os.PathLike, env: Any = None, *, normalisation: str | os.PathLike | None = None, **settings: Any
) -> _mercer.Policy:
    """The policy of an agent that Stable-Baselines3 saved: SAC, TD3, DDPG, PPO, A2C or DQN with an MlpPolicy.

    The zip is read as data: none of its pickles is executed. `env` gives names and units to observations and actions;
    without it their ranges come from the zip. `normalisation` is an .npz with VecNormalize's statistics
    (`numpy.savez("n.npz", mean=env.obs_rms.mean, var=env.obs_rms.var)`). `settings` are those of `load_policy`.
    """
    model, told, spaces = sb3_to_onnx(path)
    if normalisation is not None:
        told.update(_normalisation(normalisation))
    told.update({key.replace("_", "-"): _setting_text(value) for key, value in settings.items()})
    name = pathlib.Path(path).name
    if env is None:
        task = _mercer.Task(pathlib.Path(path).stem, spaces["observation"], spaces["action"], 0x7FFFFFFF)
    else:
        task = task_of(env)
    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder) / f"{pathlib.Path(name).stem}.onnx"
        file.write_bytes(model)
        return _mercer.make_policy(os.fspath(file), task, told).renamed(os.fspath(path))
