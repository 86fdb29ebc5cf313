"""Small good files of every kind that Mercer reads, made by the program and by writers of its tests."""

import collections
import itertools
import json
import pathlib
import struct
import subprocess
import sys

import numpy as np

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests/python"))

import torch_writer  # noqa: E402

from attempt import own_environment  # noqa: E402

Seed = collections.namedtuple("Seed", "name data env")
DATA = ROOT / "tests/data"
SHORT = "--episodes 4 --rollouts 4 --seed 1 --quiet --threads 1"
CAR = f"--env continuous-mountain-car --policy {DATA}/policies/cmc_sde_10000_action.onnx --act mean --horizon 20"
POLE = "--env cart-pole --policy run/policy.safetensors --horizon 20"
CONTINUOUS = f"embed --route continuous --rounds 1 --candidates 60 --fit-states 200 {SHORT}"
LATTICE = f"embed --env pendulum --policy uniform --horizon 10 --state-bins 4 --action-bins 4 {SHORT}"
CERTIFY = "--episodes 20 --coupled 2 --level statistical --quiet --threads 1"

# Embeddings of both routes: name, task, command.
EMBEDDINGS = [
    ("chain", "chain:n=5", f"embed --env chain:n=5 --policy uniform --k 2 --horizon 10 {SHORT}"),
    *[(f"lattice-{basis.split(':')[0]}", "pendulum", f"{LATTICE} --k 3 --basis {basis}")
      for basis in ("dct", "fourier", "haar:tensor", "db4", "svd:centred", "gmm", "fixed-gmm", "mle")],
    ("lattice-pole", "cart-pole", f"embed {POLE} --policy run/policy.safetensors:temperature=0.5 --state-bins 3 --k 5 {SHORT}"),
    *[(f"continuous-{basis.split(':')[0]}", "continuous-mountain-car", f"{CONTINUOUS} {CAR} --basis {basis} --k 4 {more}")
      for basis, more in (("chebyshev", ""), ("legendre", "--format float16"), ("hermite", "--knots 3 --format int16"),
                          ("cosine", ""), ("ridge", "--ridge-bits 6 --ridge-steps 3 --format int4"),
                          ("kernel:matern52", "--format float32"), ("rff:gaussian", "--format int6"),
                          ("mixed", "--ridge-steps 3"))],
    ("continuous-pole", "cart-pole", f"{CONTINUOUS} {POLE} --degree 2 --k 3"),
    ("continuous-drawn", "cart-pole", f"{CONTINUOUS} {POLE} --policy run/policy.safetensors:temperature=0.5 --act sample --k 3"),
    *[(f"continuous-{name}", "pendulum", f"{CONTINUOUS} --env pendulum --policy {policy} --act sample --horizon 20 --k {k}")
      for name, policy, k in (("gaussian", "sac/policy.safetensors", 3), ("uniform", "uniform", 2))],
]

PROCESS = {"P": [[[0.9, 0.1], [0.2, 0.8]], [[1.0, 0.0], [0.0, 1.0]]], "r": [[0, 0], [1, 2]], "mu": [1, 0], "gamma": 0.95,
           "horizon": 20, "terminal": [], "name": "two states"}
TABLE = {"pi": [[0.5, 0.5], [0, 1]]}
SETTINGS = """seed = 1
env = "chain:n=5"
policy = "uniform"
horizon = 5
[evaluate]
episodes = 5
gamma = 0.9
[embed]
basis = "dct"
k = 2
episodes = 2
rollouts = 3
"""
SWEEP = """policy = "uniform"
env = "chain:n=5"
seed = [0, 1]
together = ["embed.basis, embed.k"]
[rollout]
episodes = 5
horizon = 10
[embed]
basis = ["dct", "svd"]
k = [1, 2]
episodes = 5
horizon = 10
[evaluate]
episodes = 2
horizon = 5
"""


def tell(program, words, folder):
    done = subprocess.run([program, *words.split()], cwd=folder, env=own_environment(), capture_output=True, timeout=120,
                          text=True)
    if done.returncode != 0:
        raise SystemExit(f"a seed could not be made: mercer {words}\n{done.stderr}")


def make_embeddings(program, folder, wanted=None):
    """Trained snapshots, keys, and embeddings in `folder`; some certified, one signed. What the files hold."""
    few = "--hidden 8x8 --batch-size 8 --warmup 20 --steps 60 --eval-episodes 1 --seed 1 --checkpoint-seconds 0 --quiet"
    for words in ("--env cart-pole --out run", "--env pendulum --algo sac --out sac"):
        tell(program, f"train {words} {few} --threads 1", folder)
    subprocess.run("openssl genpkey -algorithm ed25519 -out key.pem && openssl pkey -in key.pem -pubout -out key.pub", shell=True,
                   cwd=folder, check=True, capture_output=True)
    made = []
    for number, (name, env, words) in enumerate(EMBEDDINGS):
        if wanted is not None and name not in wanted:
            continue
        file = pathlib.Path(folder) / f"{name}.mercer"
        tell(program, f"{words} --out {file.name}", folder)
        if number % 2 == 0:
            tell(program, f"certify {file.name} {CERTIFY}", folder)
        made.append(Seed(name, file.read_bytes(), env))
    tell(program, f"{EMBEDDINGS[0][2]} --sign key.pem --out signed.mercer", folder)
    old = [] if wanted is not None else [
        Seed(path.stem, path.read_bytes(), env) for path, env in
        [(DATA / "export/pendulum_5000.mercer", "pendulum"), (DATA / "embeddings/dct_tour_discrete.mercer", "mountain-car"),
         *((DATA / f"embeddings/{name}.mercer", "continuous-mountain-car") for name in ("db4_snake", "svd_lexicographic"))]]
    return made + old, Seed("signed", (pathlib.Path(folder) / "signed.mercer").read_bytes(), EMBEDDINGS[0][1])


def layers(sizes, random):
    """Weights and biases of a perceptron, by number of layer."""
    return [(random.normal(size=(n, m)).astype(np.float32) / 2, random.normal(size=n).astype(np.float32) / 9)
            for m, n in itertools.pairwise(sizes)]


def packed(value):
    """msgpack as flax writes it."""
    if isinstance(value, dict):
        return bytes([0x80 + len(value)]) + b"".join(packed(key) + packed(inner) for key, inner in value.items())
    if isinstance(value, str):
        return b"\xd9" + bytes([len(value)]) + value.encode()
    if isinstance(value, bytes):
        return b"\xc6" + struct.pack(">I", len(value)) + value
    if isinstance(value, int):
        return b"\xcd" + struct.pack(">H", value)
    if isinstance(value, list):
        return b"\xdc" + struct.pack(">H", len(value)) + b"".join(map(packed, value))
    content = packed([[*map(int, value.shape)], "float32", value.tobytes()])
    return b"\xc9" + struct.pack(">I", len(content)) + b"\x01" + content


def networks(folder):
    """Policies of pendulum as other trainers save them: seeds by ending."""
    random = np.random.default_rng(1)
    body = layers((3, 8, 8, 1), random)

    def called(*names):
        return {f"{name}.{part}": value for name, pair in zip(names, body) for part, value in zip(("weight", "bias"), pair)}

    named = called("fc1", "fc2", "fc_mu") | {"action_scale": np.array([2], np.float32), "action_bias": np.array([0], np.float32)}
    agent = torch_writer.write_agent(folder / "a.zip", called("actor.mu.0", "actor.mu.2", "actor.mu.4"),
                                     torch_writer.box([-1, -1, -8], [1, 1, 8]), torch_writer.box([-2], [2]),
                                     policy_class=torch_writer.policy_class("stable_baselines3.td3.policies", "TD3Policy"))
    normaliser = torch_writer.write_normaliser(folder / "n.pkl", [0.1, 0.2, 0.3], [1.0, 1.5, 2.0])
    critics = [layers((4, 8, 8, 1), random) for _ in range(2)]
    flax = {str(number): {"params": {f"Dense_{i}": {"kernel": np.ascontiguousarray(weight.T), "bias": bias}
                                     for i, (weight, bias) in enumerate(one)}} for number, one in enumerate((body, *critics))}
    np.savez(folder / "t.npz", **named)
    policies = DATA / "policies"
    car, small = "continuous-mountain-car", "pendulum"
    return {
        ".onnx": [Seed(name, (policies / f"cmc_sde_10000_{name}.onnx").read_bytes(), car)
                  for name in ("action", "actor", "critic")],
        ".zip": [Seed("agent", agent.read_bytes(), small)],
        ".pt": [Seed(layout, torch_writer.state_dict(named, layout=layout), small) for layout in ("zip", "legacy")],
        ".pkl": [Seed("normaliser", normaliser.read_bytes(), small)],
        ".msgpack": [Seed("flax", packed(flax), small)],
        ".npz": [Seed("tensors", (folder / "t.npz").read_bytes(), small)],
        ".safetensors": [
            *(Seed(name, (policies / f"physics/{name}.safetensors").read_bytes(), name) for name in ("swimmer", "hopper")),
            Seed("snapshot", (folder / "run/policy.safetensors").read_bytes(), "cart-pole")],
    }


def texts(program, folder):
    """Tables, processes, settings, robots and logs: seeds by kind."""
    tell(program, "rollout --env pendulum --policy uniform --episodes 2 --horizon 5 --seed 1 --out log.npz --quiet", folder)
    tell(program, "rollout --env pendulum --policy uniform --episodes 2 --horizon 5 --seed 1 --out log.csv --quiet", folder)
    tell(program, "inspect chain.mercer --test-vectors 8 --out vectors", folder)
    robots = ROOT / "examples/robots"
    read = lambda name: (folder / name).read_bytes()
    return {
        "table": [Seed("table", json.dumps(TABLE).encode(), "mdp.json")],
        "process": [Seed("process", json.dumps(PROCESS).encode(), "")],
        "settings": [Seed("settings", SETTINGS.encode(), "")],
        "sweep": [Seed("sweep", SWEEP.encode(), "")],
        "robot": [Seed(name, (robots / f"{name}.toml").read_bytes(), name) for name in ("arm", "two_poles")],
        "model": [Seed(name, (robots / f"{name}.xml").read_bytes(), name) for name in ("arm", "two_poles")],
        "log.npz": [Seed("log", read("log.npz"), "pendulum")],
        "log.csv": [Seed("log", read("log.csv"), "pendulum")],
        "vectors": [Seed("vectors", read("vectors.json"), "")],
        "key": [Seed("key", read("key.pub"), ""), Seed("key", read("key.pem"), "")],
        "progress": [Seed("progress", read("run/progress.json"), "")],
        "checkpoint": [Seed("checkpoint", read("run/checkpoint.safetensors"), "")],
    }
