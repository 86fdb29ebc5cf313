#pragma once

#include <filesystem>

#include "item.hpp"

namespace mercer::paper {

/// What a result was made with.
struct ResultContext {
  bool quick = false;
  std::vector<std::uint64_t> seeds;
  std::string version;
};

/// Writes NAME.csv for each table and result.json. The bytes depend on the arguments alone.
void write_result(const std::filesystem::path& folder, const Item& item, const Tables& tables, const Verdict& verdict,
                  const ResultContext& context);

/// Writes index.json and index.html for all results in a folder, by number.
void write_index(const std::filesystem::path& out);

}  // namespace mercer::paper
