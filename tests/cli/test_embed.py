"""Embedding a policy and looking at what came out, through the program."""

import json
import os
import pathlib

import pytest

POLICIES = pathlib.Path(os.environ["SOURCE_FOLDER"]) / "tests/data/policies"
ACTOR = POLICIES / "cmc_sde_10000_actor.onnx"
CAR = ("--env", "continuous-mountain-car", "--policy", ACTOR, "--rollouts", 30, "--episodes", 40)


def embed(mercer, *flags):
    return mercer.json("embed", *CAR, "--out", "p.mercer", *flags)


def test_says_what_it_costs(mercer):
    said = embed(mercer, "--basis", "db4", "--k", 100, "--state-bins", 20, "--action-bins", 10)
    assert said["route"] == "lattice" and said["basis"].startswith("db4") and said["k"] == 100
    assert said["visited_cells"] < 400 and 0 < said["pruned_percent"] < 100
    assert 0 <= said["tv"] < 1 and 0 <= said["w1"] < 2
    assert set(said["returns"]) == {"teacher", "lattice", "embedding"}
    assert said["bytes"] == (mercer.folder / "p.mercer").stat().st_size > said["payload_bytes"] > 100


def test_rolls_out_what_the_preset_says(mercer):
    car = ("--env", "continuous-mountain-car", "--policy", ACTOR, "--episodes", 4, "--k", 20, "--out", "p.mercer")
    for preset, rollouts in ("paper", 200), ("best", 1000):
        said = mercer.json("embed", *car, "--preset", preset)
        del said["bytes"]  # the file names the flags
        asked = mercer.json("embed", *car, "--preset", preset, "--rollouts", rollouts)
        assert said.items() <= asked.items()


def test_what_comes_out_is_a_policy(mercer):
    said = embed(mercer, "--basis", "svd", "--k", 4)
    played = mercer.json("evaluate", "--env", "continuous-mountain-car", "--policy", "p.mercer", "--seed", 1,
                         "--episodes", 40)
    assert played["return"] == said["returns"]["embedding"]


def test_acts_from_coefficients(mercer):
    said = embed(mercer, "--basis", "dct", "--k", 100)
    for settings in ("from=coefficients", "from=decoded,draw=inverse"):
        played = mercer.json("evaluate", "--env", "continuous-mountain-car", "--policy", f"p.mercer:{settings}",
                             "--seed", 1, "--episodes", 40)
        assert played["return"] == said["returns"]["embedding"]
    refused = mercer.fails(2, "evaluate", "--env", "continuous-mountain-car", "--policy", "p.mercer:drw=alias")
    assert "Did you mean 'draw'?" in refused


def test_k_by_three_rules(mercer):
    flags = ("--state-bins", 12, "--action-bins", 8, "--max-loss", "25%", "--certify-episodes", 600)
    said = {rule: embed(mercer, *flags, "--choose-k", rule) for rule in ("episodes", "bound", "energy")}
    for rule, one in said.items():
        assert one["choose_k"] == rule and one["certificate"]["distribution"]["episodes"] >= 500, rule
    assert said["energy"]["curve"] == [] and said["energy"]["choosing_episodes"] == 0
    assert said["energy"]["k"] == embed(mercer, "--state-bins", 12, "--action-bins", 8)["k"]
    bound = said["bound"]
    assert bound["choosing_episodes"] == 600 < said["episodes"]["choosing_episodes"]
    assert all(point["bound"].startswith("B") and point["loss_percent"] <= point["upper_percent"] for point in bound["curve"])
    assert min(point["k"] for point in bound["curve"] if point["met"]) <= bound["k"]
    printed = mercer.ok("embed", *CAR, *flags, "--choose-k", "bound", "--out", "p.mercer").stderr
    assert "bounds it by" in printed and "k was chosen by theorems in a finite process" in printed
    for wrong, said in ((("--choose-k", "bound"), "Add --max-loss"), (("--choose-k", "energy", "--k", 5), "Leave one"),
                        (("--choose-k", "guess"), "legal: episodes, bound, energy")):
        assert said in mercer.fails(2, "embed", *CAR, *wrong, "--out", "p.mercer")


@pytest.mark.parametrize("basis", ["dct", "svd"])
def test_logits_from_end_to_end(mercer, basis):
    said = embed(mercer, "--basis", basis, "--simplex", "softmax", "--state-bins", 20, "--action-bins", 10)
    assert said["tv"] < 0.1
    assert mercer.json("inspect", "p.mercer")["settings"]["simplex"] == "softmax"
    for settings in "p.mercer", "p.mercer:from=coefficients":
        played = mercer.json("evaluate", "--env", "continuous-mountain-car", "--policy", settings, "--seed", 1,
                             "--episodes", 40)
        assert played["return"] == said["returns"]["embedding"]
    certified = mercer.json("certify", "p.mercer", "--episodes", 200, "--coupled", 50)
    assert any(row["term"] == "coupling" for row in certified["rows"])
    mercer.ok("export", "c", "p.mercer", "--mode", "table", "--out", "table")
    mercer.ok("export", "c", "p.mercer", "--mode", "coefficients", "--out", "coefficients")
    refused = mercer.fails(2, "export", "c", "p.mercer", "--mode", "coefficients", "--numbers", "fixed", "--out", "f")
    assert "softmax have no form in integers" in refused


def test_logits_on_disk_are_those_in_memory(mercer):
    flags = ("--basis", "svd", "--k", 3, "--simplex", "softmax", "--order", "lexicographic", "--state-bins", 20)
    tv = [embed(mercer, *flags, *more)["tv"] for more in ((), ("--scratch", mercer.folder))]
    assert abs(tv[0] - tv[1]) < 0.01  # on disk the distance is from the floored rows


def test_inspect(mercer):
    embed(mercer, "--basis", "fourier", "--k", 50)
    shown = mercer.json("inspect", "p.mercer")
    assert shown["basis"] == "fourier" and shown["k"] == 50 and shown["env"] == "continuous-mountain-car"
    assert shown["settings"]["k"] == "50"
    printed = mercer.ok("inspect", "p.mercer").stdout
    assert "basis fourier, k 50" in printed and "#" in printed and "of the whole table's" in printed
    assert 0.5 < shown["energy_share"] < 1 and f"{100 * shown['energy_share']:.4f}%" in printed


def test_inspect_shows_singular_values_and_whole_lattices(mercer):
    embed(mercer, "--basis", "svd", "--k", 3, "--unvisited", "teacher", "--state-bins", 10)
    shown = mercer.json("inspect", "p.mercer")
    values = shown["singular_values"]
    assert len(values) == 3 and values == sorted(values, reverse=True) and values[2] > 0
    printed = mercer.ok("inspect", "p.mercer").stdout
    assert f"singular values: {values[0]:.4g}" in printed and "100 cells, the whole lattice" in printed


@pytest.mark.parametrize("basis, k, each, published", [("gmm", 2, 5, 8), ("fixed-gmm", 4, 3, 16), ("mle", 1, 1, 1)])
def test_rows_by_themselves(mercer, basis, k, each, published):
    said = embed(mercer, "--basis", basis, "--k", k)
    rows = said["visited_cells"]
    assert said["basis"] == basis and said["k"] == k
    assert said["parameters_stored"] == each * rows and said["parameters"] == published * rows
    played = mercer.json("evaluate", "--env", "continuous-mountain-car", "--policy", "p.mercer", "--seed", 1,
                         "--episodes", 40)
    assert played["return"] == said["returns"]["embedding"]
    assert mercer.json("inspect", "p.mercer")["energy_share"] is None
    assert "energy" not in mercer.ok("inspect", "p.mercer").stdout


def test_action_edges_of_each_cell(mercer):
    common = embed(mercer, "--k", 50, "--state-bins", 10, "--action-bins", 8)
    own = embed(mercer, "--k", 50, "--state-bins", 10, "--action-bins", 8, "--conditional-actions")
    rows = own["own_action_edges"]
    assert common["own_action_edges"] == 0 and 0 < rows < own["visited_cells"]
    assert own["parameters_stored"] == 50 + 9 * rows and own["parameters"] == 50
    assert f"{rows} cells with their own action edges" in mercer.ok("inspect", "p.mercer").stdout


def test_axes_store_no_order(mercer):
    listed = embed(mercer, "--k", 50, "--state-bins", 12)
    on_axes = embed(mercer, "--k", 50, "--state-bins", 12, "--order", "axes")
    assert on_axes["payload_bytes"] < listed["payload_bytes"] and on_axes["w1_kind"] == "exact"


def test_k_by_energy(mercer):
    little, much = (embed(mercer, "--energy", share)["k"] for share in (0.5, 0.95))
    usual = embed(mercer)
    assert 0 < little < much < usual["k"]
    shown = mercer.json("inspect", "p.mercer")
    assert shown["energy_share"] > 0.99
    paper = embed(mercer, "--preset", "paper", "--basis", "fourier", "--state-bins", 10)
    assert paper["k"] == (paper["visited_cells"] * 14 + 1) // 2


def test_states_that_are_whole_numbers_have_a_bin_each(mercer):
    said = mercer.json("embed", "--env", "chain", "--policy", "uniform", "--rollouts", 50, "--episodes", 10, "--out",
                       "p.mercer")
    states = next(task for task in mercer.json("list")["tasks"] if task["name"] == "chain")
    assert said["pruned_percent"] == 0 and said["collapsed_bins"] == 0, states
    assert f"state: {said['visited_cells']} bins from -0.5 to" in mercer.ok("inspect", "p.mercer").stdout


def test_a_yes_or_no_may_stand_alone(mercer):
    alone = embed(mercer, "--k", 20, "--noise", "--order", "snake")
    assert alone["returns"] == embed(mercer, "--k", 20, "--order", "snake", "--noise", "true")["returns"]
    assert alone["returns"] != embed(mercer, "--k", 20, "--order", "snake", "--noise", "false")["returns"]
    embed(mercer, "--k", 20, "--noise")
    assert mercer.json("inspect", "p.mercer")["settings"]["noise"] == "true"


def test_presets_differ(mercer):
    paper = embed(mercer, "--preset", "paper", "--basis", "fourier", "--state-bins", 20)
    best = embed(mercer, "--preset", "best", "--basis", "fourier", "--state-bins", 20)
    assert paper["visited_cells"] != best["visited_cells"]


def test_same_command_same_bytes(mercer):
    embed(mercer, "--basis", "db4", "--k", 60, "--threads", 1)
    once = (mercer.folder / "p.mercer").read_bytes()
    embed(mercer, "--basis", "db4", "--k", 60, "--threads", 2)
    twice = (mercer.folder / "p.mercer").read_bytes()
    assert once[-500:] == twice[-500:]  # the payload; the manifest in front names the settings


@pytest.mark.parametrize("flags, code, said", [
    (["--basis", "furier"], 2, "Did you mean 'fourier'?"),
    (["--k", 10**9], 2, "legal: 1 to"),
    (["--state-edges", "quartile"], 2, "edge rule"),
    (["--state-bins", "3,4,5"], 2, "3 numbers of state bins for 2"),
    (["--preset", "worst"], 2, "preset"),
    (["--simplex", "softmax", "--basis", "gmm"], 2, "it keeps probabilities, not logits"),
    (["--prune", 2], 2, "--prune is 2; legal: 0 to 1"),
    (["--rollouts", 0], 2, "--rollouts is 0; legal: 1 to 10^9"),
    (["--noise", "maybe"], 2, "neither true nor false"),
    (["--basis", "--k", 3], 2, "--basis has no value: --k follows it"),
    (["--energy", 2], 2, "--energy is 2; legal"),
    (["--energy", 0.9, "--k", 3], 2, "Give one of them"),
    (["--basis", "svd", "--order", "axes"], 2, "another order of rows"),
    (["--order", "axes", "--state-bins", 900], 2, "the whole lattice, 3.64e+07 entries"),
    (["--basis", "gmm", "--k", 100], 2, "legal: 1 to 45"),
    (["--basis", "gmm:rounds=3"], 2, "setting of basis 'gmm'"),
    (["--degree", 3], 2, "--degree belongs to the continuous route"),
    (["--route", "continuous", "--state-bins", 3], 2, "--state-bins belongs to the lattice route"),
    (["--route", "continuous", "--basis", "dct"], 2, "--basis dct belongs to the lattice route"),
    (["--route", "continuous", "--basis", "db4:level=2"], 2, "Use --route lattice"),
    (["--route", "continuous", "--basis", "zzzzzzzz"], 2, "Known: legendre, chebyshev"),
    (["--basis", "chebyshev"], 2, "--basis chebyshev belongs to the continuous route, and this is the lattice route. "
     "Use --route continuous, as in 'mercer embed --route continuous --basis chebyshev'."),
    (["--energy", "200%"], 2, "--energy is 200%; legal: 0% to 100%"),
    (["--out", "p.bin"], 2, "must end in .mercer"),
    (["--out", "nowhere/p.mercer"], 3, "E302"),
])
def test_bad_input_is_told(mercer, flags, code, said):
    assert said in mercer.fails(code, "embed", *CAR, "--out", "p.mercer", *flags)
    assert not list(mercer.folder.glob("*.mercer"))


def test_inspect_refuses_other_files(mercer):
    (mercer.folder / "x.mercer").write_text("text")
    assert "E30" in mercer.fails(3, "inspect", "x.mercer")
    assert "not a policy file" in mercer.fails(2, "inspect", "notes.txt")
    assert "no file was named" in mercer.fails(2, "inspect")


def test_continuous_route(mercer):
    said = embed(mercer, "--route", "continuous", "--k", 3, "--rounds", 2)
    assert said["route"] == "continuous" and said["basis"] == "chebyshev" and said["k"] == 3
    assert said["payload_bytes"] < 16 < said["bytes"]
    assert (sum(said["payload_bits"].values()) + 7) // 8 == said["payload_bytes"]
    played = mercer.json("evaluate", "--env", "continuous-mountain-car", "--policy", "p.mercer", "--seed", 1,
                         "--episodes", 40)
    assert played["return"] == said["returns"]["embedding"], "in a fresh process, from the bytes of the file"
    shown = mercer.json("inspect", "p.mercer")
    assert len(shown["terms"]) == 3 and shown["formulas"][-1].startswith("force = tanh(")
    assert "\n  ".join(shown["formulas"]) in mercer.ok("inspect", "p.mercer").stdout
    assert "\\tanh" in mercer.ok("inspect", "p.mercer", "--notation", "latex").stdout


def test_terms_that_rounding_removed_are_counted(mercer):
    said = mercer.ok("embed", "--route", "continuous", "--env", "pendulum", "--policy", POLICIES / "pendulum_5000_actor.onnx", "--k", 16,
                     "--format", "int4", "--rollouts", 5, "--rounds", 1, "--episodes", 5, "--out", "p.mercer").stderr
    mercer.ok("export", "json", "p.mercer", "--out", "d")
    terms = json.loads((mercer.folder / "d/controller.json").read_text())["continuous"]["terms"]
    zero = sum(not any(term["coefficients"]) for term in terms)
    assert zero > 0 and f"\n{zero} of 16 terms rounded to 0\n" in said, said


def test_continuous_route_with_the_whole_distribution(mercer):
    said = embed(mercer, "--route", "continuous", "--k", 8, "--act", "sample", "--basis", "legendre", "--rounds", 1)
    assert 0 < said["tv"] < 0.3
    assert mercer.json("inspect", "p.mercer")["formulas"][-1].startswith("log_sigma_force = ")


def test_continuous_route_says_what_it_does_not_know(mercer):
    flags = ("embed", *CAR, "--route", "continuous", "--out", "p.mercer")
    assert "kernel:matern" in mercer.fails(2, *flags, "--basis", "kernel:maten52")
    assert "int8" in mercer.fails(2, *flags, "--format", "int9")


def test_the_printed_preset_runs_the_pseudocode_and_the_paper_preset_means_it(mercer):
    bins = ("--state-bins", 12, "--k", 150)
    printed, paper = (embed(mercer, "--preset", preset, *bins) for preset in ("printed", "paper"))
    assert printed["basis"] == "fourier:printed" and paper["basis"] == "fourier"
    assert printed["visited_cells"] == paper["visited_cells"] and printed["returns"]["lattice"] == paper["returns"]["lattice"]
    assert printed["parameters"] == 150 and printed["parameters_stored"] > 150  # K + 1, and ties
    assert printed["tv"] > 2 * paper["tv"]
    whole = embed(mercer, "--preset", "printed", "--state-bins", 12)  # half of all entries, as the caption has it
    assert whole["k"] == whole["visited_cells"] * 15 // 2 and whole["tv"] > 2 * paper["tv"]
    for settings in ("from=coefficients", "from=decoded"):
        played = mercer.json("evaluate", "--env", "continuous-mountain-car", "--policy", f"p.mercer:{settings}",
                             "--seed", 1, "--episodes", 40)
        assert played["return"] == whole["returns"]["embedding"]
    assert "Export with --mode table" in mercer.fails(2, "export", "c", "p.mercer", "--mode", "coefficients", "--out", "e")


def test_a_basis_that_ranks_by_sign_has_no_energy(mercer):
    said = mercer.fails(2, "embed", *CAR, "--out", "p.mercer", "--basis", "fourier:printed", "--energy", 0.9)
    assert "ranks coefficients by sign" in said and "Give k" in said
