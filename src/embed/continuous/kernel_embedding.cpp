#include "embed/continuous/kernel_embedding.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

#include <Eigen/Cholesky>
#include <fmt/format.h>

#include "mercer/embed.hpp"
#include "mercer/error.hpp"

namespace mercer {
namespace {

using Matrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
using Index = Eigen::Index;

constexpr double spreads = 4;  // standard deviations of the states that a coordinate's half range holds

// Every n-th state to judge by, the others to fit.
std::pair<std::vector<double>, std::vector<double>> split(MatrixView<const double> states, double held_out) {
  std::vector<std::size_t> fit, judge;
  double due = 0;
  for (std::size_t i = 0; i < states.cols(); ++i) {
    due += held_out;
    (due >= 1 ? judge : fit).push_back(i);
    if (due >= 1) due -= 1;
  }
  const auto gather = [&](const std::vector<std::size_t>& which) {
    std::vector<double> out;
    for (std::size_t d = 0; d < states.rows(); ++d) {
      for (const std::size_t i : which) out.push_back(states(d, i));
    }
    return out;
  };
  return {gather(fit), gather(judge)};
}

// Ridge regression of all outputs at once: they share one factorisation.
std::vector<double> fit_outputs(const Features& features, const Samples& samples, double ridge) {
  const Eigen::Map<const Matrix> phi(features.values.data(), static_cast<Index>(features.terms),
                                     static_cast<Index>(features.columns));
  Matrix gram = Matrix::Zero(phi.rows(), phi.rows());
  gram.selfadjointView<Eigen::Lower>().rankUpdate(phi);
  gram.diagonal() += ridge * gram.diagonal();
  const Eigen::Map<const Matrix> theta(&samples.targets()(0, 0), static_cast<Index>(samples.outputs()),
                                       static_cast<Index>(samples.size()));
  const Matrix solved = gram.selfadjointView<Eigen::Lower>().llt().solve(phi * theta.transpose()).transpose();
  return {solved.data(), solved.data() + solved.size()};
}

double held_out_error(const Policy& teacher, const Policy& made, MatrixView<const double> states,
                      const KernelOptions& options) {
  if (options.whole_distribution) return mean_total_variation(teacher, made, states, options.seed);
  const std::size_t actions = teacher.action_space().dimensions();
  std::vector<double> first(actions * states.cols()), second(first.size());
  teacher.mean_action(states, {first.data(), actions, states.cols()});
  made.mean_action(states, {second.data(), actions, states.cols()});
  double sum = 0;
  for (std::size_t i = 0; i < first.size(); ++i) sum += (first[i] - second[i]) * (first[i] - second[i]);
  return sum / static_cast<double>(first.size());
}

Terms landmark_terms(const ContinuousCode& shape, const Samples& samples, Kernel kernel, double length,
                     std::size_t count) {
  const std::size_t d = shape.coordinates.size(), n = samples.size();
  std::vector<double> x(d * n);
  for (std::size_t axis = 0; axis < d; ++axis) {
    for (std::size_t i = 0; i < n; ++i) x[axis * n + i] = shape.coordinates[axis].apply(samples.points()(axis, i));
  }
  const MatrixView<const double> at(x.data(), d, n);
  const Landmarks found = choose_landmarks(kernel, length, at, count);
  std::vector<double> centres;
  for (std::size_t axis = 0; axis < d; ++axis) {
    for (const std::size_t i : found.chosen) centres.push_back(at(axis, i));
  }
  Terms terms = no_terms(periodic_axes(shape.coordinates));
  add_radials(terms, kernel, 9, length, 0, {centres.data(), d, found.chosen.size()});
  return terms;
}

}  // namespace

std::vector<KernelCandidate> kernel_candidates(const Policy& teacher, MatrixView<const double> states,
                                               std::size_t floats, const KernelOptions& options) {
  require_in_range("the share of held-out states", options.held_out, 0.01, 0.9, "Take 0.25");
  const Head head = head_for(teacher, options.whole_distribution);
  if (head != Head::gaussian && head != Head::mean) {
    throw Error(ErrorCode::bad_value, fmt::format("policy '{}' is no Gaussian", teacher.name()),
                "Embed its mean action, or another route");
  }
  ContinuousCode shape;
  shape.head = head;
  shape.squash = teacher.contract().squash == Squash::tanh;
  shape.format = options.format;
  shape.ranges = StoredRanges::half;
  shape.coordinates = visited_coordinates(teacher.contract().observation, states, spreads);
  const auto [fit, judge] = split(states, options.held_out);
  const std::size_t seen = states.rows(), judged = judge.size() / seen, base = 2 * seen + 1;
  Samples samples(teacher, head, shape.squash);
  samples.add({fit.data(), seen, fit.size() / seen});
  shape.outputs = samples.outputs();
  require_in_range("the budget of numbers", static_cast<double>(floats),
                   static_cast<double>(base + seen + shape.outputs), 1e9, "One landmark and the coordinates cost that");
  std::optional<KernelCandidate> best[2];
  // A network is close to linear over much of its states: a constant and the coordinates themselves, where the budget
  // is twice what they cost, leave the kernel the rest.
  const std::size_t linear = (seen + 1) * shape.outputs, tails = floats >= base + 2 * linear ? 1 : 0;
  for (const double length : options.lengths) {
    const double scaled = length * std::sqrt(static_cast<double>(seen)) / spreads;
    for (const bool landmarks : {false, true}) {
      const std::size_t each = shape.outputs + (landmarks ? seen : 0);
      // More terms than half the samples would fit noise, or nothing at all.
      const std::size_t count =
          std::min({(floats - base - tails * linear) / each, samples.size() / 2, std::size_t{65536}});
      Terms terms = no_terms(periodic_axes(shape.coordinates));
      if (landmarks) {
        terms = landmark_terms(shape, samples, options.kernel, scaled, count);
      } else {
        add_waves(terms, options.kernel, scaled, options.seed & 0xFFFF, count);
      }
      const std::size_t others = terms.size();
      if (tails > 0) add_tensor(terms, Family::legendre, IndexRule::total, 1);
      const Features features = evaluate_features(terms, shape.coordinates, samples);
      ContinuousCode code = shape;
      code.terms = terms;
      code.coefficients = fit_outputs(features, samples, options.ridge);
      KernelCandidate made{ContinuousEmbedding::make(code, teacher.contract(), teacher.name()), landmarks, length,
                           base + others * each + tails * linear, 0};
      made.error = held_out_error(teacher, made.embedding.policy(), {judge.data(), seen, judged}, options);
      std::optional<KernelCandidate>& place = best[landmarks ? 1 : 0];
      if (!place || made.error < place->error) place = std::move(made);
    }
  }
  if (!best[0]) throw Error(ErrorCode::missing_option, "no length to try", "Give at least one");
  const bool features_win = best[0]->error <= best[1]->error;
  return {*best[features_win ? 0 : 1], *best[features_win ? 1 : 0]};
}

KernelCandidate make_kernel_embedding(const Policy& teacher, MatrixView<const double> states, std::size_t floats,
                                      const KernelOptions& options) {
  return kernel_candidates(teacher, states, floats, options).front();
}

}  // namespace mercer
