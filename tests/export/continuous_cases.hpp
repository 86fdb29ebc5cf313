#pragma once

#include <string>
#include <vector>

#include "mercer/embed/file.hpp"

namespace mercer::test {

/// One kind of continuous embedding, its coefficients drawn: name and file.
struct ContinuousCase {
  std::string name;
  EmbeddingFile file;
};

/// The names of all kinds: every family, every kind of term, every head.
std::vector<std::string> continuous_kinds();
ContinuousCase continuous_case(const std::string& kind);

}  // namespace mercer::test
