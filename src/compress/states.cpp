#include <algorithm>
#include <chrono>
#include <cmath>
#include <deque>
#include <numeric>

#include <fmt/format.h>

#include "compress/dictionary_path.hpp"
#include "compress/logged_parts.hpp"
#include "compress/pareto_front.hpp"
#include "mercer/compress.hpp"
#include "mercer/error.hpp"
#include "mercer/statistics.hpp"

namespace mercer {
namespace {

constexpr std::size_t least_states = 30;

void check(const Policy& teacher, MatrixView<const double> states, const StatesOptions& options) {
  if (states.rows() != teacher.observation_dimensions() || states.cols() < least_states) {
    throw Error(ErrorCode::shape_mismatch,
                fmt::format("{} states of {} numbers; needed: {} or more of {}", states.cols(), states.rows(),
                            least_states, teacher.observation_dimensions()),
                "Log more states that the policy takes in");
  }
  for (const Axis& axis : teacher.action_space().axes) {
    if (!teacher.action_space().is_discrete() && std::isfinite(axis.range.width())) continue;
    throw Error(ErrorCode::bad_value,
                fmt::format("action '{}' of policy '{}' has no range that an error can be a share of", axis.name,
                            teacher.name()),
                "Logged states serve for bounded continuous actions; otherwise play the task");
  }
  require_confidence(options.confidence);
  require_in_range("the largest error", options.max_error, 1e-9, 1, "Give a share such as 1%");
  require_in_range("the number of terms", static_cast<double>(options.most_terms), 1, 256, "Take 32");
  require_in_range("attempts", static_cast<double>(options.attempts), 1, 1e6, "Take 5");
}

double mean_of(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

// Of the mean over episodes, from one number for each, at the confidence of the j-th attempt.
double error_bound(const std::vector<double>& errors, const StatesOptions& options, std::size_t attempt) {
  return betting_upper(errors, {0, 1}, 1 - confidence_of_attempt(options.confidence, attempt));
}

// `errors` has one number for each certifying episode.
Certificate certificate_of(const Policy& teacher, const std::vector<double>& errors, const StatesOptions& options,
                           std::size_t attempt) {
  Certificate out;
  out.loss_percent = 100 * mean_of(errors);
  out.upper_percent = std::max(100 * error_bound(errors, options, attempt), out.loss_percent);
  out.confidence = options.confidence;
  out.about = Quantity::action;
  out.act = Act::mean;
  out.teacher = teacher.name();
  out.episodes = errors.size();
  out.seed = options.seed;
  out.attempt = attempt;
  out.budget_percent = 100 * options.max_error;
  Promise promise;
  promise.about = Quantity::action;
  promise.measured = out.loss_percent;
  promise.upper = promise.alone = *out.upper_percent;
  promise.budget = out.budget_percent;
  out.promises.push_back(promise);
  CertificateRow row = certificate_row(
      "mean_error", Level::statistical, *out.upper_percent, out.loss_percent, 100,
      {fmt::format("{} logged episodes, independent of each other, from the distribution that matters", errors.size()),
       "an episode counts once, by the mean error over its states",
       "the embedding was fixed before these episodes were looked at"});
  row.about = Quantity::action;
  out.rows.push_back(std::move(row));
  out.not_covered = {"the return: no task was played, and small errors of actions can cost much",
                     "states unlike the logged ones, such as those that the embedding itself leads to",
                     "single states or episodes: the bound is on the mean over episodes of their mean errors",
                     "dependence between logged episodes, such as a machine that wears while they are recorded"};
  judge(out);
  return out;
}

}  // namespace

Compressed compress_states(const Policy& teacher, const LoggedStates& log, const StatesOptions& options,
                           const CandidateSink& sink, const Progress& progress) {
  check(teacher, log.states.view(), options);
  const auto begin = std::chrono::steady_clock::now();
  const LogParts parts = split_log(log);
  const MatrixView<const double> fitting = parts.fitting.states.view();
  CompressOptions search;
  search.polish = PolishBy::action;
  search.most_terms = options.most_terms;
  search.judge.seed = options.seed;
  const std::vector<DictionaryOptions> dictionaries =
      options.dictionaries.empty() ? default_dictionaries() : options.dictionaries;
  ContinuousCode shape;
  shape.head = Head::mean;
  shape.coordinates = choose_coordinates(teacher, shape.head, dictionaries.front(), fitting, shape.ranges);
  Samples samples(teacher, shape.head, shape.squash);
  shape.outputs = samples.outputs();
  samples.add(fitting);

  std::deque<Candidate> tried;
  std::vector<double> expected;  // upper bounds of those tried
  std::size_t smallest = options.max_bytes.value_or(static_cast<std::size_t>(-1));
  for (std::size_t i = 0; i < dictionaries.size(); ++i) {
    DictionaryPath path(nullptr, samples, shape, dictionaries[i], search, i, progress);
    bool going_on = true;
    while (going_on && path.k() < options.most_terms && path.grow({}, progress)) {
      going_on = false;
      for (const NumberFormat format : options.formats) {
        Candidate one{path.rounded(format, false, {}, progress), format};
        if (one.payload_bytes() > smallest) continue;
        going_on = true;
        const std::vector<double> errors = episode_errors(teacher, one.embedding.policy(), parts.selecting);
        one.loss = mean_of(errors);
        one.loss_percent = 100 * one.loss;
        // As many episodes certify, so that this is what the certificate should say.
        expected.push_back(parts.certifying ? error_bound(errors, options, 1) : one.loss);
        if (expected.back() <= options.max_error) smallest = std::min(smallest, one.payload_bytes());
        const bool on_front = add_candidate(tried, std::move(one));
        if (sink) sink(tried.back(), on_front);
      }
    }
  }
  if (tried.empty()) {
    throw Error(ErrorCode::out_of_range, fmt::format("no embedding is as small as {} bytes", smallest),
                "Allow more bytes");
  }
  std::vector<std::size_t> order(tried.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  const auto passes = [&](std::size_t i) { return expected[i] <= options.max_error; };
  std::ranges::stable_sort(order, [&](std::size_t a, std::size_t b) {
    if (passes(a) != passes(b)) return passes(a);
    return passes(a) ? tried[a].payload_bytes() < tried[b].payload_bytes() : expected[a] < expected[b];
  });
  Compressed out;
  out.chosen = order.front();
  for (std::size_t j = 0; parts.certifying && j < std::min(options.attempts, order.size()); ++j) {
    const Policy& student = tried[order[j]].embedding.policy();
    Certificate one = certificate_of(teacher, episode_errors(teacher, student, *parts.certifying), options, j + 1);
    if (out.certificate && !one.within_budget) continue;
    out.chosen = order[j];
    out.certificate = std::move(one);
    if (out.certificate->within_budget) break;
  }
  out.front = front_of(tried);
  out.tried.assign(std::make_move_iterator(tried.begin()), std::make_move_iterator(tried.end()));
  out.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  return out;
}

}  // namespace mercer
