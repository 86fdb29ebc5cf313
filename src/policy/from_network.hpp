#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <vector>

#include "io/npz.hpp"
#include "mercer/env.hpp"
#include "mercer/policy.hpp"

namespace mercer {

/// The given outputs of a network with one input, one below the other, of observations that are normalised first.
BatchFunction network_function(Network network, Normalisation normalisation, std::vector<std::size_t> outputs);

/// The smallest of the given outputs (twin critics guard against hope). `observations` rows of the input are normalised
/// for the network's first input; rows below them, if any, go to its second as they are.
BatchFunction smallest_output(Network network, Normalisation normalisation, std::size_t observations,
                              std::vector<std::size_t> outputs);

/// A network that `mercer train` wrote, with what it promises.
struct SnapshotNetwork {
  Network network;
  Contract contract;
};

/// Reads a .safetensors snapshot: the actor (outputs mean, log_std) or, with `critics`, the critics (q1 and q2 of
/// observation and action); of DQN always q. Throws `bad_format` for other files, newer ones, or tensors that are
/// missing or do not fit each other, `not_finite` for weights that are no numbers.
SnapshotNetwork read_snapshot(const std::filesystem::path& path, bool critics);

struct SnapshotCritics {
  Arrays tensors;  ///< q1 and q2 among them
  std::optional<double> gamma;
};

/// The critics of a snapshot of SAC with their discount: the file's own or, where it is the policy of a
/// run without them, those of snapshot_STEP.safetensors beside it if its actor is the same. Throws `bad_format` where
/// there are none.
SnapshotCritics read_snapshot_critics(const std::filesystem::path& path);

/// The policy that a network's outputs and the options make for a task. Throws `bad_format` when the outputs make none,
/// `shape_mismatch` when their sizes do not fit the task, `bad_value` for options that do not go together. `reading` as
/// for `make_policy`.
std::unique_ptr<Policy> make_network_policy(const std::string& name, const Network& network, const Task& task,
                                            const PolicyOptions& options, std::string* reading = nullptr);

}  // namespace mercer
