"""A decision tree that imitates."""

import numpy as np
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor


class Tree:
    """An inner node has a feature in one byte, a threshold in four and where its right child is in two (the left one follows); a leaf
    one byte that tells it from them and its action in one byte, a 254th of the range or the choice."""

    def __init__(self, leaves):
        self.leaves = leaves

    def fit(self, task, observations, actions, random):
        kind = DecisionTreeRegressor if task.choices is None else DecisionTreeClassifier
        self.task = task
        self.tree = kind(max_leaf_nodes=self.leaves, random_state=int(random.integers(2**31))).fit(observations, actions)
        leaves = self.tree.get_n_leaves()
        self.bytes = 7 * (self.tree.tree_.node_count - leaves) + 2 * leaves

    def act(self, observations):
        actions = self.tree.predict(observations)
        if self.task.choices is not None:
            return actions
        unit = self.task.largest / 127
        return np.rint(actions / unit) * unit
