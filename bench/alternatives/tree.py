"""A decision tree that imitates."""

import numpy as np
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor


class Tree:
    """At most `leaves`, or at most `depth` deep. An inner node has a feature in one byte, a threshold in four and where its right child
    is in two (the left one follows); a leaf one byte that tells it from them and its action in one byte, a 254th of the range
    or the choice."""

    threshold, leaf = 4, 1

    def __init__(self, leaves=None, depth=None):
        self.leaves, self.depth = leaves, depth

    def fit(self, task, observations, actions, random):
        kind = DecisionTreeRegressor if task.choices is None else DecisionTreeClassifier
        self.task = task
        self.tree = kind(max_leaf_nodes=self.leaves, max_depth=self.depth, random_state=int(random.integers(2**31)))
        self.tree.fit(observations, actions)
        leaves = self.tree.get_n_leaves()
        self.bytes = (3 + self.threshold) * (self.tree.tree_.node_count - leaves) + (1 + self.leaf) * leaves

    def act(self, observations):
        actions = self.tree.predict(observations)
        if self.task.choices is not None:
            return actions
        unit = self.task.largest / 127
        return np.rint(actions / unit) * unit


class HalfTree(Tree):
    """The same for several actions, with thresholds and actions of leaves in float16."""

    threshold = 2

    def fit(self, task, observations, actions, random):
        self.leaf = 1 if task.choices is not None else 2 * actions.reshape(len(actions), -1).shape[1]
        super().fit(task, observations, actions, random)
        nodes = self.tree.tree_
        nodes.threshold[:] = nodes.threshold.astype(np.float16)
        if task.choices is None:
            self.values = nodes.value[:, :, 0].astype(np.float16).astype(float)
        else:
            self.values = self.tree.classes_[nodes.value[:, 0].argmax(1)]

    def act(self, observations):
        return self.values[self.tree.tree_.apply(np.ascontiguousarray(observations, np.float32))]
