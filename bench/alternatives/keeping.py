"""What a student must keep besides the return: the limits of `mercer compress --keep behaviour`."""

import dataclasses

import numpy as np

FACTOR, PLUS, MORE_FAILURES = 1.25, 0.005, 0.01
ALLOWED_LOSS = 0.01  # of the network's |mean return|


@dataclasses.dataclass
class Limits:
    """The largest means that are allowed; no failures where the end of an episode means nothing."""

    roughness: float
    failures: float = None

    @classmethod
    def of(cls, teacher):
        """From what a network played."""
        failures = None if teacher.failures is None else teacher.failures + MORE_FAILURES
        return cls(FACTOR * float(teacher.roughness.mean()) + PLUS, failures)

    def too_rough(self, roughness):
        return bool(roughness > self.roughness)

    def fails_too_often(self, failures):
        return self.failures is not None and bool(failures > self.failures)

    def excess(self, roughness, failures):
        """By which share each quantity is above its limit, summed."""
        above = np.maximum(roughness / self.roughness - 1, 0)
        return above if self.failures is None else above + np.maximum(failures / self.failures - 1, 0)


@dataclasses.dataclass
class Aim:
    """What a search on return minimises, as Mercer's does: the loss in units of what is allowed, and ten times the excess. Without
    limits the return alone counts."""

    budget: float
    limits: Limits = None

    @classmethod
    def of(cls, teacher, behaviour):
        return cls(ALLOWED_LOSS * abs(float(teacher.returns.mean())), Limits.of(teacher) if behaviour else None)

    def costs(self, returns, roughness, failures):
        """Of candidates with these means, up to a constant."""
        costs = -returns / self.budget
        return costs if self.limits is None else costs + 10 * self.limits.excess(roughness, failures)
