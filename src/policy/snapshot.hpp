#pragma once

#include <filesystem>

#include "mercer/policy/contract.hpp"
#include "mercer/policy/network.hpp"

namespace mercer {

/// A network that `mercer train` wrote, with what it promises.
struct SnapshotNetwork {
  Network network;
  Contract contract;
};

/// Reads a .safetensors snapshot: the actor (outputs mean, log_std) or, with `critics`, the critics (q1 and q2 of
/// observation and action); of DQN always q. Throws `bad_format` for other files, newer ones, or tensors that are
/// missing or do not fit each other, `not_finite` for weights that are no numbers.
SnapshotNetwork read_snapshot(const std::filesystem::path& path, bool critics);

}  // namespace mercer
