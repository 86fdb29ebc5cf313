#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "mercer/compress/return_polish.hpp"
#include "mercer/compress/selection.hpp"
#include "mercer/embed/continuous_route.hpp"
#include "mercer/embed/embedding.hpp"

namespace mercer {

/// What coefficients are improved on after they were fitted.
enum class PolishBy {
  none,     ///< least squares alone
  action,   ///< squared error of the action that is played: most like the teacher
  returned  ///< the return in the task: loses least, and may act unlike the teacher where that pays
};

/// What is searched for, and how hard. Defaults take seconds to a minute for a small control task.
struct CompressOptions {
  SelectionOptions judge{};  ///< budgets, episodes, seed, what is played
  bool continuous = true;    ///< search the continuous route
  bool lattice = true;       ///< and the lattice route, where the teacher has a lattice
  PolishBy polish = PolishBy::returned;
  std::vector<DictionaryOptions> dictionaries;  ///< continuous ones to search; empty: `default_dictionaries`
  std::vector<NumberFormat> formats{NumberFormat::int8, NumberFormat::int6, NumberFormat::int4};
  std::size_t most_terms = 20;  ///< K is searched from 1 up to this, 1 to 256
  ReturnPolish search{};        ///< of every K
  double seconds = 0;           ///< stop searching after this time and certify what is there; 0: no limit
};

/// One embedding that was tried.
struct Candidate {
  Embedding embedding;
  std::string format;          ///< of its numbers
  double loss = 0;             ///< mean over the selection episodes, in units of return
  double spread = 0;           ///< standard deviation of the paired difference
  double loss_percent = 0;     ///< of the teacher's |mean return|
  double action_distance = 0;  ///< from the teacher's mean action: root mean square over states that the teacher visits
  std::size_t payload_bytes() const { return embedding.payload().size(); }
};

struct Compressed {
  std::vector<Candidate> tried;    ///< in the order they were
  std::vector<std::size_t> front;  ///< of `tried`: none smaller loses less; by rising bytes
  std::size_t chosen = 0;          ///< of `tried`
  Certificate certificate;         ///< of the chosen; `met` says whether the budget is kept
  double seconds = 0;

  const Candidate& winner() const { return tried[chosen]; }
};

/// Chebyshev polynomials, ridges, and both with bumps.
std::vector<DictionaryOptions> default_dictionaries();

/// Told every candidate once it was measured, and whether it is on the front so far.
using CandidateSink = std::function<void(const Candidate&, bool on_front)>;

/// Searches for the smallest embedding of a teacher whose certified loss keeps the budget.
///
/// Each dictionary is followed from one term upwards: greedy choice, fit in action space to states that teacher and
/// candidates visit, then polish on return, started from the better of the fit and of what K - 1 terms had become.
/// Candidates in every number format meet the teacher on the same episodes; a dictionary is left when its next
/// candidate would be larger than one that should pass. `Selection` certifies on episodes that nothing else has seen.
/// If none passes, the one that came nearest is chosen, and its certificate is not `met`.
///
/// The same for any number of threads, unless `seconds` cuts it short. Throws what `Selection`, `rollout` and the fits
/// throw.
Compressed compress(const Env& env, const Policy& teacher, const CompressOptions& options,
                    const CandidateSink& sink = {}, const Progress& progress = {});

}  // namespace mercer
