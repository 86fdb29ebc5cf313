"""The search for the smallest embedding, in built-in tasks and in those that only Python can play."""

import signal
import threading
import time

import mercer
import numpy as np
import pytest
from conftest import ACTOR
from gym_pendulum import Corridor, Pendulum, Vector
from mercer import _mercer

QUICK = {"select_episodes": 200, "certify_episodes": 4000, "generations": 8, "most_terms": 3, "bases": ["chebyshev"],
         "candidate_episodes": 64, "route": "continuous", "seed": 1}


@pytest.fixture(scope="module")
def found():
    heard = []
    embedding = mercer.compress(ACTOR, "pendulum", 0.06, on_candidate=lambda *one: heard.append(one), **QUICK)
    return embedding, heard


def test_the_command_line_finds_the_same(found, cli, tmp_path):
    told = cli.json("compress", "--env", "pendulum", "--policy", ACTOR, "--max-loss", "6%", "--select-episodes", 200,
                    "--certify-episodes", 4000, "--generations", 8, "--most-terms", 3, "--bases", "chebyshev",
                    "--candidate-episodes", 64, "--route", "continuous", "--seed", 1, "--out", "c.mercer")
    embedding, _ = found
    assert mercer.read(tmp_path / "c.mercer").payload == embedding.payload
    assert dict(embedding.certificate) == told["certificate"]
    assert [c["payload_bytes"] for c in embedding.front] == [c["payload_bytes"] for c in told["front"]]
    assert [c["loss_percent"] for c in embedding.front] == [c["loss_percent"] for c in told["front"]]


def test_what_comes_back(found, tmp_path):
    embedding, heard = found
    assert embedding.certificate.met and embedding.certificate.upper_percent <= 6
    assert len(heard) == len(embedding.tried) and embedding.seconds > 0
    sizes, losses = ([c[key] for c in embedding.front] for key in ("payload_bytes", "loss_percent"))
    assert sizes == sorted(sizes) and losses == sorted(losses, reverse=True)
    embedding.save(tmp_path / "c.mercer")
    assert mercer.read(tmp_path / "c.mercer").certificate == embedding.certificate


def test_a_budget_that_cannot_be_kept():
    with pytest.raises(mercer.CertificateError, match="E501") as raised:
        mercer.compress(ACTOR, "pendulum", 0.0, polish="action", **{**QUICK, "most_terms": 1, "certify_episodes": 50})
    best = raised.value.embedding
    assert best.k == 1 and not best.certificate.met
    kept = mercer.compress(ACTOR, "pendulum", 0.0, polish="action", allow_unmet=True,
                           **{**QUICK, "most_terms": 1, "certify_episodes": 50})
    assert kept.payload == best.payload


def test_a_listener_that_fails_ends_the_search():
    def listener(one, on_front):
        raise RuntimeError("heard enough")

    with pytest.raises(RuntimeError, match="heard enough"):
        mercer.compress(ACTOR, "pendulum", 0.06, polish="action", on_candidate=listener, **QUICK)


@pytest.mark.parametrize("options, text", [({"confidence": 2}, "E202"), ({"route": "latice"}, "lattice"),
                                           ({"bases": ["chebychev"]}, "chebyshev"),
                                           ({"most_terms": "three"}, "most_terms"),
                                           ({"return_range": (0, 1)}, "E203")])
def test_options_that_do_not_do(options, text):
    with pytest.raises(ValueError, match=text):
        mercer.compress(ACTOR, "pendulum", 0.02, **{**QUICK, **options})


FOREIGN = {"bases": ["chebyshev"], "most_terms": 6, "formats": ["int8"], "select_episodes": 40, "certify_episodes": 80,
           "polish": "action"}


def test_a_pendulum_of_ones_own_gives_the_same_quality(teacher):
    """Fitted in pure Python's pendulum, judged in the built-in one beside the one that was fitted there."""
    own = mercer.compress(teacher, Vector(Pendulum, 40), 0.05, allow_unmet=True, **FOREIGN)
    built_in = mercer.compress(teacher, "pendulum", 0.05, route="continuous", allow_unmet=True,
                               **{**FOREIGN, "select_episodes": 400, "certify_episodes": 2000})
    losses = [mercer.evaluate("pendulum", one, 2000, 77, act="mean", against=teacher)["paired"]["loss_percent"]
              for one in (own, built_in)]
    print(f"own {own.payload_bytes} bytes, {losses[0]:.2f}%; built-in {built_in.payload_bytes} bytes, {losses[1]:.2f}%")
    assert max(losses) < 5  # what was allowed, on fresh episodes of the built-in task
    assert own.payload_bytes <= built_in.payload_bytes + 6
    assert own.certificate.level == "statistical" and own.certificate.cut is not None
    assert built_in.certificate.cut is None


def test_a_known_range_of_returns_makes_it_a_guarantee(teacher):
    embedding = mercer.compress(teacher, Vector(Pendulum, 40), None, max_loss_return=500, return_range=(-3300, 0),
                                keep="return", **{**FOREIGN, "certify_episodes": 200})
    certificate = embedding.certificate
    assert certificate.met and certificate.level == "statistical" and certificate.method == "betting"
    assert certificate.loss_return < certificate.upper_return <= 500
    assert any("declared range [-3300, 0]" in text for text in certificate.rows[0]["assumptions"])


def test_polishing_on_the_return_of_a_foreign_task(teacher):
    plain, polished = (
        mercer.compress(teacher, Vector(Pendulum, 10), 0.0, polish=how, allow_unmet=True, bases=["chebyshev"],
                        formats=["float32"], most_terms=2, generations=4, candidate_episodes=10, select_episodes=10,
                        certify_episodes=10)
        for how in ("action", "return")
    )
    assert polished.front[-1]["loss"] < plain.front[-1]["loss"]


def right_of_zero(obs):
    return int(obs[0] >= 0)


def test_callables_and_discrete_actions_in_a_foreign_task():
    embedding = mercer.compress(right_of_zero, Corridor(), 0.01, bases=["legendre"], most_terms=3, select_episodes=12,
                                certify_episodes=12, method="student_t")
    assert embedding.certificate.met and embedding.certificate.loss_return == 0
    assert embedding.predict(np.array([3.0]))[0] == 1


def test_foreign_options_that_do_not_do(teacher):
    for options, text in [({"max_loss": None}, "E204"), ({"confidence": 1.5}, "E202"), ({"polish": "retrn"}, "E201"),
                          ({"max_bytes": 1}, "E202"), ({"return_range": (1, 0)}, "E202")]:
        with pytest.raises(ValueError, match=text):
            mercer.compress(teacher, Vector(Pendulum, 10), **{**FOREIGN, "select_episodes": 10, **options})


@pytest.mark.parametrize("bounds", [(-np.inf, np.inf), (-np.inf, 0), (-1000.0, np.inf)])
def test_infinite_bounds_of_returns_are_unknown_ones(bounds):
    embedding, plain = (mercer.compress(right_of_zero, Corridor(), 0.01, return_range=given, allow_unmet=True, **SHORT)
                        for given in (bounds, None))
    assert embedding.payload == plain.payload and embedding.certificate == plain.certificate


@pytest.mark.parametrize("bounds", [(0, -5), (np.inf, -np.inf), (np.nan, 1), (0, np.nan)])
def test_bounds_of_returns_that_make_no_sense_are_refused_before_anything_is_played(bounds):
    env = Watched()
    with pytest.raises(ValueError, match="E202.*return_range is"):
        mercer.compress(right_of_zero, env, 0.01, return_range=bounds, **SHORT)
    with pytest.raises(ValueError, match="E202.*return_range is"):
        mercer.certify(env, right_of_zero, right_of_zero, return_range=bounds)
    assert not env.seeds


def test_a_percentage_of_nothing_is_refused_before_the_search():
    class Free(Watched):
        """Nothing is earned."""

        def step(self, action):
            obs, _, *ended = super().step(action)
            return obs, 0.0, *ended

    env, heard = Free(), []
    with pytest.raises(ValueError, match="E204.*max_loss_return"):
        mercer.compress(right_of_zero, env, 0.01, on_candidate=lambda *one: heard.append(one), **SHORT)
    assert not heard


def test_episodes_of_a_seed_are_reset_by_numbers_of_their_own():
    """Also from places of a vector of environments, the last of which play nothing that counts."""
    env = Watched()
    mercer.rollout(env, right_of_zero, 600, seed=1)
    assert len(set(env.seeds)) == 600
    with pytest.raises(ValueError, match="1048576"):
        mercer.rollout(env, right_of_zero, 2**20 + 1)
    vector = Vector(Watched, 7)
    mercer.rollout(vector, right_of_zero, 600, seed=1)
    met = [seed for one in vector.envs for seed in one.seeds if seed is not None]
    assert set(env.seeds) <= set(met) and len(set(met)) == len(met)


def test_equal_returns_without_a_range_are_no_guarantee():
    """Nothing was ever lost, and nothing is known of what never happened."""
    embedding = mercer.compress(right_of_zero, Corridor(), 0.01, bases=["legendre"], most_terms=2, select_episodes=12,
                                certify_episodes=12, return_range=(-np.inf, 0), method="student_t")
    certificate = embedding.certificate
    assert certificate.loss_return == 0 and certificate.upper_return == 0 and certificate.met
    assert certificate.level == "estimate" and certificate.rows[0]["level"] == "estimate"


def test_the_same_search_twice(teacher):
    one, again = (mercer.compress(teacher, Vector(Pendulum, 20), 0.05, allow_unmet=True, seed=3, budget=0,
                                  **{**FOREIGN, "most_terms": 2, "certify_episodes": 20}) for _ in range(2))
    assert one.payload == again.payload and one.certificate == again.certificate and one.tried == again.tried


class Watched(Corridor):
    """Notes what it is reset with and on which thread, and fails after some steps where that is asked for."""

    def __init__(self, failing=None):
        self.seeds, self.threads, self.left, self.failing = [], set(), 500, failing

    def reset(self, *, seed=None, options=None):
        self.seeds.append(seed)
        self.threads.add(threading.get_ident())
        return super().reset(seed=seed)

    def step(self, action):
        self.left -= 1
        if self.failing is not None and self.left == 0:
            raise self.failing
        return super().step(action)


SHORT = {"bases": ["legendre"], "formats": ["int8"], "most_terms": 2, "select_episodes": 12, "certify_episodes": 30,
         "polish": "action"}


def test_environments_stay_on_their_thread_and_certify_on_starts_of_their_own():
    env = Watched()
    embedding = mercer.compress(right_of_zero, env, 0.01, allow_unmet=True, **SHORT)
    assert env.threads == {threading.get_ident()}
    judging = [_mercer.reset_seed(embedding.certificate.seed, e) for e in range(30)]
    first = env.seeds.index(judging[0])
    assert env.seeds[first : first + 60] == judging * 2  # the teacher, then the embedding
    assert not set(judging) & set(env.seeds[:first])
    assert all(0 <= seed < 2**31 for seed in env.seeds)


@pytest.mark.parametrize("failing", [RuntimeError("the motor is hot"), KeyboardInterrupt()])
def test_what_an_environment_raises_comes_out_unchanged(failing):
    with pytest.raises(type(failing)) as raised:
        mercer.compress(right_of_zero, Watched(failing), 0.01, **SHORT)
    assert raised.value is failing
    for entry in raised.traceback:  # what a debugger shows: policies that were lent are still safe to look at
        chooser = entry.locals.get("chooser")
        if chooser is not None and isinstance(chooser.policy, mercer.Policy):
            assert "candidate" in repr(chooser.policy)
            with pytest.raises(TypeError):
                chooser.policy.mean_action(np.zeros(1))


def test_ctrl_c_ends_a_search_in_a_foreign_task(teacher):
    threading.Timer(0.5, signal.raise_signal, [signal.SIGINT]).start()
    begin = time.monotonic()
    with pytest.raises(KeyboardInterrupt):
        mercer.compress(teacher, Pendulum(), 0.0, select_episodes=10000)
    assert time.monotonic() - begin < 10


def test_a_listener_of_progress_that_fails_ends_a_foreign_search():
    def report(stage, fraction):
        raise RuntimeError("seen enough")

    with pytest.raises(RuntimeError, match="seen enough"):
        mercer.compress(right_of_zero, Corridor(), 0.01, progress=report, **SHORT)


def test_a_teacher_that_remembers_plays_as_itself():
    """Walks right from its third step on: no function of the observation."""

    class Late:
        def predict(self, obs, state=None, episode_start=None, deterministic=False):
            state = 0 if np.all(episode_start) or state is None else state + 1
            return np.full(np.shape(obs)[:-1], int(state >= 2)), state

    alone = mercer.rollout(Corridor(), Late(), 5, seed=4)
    certificate = mercer.certify(Corridor(), Late(), right_of_zero, episodes=5, seed=4)
    assert certificate.teacher_return == alone.returns.mean() and certificate.loss_return < 0


def test_certifying_in_a_foreign_task(teacher, small):
    certificate = mercer.certify(Vector(Pendulum, 20), teacher, small, episodes=20, seed=5, method="student_t")
    assert "Estimated (no guarantee)" in str(certificate)
    assert certificate.level == "estimate" and [row["term"] for row in certificate.rows] == ["paired"]
    played = mercer.paired_returns(Vector(Pendulum, 20), teacher, small, 20, certificate.seed)
    np.testing.assert_allclose(certificate.loss_return, np.mean(played[0] - played[1]), rtol=1e-12)
    upper = mercer.student_t_interval(played[0] - played[1], 0.01, "upper")[1]  # return, percent, roughness and two distances share 5%
    assert certificate.upper_return == upper
    bounded = mercer.certify(Vector(Pendulum, 20), teacher, small, episodes=20, seed=5, return_range=(-3300, 0))
    assert bounded.level == "statistical" and bounded.upper_return > certificate.upper_return


def test_the_lattice_route_in_a_foreign_task():
    class Leans:
        """Mostly to the right."""

        def sample(self, obs, seed):
            return (np.random.default_rng(seed).uniform(size=len(obs)) < 0.9).astype(int)

        def log_prob(self, obs, actions):
            return np.log(np.where(np.ravel(actions) == 1, 0.9, 0.1))

        def mean_action(self, obs):
            return np.ones(len(obs), int)

    embedding = mercer.compress(Leans(), Corridor(), 0.5, route="lattice", select_episodes=12, certify_episodes=30,
                                method="student_t")
    assert embedding.route == "lattice" and embedding.certificate.met


STATES = {"most_terms": 8, "bases": ["chebyshev"], "formats": ["int8"]}


def test_logged_states_alone(teacher):
    log = mercer.rollout("pendulum", teacher, 90, seed=3, act="mean")
    embedding = mercer.compress_states(teacher, log, "pendulum", 0.3, **STATES)
    assert embedding.certificate.about == "action" and embedding.certificate.met
    assert embedding.certificate.upper_percent <= 30 and embedding.certificate.episodes == 30
    lengths = np.diff(log.offsets)
    for given in (lengths, lengths.tolist(), 200):
        again = mercer.compress_states(teacher, log.observations, "pendulum", 0.3, episode_lengths=given, **STATES)
        assert again.payload == embedding.payload and again.certificate == embedding.certificate


def test_a_log_that_does_not_tell_its_episodes_certifies_nothing(teacher, tmp_path):
    states = mercer.rollout("pendulum", teacher, 40, seed=3, act="mean").observations
    with pytest.raises(mercer.CertificateError, match="E501.*fewer than 30 episodes") as raised:
        mercer.compress_states(teacher, states, "pendulum", 0.3, **STATES)
    found = raised.value.embedding
    assert found.certificate is None
    kept = mercer.compress_states(teacher, states, "pendulum", 0.3, allow_unmet=True, **STATES)
    assert kept.payload == found.payload and kept.certificate is None
    kept.save(tmp_path / "kept.mercer")
    assert mercer.read(tmp_path / "kept.mercer").certificate is None


def test_lengths_of_episodes_must_fit(teacher):
    log = mercer.rollout("pendulum", teacher, 2, seed=3, act="mean")
    for lengths in (7, 0, -1, [200, 199], [200, 201], [500, -100]):
        with pytest.raises(ValueError, match="E206"):
            mercer.compress_states(teacher, log.observations, "pendulum", episode_lengths=lengths)
    with pytest.raises(ValueError, match="E203"):
        mercer.compress_states(teacher, log, "pendulum", episode_lengths=200)


def test_steps_that_are_alike_do_not_pass_for_many(teacher):
    """Each episode holds one set point: its steps say no more than one of them."""
    rng = np.random.default_rng(5)

    def draw(count):
        angle = rng.uniform(-np.pi, np.pi, count)
        return np.stack([np.cos(angle), np.sin(angle), rng.uniform(-8, 8, count)], 1)

    fresh = draw(20000)
    broken = 0
    for _ in range(10):
        made = mercer.compress_states(teacher, np.repeat(draw(45), 40, axis=0), "pendulum", 0.05, episode_lengths=40,
                                      allow_unmet=True, **{**STATES, "most_terms": 12})
        error = 25 * np.abs(made.mean_action(fresh) - teacher.mean_action(fresh)).mean()
        broken += made.certificate.upper_percent < error
    assert broken <= 3  # 95% each: four or more of ten have a chance of 0.1%


def test_a_lattice_that_cannot_be_made_says_why():
    def mean(obs):
        return np.zeros((len(obs), 1))

    with pytest.raises(ValueError, match="'mean' has no log_prob"):
        mercer.compress(mean, "pendulum", route="lattice", select_episodes=10, certify_episodes=10)


def test_a_certificate_knows_how_both_policies_move(found):
    certificate = found[0].certificate
    rough = certificate.promise("roughness")
    assert rough["factor"] == 1.25 and rough["budget"] == 0.005
    assert rough["measured"] == pytest.approx(rough["embedding"] - 1.25 * rough["teacher"], abs=1e-12)
    assert certificate.motion["teacher"]["roughness"] == pytest.approx(rough["teacher"])
    assert set(certificate.motion["embedding"]) == {"roughness", "saturation", "effort", "reversals"}
    assert certificate.grid is None and certificate.promise("outside") is None
    assert certificate.sentences[0].startswith("Guaranteed") and "step to step" in certificate.sentences[0]
    for candidate in found[0].tried:
        assert {"roughness", "saturation", "effort", "reversals", "failures", "distance", "admissible"} <= set(candidate)


def test_a_certificate_warns_of_what_is_far_above_the_teachers(found):
    certificate = mercer.Certificate(found[0].certificate)
    still = {"roughness": 0.0075, "saturation": 0.2, "effort": 0.2, "reversals": 0}
    certificate["motion"] = {"teacher": still, "embedding": {**still, "roughness": 0.568, "reversals": 19.5}}
    assert certificate.warnings == ["Changes the action by 56.8% of its range from step to step, the teacher by 0.75%.",
                                    "Reverses the action 19.5 times a second; the teacher does not."]
    assert all(sentence in str(certificate) for sentence in certificate.warnings)
    certificate["motion"] = {"teacher": still, "embedding": still}
    assert certificate.warnings == []


def test_a_grid_of_perturbed_tasks_is_part_of_the_page(found):
    certificate = mercer.Certificate(found[0].certificate)
    still = {"roughness": 0.01, "saturation": 0, "effort": 0.1, "reversals": 0}
    points = [{"values": [m], "teacher_return": -150, "loss_return": 1, "loss_percent": 1, "upper_return": 2,
               "upper_percent": m, "motion": {"teacher": still, "embedding": still}, "teacher_failures": None,
               "failures": None} for m in (0.8, 1.2)]
    certificate["grid"] = {"names": ["m"], "ranges": [[0.8, 1.2]], "points": points, "episodes": 100, "confidence": 0.95}
    assert "at the worst of them, m=1.2 (measured: loses 1%)" in certificate.sentences[-1]
    assert "perturbed tasks: 2 points" in str(certificate)
