"""Every mistake gets its code, the value, what is legal and what to do; the exit code says whose it is."""

import json
import os
import pathlib
import re
import signal
import subprocess
import time

import pytest

from conftest import PROGRAM

PLAY = ["rollout", "--env", "pendulum", "--policy", "uniform", "--out", "r.npz"]


@pytest.mark.parametrize("arguments, parts", [
    (["rolout"], ["E201", "rolout", "Did you mean 'rollout'?"]),
    (["rollout", "--epsiodes", 3], ["E201", "--epsiodes", "'--episodes'"]),
    (["rollout", "--epsiodes=3"], ["E201", "--epsiodes", "'--episodes'"]),
    (["embed", "--states", 100], ["E201", "no flag of 'mercer embed' is called '--states'. Did you mean '--fit-states'?"]),
    (["compress", "--episodes", 100], ["'--candidate-episodes', '--select-episodes' or '--certify-episodes'?"]),
    (["compress", "--seconds=9"], ["E201", "Did you mean '--budget'?"]),
    (["export", "ada", "p.mercer"], ["E201", "'ada' is not a format; legal: c, st, rust, js, onnx, json. Give one of them."]),
    (["export", "p.mercer", "--out", "d"], ["E201", "'p.mercer' is not a format; legal: c, st, rust, js, onnx, json.",
                                            "Write the format first: mercer export c p.mercer."]),
    (["evaluate", "--env", "pendulun", "--policy", "uniform"], ["E201", "pendulun", "'pendulum'"]),
    (["evaluate", "--env", "cart-pole", "--policy", "uniforn"], ["E201", "uniforn", "'uniform'"]),
    (["evaluate", "--env", "chain:alhpa=1", "--policy", "uniform"], ["E201", "alhpa", "'alpha'"]),
    (["evaluate", "--env", "pendulum:x=9", "--policy", "uniform"], ["E201", "no setting of task", "'x'"]),
    (["evaluate", "--env", "chain:n", "--policy", "uniform"], ["E203", "'n' has no value", "key=value"]),
    (["evaluate", "--env", "chain", "--policy", "uniform", "rollout"], ["E203", "unexpected argument 'rollout'. 'mercer evaluate --help'"]),
    (["compress", "actor.onnx", "--env", "pendulum"], ["E203", "unexpected argument 'actor.onnx'. Did you mean --policy actor.onnx?"]),
    (PLAY + ["--json=maybe"], ["E203", "'maybe'", "true nor false"]),
    (PLAY + ["--seed", "18446744073709551616"], ["E202", "too large to hold"]),
    (["evaluate", "--env", "pendulum", "--policy", "uniform", "--out", "r.npz"], ["E203", "r.npz", ".json"]),
    (["evaluate", "--rollouts", "x.npz", "--episodes", 3], ["E203", "--episodes", "--rollouts"]),
    (["evaluate", "--env", "chain:alpha=2", "--policy", "uniform"], ["E202", "alpha is 2", "0 to 1"]),
    (PLAY + ["--act", "maen"], ["E201", "maen", "'mean'"]),
    (PLAY + ["--episodes", 0], ["E202", "episodes is 0", "1 to 10^9"]),
    (PLAY + ["--episodes", -1], ["E203", "--episodes", "'-1'", "an integer"]),
    (PLAY + ["--episodes", "many"], ["E203", "'many'", "an integer"]),
    (PLAY + ["--episodes"], ["E203", "--episodes"]),
    (PLAY + ["--gamma", 1.5], ["E202", "gamma is 1.5", "0 to 1"]),
    (PLAY + ["--horizon", 0], ["E202", "horizon is 0"]),
    (PLAY + ["--threads", 5000], ["E202", "threads is 5000", "0 to 1024"]),
    (PLAY + ["--batch", 2000000], ["E202", "batch is 2000000", "0 to 1048576"]),
    (["rollout", "--env", "pendulum", "--policy", "uniform"], ["E204", "--out"]),
    (["rollout", "--policy", "uniform", "--out", "r.npz"], ["E204", "--env"]),
    (["rollout", "--env", "pendulum", "--out", "r.npz"], ["E204", "--policy"]),
    (["evaluate", "--env", "tabular", "--policy", "uniform"], ["E204", "tabular:FILE.json"]),
    (["rollout", "--env", "pendulum", "--policy", "uniform", "--out", "r.txt"], ["E203", "r.txt", ".npz"]),
    (["--seed", 3, "rollout"], ["E203", "--seed", "after the verb"]),
    (["rollout", "now"], ["E203", "'now'"]),
    (["completion", "tcsh"], ["E201", "no shell is called 'tcsh'. Known: bash, fish, zsh."]),
    (["compress", "--max-loss", 1], ["E202", "--max-loss is 1, that is 100%", "Did you mean 1%?"]),
    (["compress", "--max-loss", 5], ["E202", "that is 500%", "Did you mean 5%?"]),
    (["certify", "p.mercer", "--confidence", 95], ["E202", "--confidence is 95", "Did you mean 95%?"]),
    (["evaluate", "--env", "HalfCheetah-v5", "--policy", "uniform"], ["E201", "'HalfCheetah-v5' is a name of Gymnasium",
                                                                     "--env half-cheetah", "HalfCheetah-v4", "gymnasium.make"]),
    (["evaluate", "--env", "pendulum-v1", "--policy", "uniform"], ["E201", "Write --env pendulum ", "Pendulum-v1"]),
    (["evaluate", "--env", "Humanoid-v4", "--policy", "uniform"], ["E201", "no such task is built in",
                                                                  "gymnasium.make('Humanoid-v4')", "mercer list"]),
    (["watch"], ["E204", "mercer watch FOLDER"]),
    (["compress"], ["E204: 'mercer compress' needs --env TASK, --policy POLICY and --out FILE.mercer. For example:"]),
    (["compress", "--env", "pendulum"], ["E204: 'mercer compress' also needs --policy POLICY and --out FILE.mercer."]),
    (["embed", "--out", "p.mercer"], ["E204: 'mercer embed' also needs --env TASK and --policy POLICY."]),
    (["train"], ["E204: 'mercer train' needs --env TASK and --out DIR."]),
    (["rollout"], ["E204: 'mercer rollout' needs --env TASK, --policy POLICY and --out FILE.npz."]),
    (["evaluate"], ["E204: 'mercer evaluate' needs --env TASK and --policy POLICY."]),
    (["export", "c", "p.mercer", "--out", "d", "--core", "cortex-m4"], ["E201", "Did you mean 'cortex-m4f'?"]),
])
def test_bad_usage(mercer, arguments, parts):
    said = mercer.fails(2, *arguments)
    for part in parts:
        assert part in said
    assert not (mercer.folder / "r.npz").exists()


@pytest.mark.parametrize("verb", ["embed", "compress", "train", "inspect"])
def test_an_unknown_flag_names_three_others_and_the_help(mercer, verb):
    said = mercer.fails(2, verb, "--zzzzzzzzzzzz")
    assert f"'mercer {verb} --help' lists all" in said and said.count("--") == 5, said


POLICIES = pathlib.Path(os.environ["SOURCE_FOLDER"]) / "tests/data"


@pytest.mark.parametrize("ending, words", [(".onnx", "an ONNX network"), (".zip", "an agent of Stable-Baselines3"), (".pt", "a file of torch")])
def test_a_policy_in_place_of_an_embedding_leads_to_compress(mercer, ending, words):
    (mercer.folder / f"actor{ending}").write_bytes(b"whatever")
    make = f"'mercer compress --env TASK --policy actor{ending} --max-loss 1% --out actor.mercer'"
    said = mercer.fails(3, "export", "c", f"actor{ending}", "--out", "{firmware}")
    assert f"E304: 'actor{ending}' is {words}, and an embedding (.mercer) is needed" in said
    assert make in said and "then run 'mercer export c actor.mercer --out {firmware}'" in said
    said = mercer.fails(3, "certify", f"actor{ending}")
    assert make in said and "then run 'mercer certify actor.mercer'" in said


@pytest.mark.parametrize("task, made", [("HalfCheetah-v4", "half-cheetah"), ("pendulum:m=2", "pendulum")])
def test_a_task_in_place_of_a_file_leads_to_compress(mercer, task, made):
    make = f"'mercer compress --env {task} --policy FILE --max-loss 1% --out {made}.mercer'"
    for verb, then in [(["export", "c", task], f"export c {made}.mercer --out FOLDER"), (["certify", task], f"certify {made}.mercer"),
                       (["report", task], f"report {made}.mercer --out FILE.html"), (["serve", task], f"serve {made}.mercer")]:
        said = mercer.fails(3, *verb)
        assert f"E304: '{task}' is a task, and an embedding (.mercer) is needed" in said
        assert f"{make}, then run 'mercer {then}'" in said
    assert f"'{task}' is a task, not a policy file. 'mercer list {task}' shows the task" in mercer.fails(2, "inspect", task)
    said = mercer.fails(2, "evaluate", "--env", "pendulum", "--policy", task)
    assert f"no policy is called '{task}': that is a task. Name the task with --env {task}" in said
    (mercer.folder / "pendulum").write_text("a file of that name")
    assert "'pendulum' is a text file" in mercer.fails(3, "export", "c", "pendulum", "--out", "d")


def test_a_policy_in_place_of_an_embedding_of_a_page_leads_to_compress(mercer):
    (mercer.folder / "actor.onnx").write_bytes(b"whatever")
    for verb, then in [(["report", "actor.onnx"], "report actor.mercer --out FILE.html"), (["serve", "actor.onnx"], "serve actor.mercer")]:
        assert f"then run 'mercer {then}'" in mercer.fails(3, *verb)


def test_an_agent_for_another_task_warns_once(mercer):
    agent = POLICIES / "sb3/pendulum_5000_actor.zip"
    done = mercer.run("evaluate", "--env", "half-cheetah", "--policy", agent)
    assert done.returncode == 2 and "outputs 1 number; task 'half-cheetah' takes 6 numbers. It fits --env pendulum" in done.stderr
    assert done.stderr.count("does not record whether its observations were normalised") == 1


@pytest.mark.parametrize("verb", [("export", "c", "{}", "--out", "d"), ("export", "js", "{}", "--out", "d"), ("certify", "{}")])
def test_what_is_no_embedding_is_named(mercer, verb):
    (mercer.folder / "README.md").write_text("# Read me\n")
    (mercer.folder / "empty").touch()
    (mercer.folder / "photo.png").write_bytes(b"\x89PNG\r\n\x1a\n" + bytes(100))
    (mercer.folder / "found").mkdir()
    for name, words in {"README.md": "a text file", "empty": "an empty file", "found": "a folder",
                        "photo.png": "neither an embedding nor a policy that Mercer reads"}.items():
        said = mercer.fails(3, *(word.format(name) for word in verb))
        assert f"E304: '{name}' is {words}, and an embedding (.mercer) is needed. Name a .mercer file" in said
        assert "safetensors" not in said
    renamed = mercer.folder / "renamed.bin"
    renamed.write_bytes((POLICIES / "export/pendulum_5000.mercer").read_bytes())
    if verb[0] == "export":
        mercer.ok(*(word.format("renamed.bin") for word in verb))
        assert "E301" in mercer.fails(3, *(word.format("none.bin") for word in verb))


@pytest.mark.parametrize("verb", ["compress", "embed", "train", "rollout", "evaluate"])
def test_the_example_for_a_bare_verb_works(mercer, verb):
    """What is suggested runs as it is printed; a search or a training is only begun."""
    example = re.search(r"For example: 'mercer (.*?)';", mercer.fails(2, verb))[1].split()
    assert example[0] == verb
    (mercer.folder / "actor.onnx").write_bytes((POLICIES / "policies/pendulum_5000_actor.onnx").read_bytes())
    short = {"compress": ["--generations", 1, "--most-terms", 1, "--select-episodes", 20, "--certify-episodes", 20],
             "embed": ["--rollouts", 20, "--episodes", 5], "train": ["--steps", 50, "--hidden", 8, "--eval-episodes", 1],
             "rollout": ["--episodes", 2], "evaluate": ["--episodes", 2]}
    done = mercer.run(*example, *short[verb])
    assert done.returncode in ((0, 5) if verb == "compress" else (0,)), done.stderr


def test_a_policy_that_does_not_fit_is_told_where_it_fits(mercer):
    policy = POLICIES / "policies/pendulum_5000_actor.onnx"
    said = mercer.fails(2, "evaluate", "--env", "cart-pole", "--policy", policy)
    assert "E206" in said and "--env pendulum," in said and f"'mercer inspect {policy}'" in said
    fitting = re.findall(r"--env ([a-z0-9-]+)", said[said.index("It fits"):])
    assert fitting and "cart-pole" not in fitting
    for task in fitting:  # what is suggested works
        mercer.ok("evaluate", "--env", task, "--policy", policy, "--episodes", 1, "--horizon", 2)
    (mercer.folder / "pi.json").write_text(json.dumps({"pi": [[0.5, 0.5]] * 3}))
    assert "It fits no built-in task" in mercer.fails(2, "evaluate", "--env", "chain", "--policy", "tabular:pi.json")


def test_an_export_into_a_file_names_the_file(mercer):
    (mercer.folder / "pilot").write_text("a file")
    for form in ("c", "rust"):
        said = mercer.fails(3, "export", form, POLICIES / "export/pendulum_5000.mercer", "--out", "pilot")
        assert "E302: 'pilot' is a file, not a folder. Choose another --out." in said
    assert (mercer.folder / "pilot").read_text() == "a file"


def test_a_misspelt_policy_file_is_suggested(mercer):
    (mercer.folder / "made").mkdir()
    for folder in ("", "made/"):
        (mercer.folder / f"{folder}p.mercer").write_bytes(b"whatever")
        said = mercer.fails(2, "evaluate", "--env", "pendulum", "--policy", f"{folder}p.mercr")
        assert f"E201: no policy and no file is called '{folder}p.mercr'. Did you mean the file '{folder}p.mercer'?" in said
    assert "no policy is called 'made': that is a folder. Name a policy's file in it." in mercer.fails(
        2, "evaluate", "--env", "pendulum", "--policy", "made")
    (mercer.folder / "uniform.json").write_text("{}")
    assert "Did you mean 'uniform'?" in mercer.fails(2, "evaluate", "--env", "pendulum", "--policy", "uniforn")


def test_values_of_discrete_actions_do_not_play_a_continuous_task(mercer):
    said = mercer.fails(2, "evaluate", "--env", "pendulum", "--policy", POLICIES / "policies/mc_dqn_120000_q.onnx")
    assert "E206" in said and "gives one value for each of 3 discrete actions, and the actions of task 'pendulum' are continuous" in said


@pytest.mark.parametrize("name", ["p.json", "a.onnx", "a.safetensors", "a.mercer", "a.zip", "a.pt", "a.pth", "a.npz", "a.msgpack"])
def test_an_empty_file_is_called_empty(mercer, name):
    (mercer.folder / name).touch()
    assert "the file is empty" in mercer.fails(3, "evaluate", "--env", "pendulum", "--policy", name)


def test_what_a_report_leaves_out_is_named_once(mercer):
    (mercer.folder / "m").mkdir()
    (mercer.folder / "m/good.mercer").write_bytes((POLICIES / "export/pendulum_5000.mercer").read_bytes())
    (mercer.folder / "m/empty.mercer").touch()
    said = mercer.ok("report", "m", "--out", "r.html", "--episodes", 5).stderr
    assert "left out: 'm/empty.mercer' cannot be read: the file is empty\n" in said and said.count("empty.mercer") == 1, said


def test_no_verb_shows_the_help(mercer):
    assert "Verbs:" in mercer.fails(2)


@pytest.mark.parametrize("change, code, parts", [
    ({"P": [[[0.5, 0.4]], [[0, 1]]]}, 2, ["E207", "P[0][0] sums to 0.9", "1 within 1e-06"]),
    ({"P": [[[1.5, -0.5]], [[0, 1]]]}, 2, ["E207", "P[0][0][0] is 1.5", "0 to 1"]),
    ({"mu": [0.3, 0.3]}, 2, ["E207", "mu sums to 0.6"]),
    ({"r": [[0]]}, 2, ["E206", "r needs 2 rows"]),
    ({"gamma": 2}, 2, ["E202", "gamma is 2"]),
    ({"gamma": "0.9"}, 2, ["E203", "gamma", "without quotes"]),
    ({"gamma": 0.99999999999}, 2, ["E204", "horizon"]),
    ({"r": [[1e308], [1e308]]}, 2, ["E205", "return of episode", "is inf"]),
    ({"gama": 1}, 2, ["E201", "'gama'", "'gamma'"]),
    ({"terminal": [7]}, 2, ["E202", "7", "0 to 1"]),
])
def test_bad_process(mercer, change, code, parts):
    process = {"P": [[[0, 1]], [[1, 0]]], "r": [[0], [1]], "mu": [1, 0], "gamma": 0.9, **change}
    (mercer.folder / "mdp.json").write_text(json.dumps(process))
    said = mercer.fails(code, "evaluate", "--env", "tabular:mdp.json", "--policy", "uniform")
    for part in parts:
        assert part in said


def test_bad_files(mercer):
    assert "E301" in mercer.fails(3, "evaluate", "--rollouts", "none.npz")
    (mercer.folder / "mdp.json").write_text('{"P": [')
    assert "E304" in mercer.fails(3, "evaluate", "--env", "mdp.json", "--policy", "uniform")
    assert "E302" in mercer.fails(3, *PLAY[:-1], "no/such/folder/r.npz")
    (mercer.folder / "text.npz").write_text("hello")
    assert "E304" in mercer.fails(3, "evaluate", "--rollouts", "text.npz")
    assert "E305" in mercer.fails(3, "list", "--plugin", "none.so")
    (mercer.folder / "pi.json").write_text(json.dumps({"pi": [[0.5, 0.5]] * 3}))
    assert "E206" in mercer.fails(2, "evaluate", "--env", "chain", "--policy", "tabular:pi.json")


def test_starts_of_another_task_are_refused(mercer):
    mercer.ok("rollout", "--env", "mountain-car", "--policy", "uniform", "--episodes", 2, "--out", "m.npz")
    said = mercer.fails(2, "evaluate", "--env", "pendulum", "--policy", "uniform", "--starts", "m.npz")
    assert "E206" in said and "(position, speed)" in said and "(theta, speed)" in said
    mercer.ok("evaluate", "--env", "continuous-mountain-car", "--policy", "uniform", "--starts", "m.npz")


def test_where_to_write_is_checked_before_playing(mercer):
    long = ["--env", "pendulum", "--policy", "uniform", "--episodes", 1000000000]
    assert "there is no folder" in mercer.fails(3, "rollout", *long, "--out", "no/such/r.npz")
    assert "there is no folder" in mercer.fails(3, "evaluate", *long, "--out", "no/such/r.json")
    (mercer.folder / "folder.npz").mkdir()
    assert "it is a folder" in mercer.fails(3, "rollout", *long, "--out", "folder.npz")


def test_a_truncated_npz_is_refused_wherever_it_is_cut(mercer):
    mercer.ok(*PLAY, "--episodes", 2)
    whole = (mercer.folder / "r.npz").read_bytes()
    for size in (4, 100, len(whole) // 2, len(whole) - 1):
        (mercer.folder / "cut.npz").write_bytes(whole[:size])
        said = mercer.fails(3, "evaluate", "--rollouts", "cut.npz")
        assert "E303" in said and "cut.npz" in said


def test_a_failed_write_keeps_the_old_file(mercer):
    (mercer.folder / "r.npz").write_text("old")
    # The write stops at a size limit, as it would on a full disk; root is held by it too.
    play = " ".join(map(str, [PROGRAM, *PLAY, "--episodes", 100]))
    done = subprocess.run(["bash", "-c", f"trap '' XFSZ; ulimit -f 100; exec {play}"], cwd=mercer.folder,
                          capture_output=True, text=True)
    assert done.returncode == 3 and "E302" in done.stderr and "cannot write 'r.npz'" in done.stderr
    assert (mercer.folder / "r.npz").read_text() == "old"
    assert [path.name for path in mercer.folder.iterdir()] == ["r.npz"]


@pytest.mark.skipif(bool(os.environ.get("SANITIZERS")), reason="sanitizers end the program where memory runs out")
def test_too_much_memory_is_an_error_not_a_crash(mercer):
    said = mercer.fails(2, *PLAY, "--episodes", 1000000000, "--horizon", 1000000000, "--batch", 1048576)
    assert "E208" in said


def test_an_interrupt_stops_at_once_and_writes_nothing(mercer):
    play = ["rollout", "--env", "pendulum", "--policy", "uniform", "--horizon", "100000000", "--out", "r.npz"]
    running = subprocess.Popen([PROGRAM, *play, "--episodes", "2"], cwd=mercer.folder, stderr=subprocess.PIPE, text=True)
    time.sleep(1)
    running.send_signal(signal.SIGINT)
    said = running.communicate(timeout=60)[1]
    assert running.returncode == 130 and "E130" in said
    assert list(mercer.folder.iterdir()) == []
