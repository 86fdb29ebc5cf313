"""Embeddings: the bytes of the command line, acting as Stable-Baselines3's agents do, files."""

import os
import pathlib
import pickle
import subprocess
import warnings

import mercer
import numpy as np
import pytest
from conftest import ACTOR, DATA
from gym_pendulum import Pendulum

OBS = np.load(DATA / "policies/pendulum_5000.npz", allow_pickle=False)["obs"].astype(float)


@pytest.fixture(scope="module")
def lattice():
    return mercer.embed_lattice(ACTOR, "pendulum", basis="dct", k=300, rollouts=40, seed=4)


def test_the_command_line_makes_the_same_bytes(cli, lattice, small, tmp_path):
    cli.ok("embed", "--env", "pendulum", "--policy", ACTOR, "--basis", "dct", "--k", 300, "--rollouts", 40, "--seed", 4,
           "--episodes", 2, "--out", "l.mercer")
    told = cli.json("embed", "--route", "continuous", "--env", "pendulum", "--policy", ACTOR, "--k", 6,
                    "--rollouts", 50, "--rounds", 2, "--seed", 3, "--episodes", 50, "--out", "c.mercer")
    assert mercer.read(tmp_path / "l.mercer").payload == lattice.payload
    assert mercer.read(tmp_path / "c.mercer").payload == small.payload
    # And they play alike: the command line judged with the seed after the one it fitted with.
    here = mercer.evaluate("pendulum", small, 50, 4, act="mean")
    assert here["return"]["mean"] == told["returns"]["embedding"]["mean"]


def test_facts(lattice, small):
    assert (lattice.route, lattice.basis, lattice.k) == ("lattice", "dct", 300)
    assert lattice.facts["table"].shape[1] == 45 and np.allclose(lattice.facts["table"].sum(axis=1), 1)
    assert lattice.facts["pruned_percent"] > 50 and len(lattice.facts["state_edges"]) == 3
    assert small.k == 6 and small.facts["coefficients"].shape == (1, 6) and small.payload_bytes < 20
    assert small.formulas[-1].startswith("torque = 2 tanh(") and len(small.facts["terms"]) == 6
    assert small.formula() == "\n".join(small.formulas) and "\\tanh" in small.formula("latex")
    with pytest.raises(ValueError, match="it has no formula"):
        lattice.formula()
    with pytest.raises(ValueError, match="latex"):
        small.formula("latx")
    assert small.certificate is None and "6" in repr(small)


def test_files_keep_everything(small, lattice, tmp_path):
    for embedding in (small, lattice):
        embedding.save(tmp_path / "e.mercer")
        read = mercer.read(tmp_path / "e.mercer")
        assert read.payload == embedding.payload and np.array_equal(read.mean_action(OBS), embedding.mean_action(OBS))
        again = pickle.loads(pickle.dumps(embedding))
        assert again.payload == embedding.payload and np.array_equal(again.sample(OBS, 1), embedding.sample(OBS, 1))
    coefficients = mercer.read(tmp_path / "e.mercer", from_="coefficients")
    np.testing.assert_allclose(coefficients.mean_action(OBS), lattice.mean_action(OBS), atol=1e-6)
    with pytest.raises(ValueError, match="E201"):
        mercer.read(tmp_path / "e.mercer", drow="alias")


def test_predict_single_and_batched(small, lattice):
    for embedding in (small, lattice):
        batch, state = embedding.predict(OBS[:9], state=None, episode_start=None, deterministic=True)
        assert batch.shape == (9, 1) and batch.dtype == np.float32 and state is None
        one, state = embedding.predict(OBS[0], state="kept")
        assert one.shape == (1,) and state == "kept" and np.array_equal(one, batch[0])
        np.testing.assert_allclose(batch, embedding.mean_action(OBS[:9]), rtol=1e-6)
    assert np.isfinite(lattice.log_prob(OBS[:5], lattice.sample(OBS[:5], 3))).all()
    with pytest.raises(ValueError, match=r"legal: \(3,\) or \(n, 3\)"):
        small.predict(np.zeros(4))


def test_discrete_actions_come_as_whole_numbers():
    car = mercer.embed_continuous(
        DATA / "policies/mc_dqn_120000_q.onnx", "mountain-car", k=4, rollouts=5, rounds=1, degree=3
    )
    actions, _ = car.predict(np.array([[-0.5, 0.01], [-0.3, -0.01]]))
    assert actions.dtype == np.int64 and actions.shape == (2,) and set(actions) <= {0, 1, 2}
    assert car.predict(np.array([-0.5, 0.01]))[0].shape == ()


class DummyVecEnv:
    """The interface that SB3's evaluation helper steps: one environment that resets itself."""

    num_envs = 1

    def __init__(self, env):
        self.env, self.seed = env, 0

    def reset(self):
        self.seed += 1
        return self.env.reset(seed=self.seed)[0][None]

    def step(self, actions):
        obs, reward, terminated, truncated, info = self.env.step(actions[0])
        done = terminated or truncated
        if done:
            self.seed += 1
            obs = self.env.reset(seed=self.seed)[0]
        return obs[None], np.array([reward]), np.array([done]), [info]


def evaluate_policy(model, env, n_eval_episodes=10, deterministic=True):
    """The loop of stable_baselines3.common.evaluation.evaluate_policy, as users have it in their own scripts."""
    episode_rewards, episode_lengths = [], []
    episode_counts = np.zeros(env.num_envs, dtype="int")
    episode_count_targets = np.array([n_eval_episodes // env.num_envs] * env.num_envs, dtype="int")
    current_rewards = np.zeros(env.num_envs)
    current_lengths = np.zeros(env.num_envs, dtype="int")
    observations = env.reset()
    states = None
    episode_starts = np.ones((env.num_envs,), dtype=bool)
    while (episode_counts < episode_count_targets).any():
        actions, states = model.predict(
            observations, state=states, episode_start=episode_starts, deterministic=deterministic
        )
        observations, rewards, dones, infos = env.step(actions)
        current_rewards += rewards
        current_lengths += 1
        for i in range(env.num_envs):
            if episode_counts[i] < episode_count_targets[i]:
                episode_starts[i] = dones[i]
                if dones[i]:
                    episode_rewards.append(current_rewards[i])
                    episode_lengths.append(current_lengths[i])
                    episode_counts[i] += 1
                    current_rewards[i] = 0
                    current_lengths[i] = 0
    return np.mean(episode_rewards), np.std(episode_rewards)


def test_evaluation_code_for_sb3_runs_unchanged(small):
    mean, spread = evaluate_policy(small, DummyVecEnv(Pendulum()), 5)
    same = mercer.rollout(Pendulum(), small, 6, seed=0, act="mean").returns[1:]  # environments 1 to 5, too
    assert mean == pytest.approx(same.mean(), rel=1e-3) and spread == pytest.approx(same.std(), rel=1e-3)
    evaluate_policy(small, DummyVecEnv(Pendulum()), 1, deterministic=False)


def test_exported_c_acts_the_same(small, lattice, cli, tmp_path):
    for embedding, name in ((small, "few"), (lattice, "cells")):
        told = embedding.export_c(tmp_path / name, name=name, math="none")
        assert [pathlib.Path(file).name for file in told["files"]] == [f"{name}.h", f"{name}.c", "main.c"]
        assert told["flash_bytes"] > 0 and told["operations"] > 0
        program = tmp_path / name / "program"
        test = f'#include "{name}.h"\nint main(void) {{ return {name}_selftest(); }}\n'
        (tmp_path / name / "test.c").write_text(test)
        sources = [tmp_path / name / file for file in (f"{name}.c", "test.c")]
        subprocess.run(["c++", "-x", "c++", *sources, "-o", program], check=True)
        assert subprocess.run([program]).returncode == 0
    small.save(tmp_path / "s.mercer")
    cli.ok("export", "c", "s.mercer", "--out", "again", "--name", "few", "--math", "none")
    for file in ("few.h", "few.c"):
        assert (tmp_path / "again" / file).read_text() == (tmp_path / "few" / file).read_text()
    assert small.export_json()["route"] == "continuous"
    with pytest.raises(ValueError, match="none"):
        small.export_c(tmp_path, math="nome")


def test_other_formats_are_those_of_the_program(small, cli, tmp_path):
    small.save(tmp_path / "s.mercer")
    for format, count in (("c", 3), ("st", 3), ("rust", 3), ("js", 1), ("onnx", 1), ("json", 1)):
        told = small.export(format, tmp_path / format, name="few")
        assert len(told["files"]) == count and told.get("error_stated", 0) <= 1e-5
        cli.ok("export", format, "s.mercer", "--out", f"again_{format}", "--name", "few")
        for file in told["files"]:
            below = pathlib.Path(file).relative_to(tmp_path / format)
            assert pathlib.Path(file).read_bytes() == (tmp_path / f"again_{format}" / below).read_bytes(), below
    with pytest.raises(ValueError, match="onnx"):
        small.export("cobol", tmp_path)


def test_certify_adds_a_certificate(small, teacher, tmp_path):
    certificate = mercer.certify("pendulum", teacher, small, episodes=500, max_loss=0.5, level="statistical")
    assert certificate.met in (True, False) and certificate["episodes"] == 500 and "Certificate of" in str(certificate)
    small.certificate = certificate
    small.save(tmp_path / "s.mercer")
    assert mercer.read(tmp_path / "s.mercer").certificate == certificate


def test_files_are_verified(small, tmp_path):
    small.save(tmp_path / "s.mercer")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        read = mercer.read(tmp_path / "s.mercer")
    assert read.verified and small.verified and read.facts["signature"] is None
    content = (tmp_path / "s.mercer").read_bytes()
    (tmp_path / "s.mercer").write_bytes(content.replace(b"8.0", b"0.0", 1))
    with pytest.raises(OSError, match="E303.*its contract does not match the digest"):
        mercer.read(tmp_path / "s.mercer")


def test_files_of_version_0_1_warn(tmp_path):
    for load in (mercer.read, lambda path: mercer.load_policy(path, "pendulum")):
        with pytest.warns(UserWarning, match="cannot be verified"):
            load(DATA / "export/pendulum_5000.mercer")
    old = mercer.read(DATA / "export/pendulum_5000.mercer")
    assert not old.verified and "version 0.1" in old.certificate.not_covered[-1]
    old.save(tmp_path / "again.mercer")
    again = mercer.read(tmp_path / "again.mercer")
    assert again.verified and again.certificate == old.certificate
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(UserWarning):
            mercer.read(DATA / "export/pendulum_5000.mercer")


def test_saved_files_can_be_signed(small, cli, tmp_path):
    key = ["openssl", "genpkey", "-algorithm", "ed25519", "-out", "key.pem"]
    subprocess.run(key, cwd=tmp_path, check=True)
    subprocess.run(["openssl", "pkey", "-in", "key.pem", "-pubout", "-out", "key.pub"], cwd=tmp_path, check=True)
    small.save(tmp_path / "s.mercer", sign=tmp_path / "key.pem")
    assert mercer.read(tmp_path / "s.mercer").facts["signature"]["algorithm"] == "ed25519"
    cli.ok("inspect", "s.mercer", "--verify", "key.pub")
    with pytest.raises(OSError, match="E304.*public key"):
        small.save(tmp_path / "s.mercer", sign=tmp_path / "key.pub")


def test_damaged_files_are_refused(small, tmp_path):
    with pytest.raises(OSError, match="E301"):
        mercer.read(tmp_path / "none.mercer")
    small.save(tmp_path / "d.mercer")
    content = bytearray((tmp_path / "d.mercer").read_bytes())
    (tmp_path / "d.mercer").write_bytes(content[:-3])
    with pytest.raises(OSError, match="E303"):
        mercer.read(tmp_path / "d.mercer")
    with pytest.raises(ValueError, match="Did you mean 'degree'"):
        mercer.embed_continuous(ACTOR, "pendulum", degre=3)


def test_exported_c_takes_names_and_test_vectors(tmp_path):
    with pytest.warns(UserWarning):
        made = mercer.read(DATA / "export/pendulum_5000.mercer")
    subprocess.run([os.environ["BINARY_UNDER_TEST"], "inspect", DATA / "export/pendulum_5000.mercer", "--test-vectors", "32",
                    "--out", tmp_path / "v"], check=True, capture_output=True)
    done = made.export_c(tmp_path, check=tmp_path / "v.json", names=["cos_theta", "sin_theta", "speed"])
    assert [pathlib.Path(file).name for file in done["files"]][-1] == "controller_check.c"
    assert "obs[2] speed, rad/s" in (tmp_path / "controller.h").read_text()
