"""What an embedding may lose, as a dictionary that explains itself."""

from __future__ import annotations

import json
from typing import Any

from . import _mercer
from .envs import env_name, is_foreign, own_env
from .foreign import player_of
from .policies import as_policy
from .progress import Progress, watching

CertificateError = _mercer.CertificateError


class Certificate(dict):
    """The JSON of a certificate (docs/guarantees.md); keys are attributes, too: `certificate.met`."""

    def __getattr__(self, key: str) -> Any:
        try:
            return self[key]
        except KeyError:
            raise AttributeError(key) from None

    def __str__(self) -> str:
        page = _mercer.certificate_page(json.dumps(self))
        if self.get("level") != "estimate":
            return page
        return "AN ESTIMATE, NOT A GUARANTEE: the range of returns is not known.\n" + page

    @staticmethod
    def parse(text: str) -> "Certificate":
        return Certificate(json.loads(text))


def certify(
    env: Any,
    teacher: Any,
    student: Any,
    *,
    max_loss: float | None = None,
    max_loss_return: float | None = None,
    confidence: float = 0.95,
    episodes: int = 10000,
    seed: int = 1 << 32,
    act: str = "mean",
    return_range: tuple[float, float] | None = None,
    progress: Progress = None,
    **options: Any,
) -> Certificate:
    """What `student` may lose against `teacher`: the levels of `mercer certify`.

    Use a seed that the student was not made with. `options` are coupled, attempt, method, gamma, horizon, levels,
    model. A budget that is not kept is told by `met`, not raised. In an environment that only Python can play there is
    the paired row alone, an estimate unless `return_range` bounds the return of every episode.
    """
    task = env if is_foreign(env) else own_env(env)
    options.update(confidence=confidence, episodes=episodes, seed=seed, act=act)
    if max_loss is not None:
        options["max_loss"] = max_loss
    if max_loss_return is not None:
        options["max_loss_return"] = max_loss_return
    with watching(progress) as report:
        first, second = as_policy(teacher, task, act), as_policy(student, task, act)
        player = player_of(task, return_range)
        certificate = Certificate.parse(_mercer.certify(player, first, second, options, report))
    certificate.update(env=env_name(env), teacher=first.name)
    return certificate
