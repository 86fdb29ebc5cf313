#pragma once

#include <filesystem>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "io/open_folders.hpp"
#include "mercer/embed.hpp"
#include "mercer/env.hpp"
#include "mercer/export.hpp"
#include "mercer/file.hpp"
#include "mercer/parallel.hpp"
#include "mercer/pipeline.hpp"
#include "mercer/policy.hpp"
#include "view/view.hpp"

/// A task and a teacher that embeddings are compared with; either may be missing.
struct World {
  std::string env_spec, teacher_spec;
  std::shared_ptr<const mercer::Env> env;          ///< null where the task cannot be made
  std::shared_ptr<const mercer::Policy> teacher;   ///< null where it cannot be read
  std::string teacher_reading;                     ///< how a network was interpreted; empty for other policies
  std::string missing;                             ///< sentences: what there is not, and why; empty where all is there
  std::uintmax_t teacher_bytes = 0;                ///< of its file; 0 without one
  mercer::Act act = mercer::Act::sample;           ///< how both are played
  bool other_task = false, other_teacher = false;  ///< than the embedding names: its certificate is not about them
  std::string identity;                            ///< the same for embeddings of one teacher in one task
  mercer::Visited visited;                         ///< by the teacher, else by the embedding
};

/// Makes worlds, each once however many embeddings share it.
class Worlds {
 public:
  /// `env` and `policy`, where given, stand in for what the embeddings say of themselves. Tasks and teachers that
  /// embeddings in `folders` name are read only through them; with `teachers_by_digest` also a teacher elsewhere whose
  /// SHA-256 the embedding knows, and its normaliser.
  Worlds(std::string env, std::string policy, mercer::OpenFolders& folders, bool accept_other_teacher = false,
         bool teachers_by_digest = false)
      : env_(std::move(env)),
        policy_(std::move(policy)),
        folders_(folders),
        accept_other_teacher_(accept_other_teacher),
        teachers_by_digest_(teachers_by_digest) {}

  /// `trusted`: the embedding was named itself, and so may name any file.
  std::shared_ptr<const World> of(const mercer::EmbeddingFile& file, const std::filesystem::path& path, bool trusted,
                                  const mercer::Progress& progress);

 private:
  std::unique_ptr<World> make(const mercer::EmbeddingFile& file, const std::filesystem::path& path,
                              const mercer::Progress& progress) const;
  mercer::PolicyRequest teacher_of(const mercer::EmbeddingFile& file, const std::filesystem::path& path) const;
  void allow_known(const mercer::EmbeddingFile& file, const std::filesystem::path& path);

  std::string env_, policy_;
  mercer::OpenFolders& folders_;
  bool accept_other_teacher_, teachers_by_digest_;
  std::map<std::string, std::shared_ptr<const World>> made_;
};

/// A file or specification without the folders in front: a page that may be passed on need not say where files are.
std::string file_name(const std::string& spec);

/// The exported C and JavaScript of what is shown, or why there is none.
struct ShownCode {
  std::optional<mercer::CExport> made;
  std::string why;
  std::string module;  ///< the text of 'mercer export js'
  std::string why_no_module;
};

/// An embedding at one size, and what is asked for more than once about it.
class Shown {
 public:
  explicit Shown(mercer::EmbeddingFile file) : file_(std::move(file)) {}
  const mercer::Embedding& embedding() const { return file_.embedding; }
  const mercer::Policy& policy() const { return file_.embedding.policy(); }
  const ShownCode& code() const;

 private:
  mercer::EmbeddingFile file_;
  mutable std::once_flag exported_;
  mutable ShownCode code_;
};

/// An embedding that is looked at. Any number of threads may ask one.
class Subject {
 public:
  Subject(std::string name, mercer::EmbeddingFile file, std::shared_ptr<const World> world);

  const std::string& name() const { return name_; }
  const mercer::EmbeddingFile& file() const { return file_; }
  const mercer::Embedding& embedding() const { return file_.embedding; }
  const World& world() const { return *world_; }
  const mercer::TermChoice& choice() const { return choice_; }

  /// The embedding with its first terms that fit into K, without those in `off`; the last few are remembered. Throws
  /// what `TermChoice::keep` throws.
  std::shared_ptr<const Shown> shown(std::size_t k, const std::vector<std::size_t>& off) const;

  /// The teacher's actions on a slice, remembered: the slider moves the embedding, not the teacher.
  std::vector<double> teacher_slice(const std::string& key, mercer::MatrixView<const double> observations,
                                    std::size_t output) const;

  /// The plane of observations in which the teacher's action changes most, the embedding's where there is no teacher;
  /// nothing where `action_plane` finds none or nothing was visited. Remembered.
  std::optional<mercer::Plane> plane(std::size_t output) const;

  /// Rollouts of the teacher without their steps, the last few remembered.
  std::shared_ptr<const mercer::Rollouts> teacher_returns(const mercer::RolloutOptions& options,
                                                          const mercer::Progress& progress) const;

 private:
  std::string name_;
  mercer::EmbeddingFile file_;
  std::shared_ptr<const World> world_;
  mercer::TermChoice choice_;

  struct Size {
    std::size_t k;
    std::vector<std::size_t> off;
    std::shared_ptr<const Shown> shown;
  };
  struct Played {
    std::size_t episodes;
    std::uint64_t seed;
    std::shared_ptr<const mercer::Rollouts> returns;
  };
  mutable std::mutex mutex_;
  mutable std::map<std::size_t, std::optional<mercer::Plane>> planes_;
  mutable std::list<Played> played_;                                       ///< the same
  mutable std::list<Size> sizes_;                                          ///< last used first
  mutable std::list<std::pair<std::string, std::vector<double>>> slices_;  ///< the same
};
