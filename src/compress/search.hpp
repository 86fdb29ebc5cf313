#pragma once

#include <chrono>
#include <deque>

#include "compress/dictionary_path.hpp"
#include "compress/forecast.hpp"
#include "compress/search_time.hpp"
#include "mercer/compress.hpp"

namespace mercer {

/// One search for a teacher's embedding: what was tried, and how much time is left.
class Search {
 public:
  /// All that is referred to must outlive this.
  Search(const Player& player, const Policy& teacher, const CompressOptions& options, const CandidateSink& sink,
         const Progress& progress);

  Compressed run();

 private:
  using Paths = std::deque<DictionaryPath>;
  static constexpr std::size_t none = nothing_passed;

  double seconds() const;
  bool enough() const;
  EnoughTime clock() const {
    return [this] { return enough(); };
  }
  /// However slow the machine, one is certified.
  bool late() const { return enough() && !tried_.empty(); }

  const MeasuredPolicy& record(Embedding embedding, NumberFormat format);
  double distance(const Policy& student) const;
  void try_lattice();
  void follow_dictionaries();
  void follow_ridges();
  void add_visited(Samples& samples, const ContinuousCode& shape) const;
  void follow_in_step(Paths& paths);
  std::size_t try_formats(const DictionaryPath& path);
  MeasuredPolicy measure(const Policy& policy, std::size_t bytes);

  // How long all of it will take.
  void expect(double searching);
  void expect_rounds(std::size_t k, const std::vector<Followed>& followed);
  double short_of_passing() const;
  double certifying() const;

  // A coarse search.
  struct Glimpse {
    std::size_t path, k;
    double short_of;
  };
  void follow_coarsely(Paths& paths);
  void try_sizes(Paths& paths, std::vector<Glimpse>& seen);
  void refine(Paths& paths, std::size_t after, std::size_t k);
  void improve_nearest(Paths& paths, std::vector<Glimpse> seen);
  void try_smaller_formats(const DictionaryPath& path, bool careful);

  const Player& player_;
  const Policy& teacher_;
  CompressOptions options_;
  const CandidateSink& sink_;
  Forecast forecast_;
  const Progress& progress_ = forecast_.inner();
  const std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
  const Selection selection_;
  const Episodes visiting_;
  const StateMatrix states_;     // that the teacher visits
  std::size_t smallest_ = none;  // payload of a promising candidate
  std::deque<Candidate> tried_;
  std::vector<MeasuredPolicy> measured_;  // the same, as the selection sees them
  bool cut_short_ = false, on_return_ = false;
  double before_ = 0;                                 // seconds that were spent before the search was taken up again
  double teacher_seconds_ = 0, student_seconds_ = 0;  // for an episode
  double first_short_ = 0;                            // of passing, on a logarithmic scale, with one term
};

}  // namespace mercer
