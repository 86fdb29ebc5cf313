#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "item.hpp"
#include "mercer/parallel.hpp"

namespace mercer::paper {

struct ReproduceOptions {
  std::vector<std::string> ids;  ///< of items, or their numbers; empty: all
  std::filesystem::path out = "results";
  bool quick = false;                  ///< fewer K and shorter sweeps
  std::vector<std::uint64_t> seeds{};  ///< empty: 0 to 9, quick 0 and 1
  std::string version = {};            ///< of the program, told in the results
  std::filesystem::path commits{};     ///< as `paper/commits.py` writes them, told in the results; empty: unknown
  std::filesystem::path policies{};    ///< tests/data/policies, for item 15; empty: that item is left out
  bool judge_only = false;             ///< judge the tables that are in `out`, and measure nothing
};

/// An item that was measured and judged.
struct Reproduced {
  std::string id;
  std::size_t number = 0;
  std::vector<Judged> judged;  ///< the first one counts
  std::filesystem::path folder;
};

/// Told after each step: what was done, whether it was found in the store, and about how many seconds are left.
using StepSink = std::function<void(const std::string& what, bool found, double seconds_left)>;

/// The items that are asked for, by number. Throws `unknown_name` with the nearest id.
std::vector<Item> choose_items(const std::vector<std::string>& ids);

/// Trains the teachers, measures every item and judges it by its rules. With `judge_only` the tables that an earlier
/// call left in `out` are judged again, and the commit they were measured at stays; throws `cannot_open` without them.
///
/// In `out`: store/ (every finished stage, see `Store`: the same call goes on after a kill and ends with the same
/// bytes), ID/NAME.csv (tidy tables), ID/result.json (claim, configuration, seeds, rules, verdict), index.json and
/// index.html (all items that are there).
std::vector<Reproduced> reproduce(const ReproduceOptions& options, const StepSink& sink = {},
                                  const Progress& progress = {});

/// One of several processes that work on the same folder: does every step that is not done and that nobody else is on,
/// and returns when there is none left. The process that calls `reproduce` then finds them, or waits for the last.
/// Errors of a step are left to it.
void help_reproduce(const ReproduceOptions& options, const Progress& progress = {});

}  // namespace mercer::paper
