#pragma once

#include <string>
#include <vector>

#include "mercer/env.hpp"
#include "policy/agents/agent_file.hpp"

namespace mercer {

/// Where a part of a dictionary of observations stands in the vector that the network takes.
struct ObservationPart {
  std::string key;
  std::size_t begin = 0;
  std::size_t size = 0;
};

/// Observations and actions of an agent. Bounds that are no bounds (3.4e38, the largest number of single precision, in
/// old versions of gym) are infinite.
struct AgentSpaces {
  Space observation;                   ///< axes obs0, obs1, ...; of a dictionary: key0, key1, ... for each key
  Space action;                        ///< axes action0, ..., or the discrete `action`
  std::vector<ObservationPart> parts;  ///< of a dictionary, in the network's order; else empty
};

/// Throws `bad_format` for spaces that no policy here has: pictures, several discrete actions, flags, text.
AgentSpaces read_spaces(const AgentFile& file);

}  // namespace mercer
