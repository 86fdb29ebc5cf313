#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "mercer/certify/certify.hpp"
#include "mercer/compress/return_polish.hpp"
#include "mercer/embed/continuous_route.hpp"
#include "mercer/embed/embedding.hpp"

namespace mercer {

/// What coefficients are improved on after they were fitted.
enum class PolishBy {
  none,     ///< least squares alone
  action,   ///< squared error of the action that is played: most like the teacher
  returned  ///< the return in the task: loses least, and may act unlike the teacher where that pays
};

/// What is searched for, and how hard. Defaults take a minute or two for a small control task on two cores.
struct CompressOptions {
  std::optional<double> max_loss = 0.01;  ///< allowed loss as a fraction of the teacher's |return|
  std::optional<double> max_loss_return;  ///< allowed loss in units of return
  std::optional<std::size_t> max_bytes;   ///< largest payload; smaller is preferred anyway
  double confidence = 0.95;               ///< of the certificate
  bool continuous = true;                 ///< search the continuous route
  bool lattice = true;                    ///< and the lattice route, for tasks where the teacher has a lattice
  Act act = Act::mean;                    ///< what is embedded and compared: mean actions, or drawn ones
  PolishBy polish = PolishBy::returned;
  std::vector<DictionaryOptions> dictionaries;  ///< continuous ones to search; empty: `default_dictionaries`
  std::vector<NumberFormat> formats{NumberFormat::int8, NumberFormat::int6, NumberFormat::int4};
  std::size_t most_terms = 20;            ///< K is searched from 1 up to this, 1 to 256
  ReturnPolish search{};                  ///< of every K
  std::size_t select_episodes = 4000;     ///< on which candidates are compared
  std::size_t certify_episodes = 100000;  ///< on which the winner is certified: no other choice sees them
  std::size_t attempts = 5;               ///< candidates that may fail their certificate before the search gives up
  double seconds = 0;                     ///< stop searching after this time and certify what is there; 0: no limit
  std::uint64_t seed = 0;
};

/// One embedding that was tried.
struct Candidate {
  Embedding embedding;
  std::string format;       ///< of its numbers
  double loss = 0;          ///< mean over the selection episodes, in units of return
  double spread = 0;        ///< standard deviation of the paired difference
  double loss_percent = 0;  ///< of the teacher's |mean return|
  std::size_t payload_bytes() const { return embedding.payload().size(); }
};

struct Compressed {
  Candidate chosen;
  Certificate certificate;         ///< `met` says whether the budget is kept
  std::vector<Candidate> tried;    ///< in the order they were
  std::vector<std::size_t> front;  ///< of `tried`: none smaller loses less; by rising bytes
  double seconds = 0;
};

/// Chebyshev polynomials, ridges, and both with bumps.
std::vector<DictionaryOptions> default_dictionaries();

/// Told every candidate once it was measured, and whether it is on the front so far.
using CandidateSink = std::function<void(const Candidate&, bool on_front)>;

/// Searches for the smallest embedding of a teacher whose certified loss keeps the budget.
///
/// Each dictionary is followed from one term upwards: greedy choice, fit in action space to states that teacher and
/// candidates visit, then polish on return, started from the better of the fit and of what K - 1 terms had become.
/// Candidates in every number format meet the teacher on the same `select_episodes`. Those that should pass are
/// certified from the smallest upwards on episodes that nothing else has seen; attempt j spends
/// (1 - confidence) / (j (j + 1)), so the promise holds although several were tried. If none passes, the one that came
/// nearest is returned with `met` false.
///
/// The same for any number of threads, unless `seconds` cuts it short. Throws what `rollout`, `certify` and the fits
/// throw, `missing_option` without any budget.
Compressed compress(const Env& env, const Policy& teacher, const CompressOptions& options,
                    const CandidateSink& sink = {}, const Progress& progress = {});

}  // namespace mercer
