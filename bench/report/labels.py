"""How the rows of the table are called, in the order in which they stand there.

A benchmark that is not listed still gets a row, under its own name at the end. `unit` is "time" (of an item) or what an item
of a rate is called; `counter` names a counter of the benchmark to show in place of its items. `most` is what is asked of
the time of one item, in nanoseconds.
"""

from dataclasses import dataclass


@dataclass(frozen=True)
class Label:
    group: str
    what: str
    unit: str = "time"
    counter: str | None = None
    most: float | None = None


TRANSFORMS = "Transforms and decompositions, one thread"
STATISTICS = "Statistics, one thread"
TRAINING = "Training, updates of soft actor-critic"
ACTING = "Acting, one state on one core"
BATCHES = "Acting in a batch of 4096, for each action"
EXPORTED = "Acting by exported C, one state on one core"
EPISODES = "Episodes and steps, all cores"
STEPS = "Steps of the pendulum, batch 4096 on one core"
PHYSICS = "Steps of physics tasks at random, observed and rewarded"
WHOLE = "From rollouts to an embedding, and the explorer"
OTHER = "Others"


def _transforms():
    names = {"fourier": "Fourier", "dct": "cosines", "haar": "Haar, full depth", "db4": "db4, one level, periodised",
             "db4_symmetric": "db4, one level, symmetric", "svd": "SVD"}
    for size in ("701x15", "4096x256"):
        for kernel, what in names.items():
            yield f"basis_{kernel}_{size}", Label(TRANSFORMS, f"{what}, {size.replace('x', ' x ')}")
    yield "basis_sketch_4096x256", Label(TRANSFORMS, "leading 10 of the SVD, randomised, 4096 x 256")


def _training():
    for threads, spoken in (("1", "one thread"), ("2", "two threads")):
        for networks, batch in (("256x256", 256), ("64x64", 100)):
            yield (f"sac_{networks}_batch_{batch}_{threads}",
                   Label(TRAINING, f"networks of {networks.replace('x', ' x ')}, batch {batch}, {spoken}", "updates", "updates"))
        yield f"sgemm_{threads}", Label(TRAINING, f"Eigen's sgemm, {spoken}", "flops")


def _physics():
    for task in ("swimmer", "hopper", "walker2d", "half-cheetah", "ant", "inverted-double-pendulum", "reacher"):
        for threads, spoken in (("1", "one thread"), ("2", "two threads")):
            for batch in (1, 64):
                yield f"physics_{batch}_{threads}/{task}", Label(PHYSICS, f"{task}, batch {batch}, {spoken}", "steps")
        yield f"physics_bare/{task}", Label(PHYSICS, "bare loop around mj_step", "steps")


LABELS = {
    **dict(_transforms()),
    "quantile_edges": Label(STATISTICS, "35 quantiles of 100,000 numbers"),
    "visited_cells": Label(STATISTICS, "visited cells of 100,000 states, 35^3 bins"),
    "wasserstein_distance": Label(STATISTICS, "W1 between 100,000 numbers each"),
    "mixture_em": Label(STATISTICS, "20 rounds of EM, 8 Gaussians, 20,000 x 3"),
    "kernel_values": Label(STATISTICS, "Matern 5/2, 2,000 x 256 states of 20 dimensions"),
    **dict(_training()),
    "acting_decoded_best": Label(ACTING, "lattice embedding, decoded table", most=100),
    "acting_decoded_paper": Label(ACTING, "the same, published choices", most=100),
    "acting_alias_best": Label(ACTING, "decoded table, alias tables"),
    "acting_importance_best": Label(ACTING, "decoded table, importance sampling of 64"),
    "acting_unvisited_best": Label(ACTING, "decoded table, states in unvisited cells"),
    "acting_fourier_500_best": Label(ACTING, "from 500 Fourier coefficients", most=2000),
    "acting_fourier_500_paper": Label(ACTING, "the same, published choices", most=2000),
    "acting_dct_500_best": Label(ACTING, "from 500 cosines"),
    "acting_db4_500_best": Label(ACTING, "from 500 wavelets"),
    "acting_svd_7_best": Label(ACTING, "from 7 singular triples"),
    "basis_act_fourier_500": Label(ACTING, "a row of 15 from 500 Fourier coefficients", most=2000),
    "basis_act_dct_500": Label(ACTING, "a row of 15 from 500 cosines"),
    "basis_act_db4_500": Label(ACTING, "a row of 15 from 500 wavelets"),
    "basis_act_svd_7": Label(ACTING, "a row of 15 from 7 singular triples"),
    "continuous_act_one/6": Label(ACTING, "continuous embedding, 6 terms"),
    "continuous_act_one/16": Label(ACTING, "continuous embedding, 16 terms"),
    "continuous_act_one/40": Label(ACTING, "continuous embedding, 40 terms"),
    "table_act_one": Label(ACTING, "plain table of 35^3 cells, no drawing"),
    "network_act_one": Label(ACTING, "the network of 256 x 256"),
    "continuous_act_batch/6": Label(BATCHES, "continuous embedding, 6 terms"),
    "continuous_act_batch/16": Label(BATCHES, "continuous embedding, 16 terms"),
    "continuous_act_batch/40": Label(BATCHES, "continuous embedding, 40 terms"),
    "network_act_batch": Label(BATCHES, "the network of 256 x 256"),
    "export_c_float": Label(EXPORTED, "exported C"),
    "export_c_float_none": Label(EXPORTED, "exported C without libm"),
    "export_c_fixed": Label(EXPORTED, "exported C in integers"),
    "export_network_256": Label(EXPORTED, "its network of 256 x 256"),
    "export_network_64": Label(EXPORTED, "a network of 64 x 64"),
    "run_rollouts/pendulum_returns": Label(EPISODES, "pendulum at random, returns only", "steps"),
    "run_rollouts/pendulum_steps_kept": Label(EPISODES, "pendulum at random, steps kept", "steps"),
    "run_rollouts/cart_pole_returns": Label(EPISODES, "cart-pole at random, returns only", "steps"),
    "run_rollouts/mountain_car_returns": Label(EPISODES, "continuous mountain car at random, returns only", "steps"),
    "continuous_play/6": Label(EPISODES, "pendulum, 6 terms", "episodes"),
    "continuous_play/16": Label(EPISODES, "pendulum, 16 terms", "episodes"),
    "network_play": Label(EPISODES, "the network of 256 x 256", "episodes"),
    "paired_with_terms": Label(EPISODES, "paired episodes, 16 terms against 6", "pairs"),
    "paired_with_network": Label(EPISODES, "paired episodes, 16 terms against the network", "pairs"),
    "pendulum_hold_batch": Label(STEPS, "constant torque"),
    "pendulum_hold_scalar": Label(STEPS, "plain loop"),
    "pendulum_damp_batch": Label(STEPS, "torque from the observation"),
    "pendulum_damp_scalar": Label(STEPS, "plain loop"),
    **dict(_physics()),
    "embed_whole": Label(WHOLE, "200 episodes, lattice, three bases; one thread"),
    "embed_network": Label(WHOLE, "of that the teacher's network"),
    "slider_to_heat_map": Label(WHOLE, "a move of the explorer's slider to its heat map"),
}
