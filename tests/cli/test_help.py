"""What people expect of a command line: version, list, manual page, completions that work in the real shells."""

import os
import re
import shutil
import subprocess

import pytest

from conftest import PROGRAM

GROUPS = {
    "classic control": {"pendulum", "pendulum-v0", "continuous-mountain-car", "mountain-car", "cart-pole", "acrobot"},
    "quadrotor": {"quadrotor"},
    "MuJoCo": {"swimmer", "hopper", "walker2d", "half-cheetah", "ant", "inverted-double-pendulum", "reacher", "mujoco"},
    "Box2D": {"lunar-lander", "lunar-lander-continuous", "bipedal-walker"},
    "one step": {"turntable", "noisy-bandit"},
    "finite processes": {"chain", "tabular"},
}


def test_version(mercer):
    said = mercer.ok("--version").stdout
    assert re.match(r"mercer \d+\.\d+\.\d+\n", said)
    for part in ("commit", "compiler", "flags", "-ffp-contract=off"):
        assert part in said


def test_help_without_dashes(mercer):
    assert mercer.ok("help").stdout == mercer.ok("--help").stdout
    assert "sample" in mercer.ok("rollout", "--help").stdout and "trace" in mercer.ok("list", "--help").stdout


def test_list(mercer):
    listed = mercer.json("list")
    assert {group: {task["name"] for task in listed["tasks"] if task["group"] == group} for group in GROUPS} == GROUPS
    assert len(listed["tasks"]) == sum(map(len, GROUPS.values()))
    assert {"rollout", "evaluate", "list"} <= {verb["name"] for verb in listed["verbs"]}
    assert "bases" in listed
    printed = mercer.ok("list").stdout
    for task in listed["tasks"]:
        assert f"    {task['name']} " in printed


def test_list_groups_tasks_and_shows_their_sizes(mercer):
    tasks = {task["name"]: task for task in mercer.json("list")["tasks"]}
    assert (tasks["pendulum"]["observations"], tasks["pendulum"]["actions"], tasks["pendulum"]["discrete"]) == (3, 1, False)
    assert (tasks["mountain-car"]["actions"], tasks["mountain-car"]["discrete"]) == (3, True)
    assert tasks["tabular"]["observations"] is None  # it needs a file
    lines = mercer.ok("list").stdout.splitlines()
    group = lines.index("  classic control")
    assert re.match(r" +pendulum +3 +1 +\S", lines[group + 1]), "tasks stand below their group, with their sizes"
    assert "masspole" not in "\n".join(lines), "parameters are shown for one task at a time"


def test_list_shows_one_task(mercer):
    told = mercer.json("list", "cart-pole")
    assert told["group"] == "classic control" and told["time_limit"] == 500 and told["action"]["count"] == 2
    assert [axis["name"] for axis in told["observation"]["axes"]] == ["position", "velocity", "angle", "angular_velocity"]
    assert told["observation"]["axes"][1]["high"] is None and told["observation"]["axes"][0]["unit"] == "m"
    printed = mercer.ok("list", "cart-pole").stdout
    assert "mass of the pole, kg [0.1; 0.01 to 2]" in printed and "action_noise" in printed
    assert "velocity                   -inf to inf m/s" in printed
    assert "did you mean 'cart-pole'" in mercer.fails(2, "list", "cart-pol").lower()
    assert "Its spaces are not known: " in mercer.ok("list", "tabular").stdout
    assert "E203" in mercer.fails(2, "list", "pendulum:m=x")


def flags(mercer, verb):
    return set(re.findall(r"^\s+(?:-h,)?(--[a-z-]+)", mercer.ok(verb, "--help").stdout, re.MULTILINE))


def test_the_manual_page_is_sound_and_complete(mercer):
    page = mercer.ok("manual").stdout
    lint = subprocess.run(["mandoc", "-T", "lint", "-W", "warning"], input=page, capture_output=True, text=True)
    complaints = [line for line in lint.stdout.splitlines() if "missing date" not in line]
    assert complaints == []
    shown = subprocess.run(["mandoc", "-T", "utf8"], input=page, capture_output=True, text=True).stdout
    shown = re.sub(".\b", "", shown)
    for verb in ("rollout", "evaluate", "list"):
        assert verb in shown
        for flag in flags(mercer, verb) - {"--help"}:
            assert flag in shown


WITH_FILES = [("export", "--check"), ("certify", "--sign"), ("inspect", "--verify"), ("report", "--policy"), ("compress", "--results"),
              ("export", "--out"), ("watch", "--folder"), ("embed", "--env")]


def bash_completes(mercer, *words):
    script = mercer.ok("completion", "bash").stdout
    line = " ".join(f"'{word}'" for word in words)
    asked = f"{script}\nCOMP_WORDS=({line}); COMP_CWORD={len(words) - 1}; _mercer; printf '%s\\n' \"${{COMPREPLY[@]}}\""
    return subprocess.run(["bash", "-c", asked], capture_output=True, text=True, check=True, cwd=mercer.folder).stdout.split()


def test_bash_completion(mercer):
    assert bash_completes(mercer, "mercer", "ro") == ["rollout"]
    assert set(bash_completes(mercer, "mercer", "rollout", "--e")) == {"--env", "--episodes"}
    assert bash_completes(mercer, "mercer", "rollout", "--env", "pend") == ["pendulum", "pendulum-v0"]
    assert bash_completes(mercer, "mercer", "evaluate", "--act", "m") == ["mean"]
    assert bash_completes(mercer, "mercer", "evaluate", "--episodes", "") == []
    (mercer.folder / "policy.json").write_text("{}")
    assert bash_completes(mercer, "mercer", "evaluate", "--rollouts", "pol") == ["policy.json"]
    assert bash_completes(mercer, "mercer", "evaluate", "--policy", "pol") == ["policy.json"]
    assert bash_completes(mercer, "mercer", "evaluate", "--policy", "uni") == ["uniform"]
    for verb, flag in WITH_FILES:
        assert bash_completes(mercer, "mercer", verb, flag, "pol") == ["policy.json"], (verb, flag)
    for verb in ("rollout", "evaluate", "list"):
        assert set(bash_completes(mercer, "mercer", verb, "--")) == flags(mercer, verb)


def test_bash_completion_of_places(mercer):
    (mercer.folder / "small.mercer").write_text("")
    assert bash_completes(mercer, "mercer", "export", "") == ["c", "st", "rust", "js", "onnx", "json"]
    assert bash_completes(mercer, "mercer", "export", "c", "sm") == ["small.mercer"]
    for verb in ("inspect", "report", "certify", "serve", "watch"):
        assert bash_completes(mercer, "mercer", verb, "sm") == ["small.mercer"], verb
    assert set(bash_completes(mercer, "mercer", "export", "c", "--")) == flags(mercer, "export")
    assert bash_completes(mercer, "mercer", "completion", "f") == ["fish"]
    assert bash_completes(mercer, "mercer", "list", "quad") == ["quadrotor"]


@pytest.mark.skipif(shutil.which("fish") is None, reason="fish is not installed")
def test_fish_completion(mercer):
    script = mercer.folder / "mercer.fish"
    script.write_text(mercer.ok("completion", "fish").stdout)
    (mercer.folder / "small.mercer").write_text("")

    def completes(line):
        asked = f"complete -e mercer; source {script}; complete -C '{line}'"
        done = subprocess.run(["fish", "--no-config", "-c", asked], capture_output=True, text=True, check=True, cwd=mercer.folder,
                              env={**os.environ, "HOME": str(mercer.folder)})
        assert done.stderr == ""
        return [row.split("\t")[0] for row in done.stdout.splitlines()]

    assert completes("mercer ro") == ["rollout"]
    assert set(completes("mercer rollout --e")) == {"--env", "--episodes"}
    assert completes("mercer rollout --env pend") == ["pendulum", "pendulum-v0"]
    assert completes("mercer evaluate --act m") == ["mean"]
    assert "small.mercer" in completes("mercer evaluate --policy sm")
    for verb, flag in WITH_FILES:
        assert "small.mercer" in completes(f"mercer {verb} {flag} sm"), (verb, flag)
    assert completes("mercer export ") == ["c", "js", "json", "onnx", "rust", "st"]
    assert completes("mercer export c sm") == completes("mercer inspect sm") == completes("mercer report sm") == ["small.mercer"]
    for verb in ("rollout", "evaluate", "list"):
        assert set(completes(f"mercer {verb} --")) == flags(mercer, verb)


def test_zsh_completion(mercer):
    script = mercer.folder / "_mercer"
    (mercer.folder / "small.mercer").write_text("")
    script.write_text(mercer.ok("completion", "zsh").stdout)
    subprocess.run(["zsh", "-n", str(script)], check=True)
    try:
        os.close(os.openpty()[0])
    except OSError:
        pytest.skip("no pseudo-terminal here; the script's grammar was checked")
    # A zsh of its own on a pseudo-terminal: type a word, press tab, read what stands there.
    driver = f"""
zmodload zsh/zpty
zpty shell 'zsh -f -i'
zpty -w shell 'PS1=; fpath=({mercer.folder} $fpath); autoload -U compinit; compinit -u -D; print READY'
zpty -r shell line '*READY*READY*'
zpty -w -n shell $'mercer rollout --episo\\t'
sleep 2
zpty -w -n shell $' 1 --env cart\\t'
sleep 2
zpty -r -t shell line '*cart-pole*'
print -r -- "$line"
zpty -w -n shell $'\x15mercer evaluate --policy small\t'
sleep 1
zpty -w -n shell $' --rollouts small\t'
sleep 1
zpty -r -t shell line '*small.mercer*small.mercer*'
print -r -- "$line"
zpty -w -n shell $'\x15mercer export c small\t'
sleep 1
zpty -r -t shell line '*export c small.mercer*'
print -r -- "$line"
zpty -d shell
"""
    done = subprocess.run(["zsh", "-f", "-c", driver], capture_output=True, text=True, timeout=60, cwd=mercer.folder)
    assert "--episodes" in done.stdout and "cart-pole" in done.stdout, (done.stdout, done.stderr)
    assert "--policy small.mercer" in done.stdout and "--rollouts small.mercer" in done.stdout, (done.stdout, done.stderr)
    assert "export c small.mercer" in done.stdout, (done.stdout, done.stderr)


@pytest.mark.parametrize("verb", ["rollout", "evaluate", "list", "completion", "manual"])
def test_help_of_every_verb(mercer, verb):
    assert f"Usage: mercer {verb}" in mercer.ok(verb, "--help").stdout


def test_program_needs_no_terminal_or_home():
    subprocess.run([PROGRAM, "list"], env={}, stdin=subprocess.DEVNULL, capture_output=True, check=True)
