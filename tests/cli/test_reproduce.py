"""The published experiments through the real program: cheap ones, whole; a run killed anywhere ends with the same files."""

import csv
import hashlib
import json
import os
import pathlib
import shutil
import signal
import subprocess
import time

import pytest

from conftest import PROGRAM

# Sanitizers make fitting mixtures slow.
CHEAP = ["bandit", "chain"] if os.environ.get("SANITIZERS") else ["turntable", "bandit", "chain", "kernels", "variance"]
NUMBERS = {"turntable": 1, "bandit": 2, "chain": 10, "kernels": 17, "variance": 20}


def files(folder):
    """Everything but the store, which names results by build."""
    return {str(path.relative_to(folder)): hashlib.sha256(path.read_bytes()).hexdigest()
            for path in sorted(folder.rglob("*")) if path.is_file() and "store" not in path.parts}


def word_of(rules):
    """The verdict that rules come to, from the text of the page."""
    outcomes = [rule["outcome"] for rule in rules]
    if all(outcome == "holds" for outcome in outcomes):
        return "holds"
    if "holds" in outcomes:
        return "holds in part"
    return "undecided" if "undecided" in outcomes else "does not hold"


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
    assert [item["id"] for item in said["items"]] == CHEAP
    assert "left" in told
    for item in said["items"]:
        result = json.loads((folder / item["id"] / "result.json").read_text())
        assert result["verdict"] == item["verdict"] == result["judged"][0]["verdict"]
        assert result["seeds"] == [0, 1] and result["configuration"]["quick"] is True
        assert result["commits"] == {"rules": "unknown", "measured": "unknown"}
        for judged in result["judged"]:
            assert judged["verdict"] == word_of(judged["rules"]) and judged["saw"]
            for rule in judged["rules"]:
                if rule["p"] is None:  # nothing random
                    assert rule["outcome"] == ("holds" if rule["left"] <= rule["right"] else "fails")
                else:  # two seeds show nothing: a quarter at best
                    assert rule["p_adjusted"] >= rule["p"] >= 0.25
                    assert rule["outcome"] == ("undecided" if rule["effect"] < rule["bound"] else "fails")
        for name in result["tables"]:
            rows = list(csv.DictReader(open(folder / item["id"] / f"{name}.csv")))
            assert rows and {row["seed"] for row in rows} == {"0", "1"}
    index = json.loads((folder / "index.json").read_text())
    assert [item["number"] for item in index] == [NUMBERS[id] for id in CHEAP]
    page = (folder / "index.html").read_text()
    for item in index:
        assert item["verdict"] in page and f"{item['id']}/figure.svg" in page
        for rule in item["judged"][0]["rules"]:
            assert f"<b>{rule['name']}</b>" in page
    assert page.count("Rules of commit unknown, results of commit unknown.") == len(CHEAP)
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
    assert kills >= 3
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


def test_commits_are_named_and_tables_judged_again(mercer, tmp_path):
    def commits(rules, program):
        (tmp_path / "commits.json").write_text(json.dumps({"program": program, "rules": {"chain": rules}}))
        return "--commits", tmp_path / "commits.json"

    mercer.ok("reproduce", "chain", "--quick", "--out", "r", *commits("aaa", "bbb"))
    before = files(mercer.folder / "r")
    page = (mercer.folder / "r/index.html").read_text()
    assert "Rules of commit aaa, results of commit bbb." in page
    # Rules of another commit judge the same tables, which stay of the commit that they were measured at.
    mercer.ok("reproduce", "chain", "--judge", "--out", "r", *commits("ccc", "ddd"))
    result = json.loads((mercer.folder / "r/chain/result.json").read_text())
    assert result["commits"] == {"rules": "ccc", "measured": "bbb"}
    assert result["configuration"]["quick"] is True and result["seeds"] == [0, 1]
    mercer.ok("reproduce", "chain", "--judge", "--out", "r", *commits("aaa", "ddd"))
    assert files(mercer.folder / "r") == before
    # Every item that has results is judged, with policies to measure it anew or without.
    (mercer.folder / "r/real-size").mkdir()
    (mercer.folder / "r/real-size/result.json").write_text("{}")
    done = mercer.run("reproduce", "--judge", "--out", "r")
    assert done.returncode == 3 and "E304" in done.stderr
    shutil.rmtree(mercer.folder / "r/real-size")
    # Other numbers, another verdict: the tables are what is judged.
    table = mercer.folder / "r/chain/components.csv"
    rows = list(csv.DictReader(open(table)))
    for row in rows:
        row["printed"] = "1e-6"
    with open(table, "w", newline="") as file:
        writer = csv.DictWriter(file, rows[0], lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)
    mercer.ok("reproduce", "chain", "--judge", "--out", "r")
    rules = json.loads((mercer.folder / "r/chain/result.json").read_text())["judged"][0]["rules"]
    assert {rule["name"]: rule["outcome"] for rule in rules}["bounds the Euclidean distance"] == "fails"
    assert "Run it without --judge first" in mercer.fails(3, "reproduce", "bandit", "--judge", "--out", "r")
    (tmp_path / "commits.json").write_text("[]")
    assert "paper/commits.py" in mercer.fails(3, "reproduce", "chain", "--out", "r", "--commits", tmp_path / "commits.json")


def test_rules_are_committed_before_results(tmp_path):
    """paper/commits.py in a checkout of its own: what it names, and what it finds wrong."""
    source = pathlib.Path(os.environ["SOURCE_FOLDER"]) / "paper/commits.py"
    (tmp_path / "paper/rules").mkdir(parents=True)
    script = tmp_path / "paper/commits.py"
    script.write_text(source.read_text())
    for name in ("verdict.cpp", "trials.cpp", "rules/chain.cpp", "rules/pendulum.cpp"):
        (tmp_path / "paper" / name).write_text("1\n")

    def git(*words):
        return subprocess.run(["git", "-c", "user.name=a", "-c", "user.email=a@b", "-C", str(tmp_path), *words], check=True,
                              capture_output=True, text=True).stdout.strip()

    def run(*words):
        return subprocess.run(["/usr/bin/python3", "-B", str(script), *words], capture_output=True, text=True)

    assert json.loads(run().stdout)["program"] == "unknown"  # no checkout
    git("init", "-q")
    git("add", "-A")
    git("commit", "-qm", "rules")
    first = json.loads(run().stdout)
    assert set(first["rules"]) == {"chain", "pendulum-gaussian", "pendulum-boltzmann"}
    assert first["rules"]["chain"] == first["program"] == git("rev-parse", "--short=10", "HEAD")
    (tmp_path / "paper/other.cpp").write_text("1\n")
    git("add", "-A")
    git("commit", "-qm", "other")
    second = json.loads(run().stdout)
    assert second["rules"] == first["rules"] and second["program"] != first["program"]
    (tmp_path / "paper/rules/chain.cpp").write_text("2\n")
    third = json.loads(run().stdout)
    assert third["rules"]["chain"].endswith("+") and third["program"].endswith("+")
    git("commit", "-qam", "another rule")
    later = json.loads(run().stdout)["rules"]["chain"]

    def checked(rules, measured):
        (tmp_path / "index.json").write_text(json.dumps([{"id": "chain", "commits": {"rules": rules, "measured": measured}}]))
        done = run(str(tmp_path))
        return done.returncode, done.stdout
    assert checked(first["rules"]["chain"], second["program"]) == (0, "chain: rules first\n")
    assert checked(later, second["program"])[0] == 1
    assert "not older" in checked(later, second["program"])[1]
    assert "differ" in checked(later + "+", later)[1] and "no commit" in checked("unknown", later)[1]
    assert run(str(tmp_path / "nowhere")).returncode == 1


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
    (["21"], ["E201", "21"]),
    (["15"], ["E204", "--policies tests/data/policies"]),
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
    assert [item["number"] for item in listed] == list(range(1, 21))
    assert "pruned" in mercer.ok("reproduce", "--list").stdout


def test_results_are_written_into_a_page(mercer, tmp_path):
    """paper/document.py in a copy of the sources: an item's section and its line, and nothing else."""
    source = pathlib.Path(os.environ["SOURCE_FOLDER"])
    for name in ("paper/document.py", "docs/reference/reproduction.md"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text((source / name).read_text())
    page = tmp_path / "docs/reference/reproduction.md"

    def document(folder):
        return subprocess.run(["/usr/bin/python3", "-B", str(tmp_path / "paper/document.py"), folder], cwd=tmp_path,
                              capture_output=True, text=True)

    mercer.ok("reproduce", "chain", "--quick", "--out", "quick")
    before = page.read_text()
    done = document("quick")
    assert done.returncode == 1 and "too few seeds" in done.stderr and page.read_text() == before
    mercer.ok("reproduce", "chain", "--out", "whole")
    assert document("whole").returncode == 0
    judged = json.loads((tmp_path / "whole/index.json").read_text())[0]
    old, new = before.split("\n## "), page.read_text().split("\n## ")
    assert len(old) == len(new)
    changed = [after for ahead, after in zip(old, new) if ahead != after]
    section = next(text for text in new if text.startswith("10 chain"))
    assert all(rule["name"] in section for rule in judged["judged"][0]["rules"])
    assert all(text == section or "| 10 |" in text for text in changed)
