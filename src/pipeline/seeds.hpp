#pragma once

#include <cstdint>

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

}  // namespace mercer
