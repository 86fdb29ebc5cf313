"""The search of `compress` in environments that only Python can play."""

from __future__ import annotations

import time
from typing import Any

import numpy as np

from . import _mercer
from .certificates import Certificate
from .embedding import Embedding
from .envs import env_name
from .playing import play_foreign
from .policies import as_policy

# Which episodes serve for what: multiples of the seed, far apart. Nothing that is certified was seen before.
_VISIT, _SELECT, _CERTIFY, _POLISH = 0, 1, 2, 3


class ForeignSearch:
    """Fits embeddings to states that the teacher and the candidates visit, and compares them by their returns."""

    def __init__(
        self,
        policy: Any,
        env: Any,
        options: dict[str, Any],
        polish: str,
        candidate_episodes: int,
        select_episodes: int,
        certify_episodes: int,
        return_range: tuple[float, float] | None,
        on_candidate: Any,
        report: Any,
    ) -> None:
        if options["max_loss"] is None and options["max_loss_return"] is None:
            raise ValueError("E204: no budget was given. Give max_loss or max_loss_return.")
        if not 0 < options["confidence"] < 1:
            raise ValueError(f"E202: confidence is {options['confidence']}; legal: between 0 and 1")
        if polish not in ("return", "action", "none"):
            raise ValueError(f"E201: polish is {polish!r}; legal: 'return', 'action' or 'none'")
        self.env, self.options, self.polish = env, options, polish
        self.given = policy
        self.act = options["act"]
        self.teacher = as_policy(policy, env, self.act)
        self.candidate_episodes = candidate_episodes
        self.select_episodes, self.certify_episodes = select_episodes, certify_episodes
        self.range = return_range if return_range and np.all(np.isfinite(return_range)) else None
        self.on_candidate, self.report = on_candidate, report
        self.begin = time.monotonic()
        self.tried: list[dict[str, Any]] = []
        self.handles: list[Any] = []

    # Playing.

    def _seed(self, purpose: int, item: int = 0) -> int:
        return (self.options["seed"] * 8 + purpose + 4 * item) % 2048

    def _returns(self, policy: Any, purpose: int, episodes: int, item: int = 0) -> np.ndarray:
        seed = self._seed(purpose, item)
        return np.array(play_foreign(self.env, policy, episodes, seed, self.act, keep_steps=False).returns)

    def _tell(self, stage: str, fraction: float) -> None:
        if self.report is not None:
            self.report(stage, fraction)

    def _enough(self) -> bool:
        return 0 < self.options["seconds"] < time.monotonic() - self.begin

    # Fitting.

    def _sampled(self) -> Any:
        search = _mercer.TermSearch(self.teacher, self.act)
        episodes = max(10, self.select_episodes // 4)
        met = play_foreign(self.env, self.given, episodes, self._seed(_VISIT), self.act)
        search.add(_picked(met.observations, 5000))
        # A candidate's errors live where the teacher never goes.
        for k in (4, 8, 12):
            most = search.choose({"degree": self.options["degree"]}, k, self.options["seed"])
            policy = search.policy(most, search.fit(most))
            own = play_foreign(self.env, policy, max(5, episodes // 4), self._seed(_VISIT), self.act)
            search.add(_picked(own.observations, 1500))
        return search

    def _polished(self, search: Any, k: int, coefficients: np.ndarray) -> np.ndarray:
        """Raises the mean return over the coefficients: steps move the function by as much in every direction."""
        gram = search.gram(k)
        gram = gram + 1e-2 * np.trace(gram) / k * np.eye(k)
        white = np.linalg.inv(np.linalg.cholesky(gram)).T
        evolution = _mercer.Evolution(np.zeros(coefficients.size), 0.15, self.options["seed"], k)

        def at(z: np.ndarray) -> np.ndarray:
            return coefficients + np.reshape(z, coefficients.shape) @ white.T

        for generation in range(self.options["generations"]):
            if self._enough():
                break
            losses = [
                -self._returns(search.policy(k, at(z)), _POLISH, self.candidate_episodes, generation).mean()
                for z in evolution.ask()
            ]
            evolution.tell(np.array(losses))
            self._tell(f"polish, {k} terms", (generation + 1) / self.options["generations"])
        better = at(evolution.mean)
        before, after = (
            self._returns(search.policy(k, c), _POLISH, 4 * self.candidate_episodes, 10**6).mean()
            for c in (coefficients, better)
        )
        return better if after > before else coefficients

    # Comparing.

    def _budget(self, teacher_mean: float) -> float:
        amounts = []
        if self.options["max_loss"] is not None:
            amounts.append(self.options["max_loss"] * abs(teacher_mean))
        if self.options["max_loss_return"] is not None:
            amounts.append(self.options["max_loss_return"])
        return float(min(amounts))

    def _upper(self, loss: float, spread: float) -> float:
        """What the certificate should say about a candidate, from what the selection episodes said."""
        z = 1.7 * spread / np.sqrt(self.certify_episodes)
        width = 0.0 if self.range is None else (self.range[1] - self.range[0]) * 3.0 / self.certify_episodes
        return loss + z + width

    def _record(self, handle: Any, format_: str) -> dict[str, Any]:
        differences = self.teacher_returns - self._returns(handle.policy, _SELECT, self.select_episodes)
        facts = handle.describe()
        loss = float(differences.mean())
        one = {
            "payload_bytes": facts["payload_bytes"],
            "loss": loss,
            "spread": float(differences.std(ddof=1)),
            "loss_percent": 100 * loss / abs(self.teacher_mean) if self.teacher_mean else float("nan"),
            "route": "continuous",
            "basis": facts["basis"],
            "k": facts["k"],
            "format": format_,
        }
        self.tried.append(one)
        self.handles.append(handle)
        if self.on_candidate is not None:
            self.on_candidate(one, len(self.tried) - 1 in self._front())
        return one

    def _front(self) -> list[int]:
        out, best = [], np.inf
        order = sorted(range(len(self.tried)), key=lambda i: (self.tried[i]["payload_bytes"], self.tried[i]["loss"]))
        for i in order:
            if self.tried[i]["loss"] < best:
                best = self.tried[i]["loss"]
                out.append(i)
        return out

    def run(self) -> Embedding:
        self.teacher_returns = self._returns(self.given, _SELECT, self.select_episodes)
        self.teacher_mean = float(self.teacher_returns.mean())
        self.budget = self._budget(self.teacher_mean)
        search = self._sampled()
        bases = self.options.get("bases") or ["chebyshev", "ridge", "mixed"]
        formats = self.options.get("formats") or ["int8", "int6", "int4"]
        most_bytes = self.options["max_bytes"] or np.inf
        smallest = np.inf  # payload of a promising candidate
        for number, basis in enumerate(bases):
            dictionary = {"basis": basis, "degree": self.options["degree"]}
            most = search.choose(dictionary, self.options["most_terms"], self.options["seed"])
            for k in range(1, most + 1):
                if self._enough() and self.tried:
                    break
                coefficients = search.fit(k, 0 if self.polish == "none" else 20)
                if self.polish == "return":
                    coefficients = self._polished(search, k, coefficients)
                made = [(search.embedding(k, coefficients, one), one) for one in formats]
                least = min(len(handle.payload) for handle, _ in made)
                if least > min(smallest, most_bytes):
                    break
                for handle, format_ in made:
                    if len(handle.payload) > most_bytes:
                        continue
                    one = self._record(handle, format_)
                    if self._upper(one["loss"], one["spread"]) <= self.budget:
                        smallest = min(smallest, one["payload_bytes"])
                    if one["loss"] > 3 * self.budget and one["loss"] > 0.03 * abs(self.teacher_mean):
                        break  # far from what is asked for: one point for the front will do
                self._tell(f"search, {basis}", (number + k / most) / len(bases))
        if not self.tried:
            raise ValueError(f"E202: no embedding is as small as {most_bytes} bytes. Allow more bytes.")
        return self._certified()

    # Promising.

    def _certified(self) -> Embedding:
        promising = [
            i for i, one in enumerate(self.tried) if self._upper(one["loss"], one["spread"]) <= self.budget
        ]
        order = sorted(promising, key=lambda i: (self.tried[i]["payload_bytes"], self.tried[i]["loss"]))
        rest = [i for i in range(len(self.tried)) if i not in promising]
        order += sorted(rest, key=lambda i: self._upper(self.tried[i]["loss"], self.tried[i]["spread"]))
        teacher = self._returns(self.given, _CERTIFY, self.certify_episodes)
        best: tuple[int, Certificate] | None = None
        for attempt, i in enumerate(order[: self.options["attempts"]], start=1):
            student = self._returns(self.handles[i].policy, _CERTIFY, self.certify_episodes)
            certificate = self._certificate(teacher, student, attempt)
            self._tell("certify", attempt / min(len(order), self.options["attempts"]))
            if best is None or certificate["met"] or certificate["upper_return"] < best[1]["upper_return"]:
                best = (i, certificate)
            if certificate["met"]:
                break
        assert best is not None
        handle = self.handles[best[0]]
        handle.set_origin(env_name(self.env), self.teacher.name, self.options["seed"], {"act": self.act})
        embedding = Embedding(handle, [self.tried[i] for i in self._front()], self.tried)
        embedding.certificate = best[1]
        embedding.seconds = time.monotonic() - self.begin
        return embedding

    def _certificate(self, teacher: np.ndarray, student: np.ndarray, attempt: int) -> Certificate:
        confidence = _mercer.confidence_of_attempt(self.options["confidence"], attempt)
        differences = teacher - student
        mean, loss = float(teacher.mean()), float(differences.mean())
        upper_percent: float | None
        assumptions = [
            "episodes are independent, and the environment is the same tomorrow",
            "reset(seed=...) draws starts as they will be drawn later",
            "the embedding was fixed before these episodes were played",
        ]
        missing = ["what the environment does outside these episodes' distribution"]
        if self.range is not None:
            level, method = "statistical", "betting"
            bound = _mercer.certify_loss(teacher, student, self.range, confidence)
            upper, upper_percent = bound["upper_loss"], bound["upper_percent"]
            if bound["no_percent"]:
                missing.append(bound["no_percent"])
            assumptions.append(f"every return lies in [{self.range[0]:g}, {self.range[1]:g}], as the caller said")
            width = self.range[1] - self.range[0]
        else:
            level, method = "estimate", "student_t"
            upper = _mercer.student_t_interval(differences, 1 - confidence, "upper")[1]
            upper_percent = 100 * upper / abs(mean) if mean else None
            assumptions.append("the mean of the differences is roughly normal: an estimate, no guarantee")
            missing.append("rare disasters: no range of returns was given, so nothing bounds them (return_range=...)")
            width = float("inf")
        row = {
            "term": "paired", "level": level, "value": upper, "measured": loss, "slack": upper - loss,
            "vacuous": not upper < width, "assumptions": assumptions, "about": "return", "winner": False,
        }
        max_loss, allowed = self.options["max_loss"], self.options["max_loss_return"]
        met = (max_loss is None or (upper_percent is not None and upper_percent <= 100 * max_loss)) and (
            allowed is None or upper <= allowed
        )
        return Certificate(
            rows=[row],
            teacher_return=mean,
            loss_return=loss,
            loss_percent=100 * loss / abs(mean) if mean else None,
            upper_return=upper,
            upper_percent=upper_percent,
            confidence=self.options["confidence"],
            level=level,
            method=method,
            gamma=1.0,
            about="return",
            act=self.act,
            env=env_name(self.env),
            teacher=self.teacher.name,
            episodes=len(teacher),
            seed=self._seed(_CERTIFY),
            attempt=attempt,
            budget_percent=None if max_loss is None else 100 * max_loss,
            budget_return=allowed,
            met=bool(met),
            not_covered=missing,
        )


def _picked(observations: np.ndarray, most: int) -> np.ndarray:
    """Rows picked evenly: at most `most`."""
    if len(observations) <= most:
        return observations
    return observations[np.arange(most) * len(observations) // most]
