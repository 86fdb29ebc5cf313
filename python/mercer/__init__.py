"""Mercer: small, certified reinforcement-learning policies in a reproducing kernel Hilbert space.

    import mercer
    teacher = mercer.load_policy("actor.onnx", "pendulum")
    embedding = mercer.compress(teacher, "pendulum", max_loss=0.01)
    print(embedding.certificate)
    embedding.save("p.mercer")
"""

from typing import TYPE_CHECKING as _TYPE_CHECKING

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
from .estimators import ContinuousEmbedder, LatticeEmbedder
from .mdp import bound_rows, bounds
from .perturbed import Perturbed
from .policies import load_policy, read_sb3, tabular_policy
from .rollouts import evaluate, paired_returns, rollout
from .threads import threads
from .training import train
from .transforms import inverse_wavelet, make_edges, quantile_edges, wavelet

if _TYPE_CHECKING:
    from .gym_env import GymEnv

__all__ = [name for name in dir() if not name.startswith("_")] + ["GymEnv", "__version__"]


def __getattr__(name: str):
    # Where Gymnasium is installed it is imported with GymEnv, and only then: it takes its time.
    if name == "GymEnv":
        from .gym_env import GymEnv

        return GymEnv
    raise AttributeError(f"module 'mercer' has no attribute {name!r}")
