"""The published experiments through the real program: cheap ones, whole; a run killed anywhere ends with the same files."""

import csv
import hashlib
import json
import os
import pathlib
import signal
import subprocess
import time

import pytest

from conftest import PROGRAM

# Sanitizers make fitting mixtures slow.
CHEAP = ["chain", "bandit"] if os.environ.get("SANITIZERS") else ["chain", "turntable", "bandit"]
WORDS = {"holds", "holds in part", "does not hold"}


def files(folder):
    """Everything but the store, which names results by build."""
    return {str(path.relative_to(folder)): hashlib.sha256(path.read_bytes()).hexdigest()
            for path in sorted(folder.rglob("*")) if path.is_file() and "store" not in path.parts}


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    """One undisturbed run, shared by all tests here."""
    folder = tmp_path_factory.mktemp("whole")
    done = subprocess.run([PROGRAM, "reproduce", *CHEAP, "--quick", "--out", "r", "--json", "--threads", "1"], cwd=folder,
                          capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    return folder / "r", json.loads(done.stdout), done.stderr


def test_results_are_tidy_and_judged(whole):
    folder, said, told = whole
    assert [item["id"] for item in said["items"]] == [id for id in ("turntable", "bandit", "chain") if id in CHEAP]
    assert "left" in told
    for item in said["items"]:
        result = json.loads((folder / item["id"] / "result.json").read_text())
        assert result["verdict"] == item["verdict"] in WORDS
        assert result["seeds"] == [0, 1] and result["configuration"]["quick"] is True
        held = [rule["holds"] for rule in result["rules"]]
        assert result["verdict"] == ("holds" if all(held) else "holds in part" if any(held) else "does not hold")
        for name in result["tables"]:
            rows = list(csv.DictReader(open(folder / item["id"] / f"{name}.csv")))
            assert rows and {row["seed"] for row in rows} == {"0", "1"}
    index = json.loads((folder / "index.json").read_text())
    assert [item["number"] for item in index] == [1, 2, 10][-len(CHEAP):]
    page = (folder / "index.html").read_text()
    for item in index:
        assert item["verdict"] in page and f"{item['id']}/figure.svg" in page
    assert str(folder) not in page


def test_killed_anywhere_it_ends_with_the_same_files(mercer, whole):
    command = [PROGRAM, "reproduce", *CHEAP, "--quick", "--out", "r"]
    kills = 0
    for wait in (0.05, 0.15, 0.3, 0.45, 0.6):
        running = subprocess.Popen(command, cwd=mercer.folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        time.sleep(wait)
        running.send_signal(signal.SIGKILL)
        running.wait()
        kills += running.returncode == -signal.SIGKILL
    assert kills >= 2
    mercer.ok("reproduce", *CHEAP, "--quick", "--out", "r")
    assert files(mercer.folder / "r") == files(whole[0])
    assert not list((mercer.folder / "r/store").glob("*.work"))
    # The third time everything is found, and nothing changes.
    again = mercer.ok("reproduce", *CHEAP, "--quick", "--out", "r")
    assert again.stderr.count("(found)") == 2 * len(CHEAP)
    assert files(mercer.folder / "r") == files(whole[0])


def test_a_damaged_result_is_made_again(mercer, whole):
    mercer.ok("reproduce", "chain", "--quick", "--out", "r")
    before = files(mercer.folder / "r")
    table = next((mercer.folder / "r/store").glob("item-*/components.csv"))
    table.write_text(table.read_text().replace("varying", "verying", 1))
    said = mercer.ok("reproduce", "10", "--quick", "--out", "r").stderr
    assert said.count("(found)") == 1
    assert files(mercer.folder / "r") == before


def test_one_seed_is_seeds_of_one(mercer):
    def seeds_of(*flags, **environment):
        mercer.ok("reproduce", "chain", "--quick", "--out", "r", *flags, **environment)
        return json.loads((mercer.folder / "r/chain/result.json").read_text())["seeds"]
    assert seeds_of("--seed", 3) == [3]
    assert seeds_of("--seed", 0) == [0]
    assert seeds_of("--seeds", "1-2", MERCER_SEED="3") == [1, 2]


def test_seeds_are_chosen_and_stages_shared(mercer):
    mercer.ok("reproduce", "chain", "--quick", "--seeds", "0-1", "--out", "r")
    said = mercer.ok("reproduce", "--items", "chain", "--quick", "--seeds", "2,0,2", "--out", "r").stderr
    assert said.count("(found)") == 1
    assert json.loads((mercer.folder / "r/chain/result.json").read_text())["seeds"] == [0, 2]


def test_figures(mercer, whole):
    draw = pathlib.Path(os.environ["SOURCE_FOLDER"]) / "paper/draw.py"
    mercer.ok("reproduce", "chain", "--quick", "--out", "r")
    subprocess.run(["/usr/bin/python3", "-B", str(draw), str(mercer.folder / "r")], check=True, timeout=120,
                   capture_output=True)
    for ending, start in (("svg", b"<?xml"), ("pdf", b"%PDF"), ("png", b"\x89PNG")):
        assert (mercer.folder / f"r/chain/figure.{ending}").read_bytes().startswith(start)
    missing = subprocess.run(["/usr/bin/python3", "-B", str(draw), "nowhere"], capture_output=True, text=True)
    assert missing.returncode != 0 and "mercer reproduce" in missing.stderr


@pytest.mark.parametrize("arguments, parts", [
    (["chian"], ["E201", "no item is called 'chian'", "'chain'"]),
    (["15"], ["E201", "15"]),
    (["chain", "--seeds", "9-0"], ["E203", "--seeds is '9-0'"]),
    (["chain", "--seed", "x"], ["E203", "--seed is 'x'"]),
    (["chain", "--seeds", "a"], ["E203", "--seeds is 'a'", "0-9"]),
])
def test_bad_usage(mercer, arguments, parts):
    said = mercer.fails(2, "reproduce", *arguments, "--out", "r")
    for part in parts:
        assert part in said
    assert not (mercer.folder / "r/index.json").exists()


def test_list(mercer):
    listed = mercer.json("reproduce", "--list")
    assert [item["number"] for item in listed] == list(range(1, 15))
    assert "pruned" in mercer.ok("reproduce", "--list").stdout
