"""Rust, JavaScript and ONNX through the program: files, checks, refusals, and a graph that plays again."""

import json
import os
import pathlib
import shutil
import subprocess

import pytest

from conftest import PROGRAM

DATA = pathlib.Path(os.environ["SOURCE_FOLDER"]) / "tests/data"
PENDULUM = DATA / "export/pendulum_5000.mercer"
LATTICE = DATA / "embeddings/fourier_mean_action.mercer"
DISCRETE = DATA / "embeddings/dct_tour_discrete.mercer"
EMBEDDINGS = {"pendulum": PENDULUM, "lattice": LATTICE, "discrete": DISCRETE}
RUST = "/usr/bin/rustc"
PYTHON = "/usr/bin/python3"


def run(*command, folder):
    done = subprocess.run([str(word) for word in command], cwd=folder, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def names(said):
    return [str(pathlib.Path(*pathlib.Path(path).parts[1:])) for path in said["files"]]


@pytest.mark.skipif(not os.path.exists(RUST), reason="rustc is not installed")
@pytest.mark.parametrize("embedding", EMBEDDINGS.values(), ids=EMBEDDINGS)
def test_rust_checks_itself_and_its_vectors(mercer, embedding):
    mercer.ok("inspect", embedding, "--test-vectors", 64, "--out", "v")
    said = mercer.json("export", "rust", embedding, "--out", "d", "--name", "pilot", "--check", "v.json")
    assert names(said) == ["Cargo.toml", "src/lib.rs", "examples/act.rs", "tests/check.rs"]
    assert 0 < said["flash_bytes"] and 0 <= said["error_measured"] <= said["error_stated"] <= 1e-5
    folder = mercer.folder / "d"
    run(RUST, "--edition", "2021", "-O", "-D", "warnings", "--crate-type", "rlib", "--crate-name", "pilot", "src/lib.rs", folder=folder)
    link = (RUST, "--edition", "2021", "-D", "warnings", "--extern", "pilot=libpilot.rlib")
    run(*link, "examples/act.rs", "-o", "act", folder=folder)
    assert [line.split()[0] for line in run("./act", folder=folder).splitlines()] == ["observation", "action"]
    run(*link, "--test", "tests/check.rs", "-o", "check", folder=folder)
    assert "1 passed" in run("./check", folder=folder)
    source = " ".join((folder / "src/lib.rs").read_text().replace("//!", " ").split())
    for part in ("#![no_std]", "Made by Mercer", "this code is yours", f"at most {said['error_stated']:.2g}"):
        assert part in source, part


@pytest.mark.skipif(not shutil.which("node"), reason="node is not installed")
@pytest.mark.parametrize("embedding", EMBEDDINGS.values(), ids=EMBEDDINGS)
def test_javascript_checks_itself_and_its_vectors(mercer, embedding):
    mercer.ok("inspect", embedding, "--test-vectors", 64, "--out", "v")
    said = mercer.json("export", "js", embedding, "--out", "d", "--name", "pilot", "--check", "v.json")
    assert names(said) == ["pilot.mjs", "pilot_check.mjs"]
    assert run("node", "pilot_check.mjs", folder=mercer.folder / "d") == "64 test vectors: all actions agree\n"
    script = "import('./pilot.mjs').then((m) => console.log(JSON.stringify([m.selftest(), m.about])))"
    failed, about = json.loads(run("node", "-e", script, folder=mercer.folder / "d"))
    assert failed == 0 and about["error"]["stated"] == said["error_stated"]
    assert "import " not in (mercer.folder / "d/pilot.mjs").read_text()


def test_an_exported_graph_earns_what_the_embedding_earns(mercer):
    mercer.ok("inspect", PENDULUM, "--test-vectors", 64, "--out", "v")
    said = mercer.json("export", "onnx", PENDULUM, "--out", "d", "--name", "pilot", "--check", "v.json")
    assert names(said) == ["pilot.onnx"] and said["error_stated"] <= 1e-5  # in single precision: its gain is about 150
    played = [mercer.json("evaluate", "--env", "pendulum", "--policy", policy, "--act", "mean", "--episodes", 8, "--seed", 3)
              for policy in (PENDULUM, "d/pilot.onnx")]
    means = [one["return"]["mean"] for one in played]
    assert means[0] == pytest.approx(means[1], rel=1e-3) and means[0] != 0
    if subprocess.run([PYTHON, "-c", "import onnx"], capture_output=True).returncode != 0:
        pytest.skip("python3-onnx is not installed")
    check = DATA.parent / "export_code/check_onnx.py"
    run(PYTHON, "-B", check, "pilot.onnx", folder=mercer.folder / "d")


@pytest.mark.parametrize("format, answer", [("rust", "action "), ("js", "agrees"), ("onnx", "observation"), ("c", "action")])
@pytest.mark.parametrize("folder", ["d", "deep/d"])
def test_what_is_suggested_runs_as_printed(mercer, format, answer, folder):
    said = mercer.ok("export", format, PENDULUM, "--out", folder, "--name", "pilot").stderr
    command = said[said.index("try it: ") + len("try it: "):].strip()
    program = command.split()[0].replace("mercer", PROGRAM)
    if not shutil.which(program):
        pytest.skip(f"{program} is not installed")
    (mercer.folder / "bin").mkdir()
    (mercer.folder / "bin/mercer").symlink_to(PROGRAM)
    path = f"{mercer.folder / 'bin'}:{os.environ['PATH']}"
    done = subprocess.run(["bash", "-c", command], cwd=mercer.folder, capture_output=True, text=True, timeout=120,
                          env={**os.environ, "PATH": path, "CARGO_NET_OFFLINE": "true"})
    assert done.returncode == 0 and answer in done.stdout + done.stderr, done.stderr


def test_what_is_suggested_of_structured_text_is_there(mercer):
    said = mercer.ok("export", "st", PENDULUM, "--out", "d", "--name", "pilot").stderr
    assert "try it: import d/pilot.xml into your PLC project; its program pilot_example" in said
    assert "PROGRAM pilot_example" in (mercer.folder / "d/pilot_example.st").read_text()
    assert 'name="pilot_example"' in (mercer.folder / "d/pilot.xml").read_text()


def test_what_is_refused_names_the_way_out(mercer):
    for format in ("rust", "js", "onnx"):
        said = mercer.fails(2, "export", format, PENDULUM, "--out", "d", "--numbers", "fixed")
        assert "E203" in said and "mercer export c" in said
        assert "E203" in mercer.fails(2, "export", format, PENDULUM, "--out", "d", "--name", "1st")
        assert "E204" in mercer.fails(2, "export", format, PENDULUM)
    said = mercer.fails(2, "export", "onnx", LATTICE, "--out", "d")
    assert "E203" in said and "mercer export c" in said
    assert "E203" in mercer.fails(2, "export", "onnx", PENDULUM, "--out", "d", "--safe-action", "0")
    assert "E203" in mercer.fails(2, "export", "rust", PENDULUM, "--out", "d", "--name", "fn")
    assert not (mercer.folder / "d").exists()
