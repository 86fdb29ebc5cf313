#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cli/settings.hpp"
#include "mercer/embedding.hpp"

/// What was said to `mercer embed` about the lattice; what was not is the preset's.
struct LatticeSettings {
  enum class Preset { paper, best };
  enum class Unvisited { uniform, nearest, teacher };

  Preset preset = Preset::best;
  std::optional<std::vector<std::uint64_t>> state_bins, action_bins;
  std::optional<std::string> state_edges, action_edges;
  std::optional<mercer::RowOrder> order;
  std::optional<mercer::SimplexRule> simplex;
  std::optional<mercer::TableRule> table;
  std::optional<Unvisited> unvisited;
  std::optional<bool> noise, reach_bounds, conditional_actions;
  std::optional<double> prune, energy;
  std::uint64_t k = 0;

  void add_settings(Settings& settings);
  mercer::LatticeOptions lattice() const;
  mercer::TruncationOptions truncation() const;
};
