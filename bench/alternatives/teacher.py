"""The network itself: as it is, or with few bits a weight."""

import numpy as np

from .onnx_weights import weights


class Network:
    """The mean action of a Stable-Baselines3 SAC actor, or the greedy one of a DQN, from its ONNX file. The part that gives
    the spread of actions is not counted. Beside the file lie observations with the actions for them, which are checked."""

    def __init__(self, task, file, bits=None):
        stored = weights(file)
        self.task = task
        self.clipped = "mu.0.weight" in stored  # with state-dependent noise it clips before it squashes
        names = ("q.0", "q.2", "q.4") if task.choices else ("latent.0", "latent.2", "mu.0" if self.clipped else "mu")
        self.layers = [(stored[f"{name}.weight"].astype(np.float32), stored[f"{name}.bias"].astype(np.float32)) for name in names]
        self.check(file.with_name(file.name.rsplit("_", 1)[0] + ".npz"))
        numbers, biases = sum(w.size for w, _ in self.layers), sum(b.size for _, b in self.layers)
        self.bytes = 4 * (numbers + biases)
        if bits:
            self.layers = [(rounded(w, bits).astype(np.float32), b) for w, b in self.layers]
            self.bytes = (numbers * bits + 7) // 8 + 4 * (biases + len(self.layers))

    def check(self, pairs):
        with np.load(pairs) as known:
            acted, expected = self.act(known["obs"]), known["action"].reshape(-1)
            if self.task.choices is None and known["action_scale"][0] != self.task.largest:
                raise ValueError(f"{pairs} tells of another range of actions than {self.task.name} has")
        if np.abs(acted - expected).max() > 1e-5 * self.task.largest:
            raise ValueError(f"the network does not act as {pairs} says")

    def act(self, observations):
        hidden = observations.astype(np.float32)  # as the network was trained and is run elsewhere
        for weight, bias in self.layers[:-1]:
            hidden = np.maximum(hidden @ weight.T + bias, 0.0)
        weight, bias = self.layers[-1]
        out = hidden @ weight.T + bias
        if self.task.choices:
            return out.argmax(1)
        out = out[:, 0].astype(float)
        return self.task.largest * np.tanh(np.clip(out, -2.0, 2.0) if self.clipped else out)


def rounded(weights, bits, axis=None):
    """To whole multiples of one unit that 2^(bits-1) - 1 of reach the largest weight; with an axis, of units along it."""
    unit = np.maximum(np.abs(weights).max(axis, keepdims=axis is not None), 1e-30) / (2 ** (bits - 1) - 1)
    return np.rint(weights / unit) * unit
