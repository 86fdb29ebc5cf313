"""A file stores what shaped it, wherever that came from; certify rebuilds exactly that teacher, and no other one."""

import os
import pathlib
import shutil

import pytest

ROOT = pathlib.Path(os.environ["SOURCE_FOLDER"])
CRITIC = ROOT / "tests/data/policies/mc_dqn_120000_q.onnx"
EMBED = ["embed", "--env", "mountain-car", "--policy", "q.onnx", "--preset", "paper", "--basis", "dct", "--k", 40,
         "--rollouts", 20, "--episodes", 10, "--out", "p.mercer"]
CERTIFY = ["certify", "p.mercer", "--episodes", 40, "--coupled", 10, "--level", "statistical", "--dry-run"]


@pytest.fixture
def with_critic(mercer):
    shutil.copy(CRITIC, mercer.folder / "q.onnx")
    return mercer


def by_flag(mercer):
    return mercer.json(*EMBED, "--temperature", 7)


def by_environment(mercer):
    return mercer.json(*EMBED, MERCER_TEMPERATURE="7")


def by_toml(mercer):
    (mercer.folder / "c.toml").write_text("[embed]\ntemperature = 7\n")
    return mercer.json(*EMBED, "--config", "c.toml")


def behind_the_name(mercer):
    words = ["q.onnx:temperature=7" if word == "q.onnx" else word for word in EMBED]
    return mercer.json(*words)


def beside_the_network(mercer):
    (mercer.folder / "q.toml").write_text("temperature = 7\n")
    made = mercer.json(*EMBED)
    (mercer.folder / "q.toml").unlink()  # what certify finds later must not matter
    return made


@pytest.mark.parametrize("give", [by_flag, by_environment, by_toml, behind_the_name, beside_the_network])
def test_a_temperature_is_stored_wherever_it_came_from(with_critic, give):
    made = give(with_critic)
    stored = with_critic.json("inspect", "p.mercer")["settings"]
    assert stored["temperature"] == "7"
    # The reference: the same teacher named by hand. A greedy one, which forgetting gives, earns something else.
    named = with_critic.json(*CERTIFY, "--policy", "q.onnx", "--temperature", 7)
    rebuilt = with_critic.json(*CERTIFY)
    assert rebuilt["teacher_return"] == named["teacher_return"]
    assert rebuilt["upper_return"] == named["upper_return"]
    # The same file keeps its settings; others are another teacher.
    assert with_critic.json(*CERTIFY, "--policy", "q.onnx")["teacher_return"] == named["teacher_return"]
    said = with_critic.fails(2, *CERTIFY, MERCER_TEMPERATURE="0.01")
    assert "its temperature is 0.01, stored is 7" in said and "--accept-other-teacher" in said
    other = with_critic.json(*CERTIFY, "--accept-other-teacher", MERCER_TEMPERATURE="0.01")
    assert other["teacher_return"] != named["teacher_return"]
    assert any("other settings" in sentence for sentence in other["not_covered"])
    assert made["k"] == 40


def test_another_teacher_is_refused_by_name(with_critic):
    by_flag(with_critic)
    network = with_critic.folder / "q.onnx"
    network.write_bytes(network.read_bytes() + b"\x00")
    before = (with_critic.folder / "p.mercer").read_bytes()
    said = with_critic.fails(2, *CERTIFY)
    assert "E203" in said and "q.onnx" in said and "SHA-256" in said and "--accept-other-teacher" in said
    assert (with_critic.folder / "p.mercer").read_bytes() == before


def test_another_teacher_that_is_accepted_is_in_the_certificate(with_critic):
    shutil.copy(with_critic.folder / "q.onnx", with_critic.folder / "other.onnx")
    by_flag(with_critic)
    actor = ROOT / "tests/data/policies/mc_dqn_120000_q.onnx"
    # The same network in a file with one more field: another hash, still readable.
    other = with_critic.folder / "other.onnx"
    other.write_bytes(actor.read_bytes() + bytes([0x32, 0x01, 0x78]))  # doc_string = "x" of the model
    said = with_critic.json(*CERTIFY, "--policy", "other.onnx", "--temperature", 7, "--accept-other-teacher")
    assert any("another SHA-256" in sentence for sentence in said["not_covered"])
    assert "another SHA-256" not in str(with_critic.json(*CERTIFY)["not_covered"])


def test_relative_paths_start_where_they_started(with_critic):
    (with_critic.folder / "made").mkdir()
    words = ["made/p.mercer" if word == "p.mercer" else word for word in EMBED]
    with_critic.json(*words, "--temperature", 7)
    inside = type(with_critic)(with_critic.folder / "made")
    assert inside.json(*CERTIFY)["episodes"] == 40  # the teacher is one folder up from here
    moved = with_critic.folder.parent / "moved"
    shutil.move(with_critic.folder, moved)
    words = ["made/p.mercer" if word == "p.mercer" else word for word in CERTIFY]
    assert type(with_critic)(moved).json(*words)["episodes"] == 40



def test_one_write_with_the_certificate(mercer):
    said = mercer.json("embed", "--env", "chain:n=4", "--policy", "uniform", "--rollouts", 20, "--episodes", 10,
                       "--max-loss-return", 100, "--certify-episodes", 50, "--out", "p.mercer")
    assert mercer.json("inspect", "p.mercer")["certificate"] == said["certificate"]
    assert not [path for path in mercer.folder.iterdir() if path.name != "p.mercer"]
