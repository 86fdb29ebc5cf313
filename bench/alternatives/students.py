"""What could stand in for a network instead of an embedding. A student has `act(observations)` and `bytes`: what a device must
hold to play it, with four bytes a number unless said otherwise."""

import numpy as np
from sklearn.cluster import KMeans
from sklearn.tree import DecisionTreeRegressor

from .onnx_weights import weights


class Network:
    """The mean action of a Stable-Baselines3 SAC actor, from its ONNX file; as it is, or with few bits a weight. The part that
    gives the spread of actions is not counted. Beside the file lie observations with the actions for them, which are checked."""

    def __init__(self, file, bits=None):
        stored = weights(file)
        self.clipped = "mu.0.weight" in stored  # with state-dependent noise it clips before it squashes
        head = "mu.0" if self.clipped else "mu"
        self.layers = [(stored[f"{name}.weight"], stored[f"{name}.bias"]) for name in ("latent.0", "latent.2", head)]
        with np.load(str(file).replace("_actor.onnx", ".npz")) as known:
            self.scale = float(known["action_scale"][0])
            if np.abs(self.act(known["obs"].astype(float)) - known["action"][:, 0]).max() > 1e-5 * self.scale:
                raise ValueError(f"{file} does not act as the pairs beside it say")
        numbers, biases = sum(w.size for w, _ in self.layers), sum(b.size for _, b in self.layers)
        self.bytes = 4 * (numbers + biases)
        if bits:
            self.layers = [(self.rounded(w, bits), b) for w, b in self.layers]
            self.bytes = (numbers * bits + 7) // 8 + 4 * (biases + len(self.layers))

    @staticmethod
    def rounded(weights, bits):
        unit = np.abs(weights).max() / (2 ** (bits - 1) - 1)
        return np.rint(weights / unit) * unit

    def act(self, observations):
        hidden = observations
        for weight, bias in self.layers[:-1]:
            hidden = np.maximum(hidden @ weight.T + bias, 0.0)
        weight, bias = self.layers[-1]
        out = (hidden @ weight.T + bias)[:, 0]
        return self.scale * np.tanh(np.clip(out, -2.0, 2.0) if self.clipped else out)


class SmallNetwork:
    """Two hidden layers of tanh, fitted by Adam with a step that falls to zero."""

    def __init__(self, width, steps=2000):
        self.width, self.steps = width, steps

    def fit(self, observations, actions, scale, random):
        self.scale = scale
        self.middle, self.spread = observations.mean(0), observations.std(0) + 1e-9
        inputs, targets = (observations - self.middle) / self.spread, actions / scale
        widths = [inputs.shape[1], self.width, self.width, 1]
        self.weights = [random.normal(size=(a, b)) / np.sqrt(a) for a, b in zip(widths, widths[1:])]
        self.weights += [np.zeros(b) for b in widths[1:]]
        first, second = [np.zeros_like(w) for w in self.weights], [np.zeros_like(w) for w in self.weights]
        for step in range(1, self.steps + 1):
            batch = random.integers(len(inputs), size=256)
            rate = 0.01 * (1 - step / self.steps)
            for i, slope in enumerate(self.slopes(inputs[batch], targets[batch])):
                first[i] += 0.1 * (slope - first[i])
                second[i] += 0.001 * (slope**2 - second[i])
                self.weights[i] -= rate * first[i] / (1 - 0.9**step) / (np.sqrt(second[i] / (1 - 0.999**step)) + 1e-8)
        self.bytes = 4 * (sum(w.size for w in self.weights) + 2 * inputs.shape[1])

    def layers(self, inputs):
        outs = [inputs]
        for weight, bias in zip(self.weights[:3], self.weights[3:]):
            outs.append(np.tanh(outs[-1] @ weight + bias))
        return outs

    def slopes(self, inputs, targets):
        outs = self.layers(inputs)
        back, of_weights, of_biases = 2 * (outs[3] - targets[:, None]) / len(inputs), [], []
        for layer in (2, 1, 0):
            back = back * (1 - outs[layer + 1] ** 2)
            of_weights.insert(0, outs[layer].T @ back)
            of_biases.insert(0, back.sum(0))
            back = back @ self.weights[layer].T
        return of_weights + of_biases

    def act(self, observations):
        return self.scale * self.layers((observations - self.middle) / self.spread)[3][:, 0]


class Tree:
    """A regression tree. A node is a feature and two children in 8 bytes, and a number in 4."""

    def __init__(self, leaves):
        self.leaves = leaves

    def fit(self, observations, actions, scale, random):
        self.tree = DecisionTreeRegressor(max_leaf_nodes=self.leaves, random_state=int(random.integers(2**31)))
        self.tree.fit(observations, actions)
        self.bytes = 12 * self.tree.tree_.node_count

    def act(self, observations):
        return self.tree.predict(observations)


class Bumps:
    """Gaussian bumps around centres of k-means, by regularised least squares; their width by what was held out."""

    def __init__(self, centres):
        self.count = centres

    def fit(self, observations, actions, scale, random):
        kept = random.permutation(len(observations))[:10000]
        observations, actions = observations[kept], actions[kept]
        self.scale, self.middle, self.spread = scale, observations.mean(0), observations.std(0) + 1e-9
        inputs = (observations - self.middle) / self.spread
        self.centres = KMeans(self.count, n_init=1, max_iter=20, random_state=int(random.integers(2**31))).fit(inputs).cluster_centers_
        half, best = len(inputs) // 2, np.inf
        for rate in (0.1, 0.3, 1.0, 3.0, 10.0):
            heights = self.heights(inputs[:half], actions[:half], rate)
            error = np.mean((self.values(inputs[half:], rate) @ heights - actions[half:]) ** 2)
            if error < best:
                best, self.rate = error, rate
        self.solved = self.heights(inputs, actions, self.rate)
        self.bytes = 4 * (self.count * (inputs.shape[1] + 1) + 2 * inputs.shape[1] + 2)

    def values(self, inputs, rate):
        squares = (inputs**2).sum(1)[:, None] + (self.centres**2).sum(1) - 2 * inputs @ self.centres.T
        return np.column_stack([np.exp(-rate * np.maximum(squares, 0)), np.ones(len(inputs))])

    def heights(self, inputs, actions, rate):
        values = self.values(inputs, rate)
        return np.linalg.solve(values.T @ values + 1e-4 * np.eye(self.count + 1), values.T @ actions)

    def act(self, observations):
        inputs = (observations - self.middle) / self.spread
        return np.clip(self.values(inputs, self.rate) @ self.solved, -self.scale, self.scale)


class Grid:
    """A plain table: even bins in each dimension, in each the mean action met there; where nothing was met, zero."""

    def __init__(self, bins, low, high):
        self.bins, self.low, self.high = bins, low, high

    def cell(self, observations):
        place = (observations - self.low) / (self.high - self.low) * self.bins
        place = np.clip(place.astype(int), 0, self.bins - 1)
        return np.ravel_multi_index(place.T, (self.bins,) * len(self.low))

    def fit(self, observations, actions, scale, random):
        cells, size = self.cell(observations), self.bins ** len(self.low)
        sums, counts = np.bincount(cells, actions, size), np.bincount(cells, minlength=size)
        self.table = sums / np.maximum(counts, 1)
        self.bytes = 4 * size + 8 * len(self.low)

    def act(self, observations):
        return self.table[self.cell(observations)]
