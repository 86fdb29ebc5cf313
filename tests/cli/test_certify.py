"""Certificates through the program: what is promised, where it is kept, when it is refused."""

import json
import math
import os
import pathlib
import re

import pytest

POLICIES = pathlib.Path(os.environ["SOURCE_FOLDER"]) / "tests/data/policies"
ACTOR = POLICIES / "cmc_sde_10000_actor.onnx"
CAR = ("--env", "continuous-mountain-car", "--policy", ACTOR)
FEW = ("--episodes", 300, "--coupled", 50)


@pytest.fixture
def embedded(mercer):
    mercer.ok("embed", *CAR, "--rollouts", 30, "--episodes", 20, "--state-bins", 20, "--action-bins", 15,
              "--out", "p.mercer", "--quiet")
    return mercer


def test_promises_more_than_was_measured_and_keeps_it_in_the_file(embedded):
    said = embedded.json("certify", "p.mercer", *CAR, *FEW)
    assert {"rows", "loss_percent", "upper_percent", "met"} <= set(said)
    assert said["upper_percent"] > said["loss_percent"] and said["met"] is True
    for row in said["rows"]:
        assert {"term", "level", "value", "measured", "slack", "vacuous", "assumptions"} <= set(row)
        if row["level"] != "paper" and row["measured"] is not None:
            assert row["value"] >= row["measured"] * (1 - 1e-9)
        assert row["term"] != "pruning" or row["measured"] is not None
    assert {"paired", "coupling", "pruning", "trivial"} <= {row["term"] for row in said["rows"]}
    assert embedded.json("inspect", "p.mercer")["certificate"] == said
    page = embedded.ok("inspect", "p.mercer").stdout
    assert "95% confidence" in page and "Not covered" in page


def test_a_teacher_that_is_gone_is_named(mercer):
    actor = mercer.folder / "actor.onnx"
    actor.write_bytes(ACTOR.read_bytes())
    mercer.ok("embed", "--route", "continuous", "--env", "continuous-mountain-car", "--policy", "actor.onnx", "--k", 2, "--rounds", 1,
              "--rollouts", 5, "--episodes", 5, "--out", "p.mercer", "--quiet")
    actor.unlink()
    said = mercer.run("certify", "p.mercer", "--episodes", 50, "--dry-run")
    assert said.returncode != 0 and "actor.onnx' is the teacher of 'p.mercer' and was not read" in said.stderr
    assert "--policy FILE" in said.stderr
    told = mercer.ok("report", "p.mercer", "--out", "r.html", "--episodes", 2).stderr
    assert "note: The teacher could not be read: cannot open 'actor.onnx'" in told and "; add --policy FILE" in told
    assert ", 1 embedding; open it" in told
    assert "note: " not in mercer.ok("report", "p.mercer", "--out", "r.html", "--episodes", 2, "--policy", ACTOR).stderr


def test_bounds_how_far_actions_move(embedded):
    def rows(*flags):
        said = embedded.json("certify", "p.mercer", *CAR, *FEW, "--dry-run", *flags)
        return {row["term"]: row for row in said["rows"] if row["term"].startswith("lipschitz")}

    assert rows() == {}
    estimated, given = rows("--lipschitz", "estimate"), rows("--lipschitz", 3)
    assert set(estimated) == set(given) == {"lipschitz_discretisation", "lipschitz_three_terms"}
    assert {row["level"] for row in estimated.values()} == {"estimate"}
    assert {row["level"] for row in given.values()} == {"statistical"}
    for row in estimated.values():
        assert row["value"] >= row["measured"] and any("estimated at 200 visits" in line for line in row["assumptions"])
    twice = rows("--lipschitz", 6)
    for term, row in given.items():
        assert twice[term]["value"] == pytest.approx(2 * row["value"], rel=1e-6)
    refused = embedded.fails(2, "certify", "p.mercer", *CAR, *FEW, "--dry-run", "--lipschitz", "steep")
    assert "'steep'" in refused
    assert "Lipschitz" in embedded.fails(2, "certify", "p.mercer", *CAR, *FEW, "--dry-run", "--lipschitz", -1)


def test_shows_how_returns_are_distributed(embedded):
    said = embedded.json("certify", "p.mercer", *CAR, *FEW)
    shares = said["distribution"]
    assert shares["episodes"] == said["episodes"] and shares["confidence"] == 0.95
    assert shares["returns"] == sorted(shares["returns"]) and shares["teacher"][-1] == shares["embedding"][-1] == 1
    # Without a budget it looks once: both bands together, Dvoretzky, Kiefer and Wolfowitz's.
    assert shares["band"] == pytest.approx((math.log(4 / 0.05) / (2 * shares["episodes"])) ** 0.5)
    page = embedded.ok("inspect", "p.mercer").stdout
    assert "share of episodes, guaranteed with 95% confidence for both policies and all returns together" in page
    for value, teacher, embedding in zip(shares["returns"], shares["teacher"], shares["embedding"]):
        line = next(line for line in page.splitlines() if line.startswith(f"{value:g} "))
        cells = re.findall(r"([0-9.]+)% \(([0-9.]+)% \.\. ([0-9.]+)%\)", line)
        for share, (measured, low, high) in zip((teacher, embedding), cells, strict=True):
            assert float(measured) == pytest.approx(100 * share, abs=0.0051)
            assert float(low) <= 100 * max(0, share - shares["band"]) + 1e-9
            assert float(high) >= 100 * min(1, share + shares["band"]) - 1e-9


def test_plays_other_episodes_than_those_that_made_the_embedding(embedded):
    said = embedded.json("certify", "p.mercer", *CAR, *FEW, "--dry-run")
    assert said["seed"] not in (0, 1)
    assert embedded.json("inspect", "p.mercer")["certificate"] is None


def test_people_read_whether_the_file_was_written(embedded):
    few = ("certify", "p.mercer", *CAR, "--episodes", 30, "--level", "statistical")
    assert "Nothing was written: this is a dry run." in embedded.ok(*few, "--dry-run").stderr
    assert "Wrote the certificate to p.mercer." in embedded.ok(*few).stderr
    policy = ("certify", ACTOR, *CAR, "--episodes", 30, "--level", "statistical")
    assert "Nothing was written: only a .mercer file holds a certificate." in embedded.ok(*policy).stderr


def test_inspect_shows_how_it_was_made(embedded):
    page = embedded.ok("inspect", "p.mercer").stdout
    assert "made with --action-bins 15 --episodes 20 --rollouts 30 --state-bins 20\n" in page


def test_same_command_same_certificate(embedded):
    once = embedded.json("certify", "p.mercer", *CAR, *FEW, "--threads", 1)
    assert once == embedded.json("certify", "p.mercer", *CAR, *FEW, "--threads", 2)


def test_a_certified_embedding_plays_as_before(embedded):
    flags = ("evaluate", "--env", "continuous-mountain-car", "--policy", "p.mercer", "--episodes", 20)
    before = embedded.json(*flags)
    embedded.ok("certify", "p.mercer", *CAR, *FEW)
    assert embedded.json(*flags) == before


def test_a_budget_that_is_not_met_has_its_own_exit_code(embedded):
    done = embedded.run("certify", "p.mercer", *CAR, *FEW, "--max-loss", "0.1%", "--json", "--quiet")
    assert done.returncode == 5 and "E501" in done.stderr and "0.1%" in done.stderr
    assert json.loads(done.stdout)["met"] is False
    assert embedded.ok("certify", "p.mercer", *CAR, *FEW, "--max-loss", "400%").returncode == 0
    assert embedded.run("certify", "p.mercer", *CAR, *FEW, "--max-loss-return", 1e-3).returncode == 5
    assert embedded.ok("certify", "p.mercer", *CAR, *FEW, "--max-loss-return", 190).returncode == 0


def test_percent_and_fraction_are_the_same(embedded):
    said = [embedded.run("certify", "p.mercer", *CAR, *FEW, "--max-loss", share, "--dry-run", "--json").stdout
            for share in ("50%", 0.5)]
    assert said[0] == said[1] and json.loads(said[0])["budget_percent"] == 50


def test_levels_choose_rows(embedded):
    said = embedded.json("certify", "p.mercer", *CAR, *FEW, "--level", "rigorous", "--dry-run")
    assert {row["level"] for row in said["rows"]} == {"rigorous"}
    said = embedded.json("certify", "p.mercer", *CAR, *FEW, "--level", "model", "--dry-run")
    assert {row["level"] for row in said["rows"]} == {"model"}
    said = embedded.json("certify", "p.mercer", *CAR, *FEW, "--level", "statistical", "--dry-run")
    assert {row["level"] for row in said["rows"]} == {"statistical"}


def test_more_confidence_promises_less(embedded):
    upper = [embedded.json("certify", "p.mercer", *CAR, *FEW, "--dry-run", *flags)["upper_return"]
             for flags in ([], ["--confidence", 0.999], ["--attempt", 3], ["--method", "hoeffding"])]
    assert upper[0] < upper[1] and upper[0] < upper[2] and upper[0] < upper[3]


def test_discounted_returns_are_certified_on_request(embedded):
    plain = embedded.json("certify", "p.mercer", *CAR, *FEW, "--dry-run")
    discounted = embedded.json("certify", "p.mercer", *CAR, *FEW, "--dry-run", "--gamma", 0.99)
    assert discounted["gamma"] == 0.99 and abs(discounted["teacher_return"]) < abs(plain["teacher_return"])


def test_any_policy_can_be_certified_against_another(mercer):
    said = mercer.json("certify", ACTOR, *CAR, *FEW)
    assert said["loss_percent"] == 0 and 0 < said["upper_percent"] < 10


def test_embed_chooses_k_by_a_budget(mercer):
    flags = ("embed", *CAR, "--rollouts", 30, "--episodes", 20, "--state-bins", 12, "--action-bins", 9,
             "--certify-episodes", 300, "--out", "p.mercer")
    said = mercer.json(*flags, "--max-loss", "60%")
    kept = [point["k"] for point in said["curve"] if point["met"]]
    assert said["certificate"]["met"] and said["certificate"]["upper_percent"] <= 60
    assert min(kept) <= said["k"] < max(kept)
    assert mercer.json("inspect", "p.mercer")["certificate"] == said["certificate"]
    assert mercer.json("inspect", "p.mercer")["k"] == said["k"]
    done = mercer.run(*flags[:-1], "q.mercer", "--max-loss-return", 0.001, "--k", 20)
    assert done.returncode == 5 and "E501" in done.stderr
    assert mercer.json("inspect", "q.mercer")["certificate"]["met"] is False


@pytest.mark.parametrize("flags, code, said", [
    (["--confidence", 1], 2, "legal: between 0 and 1"),
    (["--max-loss", "much"], 2, "not a number"),
    (["--max-loss", "-1%"], 2, "--max-loss"),
    (["--level", "exakt"], 2, "Did you mean 'exact'?"),
    (["--method", "beting"], 2, "Did you mean 'betting'?"),
    (["--episodes", 1], 2, "legal: 2 to"),
    (["--starts", "s.npz"], 2, "start states that the task draws"),
])
def test_bad_input_is_told(embedded, flags, code, said):
    before = (embedded.folder / "p.mercer").read_bytes()
    assert said in embedded.fails(code, "certify", "p.mercer", *CAR, *FEW, *flags)
    assert (embedded.folder / "p.mercer").read_bytes() == before


def test_refuses_what_is_missing_or_no_embedding(mercer):
    assert "no embedding was named" in mercer.fails(2, "certify", *CAR)
    assert "E301" in mercer.fails(3, "certify", "none.mercer", *CAR)


def test_task_and_teacher_come_from_the_file(embedded):
    said = embedded.json("certify", "p.mercer", *FEW, "--dry-run")
    assert said == embedded.json("certify", "p.mercer", *CAR, *FEW, "--dry-run")
    assert said["env"] == "continuous-mountain-car" and said["teacher"].endswith("cmc_sde_10000_actor.onnx")
    assert embedded.json("certify", "p.mercer", "--policy", "uniform", *FEW, "--dry-run")["teacher"] == "uniform"


def test_all_levels_have_rows_in_a_model_of_the_lattice(embedded):
    said = embedded.json("certify", "p.mercer", *FEW, "--level", "all", "--dry-run")
    rows = {(row["term"], row["about"]): row for row in said["rows"]}
    assert len(rows) == len(said["rows"])
    assert {row["level"] for row in said["rows"]} == {"paper", "rigorous", "model", "exact", "statistical"}
    assert all(row["level"] != "rigorous" for row in said["rows"] if row["about"].endswith("_in_model"))
    for term in ("model-exact", "model-exact/discretisation", "model-exact/pruning", "model-exact/projection"):
        assert {(term, "return_in_model"), (term, "discounted_return_in_model")} <= set(rows)
    assert rows["model-exact+error", "discounted_return"]["vacuous"]
    printed = [row for row in said["rows"] if row["level"] == "paper"]
    assert len(printed) == 20 and all("not a guarantee" in row["assumptions"][0] for row in printed)
    winners = {row["about"] for row in said["rows"] if row["winner"]}
    assert winners == {"return"}
    codes = {row[key] for row in said["rows"] for key in ("term", "level", "about")}
    codes |= {said[key] for key in ("level", "method", "act", "about")}
    assert not any(" " in code for code in codes)
    assert any("bounds that do not apply here" in sentence for sentence in said["not_covered"])


def test_a_finite_task_is_solved_itself(mercer):
    (mercer.folder / "pi.json").write_text(json.dumps({"pi": [[0.1 + 0.05 * s, 0.9 - 0.05 * s] for s in range(6)]}))
    chain = ("--env", "chain:n=6,alpha=0.9,horizon=30", "--policy", "tabular:pi.json")
    mercer.ok("embed", *chain, "--rollouts", 30, "--episodes", 20, "--state-bins", 6, "--k", 4, "--out", "c.mercer")
    done = mercer.run("certify", "c.mercer", "--episodes", 2000, "--json")
    said = json.loads(done.stdout)
    rows = {(row["term"], row["about"]): row for row in said["rows"]}
    exact = rows["exact", "return"]["value"]
    assert abs(said["loss_return"]) == pytest.approx(exact, abs=0.5)
    assert not any(about.endswith("_in_model") for _, about in rows)
    for row in said["rows"]:
        if row["level"] in ("rigorous", "statistical") and row["about"] == "return" and row["term"] != "pruning":
            assert row["value"] >= exact * (1 - 1e-9) or row["term"] == "paired"
    assert [row["term"] for row in said["rows"] if row["winner"] and row["about"] == "return"][0].startswith("B2")
    page = done.stderr
    assert page.index("statistical, guaranteed: return") < page.index("rigorous, guaranteed by") < page.index("paper, as")
    assert "  least" in page


def test_the_printed_pruning_theorem_has_the_rollouts_that_pruned(mercer):
    (mercer.folder / "pi.json").write_text(json.dumps({"pi": [[0.9, 0.1]] * 6}))
    chain = ("--env", "chain:n=6,horizon=30", "--policy", "tabular:pi.json")
    embed = ("embed", *chain, "--preset", "paper", "--episodes", 20, "--out", "c.mercer")

    def printed():
        said = mercer.json("certify", "c.mercer", "--episodes", 50, "--level", "paper", "--dry-run")
        return next(row["value"] for row in said["rows"] if row["term"] == "paper_pruning")

    mercer.ok(*embed)
    default = printed()
    assert mercer.json("inspect", "c.mercer")["settings"]["rollouts"] == "200"
    mercer.ok(*embed, "--rollouts", 50)
    assert printed() == pytest.approx(2 * default)
    mercer.ok("rollout", *chain, "--episodes", 800, "--out", "r.npz")
    mercer.ok(*embed, "--from", "r.npz")
    assert printed() == pytest.approx(default / 2)


def test_any_policy_of_a_finite_task_can_be_certified(mercer):
    for name, p in (("a.json", 0.2), ("b.json", 0.3)):
        (mercer.folder / name).write_text(json.dumps({"pi": [[p, 1 - p]] * 4}))
    said = mercer.json("certify", "tabular:b.json", "--env", "chain:n=4,horizon=20", "--policy", "tabular:a.json",
                       "--episodes", 500, "--level", "exact")
    assert [(row["term"], row["about"]) for row in said["rows"]] == [("exact", "return"), ("exact", "discounted_return")]


def test_what_has_no_lattice_says_why_there_is_no_model(mercer):
    said = mercer.json("certify", ACTOR, *CAR, *FEW)
    assert any("need a finite task or a lattice embedding" in sentence for sentence in said["not_covered"])
    assert {row["level"] for row in said["rows"]} == {"statistical", "rigorous"}


def test_evaluate_tells_how_well_the_spread_is_known(mercer):
    flags = ("evaluate", "--env", "cart-pole", "--policy", "uniform", "--episodes")
    told = mercer.json(*flags, 200)
    assert told["std_ci95"][0] < told["return"]["std"] < told["std_ci95"][1]
    assert mercer.json(*flags, 2)["std_ci95"] is None
