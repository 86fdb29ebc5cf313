"""Plays a policy in a task and prints its return: play.py [TASK [POLICY]]. A policy is "uniform" or a file: .onnx,
.safetensors or .mercer."""

import sys

import mercer

env = sys.argv[1] if len(sys.argv) > 1 else "pendulum"
policy = sys.argv[2] if len(sys.argv) > 2 else "uniform"

played = mercer.evaluate(env, policy, episodes=1000, seed=1)
low, high = played["return"]["ci95"]
print(f"{env}: mean return {played['return']['mean']:.4f}, 95% interval [{low:.4f}, {high:.4f}], {played['steps']} steps")
