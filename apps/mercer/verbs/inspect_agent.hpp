#pragma once

#include <string>

#include "cli/program.hpp"
#include "policy/agents/agent.hpp"

/// Shows what an agent's file (.zip) holds, and what would be played.
void inspect_agent(const std::string& path, mercer::AgentOptions options, const CommonOptions& common);
