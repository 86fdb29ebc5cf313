#pragma once

#include <cstring>
#include <functional>
#include <string>
#include <vector>

#include "mercer/parallel.hpp"

namespace mercer {

/// Does work in every process of a team, in which nothing is gathered. What goes wrong in one of them is thrown in all:
/// the others would wait for it for ever.
void run_in_team(const Team& team, const std::function<void()>& work);

/// Bytes of all processes, by rank; alone those given.
inline std::vector<std::string> gather_bytes(const Team& team, std::string mine) {
  if (team.size > 1) return team.gather(mine);
  std::vector<std::string> all;
  all.push_back(std::move(mine));
  return all;
}

/// Numbers of all processes, one process after the other.
inline std::vector<double> gather_numbers(const Team& team, const std::vector<double>& mine) {
  if (team.size == 1) return mine;
  const char* const bytes = reinterpret_cast<const char*>(mine.data());
  std::vector<double> all;
  for (const std::string& theirs : team.gather(std::string(bytes, bytes + mine.size() * sizeof(double)))) {
    const std::size_t before = all.size();
    all.resize(before + theirs.size() / sizeof(double));
    if (!theirs.empty()) std::memcpy(all.data() + before, theirs.data(), theirs.size());
  }
  return all;
}

}  // namespace mercer
