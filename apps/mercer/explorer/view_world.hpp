#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "mercer/env.hpp"
#include "mercer/file.hpp"
#include "mercer/parallel.hpp"
#include "mercer/policy.hpp"
#include "view/view.hpp"

/// A task and a teacher that embeddings are compared with, as far as they can be had.
struct World {
  std::string env_spec, teacher_spec;
  std::unique_ptr<mercer::Env> env;               ///< null where the task cannot be made
  std::shared_ptr<const mercer::Policy> teacher;  ///< null where it cannot be read
  std::string teacher_reading;                    ///< what a network was taken for; empty for what is none
  std::string missing;                            ///< sentences: what there is not, and why; empty where all is there
  std::uintmax_t teacher_bytes = 0;               ///< of its file; 0 where it is none
  mercer::Act act = mercer::Act::sample;          ///< how both are played
  mercer::Visited visited;                        ///< by the teacher, else by the embedding
};

/// Makes worlds, each once however many embeddings share it.
class Worlds {
 public:
  /// `env` and `policy`, where given, stand in for what the embeddings say of themselves. Tasks and teachers that
  /// embeddings in `folders` name are read only from below them.
  Worlds(std::string env, std::string policy, std::vector<std::filesystem::path> folders,
         bool accept_other_teacher = false)
      : env_(std::move(env)),
        policy_(std::move(policy)),
        folders_(std::move(folders)),
        accept_other_teacher_(accept_other_teacher) {}

  /// `trusted`: the embedding was named itself, and so may name any file.
  std::shared_ptr<const World> of(const mercer::EmbeddingFile& file, const std::filesystem::path& path, bool trusted,
                                  const mercer::Progress& progress);

 private:
  std::unique_ptr<World> make(const mercer::EmbeddingFile& file, const std::filesystem::path& path, bool trusted,
                              const mercer::Progress& progress) const;
  bool may_read(const std::string& spec, bool trusted) const;

  std::string env_, policy_;
  std::vector<std::filesystem::path> folders_;
  bool accept_other_teacher_;
  std::map<std::string, std::shared_ptr<const World>> made_;
};

/// Whether a path lies below a folder, with links followed; both must exist.
bool is_below(const std::filesystem::path& path, const std::filesystem::path& folder);
