#include "explorer/view_library.hpp"

#include <algorithm>
#include <cmath>
#include <set>

#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include "cli/version.hpp"
#include "explorer/view_numbers.hpp"
#include "io/documents.hpp"
#include "io/ordinary.hpp"
#include "mercer/error.hpp"
#include "pipeline/suggest.hpp"

using mercer::Error;
using mercer::ErrorCode;
namespace fs = std::filesystem;

namespace {

using json = nlohmann::ordered_json;

struct Point {
  double bytes, loss;
  std::size_t group;
  bool admissible;
};

// None of the others in its group is as small and loses as little, unless it is the same. Where some are admissible,
// the front is of those.
bool on_front(const Point& one, const std::vector<Point>& all) {
  return std::ranges::none_of(all, [&](const Point& other) {
    if (other.group != one.group) return false;
    if (other.admissible != one.admissible) return other.admissible;
    return other.bytes <= one.bytes && other.loss <= one.loss && (other.bytes < one.bytes || other.loss < one.loss);
  });
}

// Loss by the certificate's episodes, where there is one about returns.
std::optional<double> loss_of(const Subject& subject) {
  const auto& certificate = subject.file().certificate;
  if (!certificate || certificate->about != mercer::Quantity::episode_return ||
      !std::isfinite(certificate->loss_percent))
    return std::nullopt;
  return certificate->loss_percent;
}

json roughness_of(const Subject& subject) {
  const auto& certificate = subject.file().certificate;
  return certificate && certificate->motion ? json(certificate->motion->embedding.roughness) : json();
}

}  // namespace

void LibraryOptions::add_options(mercer::OptionList& list) {
  list.in(mercer::OptionGroup::task);
  list.add({.name = "env", .value = "TASK", .help = "Task, in place of the one that the embedding names"}, env);
  list.in(mercer::OptionGroup::policy);
  list.add({.name = "policy", .value = "POLICY", .help = "Teacher, in place of the one that the embedding names"},
           policy);
  list.add(
      {.name = "accept-other-teacher", .help = "Accept a teacher whose file has another SHA-256 than the stored one"},
      accept_other_teacher);
}

void LibraryOptions::require_embeddings(const std::string& verb, const std::string& flags) const {
  for (const std::string& path : paths) {
    if (!fs::is_directory(path)) mercer::require_embedding(path, verb, flags);
  }
}

Library::Library(const LibraryOptions& options, const mercer::Progress& progress) {
  if (options.paths.empty()) {
    throw Error(ErrorCode::missing_option, "no embedding was named", "Give a .mercer file or a folder of them");
  }
  std::vector<fs::path> folders;
  for (const std::string& path : options.paths) {
    if (fs::is_directory(path)) folders.emplace_back(path);
  }
  folders_ = std::make_unique<mercer::OpenFolders>(folders);
  first_is_folder_ = !folders.empty() && folders[0] == options.paths[0];
  Worlds worlds(options.env, options.policy, *folders_, options.accept_other_teacher, options.teachers_by_digest);
  for (std::size_t folder = 0; const std::string& path : options.paths) {
    progress.check();
    if (folder < folders.size() && folders[folder] == path) {
      add_folder(folder++, path, worlds, progress);
    } else {
      add(path, true, worlds, progress);
    }
  }
  if (subjects_.empty()) {
    throw Error(ErrorCode::missing_option,
                left_out_.empty() ? "no .mercer file was found" : "nothing could be read: " + left_out_[0],
                "Give a file of 'mercer embed' or 'mercer compress', or a folder of them");
  }
  title_ = fs::path(options.paths[0]).lexically_normal().filename().string();
  if (title_.empty()) title_ = options.paths[0];
}

void Library::add(const fs::path& path, bool named, Worlds& worlds, const mercer::Progress& progress) {
  if (named && path.extension() != ".mercer") {
    throw Error(ErrorCode::bad_value, fmt::format("'{}' is neither a folder nor a .mercer file", path.string()),
                "Give a file of 'mercer embed' or 'mercer compress', or a folder of them");
  }
  std::error_code none;
  const fs::path real = fs::weakly_canonical(path, none);
  if (std::ranges::find(files_, real) != files_.end()) return;
  if (subjects_.size() == most_subjects) {
    left_out_.push_back(fmt::format("{}: there are {} embeddings already", path.string(), most_subjects));
    return;
  }
  mercer::EmbeddingFile file = mercer::read_embedding(path);
  std::shared_ptr<const World> world = worlds.of(file, path, named, progress);
  if (!world->teacher_reading.empty())
    spdlog::info("'{}' is read as a {}", world->teacher->name(), world->teacher_reading);
  subjects_.push_back(std::make_unique<Subject>(path.filename().string(), std::move(file), std::move(world)));
  files_.push_back(real);
}

std::vector<std::string> Library::notes() const {
  std::vector<std::string> notes;
  for (const auto& subject : subjects_) {
    const World& world = subject->world();
    if (world.env && world.teacher) continue;
    const std::string why = world.missing.substr(0, world.missing.find_last_not_of('.') + 1);
    std::string note = fmt::format("{}; add {}", why, world.env ? "--policy FILE" : "--env TASK");
    if (std::ranges::find(notes, note) == notes.end()) notes.push_back(std::move(note));
  }
  return notes;
}

void Library::add_folder(std::size_t index, const fs::path& folder, Worlds& worlds, const mercer::Progress& progress) {
  // A link may lead out of the folder, which was not what was given.
  const mercer::ReadingOnly limit(folders_.get());
  for (const std::string& name : folders_->names(index)) {
    const fs::path path = folder / name;
    if (path.extension() != ".mercer") continue;
    progress.check();
    try {
      if (mercer::OrdinaryFile(path).size() > most_bytes) {
        left_out_.push_back(fmt::format("{}: more than {} bytes", path.string(), most_bytes));
        continue;
      }
      add(path, false, worlds, progress);
    } catch (const Error& error) {
      if (error.code() == ErrorCode::interrupted) throw;
      const bool named = error.problem().find(path.string()) != std::string::npos;
      left_out_.push_back(named ? error.problem() : fmt::format("{}: {}", path.string(), error.problem()));
    }
  }
  // tried.json is what 'mercer compress --results' writes; alternatives.json whatever else was measured.
  read_list(folder, "tried.json", tried_);
  read_list(folder, "alternatives.json", alternatives_);
}

void Library::read_list(const fs::path& folder, const char* name, nlohmann::json& list) {
  const fs::path path = folder / name, real = fs::weakly_canonical(folder);
  if (!mercer::is_ordinary_file(path)) return;
  nlohmann::json read;
  try {
    read = mercer::read_json(path);
  } catch (const Error& error) {
    left_out_.push_back(error.problem());
    return;
  }
  if (!read.is_array()) {
    left_out_.push_back(fmt::format("{}: not a JSON list", path.string()));
    return;
  }
  const char* bytes = &list == &tried_ ? "payload_bytes" : "bytes";
  std::erase_if(read.get_ref<nlohmann::json::array_t&>(), [&](const nlohmann::json& one) {
    return !one.is_object() || !one.contains(bytes) || !one[bytes].is_number() || !one.contains("loss_percent") ||
           !one["loss_percent"].is_number();
  });
  std::set<std::size_t> own, all;  // groups of the files that the list names, and of all in the folder
  for (nlohmann::json& one : read) one["subject"] = one["group"] = nullptr;
  for (std::size_t i = 0; i < subjects_.size(); ++i) {
    if (files_[i].parent_path() != real) continue;
    all.insert(group(*subjects_[i]));
    for (nlohmann::json& one : read) {
      if (!one.contains("file") || one["file"] != files_[i].filename().string()) continue;
      one["subject"] = i;
      one["group"] = group(*subjects_[i]);
      own.insert(group(*subjects_[i]));
    }
  }
  // What has no file of its own has the teacher of the others. Two teachers leave that open.
  const std::set<std::size_t>& groups = own.empty() ? all : own;
  if (groups.size() > 1) {
    left_out_.push_back(
        fmt::format("{}: part of it, as its embeddings have {} teachers", path.string(), groups.size()));
  }
  for (nlohmann::json& one : read) {
    if (one["group"].is_null() && groups.size() == 1) one["group"] = *groups.begin();
    if (!one["group"].is_null() && list.size() < most_listed) list.push_back(std::move(one));
  }
}

std::size_t Library::group(const Subject& subject) const {
  const auto same = [&](const auto& other) { return other->world().identity == subject.world().identity; };
  return static_cast<std::size_t>(std::ranges::find_if(subjects_, same) - subjects_.begin());
}

// What was named first; of a folder the embedding that its search chose.
std::size_t Library::chosen() const {
  if (!first_is_folder_) return 0;
  for (const nlohmann::json& one : tried_) {
    if (one["subject"].is_number() && one.value("chosen", nlohmann::json(false)) == true) return one["subject"];
  }
  const auto certified = [](const auto& subject) { return subject->file().certificate.has_value(); };
  const auto found = std::ranges::find_if(subjects_, certified);
  return found == subjects_.end() ? 0 : static_cast<std::size_t>(found - subjects_.begin());
}

nlohmann::ordered_json Library::front() const {
  const auto text = [](const nlohmann::json& one, const char* key) {
    return one.contains(key) && one[key].is_string() ? one[key].get<std::string>() : std::string();
  };
  json candidates = json::array();
  std::vector<Point> points;
  std::vector<bool> listed(subjects_.size());
  for (const nlohmann::json& one : tried_) {
    if (one["subject"].is_number()) listed[one["subject"].get<std::size_t>()] = true;
    candidates.push_back(
        {{"payload_bytes", one["payload_bytes"]},
         {"loss_percent", one["loss_percent"]},
         {"route", text(one, "route")},
         {"basis", text(one, "basis")},
         {"k", one.contains("k") && one["k"].is_number() ? json(one["k"]) : json()},
         {"format", text(one, "format")},
         {"group", one["group"]},
         {"roughness", one.contains("roughness") && one["roughness"].is_number() ? json(one["roughness"]) : json()},
         {"admissible", one.value("admissible", json(true)) != json(false)},
         {"subject", one["subject"]}});
  }
  for (std::size_t i = 0; i < subjects_.size(); ++i) {
    const auto loss = loss_of(*subjects_[i]);
    if (listed[i] || !loss) continue;
    const mercer::Embedding& embedding = subjects_[i]->embedding();
    candidates.push_back({{"payload_bytes", embedding.payload().size()},
                          {"loss_percent", *loss},
                          {"route", name(embedding.route())},
                          {"basis", embedding.basis()},
                          {"k", embedding.k()},
                          {"format", ""},
                          {"group", group(*subjects_[i])},
                          {"roughness", roughness_of(*subjects_[i])},
                          {"admissible", true},
                          {"subject", i}});
  }
  for (const json& one : candidates)
    points.push_back({one["payload_bytes"].get<double>(), one["loss_percent"].get<double>(),
                      one["group"].get<std::size_t>(), one["admissible"].get<bool>()});
  for (std::size_t i = 0; i < points.size(); ++i) candidates[i]["on_front"] = on_front(points[i], points);
  json alternatives = json::array();
  std::set<std::size_t> teachers;
  for (const auto& subject : subjects_) {
    const World& world = subject->world();
    if (world.teacher_bytes == 0 || !teachers.insert(group(*subject)).second) continue;
    alternatives.push_back(
        {{"name", "teacher's file"}, {"bytes", world.teacher_bytes}, {"loss_percent", 0}, {"group", group(*subject)}});
  }
  for (const nlohmann::json& one : alternatives_) {
    alternatives.push_back({{"name", text(one, "name")},
                            {"bytes", one["bytes"]},
                            {"loss_percent", one["loss_percent"]},
                            {"group", one["group"]}});
  }
  std::string note = "A folder of 'mercer compress --results' shows every candidate that was tried.";
  if (!tried_.empty()) {
    const auto left_out = std::ranges::count(points, false, &Point::admissible);
    note = fmt::format(
        "{} candidates were tried.{}", tried_.size(),
        left_out == 0
            ? ""
            : fmt::format(" {} (dashed) are expected to exceed a limit other than the one on the return.", left_out));
  }
  return {{"candidates", candidates}, {"alternatives", alternatives}, {"note", note}};
}

nlohmann::ordered_json Library::view() const {
  json subjects = json::array();
  for (std::size_t i = 0; i < subjects_.size(); ++i) {
    const auto loss = loss_of(*subjects_[i]);
    subjects.push_back({{"id", i},
                        {"name", subjects_[i]->name()},
                        {"group", group(*subjects_[i])},
                        {"k", subjects_[i]->choice().k()},
                        {"certified", subjects_[i]->file().certificate.has_value()},
                        {"payload_bytes", subjects_[i]->embedding().payload().size()},
                        {"loss_percent", loss ? number(*loss) : json(nullptr)}});
  }
  const std::string version = version_text();
  return {
      {"format", 1},        {"title", title_},      {"made", "Made by " + version.substr(0, version.find('\n')) + "."},
      {"chosen", chosen()}, {"subjects", subjects}, {"front", front()}};
}
