#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "mercer/embed.hpp"
#include "mercer/error.hpp"
#include "mercer/functions.hpp"
#include "mercer/parallel.hpp"

namespace mercer {
namespace {

double dot(std::span<const double> a, std::span<const double> b) {
  // Eight sums, so that the loop becomes vector code without changing what is added to what.
  constexpr std::size_t together = 8;
  double sums[together] = {};
  std::size_t i = 0;
  for (; i + together <= a.size(); i += together) {
    for (std::size_t j = 0; j < together; ++j) sums[j] += a[i + j] * b[i + j];
  }
  double total = 0;
  for (; i < a.size(); ++i) total += a[i] * b[i];
  for (const double sum : sums) total += sum;
  return total;
}

// A report from the thread that was called: there Python can see Ctrl-C.
void look_up(const Progress& progress, double fraction) {
  progress.check();
  if (progress.report) progress.report("choice of terms", fraction);
}

// The state of orthogonal least squares for one output: the terms' part that is new, and its product with what is left,
// follow by recurrences from the products with each new direction. The terms themselves stay as they are.
class Output {
 public:
  Output(const Features& features, const Samples& samples, std::size_t o)
      : features_(features), root_(features.columns), left_(features.columns) {
    for (std::size_t i = 0; i < root_.size(); ++i) {
      root_[i] = std::sqrt(samples.weights()(o, i));
      left_[i] = root_[i] * samples.targets()(o, i);
    }
    whole_ = dot(left_, left_);
    own_.resize(features.terms);
    fresh_.resize(features.terms);
    product_.resize(features.terms);
    for_each_block(features.terms, 16, [&](Block block) {
      std::vector<double> weighted(features.columns);
      for (std::size_t j = block.begin; j < block.end; ++j) {
        weigh(j, weighted);
        own_[j] = fresh_[j] = dot(weighted, weighted);
        product_[j] = dot(weighted, left_);
      }
    });
  }

  // What the term would take off the error, as a fraction of the whole; negative when nothing of it is new.
  double gain(std::size_t j, double reject) const {
    if (!(fresh_[j] > reject * own_[j]) || !(own_[j] > 0)) return -1;
    return product_[j] * product_[j] / fresh_[j] / std::max(whole_, std::numeric_limits<double>::min());
  }

  void take(std::size_t term) {
    std::vector<double> q(features_.columns);
    weigh(term, q);
    for (int pass = 0; pass < 2; ++pass) {  // twice is enough
      for (const std::vector<double>& before : basis_) {
        const double along = dot(q, before);
        for (std::size_t i = 0; i < q.size(); ++i) q[i] -= along * before[i];
      }
    }
    const double size = std::sqrt(dot(q, q));
    if (!(size > 0)) return;
    for (double& value : q) value /= size;
    const double along = dot(q, left_);
    for (std::size_t i = 0; i < q.size(); ++i) left_[i] -= along * q[i];
    std::vector<double> rooted(q.size());
    for (std::size_t i = 0; i < q.size(); ++i) rooted[i] = root_[i] * q[i];
    for_each_block(features_.terms, 16, [&](Block block) {
      for (std::size_t j = block.begin; j < block.end; ++j) {
        const double common = dot(features_.row(j), rooted);
        fresh_[j] -= common * common;
        product_[j] -= common * along;
      }
    });
    basis_.push_back(std::move(q));
  }

  double error() const { return dot(left_, left_) / std::max(whole_, std::numeric_limits<double>::min()); }

 private:
  void weigh(std::size_t term, std::vector<double>& out) const {
    const std::span<const double> row = features_.row(term);
    for (std::size_t i = 0; i < out.size(); ++i) out[i] = row[i] * root_[i];
  }

  const Features& features_;
  std::vector<double> root_, left_;
  std::vector<double> own_, fresh_, product_;  // |phi_j|^2, |phi_j - QQ'phi_j|^2, <r, phi_j>
  std::vector<std::vector<double>> basis_;
  double whole_ = 0;
};

}  // namespace

Features evaluate_features(const Terms& terms, const Coordinates& coordinates, const Samples& samples,
                           const Progress& progress) {
  Features out{terms.size(), samples.size(), {}};
  if (out.terms > most_features / std::max<std::size_t>(out.columns, 1)) {
    throw Error(ErrorCode::too_large, fmt::format("{} terms at {} points", out.terms, out.columns),
                "Lower the degree (--degree), or use ridges, which have none");
  }
  out.values.resize(out.terms * out.columns);
  const std::vector<double> none(out.terms);
  const TermFunction function(terms, coordinates, none);
  const MatrixView<double> all(out.values.data(), out.terms, out.columns);
  const std::size_t group = samples.group(), block_size = group * (1 + 255 / group);
  const auto evaluate = [&](std::size_t from, std::size_t size) {
    function.features(samples.points().columns(from, size), all.columns(from, size));
    if (group == 1) return;
    for (std::size_t j = 0; j < out.terms; ++j) {
      for (std::size_t begin = from; begin < from + size; begin += group) {
        double mean = 0;
        for (std::size_t i = begin; i < begin + group; ++i) mean += samples.weights()(0, i) * all(j, i);
        for (std::size_t i = begin; i < begin + group; ++i) all(j, i) -= mean;
      }
    }
  };
  // In parts of some ten milliseconds, between which somebody may ask to stop.
  constexpr std::size_t at_once = std::size_t{1} << 22;
  const std::size_t part = block_size * (1 + at_once / std::max<std::size_t>(1, block_size * out.terms));
  for (std::size_t first = 0; first < out.columns; first += part) {
    look_up(progress, static_cast<double>(first) / static_cast<double>(out.columns));
    for_each_block(std::min(part, out.columns - first), block_size,
                   [&](Block block) { evaluate(first + block.begin, block.end - block.begin); });
  }
  return out;
}

Features select_rows(const Features& features, std::span<const std::size_t> chosen) {
  Features out{chosen.size(), features.columns, {}};
  for (const std::size_t j : chosen) {
    out.values.insert(out.values.end(), features.row(j).begin(), features.row(j).end());
  }
  return out;
}

struct TermChooser::State {
  const Features& features;
  double reject;
  std::vector<Output> outputs{};
  std::vector<bool> taken{};
  TermPath path{};
};

TermChooser::TermChooser(const Features& features, const Samples& samples, double reject, const Progress& progress)
    : state_(std::make_unique<State>(State{features, reject})) {
  state_->taken.resize(features.terms);
  for (std::size_t o = 0; o < samples.outputs(); ++o) {
    look_up(progress, 0);
    state_->outputs.emplace_back(features, samples, o);
  }
}
TermChooser::~TermChooser() = default;
TermChooser::TermChooser(TermChooser&&) noexcept = default;
TermChooser& TermChooser::operator=(TermChooser&&) noexcept = default;

const TermPath& TermChooser::path() const { return state_->path; }

void TermChooser::take(std::size_t term, const Progress& progress) {
  std::vector<Output>& outputs = state_->outputs;
  double error = 0;
  for (Output& output : outputs) {
    look_up(progress, static_cast<double>(&output - outputs.data()) / static_cast<double>(outputs.size()));
    output.take(term);
    error += output.error() / static_cast<double>(outputs.size());
  }
  state_->taken[term] = true;
  state_->path.chosen.push_back(term);
  state_->path.error.push_back(error);
}

bool TermChooser::next(const Progress& progress) {
  const std::size_t terms = state_->features.terms;
  double best = 0;
  std::size_t which = terms;
  for (std::size_t j = 0; j < terms; ++j) {
    if (state_->taken[j]) continue;
    double gain = 0;
    for (const Output& output : state_->outputs) gain += std::max(0.0, output.gain(j, state_->reject));
    if (gain > best) {
      best = gain;
      which = j;
    }
  }
  if (which == terms) return false;
  take(which, progress);
  return true;
}

TermPath choose_terms(const Features& features, const Samples& samples, std::size_t most,
                      std::span<const std::size_t> begin, double reject, const Progress& progress) {
  TermChooser chooser(features, samples, reject, progress);
  for (const std::size_t term : begin) chooser.take(term, progress);
  while (chooser.path().chosen.size() < std::min(most, features.terms) && chooser.next(progress)) {
  }
  return chooser.path();
}

}  // namespace mercer
