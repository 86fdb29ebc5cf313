"""What an embedding may lose, as a dictionary that explains itself."""

from __future__ import annotations

import json
from typing import Any

from . import _mercer
from .envs import env_name, player_env
from .foreign import player_of
from .options import check_share, with_options
from .perturbed import with_spread
from .policies import as_policy
from .progress import Progress, watching

CertificateError = _mercer.CertificateError


class Certificate(dict[str, Any]):
    """The JSON of a certificate (docs/guide/guarantees.md); keys are attributes, too: `certificate.met`."""

    def __getattr__(self, key: str) -> Any:
        try:
            return self[key]
        except KeyError:
            raise AttributeError(key) from None

    def __str__(self) -> str:
        return _mercer.certificate_page(json.dumps(self))

    def promise(self, about: str) -> dict[str, Any] | None:
        """The promise about "return", "return_percent", "roughness", "failures", "distance_teacher",
        "distance_embedding" or "outside": on average the embedding is at most `factor` times `teacher` plus `upper`.
        None where there is no such promise. `motion` has what was measured of both policies, `grid` the points of
        perturbed tasks, of which number `worst` is the worst.
        """
        return next((one for one in self["promises"] if one["about"] == about), None)

    @property
    def sentences(self) -> list[str]:
        """What is promised, in words."""
        return _mercer.certificate_sentences(json.dumps(self))

    @property
    def warnings(self) -> list[str]:
        """A sentence for each measured outcome that is more than three times the teacher's."""
        return _mercer.certificate_warnings(json.dumps(self))

    @staticmethod
    def parse(text: str) -> "Certificate":
        return Certificate(json.loads(text))


@with_options("certify", without=("env", "policy", "file", "starts", "batch", "dry_run", "accept_other_teacher", "sign"))
def certify(
    env: Any,
    teacher: Any,
    student: Any,
    *,
    return_range: tuple[float, float] | None = None,
    progress: Progress = None,
    **options: Any,
) -> Certificate:
    """Bounds what `student`, an embedding or any policy, may lose against `teacher`: the levels of `mercer certify`.

    An embedding meets other episodes than those it was made from; for any other policy the seed is taken as it is. A budget that is not kept shows in `met`;
    nothing is raised. `return_range` is as for `compress`.
    """
    check_share("max_loss", options.get("max_loss"))
    task = player_env(env)
    act = str(options.get("act") or "sample")
    first = as_policy(teacher, task, act)
    handle = getattr(student, "_handle", None)
    second = as_policy(student, task, act) if handle is None else handle
    with watching(progress) as report:
        player = player_of(with_spread(task, first), return_range)
        text = _mercer.certify(player, env_name(env), first, second, options, report)
    return Certificate.parse(text)
