#include "run/entry.hpp"

#include <map>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "io/json.hpp"
#include "mercer/core/error.hpp"
#include "mercer/io/file.hpp"
#include "mercer/run/digest.hpp"

namespace mercer {

namespace fs = std::filesystem;

namespace {

constexpr const char* marker = "entry.json";

struct Kept {
  std::uintmax_t bytes = 0;
  std::string sha256;
};

std::map<std::string, Kept> files_in(const fs::path& folder) {
  std::map<std::string, Kept> files;
  for (const auto& file : fs::directory_iterator(folder)) {
    const std::string name = file.path().filename().string();
    if (name == marker) continue;
    if (!file.is_regular_file()) {
      throw Error(ErrorCode::bad_value, fmt::format("'{}' is no plain file", file.path().string()),
                  "A result is plain files in one folder");
    }
    files[name] = {file.file_size(), sha256_file(file.path())};
  }
  return files;
}

std::string digest_of(const std::map<std::string, Kept>& files) {
  std::string all;
  for (const auto& [name, kept] : files) all += fmt::format("{}\n{}\n{}\n", name, kept.bytes, kept.sha256);
  return sha256(all);
}

}  // namespace

std::optional<Entry> read_entry(const fs::path& folder) {
  if (!fs::exists(folder / marker)) return std::nullopt;
  try {
    const nlohmann::json said = read_json(folder / marker);
    const auto files = files_in(folder);
    if (said.at("files").size() != files.size()) return std::nullopt;
    Entry entry{said.at("key"), said.at("kind"), said.at("configuration").dump(), folder, digest_of(files), 0};
    for (const auto& [name, kept] : files) {
      const nlohmann::json& known = said.at("files").at(name);
      if (known.at("bytes") != kept.bytes || known.at("sha256") != kept.sha256) return std::nullopt;
      entry.bytes += kept.bytes;
    }
    if (entry.key != folder.filename().string()) return std::nullopt;
    return entry;
  } catch (const Error&) {
    return std::nullopt;
  } catch (const nlohmann::json::exception&) {
    return std::nullopt;
  } catch (const fs::filesystem_error&) {
    return std::nullopt;
  }
}

void write_entry(const fs::path& folder, const Entry& entry) {
  const auto files = files_in(folder);
  if (files.empty()) {
    throw Error(ErrorCode::bad_value, fmt::format("the job '{}' wrote no file", entry.key),
                "Write its result into the folder that it is given");
  }
  nlohmann::json document{{"key", entry.key},
                          {"kind", entry.kind},
                          {"configuration", nlohmann::json::parse(entry.configuration)},
                          {"files", nlohmann::json::object()}};
  for (const auto& [name, kept] : files) document["files"][name] = {{"bytes", kept.bytes}, {"sha256", kept.sha256}};
  write_atomically(folder / marker, [&](std::ostream& out) { out << document.dump(2) << '\n'; });
}

}  // namespace mercer
