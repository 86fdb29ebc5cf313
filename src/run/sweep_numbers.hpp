#pragma once

#include <string>
#include <utility>
#include <vector>

namespace mercer {

/// What a JSON document says, in its order: {"return": {"mean": 1}} is ("return.mean", "1"). Arrays of at most four
/// single values are told by number, longer ones and those of objects left out, and so is null. Truth is 1 or 0.
struct SweepNumber {
  std::string name, text;
  bool is_number = true;
};
std::vector<SweepNumber> sweep_numbers(const std::string& document);

}  // namespace mercer
