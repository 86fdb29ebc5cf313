#pragma once

#include <list>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "explorer/view_world.hpp"
#include "mercer/embed.hpp"
#include "mercer/export.hpp"

/// The exported C of what is shown, or why there is none.
struct ShownCode {
  std::optional<mercer::CExport> made;
  std::string why;
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
  mutable std::list<Played> played_;                                       ///< the same
  mutable std::list<Size> sizes_;                                          ///< last used first
  mutable std::list<std::pair<std::string, std::vector<double>>> slices_;  ///< the same
};
