#include "run/store.hpp"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <thread>

#include <dlfcn.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <sys/file.h>
#include <unistd.h>

#include "io/documents.hpp"
#include "io/file.hpp"
#include "mercer/error.hpp"

namespace mercer {

namespace fs = std::filesystem;

namespace {

// 2.0 and 2 are the same setting.
nlohmann::json plain_numbers(nlohmann::json document) {
  if (document.is_structured()) {
    for (auto& value : document) value = plain_numbers(std::move(value));
  } else if (document.is_number_float()) {
    const double value = document.get<double>();
    if (!std::isfinite(value)) {
      throw Error(ErrorCode::not_finite, "a configuration holds a number that is not finite", "Give a finite number");
    }
    if (value == std::floor(value) && std::abs(value) < 0x1p53) return static_cast<std::int64_t>(value);
  }
  return document;
}

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
      throw Error(ErrorCode::bad_value, fmt::format("'{}' is not a regular file", file.path().string()),
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

// The result in a folder, if entry.json is there and every file that it names has its size and its SHA-256, and there
// is no other file.
std::optional<Entry> read_entry(const fs::path& folder) {
  if (!fs::exists(folder / marker)) return std::nullopt;
  try {
    const nlohmann::json stored = read_json(folder / marker);
    const auto files = files_in(folder);
    if (stored.at("files").size() != files.size()) return std::nullopt;
    Entry entry{stored.at("key"), stored.at("kind"), stored.at("configuration").dump(), folder, digest_of(files), 0};
    for (const auto& [name, kept] : files) {
      const nlohmann::json& known = stored.at("files").at(name);
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

// Writes entry.json for the files in a folder. Throws `bad_value` where there is none, or a subfolder.
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

// Files of a killed process, down to the folder's name.
void clear(const fs::path& folder) {
  std::error_code trouble;
  fs::remove_all(folder, trouble);
  if (trouble) {
    throw Error(ErrorCode::cannot_write, fmt::format("cannot remove '{}': {}", folder.string(), trouble.message()),
                "Check that you may write there");
  }
}

void make_folder(const fs::path& folder) {
  std::error_code trouble;
  fs::create_directories(folder, trouble);
  if (!fs::is_directory(folder)) {
    throw Error(ErrorCode::cannot_write, fmt::format("cannot make '{}': {}", folder.string(), trouble.message()),
                "Name a folder where you may write");
  }
}

// What `write_atomically` had not renamed when its process was killed: no part of a result, and the process that goes
// on with the work knows nothing of it.
void clear_halves(const fs::path& work) {
  std::vector<fs::path> halves;
  for (const auto& file : fs::directory_iterator(work)) {
    const std::string name = file.path().filename().string();
    if (name.starts_with('.') && name.ends_with(".part")) halves.push_back(file.path());
  }
  for (const fs::path& half : halves) clear(half);
}

// What stands in a file or a folder is on the disk before anything says that it is whole.
void flush(const fs::path& path) {
  const int trouble = flush_to_disk(path);
  if (trouble == 0) return;
  throw Error(ErrorCode::cannot_write, fmt::format("cannot flush '{}': {}", path.string(), std::strerror(trouble)),
              "Check the disk and run the same command again");
}

void publish(const fs::path& work, const fs::path& final_place) {
  for (const auto& file : fs::directory_iterator(work)) flush(file.path());
  flush(work);
  clear(final_place);
  std::error_code trouble;
  fs::rename(work, final_place, trouble);
  if (trouble) {
    throw Error(ErrorCode::cannot_write,
                fmt::format("cannot rename '{}' to '{}': {}", work.string(), final_place.string(), trouble.message()),
                "Check that you may write there");
  }
  flush(final_place.parent_path());
}

}  // namespace

std::string canonical_json(std::string_view text) {
  try {
    return plain_numbers(nlohmann::json::parse(text)).dump();
  } catch (const nlohmann::json::exception& trouble) {
    throw Error(ErrorCode::bad_format, fmt::format("a configuration is not JSON: {}", trouble.what()),
                "Write one JSON document");
  }
}

std::string code_digest(const void* address) {
  Dl_info info{};
  // A program names itself as it was called, which need not lead there from here.
  const bool found = ::dladdr(address, &info) != 0 && info.dli_fname != nullptr;
  const std::filesystem::path file = found ? info.dli_fname : "";
  return sha256_file(found && std::filesystem::exists(file) && file.has_parent_path() ? file : "/proc/self/exe");
}

std::string library_digest() { return code_digest(reinterpret_cast<const void*>(&library_digest)); }

FileLock::FileLock(const std::filesystem::path& file, Busy busy, const Progress& progress) {
  file_ = ::open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
  if (file_ < 0) {
    throw Error(ErrorCode::cannot_write, fmt::format("cannot write '{}': {}", file.string(), std::strerror(errno)),
                "Name a folder where you may write");
  }
  // Asking again and again, rather than sleeping in flock, lets a stop be noticed.
  while (::flock(file_, LOCK_EX | LOCK_NB) != 0) {
    const bool taken = errno == EWOULDBLOCK;
    try {
      if (!taken || busy == Busy::refuse) {
        throw Error(ErrorCode::cannot_write,
                    taken ? fmt::format("another process is working on '{}' in '{}'", file.stem().string(),
                                        std::filesystem::absolute(file).parent_path().string())
                          : fmt::format("cannot lock '{}': {}", file.string(), std::strerror(errno)),
                    "Wait for it or name another folder");
      }
      progress.check();
    } catch (...) {
      ::close(file_);
      throw;
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
}

FileLock::~FileLock() { ::close(file_); }

Store::Store(fs::path folder, std::string build) : folder_(std::move(folder)), build_(std::move(build)) {
  make_folder(folder_);
}

std::string Store::key(const Job& job) const {
  const auto legal = [](char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-'; };
  if (job.kind.empty() || job.kind.size() > 40 || !std::ranges::all_of(job.kind, legal)) {
    throw Error(ErrorCode::bad_value, fmt::format("'{}' cannot be the kind of a job", job.kind),
                "Use 1 to 40 small letters, digits and '-'");
  }
  std::string all = fmt::format("{}\n{}\n{}\n", build_, job.kind, canonical_json(job.configuration));
  for (const std::string& input : job.inputs) all += input + "\n";
  return job.kind + "-" + sha256(all).substr(0, 32);
}

bool Store::has(const Job& job) const { return read_entry(folder_ / key(job)).has_value(); }

Entry Store::require(const Job& job, const std::function<void(const fs::path&)>& make, const Progress& progress,
                     Busy busy) const {
  const std::string name = key(job);
  const fs::path place = folder_ / name, work = folder_ / (name + ".work");
  if (const auto there = read_entry(place)) return *there;
  const FileLock lock(folder_ / (name + ".lock"), busy, progress);
  if (const auto there = read_entry(place)) return *there;  // the process that held the lock has done it
  if (!job.resumes) clear(work);
  make_folder(work);
  clear_halves(work);
  try {
    make(work);
    write_entry(work, {name, job.kind, canonical_json(job.configuration), {}, {}, 0});
  } catch (...) {
    if (!job.resumes) clear(work);
    throw;
  }
  publish(work, place);
  const auto made = read_entry(place);
  if (!made) {
    throw Error(ErrorCode::corrupt_file, fmt::format("'{}' is not what was written", place.string()),
                "Check the disk, and that nothing else writes there");
  }
  return *made;
}

std::vector<Listed> Store::list() const {
  std::vector<Listed> all;
  std::set<fs::path> folders;
  for (const auto& found : fs::directory_iterator(folder_)) {
    if (found.is_directory()) folders.insert(found.path());
  }
  for (const fs::path& folder : folders) {
    if (folder.extension() == ".work") {
      all.push_back({Listed::State::unfinished, {folder.stem().string(), "", "", folder, "", 0}});
    } else if (const auto whole = read_entry(folder)) {
      all.push_back({Listed::State::done, *whole});
    } else {
      all.push_back({Listed::State::damaged, {folder.filename().string(), "", "", folder, "", 0}});
    }
  }
  return all;
}

void Store::remove(const Job& job) const {
  const std::string name = key(job);
  const FileLock lock(folder_ / (name + ".lock"), Busy::wait, {});
  clear(folder_ / name);
}

}  // namespace mercer
