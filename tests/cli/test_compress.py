"""The search for the smallest embedding, through the program."""

import json
import os
import pathlib
import re

import pytest

POLICIES = pathlib.Path(os.environ["SOURCE_FOLDER"]) / "tests/data/policies"
CAR = ("--env", "continuous-mountain-car", "--policy", POLICIES / "cmc_sde_10000_actor.onnx")
QUICK = ("--route", "continuous", "--bases", "ridge", "--formats", "int8", "--most-terms", 2, "--generations", 20,
         "--candidate-episodes", 64, "--select-episodes", 100, "--certify-episodes", 4000, "--seed", 5)


def test_a_certified_policy_in_a_few_bytes(mercer):
    said = mercer.json("compress", *CAR, *QUICK, "--max-loss", "20%", "--out", "p.mercer")
    assert {"route", "basis", "k", "bytes", "payload_bytes", "loss_percent", "upper_percent", "confidence", "level",
            "met", "seconds", "front"} <= set(said)
    assert said["met"] and said["upper_percent"] <= 20 and said["payload_bytes"] < 16
    for point in said["front"]:
        assert {"payload_bytes", "loss_percent", "route", "k"} <= set(point)
    inside = mercer.json("inspect", "p.mercer")
    assert inside["payload_bytes"] == said["payload_bytes"]
    assert inside["certificate"]["upper_percent"] == said["upper_percent"]
    assert "tanh" in mercer.ok("inspect", "p.mercer").stdout
    earned = mercer.json("evaluate", "--env", "continuous-mountain-car", "--policy", "p.mercer", "--act", "mean",
                         "--episodes", 50)
    assert earned["return"]["mean"] > 50


def test_a_loss_is_summed_up_in_the_words_of_its_certificate(mercer):
    said = mercer.ok("compress", *CAR, *QUICK, "--max-loss", "20%", "--out", "p.mercer").stderr
    promised = re.search(r"((?:loses at most|gains at least) [0-9.]+% of the teacher's mean return) \(", said)[1]
    assert re.search(rf"^loss +{promised}, guaranteed with 95% confidence; measured: (?:loses|gains) [0-9.]+%$", said, re.M), said


def test_what_cannot_be_kept_is_told_and_the_best_is_written(mercer):
    said = mercer.run("compress", *CAR, *QUICK, "--max-loss-return", "-1000", "--out", "p.mercer", "--json")
    assert said.returncode == 5 and "E501" in said.stderr
    assert json.loads(said.stdout)["met"] is False
    assert mercer.json("inspect", "p.mercer")["certificate"]["met"] is False


def test_a_kept_promise_is_not_replaced_by_a_broken_one(mercer):
    mercer.ok("compress", *CAR, *QUICK, "--max-loss", "20%", "--out", "p.mercer")
    kept = (mercer.folder / "p.mercer").read_bytes()
    broken = ("compress", *CAR, *QUICK, "--max-loss-return", "-1000", "--json")
    done = mercer.run(*broken, "--out", "p.mercer")
    assert done.returncode == 5 and json.loads(done.stdout)["file"] == ""
    assert "'p.mercer' keeps its promise and was not replaced" in done.stderr
    assert "To write it anyway, choose another --out." in done.stderr and "The best found is in" not in done.stderr
    assert (mercer.folder / "p.mercer").read_bytes() == kept
    done = mercer.run(*broken, "--out", "p.mercer", "--results", "front")
    found = next((mercer.folder / "front").glob(f"{json.loads(done.stdout)['payload_bytes']:05}-*.mercer"))
    assert done.returncode == 5 and "The best found is in 'front/" in done.stderr and found.name in done.stderr
    assert (mercer.folder / "p.mercer").read_bytes() == kept
    # A file that keeps nothing is replaced, and so is one by an embedding that keeps its promise.
    assert mercer.run(*broken, "--out", "q.mercer").returncode == 5
    assert mercer.run(*broken, "--out", "q.mercer").returncode == 5 and (mercer.folder / "q.mercer").exists()
    mercer.ok("compress", *CAR, *QUICK, "--max-loss", "20%", "--out", "q.mercer")
    mercer.ok("compress", *CAR, *QUICK, "--max-loss", "30%", "--out", "p.mercer")
    assert mercer.json("inspect", "p.mercer")["certificate"] != mercer.json("inspect", "q.mercer")["certificate"]


def test_embed_does_not_replace_a_kept_promise_by_a_broken_one(mercer):
    lattice = ("embed", *CAR, "--state-bins", "8,8", "--action-bins", 8, "--rollouts", 50, "--episodes", 20, "--certify-episodes", 200)
    mercer.ok(*lattice, "--max-loss-return", 1000, "--out", "p.mercer")
    kept = (mercer.folder / "p.mercer").read_bytes()
    said = mercer.run(*lattice, "--max-loss-return", "-1000", "--out", "p.mercer")
    assert said.returncode == 5 and "'p.mercer' keeps its promise and was not replaced" in said.stderr
    assert (mercer.folder / "p.mercer").read_bytes() == kept
    assert mercer.run(*lattice, "--max-loss-return", "-1000", "--out", "q.mercer").returncode == 5
    assert mercer.json("inspect", "q.mercer")["certificate"]["met"] is False


def test_time_can_be_limited(mercer):
    said = mercer.run("compress", *CAR, *QUICK, "--most-terms", 200, "--generations", 1000, "--max-loss-return",
                      "-1000", "--budget", "2s", "--out", "p.mercer", "--json")
    assert said.returncode == 5 and json.loads(said.stdout)["seconds"] < 60


def test_logged_states_promise_actions_only(mercer):
    mercer.ok("rollout", *CAR, "--act", "mean", "--episodes", 120, "--out", "log.npz")
    said = mercer.json("compress", *CAR, "--states", "log.npz", "--max-loss", "20%", "--out", "p.mercer")
    assert said["met"] and any("return" in sentence for sentence in said["certificate"]["not_covered"])
    assert said["certificate"]["episodes"] == 40 and said["certificate"]["about"] == "action"
    page = mercer.ok("inspect", "p.mercer").stdout
    assert "no promise about the return" in page and "of the teacher's return" not in page
    bad = mercer.run("compress", *CAR, "--states", "log.npz", "--max-loss-return", "1", "--out", "p.mercer")
    assert bad.returncode == 2 and "E203" in bad.stderr


def test_too_few_logged_episodes_are_written_without_a_certificate(mercer):
    mercer.ok("rollout", *CAR, "--act", "mean", "--episodes", 29, "--out", "log.csv")
    said = mercer.run("compress", *CAR, "--states", "log.csv", "--bases", "ridge", "--most-terms", 2, "--max-loss", "50%",
                      "--out", "p.mercer", "--json")
    assert said.returncode == 5 and "E501" in said.stderr and "fewer than 30 episodes" in said.stderr
    told = json.loads(said.stdout)
    assert told["met"] is False and told["certificate"] is None and told["upper_percent"] is None
    assert 0 < told["loss_percent"] < 50
    assert mercer.json("inspect", "p.mercer")["certificate"] is None


def coin(folder, heads):
    """A task of one step that pays 1 or -1, whatever is done."""
    (folder / "coin.json").write_text(json.dumps(
        {"P": [[[1, 0], [1, 0]], [[0, 1], [0, 1]]], "r": [[1, 1], [-1, -1]], "mu": [heads, 1 - heads], "gamma": 0.9,
         "horizon": 1}))
    return "--env", "coin.json", "--policy", "uniform", "--act", "sample"


def test_a_percentage_of_nothing_is_refused_before_the_search(mercer):
    said = mercer.run("compress", *coin(mercer.folder, 0.5), "--route", "lattice", "--max-loss", "5%", "--out", "p.mercer")
    assert said.returncode == 2 and "E204" in said.stderr and "--max-loss-return" in said.stderr
    assert "candidate" not in said.stdout + said.stderr  # none was tried
    assert not (mercer.folder / "p.mercer").exists()
    mercer.ok("compress", *coin(mercer.folder, 0.5), "--route", "lattice", "--max-loss-return", "0.5", "--certify-episodes",
              1000, "--out", "p.mercer")


def test_a_percentage_that_cannot_be_promised_in_the_end_is_written_all_the_same(mercer):
    few = ("--certify-episodes", 50, "--max-loss", "5%", "--out")
    said = mercer.run("compress", *coin(mercer.folder, 0.55), "--route", "lattice", *few, "p.mercer", "--json")
    assert said.returncode == 5 and "cannot be distinguished from 0" in said.stderr and "--max-loss-return" in said.stderr
    told = json.loads(said.stdout)
    assert told["met"] is False and told["upper_percent"] is None
    assert mercer.json("inspect", "p.mercer")["certificate"]["met"] is False
    said = mercer.run("embed", *coin(mercer.folder, 0.5), *few, "q.mercer", "--json")
    assert said.returncode == 5 and "cannot be distinguished from 0" in said.stderr
    assert json.loads(said.stdout)["met"] is False
    assert mercer.json("inspect", "q.mercer")["certificate"]["met"] is False


def test_bad_input(mercer):
    for arguments, code in ((("--bases", "nosuch"), "E201"), (("--formats", "int3"), "E201"),
                            (("--formats", "int8,,int4"), "E203"), (("--most-terms", 0), "E202"),
                            (("--budget", "soon"), "60s, 5m"), (("--max-loss", "-1%"), "E202: --max-loss is -1%; legal: 0% or more"),
                            (("--max-loss", "5"), "500%"), (("--max-loss", "much"), "a percentage such as 5%"),
                            (("--select-episodes", 1), "E202"), (("--max-bytes", 1), "found in 1 bytes"),
                            (("--confidence", "95"), "legal: between 0 and 1. Did you mean 95%?"),
                            (("--confidence", "100%"), "legal: between 0% and 100%")):
        said = mercer.run("compress", *CAR, *QUICK, *arguments, "--out", "p.mercer")
        assert said.returncode == 2 and code in said.stderr, (arguments, said.stderr)
    assert mercer.run("compress", *CAR, *QUICK).returncode == 2


@pytest.mark.parametrize("route", ["lattice", "continuous", "both"])
def test_whatever_the_budget_of_time_one_candidate_is_certified(mercer, route):
    done = mercer.run("compress", *CAR, "--route", route, "--budget", "0.001s", "--select-episodes", 50,
                      "--certify-episodes", 200, "--max-loss", "1000%", "--keep", "return", "--out", "p.mercer", "--json")
    assert done.returncode == 0, done.stderr
    said = json.loads(done.stdout)
    assert said["met"] and said["front"] and said["route"] == ("lattice" if route == "lattice" else "continuous")


def test_a_certificate_is_tied_to_its_bytes(mercer):
    mercer.ok("compress", *CAR, *QUICK, "--max-loss", "20%", "--out", "p.mercer", "--quiet")
    path = mercer.folder / "p.mercer"
    damaged = bytearray(path.read_bytes())
    damaged[-1] ^= 1
    path.write_bytes(bytes(damaged))
    assert "E303" in mercer.fails(3, "inspect", "p.mercer")


def test_a_continuous_embedding_is_certified_as_it_was_made(mercer):
    mercer.ok("embed", *CAR, "--route", "continuous", "--k", 3, "--rounds", 1, "--rollouts", 20, "--episodes", 20,
              "--out", "p.mercer", "--quiet")
    assert mercer.json("certify", "p.mercer", *CAR, "--episodes", 200, "--level", "statistical")["act"] == "mean"
    assert "compress" in mercer.fails(2, "embed", *CAR, "--route", "continuous", "--max-loss", "5%", "--out", "q.mercer")
