#include "export/kit/kit.hpp"

#include <algorithm>
#include <cctype>

#include <fmt/format.h>

#include "mercer/error.hpp"

namespace mercer {

std::string KitFacts::upper() const {
  std::string name = options.name;
  for (char& c : name) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  return name;
}

std::string KitFacts::why_recorded() const {
  return stored.perturbed ? "the task is perturbed, and its C model plays only the unperturbed task"
                          : "the task has no model in C that could be played in closed loop";
}

Places KitFacts::places() const {
  return {{"test", test()},
          {"type", fixed() ? "int32_t" : "float"},
          {"N", std::to_string(contract.observation.dimensions())},
          {"M", std::to_string(contract.action.dimensions())},
          {"name", options.name},
          {"NAME", upper()}};
}

namespace {

void check_url(const std::string& url) {
  const bool web = url.starts_with("https://") || url.starts_with("http://");
  if (url.empty() || (web && std::ranges::all_of(url, [](char c) { return c > ' ' && c < 127; }))) return;
  throw Error(ErrorCode::bad_value, fmt::format("--url is '{}', which is no address of a web page", url),
              "Give one that begins with https:// and has no spaces");
}

}  // namespace

std::vector<ExportedFile> export_kit(const EmbeddingFile& file, const COptions& options, const CExport& made,
                                     const std::string& url) {
  check_url(url);
  const KitFacts facts{file, options, made, file.embedding.policy().contract(), store_episodes(file, made.stated_error),
                       url};
  std::vector<ExportedFile> files{{"README.md", kit_readme(facts)},
                                  {fmt::format("src/{}.h", options.name), made.header},
                                  {fmt::format("src/{}.c", options.name), made.source}};
  for (const auto& part : {kit_programs(facts), kit_build_files(facts), kit_misra(facts)})
    files.insert(files.end(), part.begin(), part.end());
  if (!made.check.empty()) files.push_back({fmt::format("test/{}_check.c", options.name), made.check});
  return files;
}

}  // namespace mercer
