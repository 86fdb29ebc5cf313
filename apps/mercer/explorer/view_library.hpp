#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "explorer/view_subject.hpp"
#include "io/open_folders.hpp"
#include "pipeline/options.hpp"

/// What `mercer report` and `mercer serve` were given to show.
struct LibraryOptions {
  std::vector<std::string> paths;  ///< embeddings, and folders with embeddings
  std::string env, policy;         ///< in place of the task and teacher that embeddings name
  bool accept_other_teacher = false;
  /// An embedding in a folder may name a teacher elsewhere if it knows its SHA-256. For what is made once and for
  /// whoever gave the folder; a server would tell strangers whether a file has a certain digest.
  bool teachers_by_digest = false;

  void add_options(mercer::OptionList& list);
  /// Throws what a task or a policy in the place of an embedding is, with the commands that lead from it to `verb`.
  void require_embeddings(const std::string& verb, const std::string& flags = "") const;
};

/// All embeddings that are shown, and the alternatives that were tried. Files are read here and never again: later
/// questions name embeddings by their number. What was not named itself is read through the folders as they were opened
/// at the start.
class Library {
 public:
  static constexpr std::size_t most_subjects = 64, most_listed = 2000;
  static constexpr std::uintmax_t most_bytes = 64 << 20;  ///< of a file in a folder

  /// Throws `missing_option` without any embedding, what `read_embedding` throws for files that were named, and
  /// `interrupted`. Files in folders that cannot be read are left out; `left_out` says which.
  Library(const LibraryOptions& options, const mercer::Progress& progress);

  std::size_t size() const { return subjects_.size(); }
  const Subject& operator[](std::size_t id) const { return *subjects_.at(id); }
  const std::vector<std::string>& left_out() const { return left_out_; }
  /// A sentence for each task or teacher that is missing, with the option that names another.
  std::vector<std::string> notes() const;
  /// The document that the page begins with.
  nlohmann::ordered_json view() const;

 private:
  void add(const std::filesystem::path& path, bool named, Worlds& worlds, const mercer::Progress& progress);
  void add_folder(std::size_t index, const std::filesystem::path& folder, Worlds& worlds,
                  const mercer::Progress& progress);
  /// Appends what a list in `folder` holds, each with its `subject`, or null, and its `group`.
  void read_list(const std::filesystem::path& folder, const char* name, nlohmann::json& list);
  /// Embeddings of one teacher in one task share a group; losses of different groups do not compare.
  std::size_t group(const Subject& subject) const;
  nlohmann::ordered_json front() const;
  std::size_t chosen() const;

  std::unique_ptr<mercer::OpenFolders> folders_;
  std::vector<std::unique_ptr<Subject>> subjects_;
  std::vector<std::filesystem::path> files_;  ///< of the subjects
  std::vector<std::string> left_out_;
  nlohmann::json tried_ = nlohmann::json::array(), alternatives_ = nlohmann::json::array();
  std::string title_;
  bool first_is_folder_ = false;
};
