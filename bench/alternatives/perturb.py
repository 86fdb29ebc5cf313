"""Tasks next door to the one that a policy was trained in."""

import dataclasses

from .playing import play


@dataclasses.dataclass(frozen=True)
class Perturbation:
    """What is different. `factor` multiplies the physical parameter that the task names (`strength`): the mass of the pendulum,
    what a full push adds to the speed of the cars."""

    factor: float = 1.0
    noise: float = 0.0
    delay: int = 0

    def settings(self, task):
        """As `--env TASK:...` reads them."""
        changed = {task.strength: getattr(task, task.strength) * self.factor} if self.factor != 1 else {}
        changed |= {"noise": self.noise} if self.noise else {}
        changed |= {"delay": self.delay} if self.delay else {}
        return ",".join(f"{name}={value:.12g}" for name, value in changed.items())

    def spec(self, task):
        settings = self.settings(task)
        return f"{task.name}:{settings}" if settings else task.name

    def task(self, task):
        """The task with the other physical parameter."""
        changed = getattr(task, task.strength) * self.factor
        return task if self.factor == 1 else type(task.__name__, (task,), {task.strength: changed})

    def play(self, task, act, starts, random):
        return play(self.task(task), act, starts, noise=self.noise, delay=self.delay, random=random)


def box(task):
    """The ranges that the grid below lies in, as `--perturb` reads them."""
    nominal = getattr(task, task.strength)
    return f"{task.strength}={0.8 * nominal:.12g}..{1.2 * nominal:.12g}; noise=0..0.05; delay=0..1"


# The grid that an embedding is held against.
GRID = (Perturbation(), Perturbation(factor=0.8), Perturbation(factor=1.2), Perturbation(noise=0.02), Perturbation(noise=0.05),
        Perturbation(delay=1))
