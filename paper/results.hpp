#pragma once

#include <filesystem>
#include <map>

#include "item.hpp"

namespace mercer::paper {

/// The states of the sources that rules and results come from, as git names them; "unknown" outside a checkout. What
/// was not committed ends in "+".
struct Commits {
  std::string rules = "unknown";     ///< that last changed the item's rules
  std::string measured = "unknown";  ///< that the tables were measured at
};
/// Of each item, from what `paper/commits.py` writes; all unknown for an empty path. Throws `bad_format`.
std::map<std::string, Commits> read_commits(const std::filesystem::path& file, const std::vector<Item>& items);

/// What a result was made with.
struct ResultContext {
  bool quick = false;
  std::vector<std::uint64_t> seeds;
  std::string version;
  Commits commits = {};
  std::vector<std::string> tables = {};  ///< names; of `read_context` alone
};
/// Of a result that is there. Throws `corrupt_file`.
ResultContext read_context(const std::filesystem::path& folder);

/// Writes NAME.csv for each table and result.json. The bytes depend on the arguments alone.
void write_result(const std::filesystem::path& folder, const Item& item, const Tables& tables,
                  const std::vector<Judged>& judged, const ResultContext& context);

/// Writes index.json and index.html for all results in a folder, by number.
void write_index(const std::filesystem::path& out);

}  // namespace mercer::paper
