#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

#include "mercer/random.hpp"

namespace mercer {

/// Which episodes serve which purpose. An embedding is made from the episodes of its seed. What is measured or promised
/// about it comes from episodes that had no part in making or choosing it.
///
/// The result of `embed` is measured on the seed after the one it was made with.
inline std::uint64_t measuring_seed(std::uint64_t seed) { return seed + 1; }

/// K is chosen here, and certified on the seed after it.
inline std::uint64_t choosing_seed(std::uint64_t seed) { return seed + (std::uint64_t{1} << 33); }

/// Every seed that `embed` plays when it is asked for `seed`. A search draws its seeds at random from all 2^64.
inline std::array<std::uint64_t, 4> seeds_of_embed(std::uint64_t seed) {
  return {seed, measuring_seed(seed), choosing_seed(seed), choosing_seed(seed) + 1};
}

/// `certify`: episodes that no purpose above has played.
inline std::uint64_t certifying_seed(std::uint64_t asked, std::uint64_t made_with) {
  constexpr std::uint64_t apart = std::uint64_t{1} << 32;
  const auto played = seeds_of_embed(made_with);
  std::uint64_t seed = asked + apart;
  while (std::ranges::find(played, seed) != played.end()) seed += apart;
  return seed;
}

/// Single episodes to look at; nothing is measured on them.
inline std::uint64_t watching_seed(std::uint64_t made_with, std::uint64_t number) {
  return made_with + (std::uint64_t{1} << 34) + number;
}

/// The page measures on episodes that nothing else here plays: seeds drawn by Philox, not counted from the one it was
/// made with. `asked` tells measurements apart.
inline std::uint64_t viewing_seed(std::uint64_t made_with, std::uint64_t asked) {
  constexpr std::uint64_t purpose = 5;  // a search and its certificate use those before it
  return Random({made_with, Stage::search, purpose, 0xFFFFFFFF}).bits() + asked;
}

}  // namespace mercer
