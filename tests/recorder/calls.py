"""Recorded calls of the Python package: `calls.py NAME` runs one in the current folder and prints what it gives as JSON."""

import json
import os
import sys

import gym_pendulum
import mercer
import numpy

ACTOR = "policies/pendulum_5000_actor.onnx"
CAR = "policies/cmc_sde_10000_actor.onnx"


def kept(embedding, name, **more):
    """What a caller sees of an embedding; its file is recorded beside it."""
    embedding.save(name)
    certificate = embedding.certificate and dict(embedding.certificate)
    return {"route": embedding.route, "basis": embedding.basis, "k": embedding.k, "certificate": certificate,
            "front": embedding.front, **more}


def observations():
    with numpy.load("policies/pendulum_5000.npz", allow_pickle=False) as file:
        return file["obs"].astype(float)


def rollout():
    played = mercer.rollout("pendulum", ACTOR, 5, seed=3, act="mean", gamma=0.9)
    numpy.savez("python.npz", observations=played.observations, actions=played.actions, rewards=played.rewards,
                returns=played.returns)
    return {"return": mercer.evaluate("pendulum", ACTOR, 5, 3, act="mean", against="uniform")}


def rollout_foreign():
    def swing(obs):
        return numpy.clip(-2 * obs[..., 1:2] - 0.5 * obs[..., 2:3], -2, 2)

    env = gym_pendulum.Vector(gym_pendulum.Pendulum, 4)
    played = mercer.rollout(env, swing, episodes=6, seed=2)
    return {"returns": played.returns.tolist(), "steps": played.steps,
            "teacher": mercer.evaluate(gym_pendulum.Pendulum(), mercer.load_policy(ACTOR, "pendulum"), 2)["return"]}


def read_sb3():
    return mercer.evaluate("pendulum", mercer.read_sb3("sb3/pendulum_5000_actor.zip"), 10, seed=1)["return"]


def embed_lattice():
    made = mercer.embed_lattice(ACTOR, "pendulum", basis="dct", k=100, state_bins=10, action_bins=9, rollouts=15, seed=4)
    return kept(made, "python_lattice.mercer", table=made.facts["table"].tolist(),
                predicted=made.predict(observations())[0].tolist(), drawn=made.sample(observations(), 5).tolist())


def embed_continuous():
    made = mercer.embed_continuous(ACTOR, "pendulum", k=5, rollouts=10, rounds=1, fit_states=1500, seed=3)
    flash = made.export_c("python_c", name="pilot", math="none")["flash_bytes"]
    return kept(made, "python_continuous.mercer", flash_bytes=flash, predicted=made.predict(observations())[0].tolist())


def certify():
    small = mercer.read("python_continuous.mercer")
    return dict(mercer.certify("pendulum", ACTOR, small, episodes=100, max_loss=0.9, level="statistical"))


def compress():
    made = mercer.compress(ACTOR, "pendulum", 0.2, keep="return", polish="return", route="continuous", bases=["chebyshev"], most_terms=2,
                           generations=4, candidate_episodes=32, select_episodes=60, certify_episodes=200, seed=1,
                           allow_unmet=True)
    return kept(made, "python_compressed.mercer")


def compress_foreign():
    made = mercer.compress(mercer.load_policy(ACTOR, "pendulum"), gym_pendulum.Vector(gym_pendulum.Pendulum, 20), 0.3,
                           keep="return", bases=["chebyshev"], formats=["int8"], most_terms=3, select_episodes=20, certify_episodes=20,
                           allow_unmet=True)
    return kept(made, "python_foreign.mercer")


def compress_foreign_polished():
    made = mercer.compress(mercer.load_policy(ACTOR, "pendulum"), gym_pendulum.Vector(gym_pendulum.Pendulum, 10), None,
                           keep="return", max_loss_return=900, return_range=(-3300, 0), polish="return", bases=["legendre"],
                           formats=["float32"], most_terms=2, generations=2, candidate_episodes=10, select_episodes=10,
                           certify_episodes=20, allow_unmet=True)
    return kept(made, "python_polished.mercer")


def compress_foreign_discrete():
    made = mercer.compress(lambda obs: int(obs[0] >= 0), gym_pendulum.Corridor(), 0.01, keep="return", bases=["legendre"], most_terms=2,
                           select_episodes=12, certify_episodes=12, method="student_t")
    return kept(made, "python_corridor.mercer")


def compress_states():
    states = mercer.rollout("pendulum", ACTOR, 8, seed=3, act="mean").observations
    made = mercer.compress_states(ACTOR, states, "pendulum", 0.4, most_terms=4, bases=["chebyshev"], allow_unmet=True)
    return kept(made, "python_states.mercer")


def estimators():
    log = mercer.rollout("continuous-mountain-car", CAR, 5, act="mean")
    formula = mercer.ContinuousEmbedder(k=4, env="continuous-mountain-car").fit(log.observations, log.actions)
    cells = mercer.LatticeEmbedder(state_bins=8).fit(log.observations, log.actions)
    return {"formula": formula.predict(log.observations).tolist(), "cells": cells.predict(log.observations).tolist(),
            "score": formula.score(log.observations, log.actions)}


def train():
    made = mercer.train("pendulum", "runs/python", algo="sac", steps=150, warmup=50, hidden=[8, 8], batch_size=16, seed=1)
    return {"steps": made["steps"]}


def tabular():
    transitions = numpy.array([[[0.9, 0.1], [0.2, 0.8]], [[0.5, 0.5], [0.0, 1.0]]])
    mdp = mercer.TabularMdp(transitions, [[0.0, 0.1], [1.0, 0.5]], [1.0, 0.0], gamma=0.95)
    one, other = [[0.5, 0.5], [0.2, 0.8]], [[0.4, 0.6], [0.3, 0.7]]
    return {"values": numpy.asarray(mdp.solve(one)["V"]).tolist(), "bounds": mercer.bounds(mdp, one, other)}


if __name__ == "__main__":
    with mercer.threads(int(os.environ.pop("MERCER_THREADS", 0))):
        print(json.dumps(globals()[sys.argv[1]]()))
