"""`mercer embed --scratch`: lattices in files, alone and spread over processes, to the same bytes."""

import json
import os
import pathlib
import shutil
import subprocess
import time

import pytest

from conftest import PROGRAM

ACTOR = pathlib.Path(os.environ["SOURCE_FOLDER"]) / "tests/data/policies/pendulum_5000_actor.onnx"
# Three pieces of episodes, some thousand cells in several chains of rows.
EMBED = ["embed", "--env", "pendulum", "--policy", ACTOR, "--basis", "svd", "--state-bins", 30, "--action-bins", 16,
         "--rollouts", 700, "--episodes", 50, "--seed", 3]


def mpirun(ranks):
    found = shutil.which("mpirun")
    linked = found and subprocess.run(["ldd", PROGRAM], capture_output=True, text=True).stdout
    if not linked or "libmpi" not in linked or os.environ.get("SANITIZERS"):
        pytest.skip("no MPI here")
    return [found, "--allow-run-as-root", "--oversubscribe", "-n", str(ranks)]


def together(ranks, folder, *arguments):
    return subprocess.run([*mpirun(ranks), PROGRAM, *map(str, arguments)], cwd=folder, capture_output=True, text=True,
                          timeout=300)


@pytest.fixture
def scratch(mercer):
    folder = mercer.folder / "scratch"
    folder.mkdir()
    return folder


def test_it_agrees_with_the_way_through_memory(mercer, scratch):
    plain = mercer.json(*EMBED, "--k", 5, "--order", "lexicographic", "--out", "m.mercer")
    large = mercer.json(*EMBED, "--k", 5, "--scratch", "scratch", "--out", "l.mercer")
    for key in ("route", "basis", "k", "parameters", "parameters_stored", "payload_bytes", "visited_cells",
                "pruned_percent", "collapsed_bins", "w1_kind"):
        assert large[key] == plain[key], key
    assert large["w1"] == pytest.approx(plain["w1"], abs=1e-5) and large["tv"] == pytest.approx(plain["tv"], abs=1e-5)
    assert large["returns"]["teacher"] == plain["returns"]["teacher"]
    assert large["returns"]["lattice"] is None
    # Rows agree to single precision, so nearly every draw is the same.
    assert large["returns"]["embedding"]["mean"] == pytest.approx(plain["returns"]["embedding"]["mean"], rel=0.02)
    assert large["edge_rank_error"] == 0, "even edges need the ends alone"
    assert large["table_bytes"] == large["visited_cells"] * 16 * 4
    assert list(scratch.iterdir()) == []
    shown = mercer.json("inspect", "l.mercer")
    assert shown["visited_cells"] == large["visited_cells"] and shown["settings"]["k"] == "5"
    assert "scratch" not in shown["settings"]


def test_edges_from_sketches_state_their_error(mercer, scratch):
    large = mercer.json(*EMBED, "--state-edges", "quantile", "--sketch", 512, "--scratch", scratch, "--out", "l.mercer")
    assert 0 < large["edge_rank_error"] <= large["edge_rank_error_certain"] < 0.2
    assert large["steps"] == 140000
    assert mercer.json("inspect", "l.mercer")["edge_rank_error"] == large["edge_rank_error"]
    assert "ranks within" in mercer.ok("inspect", "l.mercer").stdout
    coarse = mercer.ok(*EMBED, "--state-edges", "quantile", "--sketch", 64, "--scratch", scratch, "--out", "l.mercer")
    assert "use a larger --sketch" in coarse.stderr
    exact = mercer.ok(*EMBED, "--state-edges", "quantile", "--sketch", 1 << 18, "--scratch", scratch, "--out", "l.mercer")
    assert "edges of 140000 steps, exact" in exact.stderr and "larger --sketch" not in exact.stderr


def test_any_number_of_processes_and_threads_makes_the_same_bytes(mercer, scratch):
    command = [*EMBED, "--state-edges", "quantile", "--scratch", "scratch"]
    one = mercer.json(*command, "--out", "1.mercer", "--threads", 1)
    first = (mercer.folder / "1.mercer").read_bytes()
    two = mercer.json(*command, "--out", "t.mercer", "--threads", 2)
    assert (mercer.folder / "t.mercer").read_bytes() == first
    assert {**two, "file": ""} == {**one, "file": ""}
    for ranks in (2, 3):
        done = together(ranks, mercer.folder, *command, "--out", f"{ranks}.mercer", "--json")
        assert done.returncode == 0, done.stderr
        assert (mercer.folder / f"{ranks}.mercer").read_bytes() == first
        assert {**json.loads(done.stdout), "file": ""} == {**one, "file": ""}
    assert list(scratch.iterdir()) == []


def test_a_kill_leaves_nothing(mercer, scratch):
    running = subprocess.Popen([PROGRAM, *map(str, EMBED), "--state-bins", "200", "--scratch", "scratch", "--out", "l.mercer"],
                               cwd=mercer.folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    seen = False
    while running.poll() is None and not seen:  # until the table is mapped
        try:
            seen = f"{scratch}/" in pathlib.Path(f"/proc/{running.pid}/maps").read_text()
        except OSError:
            break
        time.sleep(0.002)
    running.kill()
    running.wait()
    assert seen and list(scratch.iterdir()) == []
    assert not (mercer.folder / "l.mercer").exists()


def test_mistakes_are_named(mercer, scratch):
    out = ["--out", "l.mercer"]
    assert "no folder 'none'" in mercer.fails(3, *EMBED, "--scratch", "none", *out)
    assert "/proc" in mercer.fails(3, *EMBED, "--scratch", "/proc", *out)
    assert "k for basis 'svd' is 17" in mercer.fails(2, *EMBED, "--k", 17, "--scratch", scratch, *out)
    assert "needs its table in memory" in mercer.fails(2, *EMBED, "--basis", "dct", "--scratch", scratch, *out)
    for wrong, part in ((["--max-loss", "5%"], "--max-loss"), (["--from", "r.npz"], "--from"), (["--order", "tour"], "tour"),
                        (["--table", "counts"], "counts"), (["--conditional-actions"], "each cell"),
                        (["--unvisited", "teacher"], "unvisited cells"), (["--state-edges", "kmeans"], "kmeans"),
                        (["--sketch", "3"], "--sketch is 3; legal: 8 to 16777216"), (["--route", "continuous"], "continuous")):
        arguments = [word for word in EMBED if wrong[0] != "--from" or word not in ("--rollouts", 700)]
        assert part in mercer.fails(2, *arguments, "--scratch", scratch, *wrong, *out), wrong
    assert "--scratch" in mercer.fails(2, *EMBED, "--sketch", 100, *out)
    assert not (mercer.folder / "l.mercer").exists()


def test_processes_need_a_scratch_folder(mercer, scratch):
    refused = together(2, mercer.folder, *EMBED, "--out", "l.mercer")
    assert refused.returncode == 2 and "without --scratch does not spread" in refused.stderr
    refused = together(2, mercer.folder, *EMBED, "--scratch", "none", "--out", "l.mercer")
    assert refused.returncode == 3 and "no folder 'none'" in refused.stderr


def largest_anonymous(command, folder):
    """Peak of the memory that is not a file's, in bytes, as seen every few milliseconds."""
    running = subprocess.Popen([PROGRAM, *map(str, command)], cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    most = 0
    while running.poll() is None:
        try:
            status = pathlib.Path(f"/proc/{running.pid}/status").read_text()
        except OSError:
            break
        found = [line.split()[1] for line in status.splitlines() if line.startswith("RssAnon")]
        most = max(most, int(found[0]) * 1024 if found else 0)
        time.sleep(0.005)
    assert running.wait() == 0, running.stderr.read()
    return most


@pytest.mark.skipif(bool(os.environ.get("SANITIZERS")), reason="sanitizers have memory of their own")
def test_memory_is_far_below_the_table(mercer, scratch):
    """A table of some hundred megabytes; the way through memory holds it in double precision, more than once."""
    command = ["embed", "--env", "pendulum", "--policy", "uniform", "--basis", "svd", "--k", 2, "--state-bins", 600,
               "--action-bins", 128, "--rollouts", 2000, "--episodes", 5, "--threads", 2, "--scratch", "scratch",
               "--out", "l.mercer"]
    most = largest_anonymous(command, mercer.folder)
    shown = mercer.json("inspect", "l.mercer")
    table = shown["visited_cells"] * 128 * 4
    print(f"table {table / 2**20:.0f} MiB, peak of memory {most / 2**20:.0f} MiB")
    assert table > 2**27 and most < table / 2


def test_a_scratch_folder_has_a_name(mercer):
    assert "--scratch is empty" in mercer.fails(2, "embed", "--env", "pendulum", "--policy", "uniform", "--scratch", "",
                                                "--out", "l.mercer")


def test_where_and_how_fast_it_was_made_is_not_in_a_file(mercer):
    """An embedding has the same bytes whatever it is called and however many threads made it."""
    for name, threads in (("a.mercer", 1), ("b.mercer", 2)):
        mercer.ok("embed", "--env", "pendulum", "--policy", "uniform", "--rollouts", 5, "--episodes", 5, "--state-bins", 4,
               "--action-bins", 3, "--k", 6, "--threads", threads, "--out", name)
    assert (mercer.folder / "a.mercer").read_bytes() == (mercer.folder / "b.mercer").read_bytes()
