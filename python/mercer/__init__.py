"""Mercer: small, certified reinforcement-learning policies in a reproducing kernel Hilbert space.

    import mercer
    teacher = mercer.load_policy("actor.onnx", "pendulum")
    embedding = mercer.compress(teacher, "pendulum", max_loss=0.01)
    print(embedding.certificate)
    embedding.save("p.mercer")
"""

from typing import TYPE_CHECKING as _TYPE_CHECKING
from typing import Any

from . import plots, spaces
from ._mercer import (
    Basis,
    Policy,
    Rollouts,
    TabularMdp,
    __version__,
    betting_interval,
    betting_upper,
    bootstrap_interval,
    certify_loss,
    choose_landmarks,
    confidence_of_attempt,
    cosine,
    empirical_bernstein_interval,
    fit_mixture,
    fourier,
    gaussian_total_variation,
    generous_range,
    hoeffding_interval,
    inverse_cosine,
    inverse_fourier,
    kernel_matrix,
    known_bases,
    known_envs,
    known_policies,
    make_basis,
    make_chain,
    make_noisy_bandit,
    mixture_log_density,
    paired_loss,
    parameters,
    policy_distance,
    power_function,
    predictable_bernstein_interval,
    project_rows,
    read_mdp,
    read_rollouts,
    read_safetensors,
    sliced_wasserstein,
    student_t_interval,
    summarise,
    svd,
    thread_count,
    total_variation,
    transport_distance,
    wasserstein,
    write_safetensors,
)
from .certificates import Certificate, CertificateError, certify
from .compression import compress, compress_states, embed, embed_continuous, embed_lattice
from .embedding import Embedding, read
from .envs import Env, Figure, Stick, make
from .errors import MercerError
from .estimators import ContinuousEmbedder, LatticeEmbedder
from .mdp import bound_rows, bounds
from .perturbed import Perturbed
from .policies import inspect, load_policy, read_sb3, tabular_policy
from .rollouts import evaluate, paired_returns, rollout
from .threads import threads
from .training import train
from .transforms import inverse_wavelet, make_edges, quantile_edges, wavelet

if _TYPE_CHECKING:
    from .gym_env import GymEnv

__all__ = [
    "Basis",
    "betting_interval",
    "betting_upper",
    "bootstrap_interval",
    "bound_rows",
    "bounds",
    "Certificate",
    "CertificateError",
    "certify",
    "certify_loss",
    "choose_landmarks",
    "compress",
    "compress_states",
    "confidence_of_attempt",
    "ContinuousEmbedder",
    "cosine",
    "embed",
    "embed_continuous",
    "embed_lattice",
    "Embedding",
    "empirical_bernstein_interval",
    "Env",
    "evaluate",
    "Figure",
    "fit_mixture",
    "fourier",
    "gaussian_total_variation",
    "generous_range",
    "GymEnv",
    "hoeffding_interval",
    "inspect",
    "inverse_cosine",
    "inverse_fourier",
    "inverse_wavelet",
    "kernel_matrix",
    "known_bases",
    "known_envs",
    "known_policies",
    "LatticeEmbedder",
    "load_policy",
    "make",
    "make_basis",
    "make_chain",
    "make_edges",
    "make_noisy_bandit",
    "MercerError",
    "mixture_log_density",
    "paired_loss",
    "paired_returns",
    "parameters",
    "Perturbed",
    "plots",
    "Policy",
    "policy_distance",
    "power_function",
    "predictable_bernstein_interval",
    "project_rows",
    "quantile_edges",
    "read",
    "read_mdp",
    "read_rollouts",
    "read_safetensors",
    "read_sb3",
    "rollout",
    "Rollouts",
    "sliced_wasserstein",
    "spaces",
    "Stick",
    "student_t_interval",
    "summarise",
    "svd",
    "tabular_policy",
    "TabularMdp",
    "thread_count",
    "threads",
    "total_variation",
    "train",
    "transport_distance",
    "wasserstein",
    "wavelet",
    "write_safetensors",
    "__version__",
]


def __getattr__(name: str) -> Any:
    # Where Gymnasium is installed it is imported with GymEnv, and only then: it takes its time.
    if name == "GymEnv":
        from .gym_env import GymEnv

        return GymEnv
    raise AttributeError(f"module 'mercer' has no attribute {name!r}")
