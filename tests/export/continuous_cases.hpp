#pragma once

#include <string>
#include <vector>

#include "mercer/file.hpp"

namespace mercer::test {

/// The names FAMILY_HEAD of all kinds of continuous embeddings: every family of functions with every head, and number
/// formats such that each family and each head has each.
std::vector<std::string> continuous_kinds();
/// Of these every family once, heads taking turns.
std::vector<std::string> few_continuous_kinds();
/// One of them, its coefficients drawn.
EmbeddingFile continuous_case(const std::string& kind);

}  // namespace mercer::test
