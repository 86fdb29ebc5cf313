#pragma once

#include <deque>

#include "mercer/compress.hpp"

namespace mercer {

/// Adds a candidate; true when none before it is as small and loses as little.
bool add_candidate(std::deque<Candidate>& tried, Candidate one);

/// Those of which none smaller loses less, by rising bytes.
std::vector<std::size_t> front_of(const std::deque<Candidate>& tried);

}  // namespace mercer
