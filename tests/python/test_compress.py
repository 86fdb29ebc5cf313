"""The search for the smallest embedding, in built-in tasks and in those that only Python can play."""

import mercer
import numpy as np
import pytest
from conftest import ACTOR
from gym_pendulum import Corridor, Pendulum, Vector

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


FOREIGN = {"bases": ["chebyshev"], "most_terms": 6, "formats": ["int8"], "select_episodes": 40, "certify_episodes": 80}


def test_a_pendulum_of_ones_own_gives_the_same_quality(teacher):
    """Fitted in pure Python's pendulum, judged in the built-in one beside the one that was fitted there."""
    own = mercer.compress(teacher, Vector(Pendulum, 40), 0.05, allow_unmet=True, **FOREIGN)
    built_in = mercer.compress(teacher, "pendulum", 0.05, polish="action", route="continuous", allow_unmet=True,
                               **{**FOREIGN, "select_episodes": 400, "certify_episodes": 2000})
    losses = [mercer.evaluate("pendulum", one, 2000, 77, act="mean", against=teacher)["paired"]["loss_percent"]
              for one in (own, built_in)]
    print(f"own {own.payload_bytes} bytes, {losses[0]:.2f}%; built-in {built_in.payload_bytes} bytes, {losses[1]:.2f}%")
    assert losses[0] < 5 and losses[0] < losses[1] + 3
    assert own.payload_bytes <= built_in.payload_bytes + 6
    assert own.certificate.level == "estimate" and own.certificate.method == "student_t"
    assert "ESTIMATE" in str(own.certificate)
    assert any("return_range" in text for text in own.certificate.not_covered)


def test_a_known_range_of_returns_makes_it_a_guarantee(teacher):
    embedding = mercer.compress(teacher, Vector(Pendulum, 40), None, max_loss_return=500, return_range=(-3300, 0),
                                **{**FOREIGN, "certify_episodes": 200})
    certificate = embedding.certificate
    assert certificate.met and certificate.level == "statistical" and certificate.method == "betting"
    assert certificate.loss_return < certificate.upper_return <= 500
    assert any("as the caller said" in text for text in certificate.rows[0]["assumptions"])


def test_polishing_on_the_return_of_a_foreign_task(teacher):
    plain, polished = (
        mercer.compress(teacher, Vector(Pendulum, 10), 0.0, polish=how, allow_unmet=True, bases=["chebyshev"],
                        formats=["float32"], most_terms=2, generations=4, candidate_episodes=10, select_episodes=10,
                        certify_episodes=10)
        for how in ("action", "return")
    )
    assert polished.front[-1]["loss"] < plain.front[-1]["loss"]


def test_callables_and_discrete_actions_in_a_foreign_task():
    def teacher(obs):
        return int(obs[0] >= 0)

    embedding = mercer.compress(teacher, Corridor(), 0.01, bases=["legendre"], most_terms=3, select_episodes=12,
                                certify_episodes=12)
    assert embedding.certificate.met and embedding.certificate.loss_return == 0
    assert embedding.predict(np.array([3.0]))[0] == 1


def test_foreign_options_that_do_not_do(teacher):
    for options, text in [({"max_loss": None}, "E204"), ({"confidence": 1.5}, "E202"), ({"polish": "retrn"}, "E201"),
                          ({"max_bytes": 1}, "E202"), ({"route": "lattice"}, "E203")]:
        with pytest.raises(ValueError, match=text):
            mercer.compress(teacher, Vector(Pendulum, 10), **{**FOREIGN, "select_episodes": 10, **options})


def test_logged_states_alone(teacher):
    states = mercer.rollout("pendulum", teacher, 20, seed=3, act="mean").observations
    embedding = mercer.compress_states(teacher, states, "pendulum", 0.2, most_terms=8, bases=["chebyshev"])
    assert embedding.certificate.about == "action" and embedding.certificate.met
    assert embedding.certificate.upper_percent <= 20
