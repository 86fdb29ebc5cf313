"""The published route by hand: a policy's table, its coefficients, few of them kept, and what that can cost.

A finite process is small enough to know everything: every bound is printed with the true loss.
"""

import mercer
import numpy as np

rng = np.random.default_rng(3)
n, m, gamma = 40, 8, 0.9

# A random process and a policy that is smooth in states and actions, so that few coefficients say most.
transitions = rng.dirichlet(np.ones(n), size=(n, m))
rewards = rng.random((n, m))
mdp = mercer.TabularMdp(transitions, rewards, np.full(n, 1 / n), gamma)
states, actions = np.meshgrid(np.linspace(0, 1, n), np.linspace(0, 1, m), indexing="ij")
policy = mercer.project_rows(np.exp(-8 * (actions - states) ** 2))
print(f"return of the policy: {mdp.solve(policy)['eta']:.4f}")

# Its coefficients in three bases, and what is left out when K are kept.
for name in ("fourier", "dct", "db4"):
    basis = mercer.make_basis(name)
    basis.train(policy)
    coefficients = basis.apply(policy)
    print(f"{name:8}", *(f"K={k}: {basis.energy_curve(coefficients)[k]:.2e}" for k in (8, 16, 32, 64)))

# The same as arrays, for code around numpy and PyWavelets.
spectrum, bands = mercer.fourier(policy), mercer.wavelet(policy, "db4", level=1)
print("fourier", spectrum.shape, spectrum.dtype, "| wavelet", bands[0].shape, [band.shape for band in bands[1]])

# Keep 16 of them, make rows distributions again, and look at the loss and at the bounds on it.
basis = mercer.make_basis("dct")
basis.train(policy)
coefficients = basis.apply(policy)
few = np.zeros_like(coefficients)
kept = basis.kept(coefficients, 16)
few[kept] = coefficients[kept]
smaller = mercer.project_rows(basis.reverse(few))
bounds = mercer.bounds(mdp, policy, smaller)
print(f"16 of {basis.size} numbers: true difference of returns {bounds['true']:.5f}")
for name in ("B0", "B1", "B2", "B2'", "B4", "B5", "B8"):
    assert bounds[name] >= bounds["true"]
    print(f"  {name:4} at most {bounds[name]:.5f}")
apart = [mercer.wasserstein(actions[0], actions[0], p, q) for p, q in zip(policy, smaller)]
print(f"mean W1 between rows: {np.mean(apart):.5f}")
