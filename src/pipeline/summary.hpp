#pragma once

#include <string>
#include <vector>

#include "mercer/pipeline.hpp"

namespace mercer {

/// One fact of a summary: a word and what there is to say.
struct Fact {
  std::string about, text;
};

/// The five facts that matter about what a search found: size, loss, promise, behaviour, file. Bounds are rounded to
/// the safe side.
std::vector<Fact> summary_of(const CompressResult& result);

}  // namespace mercer
