#pragma once

#include "mercer/embed.hpp"
#include "verbs/lattice_settings.hpp"
#include "verbs/playing.hpp"

/// `mercer embed --scratch DIR`: lattices whose table is in files, alone or spread over processes.
struct LargeSettings {
  std::optional<std::string> scratch;
  std::optional<std::uint64_t> sketch;

  void add_settings(Settings& settings);
  bool asked() const { return scratch.has_value(); }
  /// Throws where the scratch folder has no name, and where there is none but several processes or a size of sketches.
  void refuse_without() const;
  void run(const Playing& playing, const LatticeSettings& lattice, const std::string& basis, std::uint64_t episodes,
           const std::string& out, const CommonOptions& common, const Settings& settings) const;
};
