#pragma once

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

/// `certify`: episodes that neither made the embedding nor measured it when it was made.
inline std::uint64_t certifying_seed(std::uint64_t asked, std::uint64_t made_with) {
  constexpr std::uint64_t apart = std::uint64_t{1} << 32;
  const std::uint64_t seed = asked + apart;
  return seed == made_with || seed == measuring_seed(made_with) ? seed + apart : seed;
}

/// The page measures on episodes that nothing else here plays: seeds drawn by Philox, not counted from the one it was
/// made with. `asked` tells measurements apart.
inline std::uint64_t viewing_seed(std::uint64_t made_with, std::uint64_t asked) {
  constexpr std::uint64_t purpose = 5;  // a search and its certificate use those before it
  return Random({made_with, Stage::search, purpose, 0xFFFFFFFF}).bits() + asked;
}

}  // namespace mercer
