#pragma once

#include <optional>

#include "export/kit/plants.hpp"
#include "mercer/export.hpp"

namespace mercer {

/// What the test and the example of a kit play.
struct StoredEpisodes {
  static constexpr std::size_t episodes = 10;
  /// Of an episode, evenly spaced: more would say the same and make large files.
  static constexpr std::size_t kept_steps = 40;

  const Plant* plant = nullptr;                       ///< closed loop; otherwise `vectors` are compared
  std::string task{};                                 ///< empty: it could not be made, the vectors fill the ranges
  bool perturbed = false;                             ///< its equations in C are those of the unperturbed task alone
  std::uint32_t steps = 0;                            ///< time limit
  std::vector<double> starts{}, returns{}, limits{};  ///< of a closed loop: rows of states, and by episode
  TestVectors vectors{};                              ///< where the embedding went, all episodes in a row
  std::size_t shown = 0;                              ///< of them belong to the first episode
};

/// Plays the embedding's mean actions. `stated_error` is how far the code may be from them, as a share of their ranges.
StoredEpisodes store_episodes(const EmbeddingFile& file, double stated_error);

}  // namespace mercer
