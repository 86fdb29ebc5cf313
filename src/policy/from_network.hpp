#pragma once

#include <memory>

#include "mercer/env/env.hpp"
#include "mercer/policy/network.hpp"
#include "mercer/policy/options.hpp"
#include "mercer/policy/policy.hpp"

namespace mercer {

/// The policy that a network's outputs and the options make for a task. Throws `bad_format` when the outputs make none,
/// `shape_mismatch` when their sizes do not fit the task, `bad_value` for options that do not go together. `reading` as
/// for `make_policy`.
std::unique_ptr<Policy> make_network_policy(const std::string& name, const Network& network, const Task& task,
                                            const PolicyOptions& options, std::string* reading = nullptr);

}  // namespace mercer
