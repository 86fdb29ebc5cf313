"""What `inspect` shows of every kind of file, test vectors, and the contract on every face."""

import hashlib
import json
import os
import pathlib
import re
import shutil
import subprocess
import zipfile

import numpy
import pytest

DATA = pathlib.Path(os.environ["SOURCE_FOLDER"]) / "tests/data"
ACTOR = DATA / "policies/pendulum_5000_actor.onnx"
AGENT = DATA / "sb3/pendulum_5000_actor.zip"
PENDULUM = DATA / "export/pendulum_5000.mercer"
EMBEDDINGS = ("export/pendulum_5000", "embeddings/db4_snake", "embeddings/dct_tour_discrete", "embeddings/fourier_mean_action",
              "embeddings/svd_lexicographic")
STRICT = ("-std=c99", "-Wall", "-Wextra", "-Wpedantic", "-Wconversion", "-Werror")


def compile_check(folder, *flags, compiler="gcc"):
    subprocess.run([compiler, *(flags or STRICT), "controller.c", "controller_check.c", "-o", "check", "-lm"], cwd=folder,
                   check=True)
    return subprocess.run(["./check"], cwd=folder, capture_output=True, text=True)


def test_a_network_with_and_without_a_task(mercer):
    page = mercer.ok("inspect", ACTOR).stdout
    assert hashlib.sha256(ACTOR.read_bytes()).hexdigest() in page
    assert "takes: " in page and "layer " in page and "not played: " in page and "--env" in page
    page = mercer.ok("inspect", ACTOR, "--env", "pendulum").stdout
    assert "observation speed, rad/s, -8 to 8" in page and "control period: 0.05 s" in page
    assert "torque is clipped to -2 to 2" in page and "plays a gaussian policy" in page and "warning" not in page


def test_an_agent_warns_of_what_it_does_not_know(mercer):
    shutil.copy(AGENT, mercer.folder / "a.zip")
    told = mercer.json("inspect", "a.zip", "--normaliser", "none")
    assert told["kind"] == "agent" and told["made_by"]["Stable-Baselines3"]
    warnings = " ".join(told["warnings"])
    assert "units of observations" in warnings and "names of observations" in warnings and "period" in warnings
    named = mercer.json("inspect", "a.zip", "--normaliser", "none", "--names", "c,s,omega", "--units", "1,1,rad/s",
                        "--action-names", "torque", "--action-units", "N m", "--period", "0.05")
    assert named["warnings"] == [] and named["contract"]["dt"] == 0.05
    assert [axis["name"] for axis in named["contract"]["observation"]["axes"]] == ["c", "s", "omega"]


def test_text_of_a_stranger_is_made_plain(mercer):
    with zipfile.ZipFile(AGENT) as source, zipfile.ZipFile(mercer.folder / "a.zip", "w") as target:
        for name in source.namelist():
            content = source.read(name)
            target.writestr(name, b"2\x1b[31m\xff" if name == "_stable_baselines3_version" else content)
        target.writestr("system_info.txt", b"- Python: 3\x07\xfe\n- nonsense\n- OS: \n")
    told = mercer.json("inspect", "a.zip", "--normaliser", "none")
    assert told["made_by"] == {"Stable-Baselines3": "2?[31m?", "Python": "3??"}
    assert "\x1b" not in mercer.ok("inspect", "a.zip", "--normaliser", "none").stdout


def test_a_table_lists_all_its_states(mercer):
    (mercer.folder / "pi.json").write_text(json.dumps({"pi": [[0.5, 0.5], [0, 1]]}))
    assert mercer.json("inspect", "pi.json")["plays"] == "table of 2 states and 2 actions"
    told = mercer.json("inspect", "pi.json", "--test-vectors", 2, "--out", "t")
    assert told["test_vectors"] == ["t.json", "t.npz"]
    made = json.loads((mercer.folder / "t.json").read_text())
    assert made["actions"] == [[0], [1]] and made["observations"] == [[0], [1]]


@pytest.mark.parametrize("wrong, said", [
    (("--names", "a,b"), "2 names for 3 observations"),
    (("--names", "a,b,a"), "'a' twice"),
    (("--names", "a,b,c*/"), "not a legal name"),
    (("--units", ",,deg/s"), "it is in 'rad/s'"),
    (("--period", "0.02"), "period is 0.02 s, and there is one action every 0.05 s"),
    (("--period", "0"), "legal: above 0, at most 10000"),
    (("--test-vectors", "0.5"), "0.5"),
])
def test_wrong_settings_name_value_and_remedy(mercer, wrong, said):
    assert said in mercer.fails(2, "inspect", ACTOR, "--env", "pendulum", *wrong)


def test_vectors_are_those_of_the_policy_and_can_be_checked_in_numpy(mercer):
    mercer.ok("inspect", PENDULUM, "--test-vectors", 64)
    made = json.loads((mercer.folder / "pendulum_5000.vectors.json").read_text())
    arrays = numpy.load(mercer.folder / "pendulum_5000.vectors.npz")
    assert numpy.array_equal(arrays["observations"], made["observations"]) and arrays["observations"].shape == (64, 3)
    assert made["precision"] == "double" and made["sha256"] == hashlib.sha256(PENDULUM.read_bytes()).hexdigest()
    assert numpy.array_equal(numpy.float32(arrays["observations"]), arrays["observations"])
    assert arrays["observations"][:, 2].min() == -8 and arrays["observations"][:, 2].max() == 8
    assert 0 < arrays["tolerance"][0] < 1e-4


@pytest.mark.parametrize("numbers, mode", [("float", "table"), ("float", "coefficients"), ("fixed", "table"),
                                           ("fixed", "coefficients")])
@pytest.mark.parametrize("name", EMBEDDINGS)
def test_every_export_agrees_with_its_vectors(mercer, name, numbers, mode):
    embedding = DATA / f"{name}.mercer"
    mercer.ok("inspect", embedding, "--test-vectors", 200, "--out", "v")
    said = mercer.json("export", "c", embedding, "--out", "d", "--numbers", numbers, "--mode", mode, "--check", "v.json")
    assert pathlib.Path(said["files"][-1]).name == "controller_check.c"
    done = compile_check(mercer.folder / "d")
    assert done.returncode == 0 and done.stdout == "200 test vectors: all actions agree\n"


def test_a_changed_number_fails_the_check(mercer):
    mercer.ok("inspect", PENDULUM, "--test-vectors", 64, "--out", "v")
    for numbers in ("float", "fixed"):
        mercer.ok("export", "c", PENDULUM, "--out", "d", "--numbers", numbers, "--check", "v.json", "--force")
        assert compile_check(mercer.folder / "d").returncode == 0
        assert compile_check(mercer.folder / "d", "-x", "c++", "-std=c++11", compiler="g++").returncode == 0
        path = mercer.folder / "d/controller.c"
        source = path.read_text()
        head, table = source.split(" coefficient[", 1)
        number = re.search(r"-?\d[\d.e-]*", table.split("=", 1)[1])
        start = len(head) + len(" coefficient[") + table.index("=") + 1 + number.start()
        change = "1.2f + " if numbers == "float" else f"{int(number.group()) // 50} + "  # by a fiftieth
        path.write_text(source[:start] + change + source[start:])
        done = compile_check(mercer.folder / "d", "-std=c99")
        assert done.returncode == 1 and "another action" in done.stdout, numbers


def test_vectors_of_another_policy_are_refused(mercer):
    mercer.ok("inspect", ACTOR, "--env", "pendulum", "--test-vectors", 16, "--out", "v")
    said = mercer.fails(2, "export", "c", PENDULUM, "--out", "d", "--check", "v.json")
    assert "test vector" in said and "the embedding gives" in said
    mercer.ok("inspect", DATA / "embeddings/dct_tour_discrete.mercer", "--test-vectors", 4, "--out", "w")
    assert "observations" in mercer.fails(2, "export", "c", PENDULUM, "--out", "d", "--check", "w.json")
    (mercer.folder / "x.json").write_text("{}")
    assert "no test vectors" in mercer.fails(3, "export", "c", PENDULUM, "--out", "d", "--check", "x.json")


@pytest.mark.parametrize("names", [("--names", "sin_theta,cos_theta,speed"), ("--action-names", "speed")])
def test_an_embedding_keeps_its_names(mercer, names):
    """Other names would document swapped sensors in the header of a firmware."""
    for form in ("c", "st", "rust", "json"):
        assert "E203" in mercer.fails(2, "export", form, PENDULUM, "--out", "d", *names)
    assert "the embedding has its names" in mercer.fails(2, "inspect", PENDULUM, *names)
    assert not (mercer.folder / "d").exists()
    mercer.ok("export", "c", PENDULUM, "--out", "d", "--names", "cos_theta,sin_theta,speed", "--action-names", "torque")


def test_a_network_without_a_task_is_not_said_to_have_one(mercer):
    told = mercer.ok("inspect", ACTOR, "--squash", "tanh").stdout
    assert "its action 'action0' has no known bounds to scale to" in told and "--env" in told and "of task" not in told


NAMING = ("--names", "theta,theta[t-1],push[t-1]", "--units", "1,1,", "--action-names", "push", "--action-units", "")


def test_names_of_an_export_stand_in_header_block_and_json(mercer):
    mercer.ok("embed", "--env", "pendulum", "--policy", ACTOR, "--names", "x0,x1,x2", "--action-names", "action0", "--route", "continuous",
              "--k", 4, "--rollouts", 5, "--rounds", 1, "--episodes", 5, "--out", "unnamed.mercer")
    for form in ("c", "st", "json"):
        mercer.ok("export", form, "unnamed.mercer", "--out", "d", *NAMING)
    header, block = (mercer.folder / "d/controller.h").read_text(), (mercer.folder / "d/controller.st").read_text()
    for text in (header, block):
        words = " ".join(text.replace("\n *", " ").split())
        assert "theta, 1, -1 to 1" in words
        assert "theta[t-1], 1, -1 to 1: the value of theta 1 step ago" in words
        assert "push[t-1], rad/s, -8 to 8: the action push 1 step ago" in words
        assert "push, N m, -2 to 2" in words and "every 0.05 s" in words
        assert "the code normalises them" in words and "limited to their range" in words
    assert "obs_theta_t_1 : REAL;" in block
    contract = json.loads((mercer.folder / "d/controller.json").read_text())["contract"]
    assert [axis["name"] for axis in contract["observation"]["axes"]] == ["theta", "theta[t-1]", "push[t-1]"]


def test_names_given_to_a_teacher_stay_with_its_embedding(mercer):
    shutil.copy(ACTOR, mercer.folder / "a.onnx")
    (mercer.folder / "a.toml").write_text('names = ["c", "s", "omega"]\naction-names = ["push"]\nperiod = 0.05\n')
    mercer.ok("embed", "--env", "pendulum", "--policy", "a.onnx", "--route", "continuous", "--k", 4, "--rollouts", 5,
              "--rounds", 1, "--episodes", 5, "--obs-mean", "0.1;0;0", "--obs-var", "1;1;4", "--out", "p.mercer")
    told = mercer.json("inspect", "p.mercer")
    assert told["observations"] == ["c", "s", "omega"] and told["contract"]["action"]["axes"][0]["name"] == "push"
    assert told["settings"]["names"] == "c;s;omega" and "normalisation" not in told["contract"]
    assert "observation omega, rad/s, -8 to 8" in mercer.ok("inspect", "p.mercer").stdout
    mercer.ok("export", "c", "p.mercer", "--out", "d")
    assert "obs[2] omega, rad/s" in (mercer.folder / "d/controller.h").read_text()
    assert mercer.json("evaluate", "--env", "pendulum", "--policy", "p.mercer", "--episodes", 2)["return"]
    mercer.ok("certify", "p.mercer", "--episodes", 4, "--coupled", 2, "--level", "statistical")
    mercer.ok("report", "p.mercer", "--episodes", 2, "--out", "p.html")
    page = (mercer.folder / "p.html").read_text()
    assert re.search(r'"contract": ?\{.{0,400}?"name": ?"omega"', page.replace("\n", " "), re.DOTALL)
