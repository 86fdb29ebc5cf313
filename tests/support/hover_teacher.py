"""Writes a linear policy that hovers task `quadrotor` as an ONNX file: hover_teacher.py OUT.onnx

Position errors ask for a tilt and a thrust, tilts and rates for torques: hover_controller.hpp for small angles.
"""

import pathlib
import sys

import numpy as np

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "python/mercer"))
from onnx_file import Graph  # noqa: E402

MASS, GRAVITY, LEVER, TORQUE, FULL = 0.028, 9.81, 0.046 / 2**0.5, 0.00596, 0.16
INERTIA = 16.6e-6, 16.6e-6, 29.3e-6

x, y, z, vx, vy, vz = np.eye(18)[:6]
yaw_angle, lean_x, lean_y = np.eye(18)[[9, 12, 13]]  # r21, r31, r32
roll_rate, pitch_rate, yaw_rate = np.eye(18)[15:]
total = MASS * (-6 * z - 4 * vz)
roll = INERTIA[0] * (-120 * (lean_y + (-6 * y - 4 * vy) / GRAVITY) - 18 * roll_rate) / LEVER
pitch = INERTIA[1] * (120 * (lean_x + (-6 * x - 4 * vx) / GRAVITY) - 18 * pitch_rate) / LEVER
yaw = INERTIA[2] * (-10 * yaw_angle - 6 * yaw_rate) / TORQUE
thrusts = np.array([total - roll - pitch - yaw, total - roll + pitch + yaw, total + roll + pitch - yaw, total + roll - pitch + yaw])
graph = Graph(18)
graph.linear("obs", thrusts / 2 / FULL, np.full(4, MASS * GRAVITY / 2 / FULL - 1), name="action")
graph.output("action", 4)
pathlib.Path(sys.argv[1]).write_bytes(graph.model())
