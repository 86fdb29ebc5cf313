#include <algorithm>
#include <cmath>

#include <Eigen/Dense>

#include "compress/play_values.hpp"
#include "core/number_codes.hpp"
#include "mercer/compress.hpp"
#include "mercer/error.hpp"
#include "mercer/parallel.hpp"

namespace mercer {
namespace {

// T with T T' = G^-1, G the Gram matrix of the terms over the samples. The ridge keeps directions that the samples
// hardly see from becoming coefficients so large that no short number holds them.
Eigen::MatrixXd whitener(const Features& features) {
  const auto n = static_cast<Eigen::Index>(features.terms), columns = static_cast<Eigen::Index>(features.columns);
  const Eigen::Map<const Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>> rows(
      features.values.data(), n, columns);
  Eigen::MatrixXd gram = rows * rows.transpose() / static_cast<double>(columns);
  gram.diagonal().array() += 1e-2 * gram.trace() / static_cast<double>(n);
  const Eigen::LLT<Eigen::MatrixXd> factor(gram);
  return factor.matrixU().solve(Eigen::MatrixXd::Identity(n, n));
}

}  // namespace

void fill_played(const Player& player, std::span<double> values, const std::function<double(std::size_t)>& value) {
  fill_shared(values, [&](Share own) {
    for_each_block(
        own.end - own.begin, 1, [&](Block block) { values[own.begin + block.begin] = value(own.begin + block.begin); },
        !player.parallel());
  });
}

std::pair<double, double> Aim::Point::loss(const Policy& policy, const Progress& progress) const {
  const std::vector<double> earned = returns_of(player->play(policy, episodes, progress));
  double sum = 0, squares = 0;
  for (std::size_t i = 0; i < earned.size(); ++i) sum += teacher_returns[i] - earned[i];
  const auto count = static_cast<double>(earned.size());
  const double mean = sum / count;
  for (std::size_t i = 0; i < earned.size(); ++i) {
    squares += (teacher_returns[i] - earned[i] - mean) * (teacher_returns[i] - earned[i] - mean);
  }
  return {mean, std::sqrt(squares / std::max(1.0, count - 1))};
}

Episodes Aim::playing(std::size_t episodes, std::uint64_t seed, Act act) const {
  Episodes out{episodes, seed, act};
  out.motion = roughness.has_value();
  out.compared = distance ? teacher : nullptr;
  return out;
}

double Aim::cost(const Player& player, const Policy& policy, std::size_t episodes, std::uint64_t seed, Act act) const {
  return cost(player.play(policy, playing(episodes, seed, act)), player.task(), policy);
}

double Aim::cost(std::span<const Outcome> outcomes, const Task& task, const Policy& policy) const {
  const auto mean = [&](auto of) {
    double sum = 0;
    for (const Outcome& one : outcomes) sum += of(one);
    return sum / static_cast<double>(outcomes.size());
  };
  const double earned = mean([](const Outcome& one) { return one.total; });
  if (return_alone()) return -earned;
  double out = (teacher_return - earned) / budget;
  constexpr double weight = 10;
  const auto penalise = [&](const std::optional<double>& limit, auto of) {
    if (limit) out += weight * std::max(0.0, mean(of) / *limit - 1);
  };
  penalise(roughness, [](const Outcome& one) { return one.motion.roughness; });
  penalise(failures, [&](const Outcome& one) { return failed(task, one).value_or(false) ? 1.0 : 0.0; });
  penalise(distance, [](const Outcome& one) { return one.distance; });
  double worst = 0;
  for (const Point& point : points) worst = std::max(worst, point.loss(policy).first / point.budget - 1);
  return out + weight * worst;
}

std::vector<double> polish_on_return(const Player& player, const ContinuousCode& shape, const Contract& contract,
                                     const TermFunction& function, const Features& features,
                                     std::vector<double> coefficients, const ReturnPolish& options,
                                     const EnoughTime& enough, const Progress& progress) {
  require_in_range("the number of generations", static_cast<double>(options.generations), 0, 1e5, "Take 60");
  if (options.generations == 0) return coefficients;
  const Eigen::MatrixXd white = whitener(features);
  const auto terms = static_cast<Eigen::Index>(features.terms);
  const auto at = [&](std::span<const double> z) {  // each output has coordinates of its own
    std::vector<double> out = coefficients;
    for (std::size_t o = 0; o * features.terms < out.size(); ++o) {
      const auto first = static_cast<std::ptrdiff_t>(o * features.terms);
      Eigen::Map<Eigen::VectorXd>(out.data() + first, terms) +=
          white * Eigen::Map<const Eigen::VectorXd>(z.data() + first, terms);
    }
    return out;
  };
  Evolution search(std::vector<double>(coefficients.size(), 0.0), options.step, options.seed, options.item,
                   options.population);
  std::vector<double> losses(search.population());
  ProgressCounter counter(progress, "polish", options.generations);
  for (std::size_t g = 0; g < options.generations && !(enough && enough()); ++g) {
    counter.add(1);
    const MatrixView<const double> tried = search.ask();
    const std::uint64_t episodes_seed =
        Random({options.seed, Stage::search, options.item + 1, static_cast<std::uint32_t>(g)}).bits();
    fill_played(player, losses, [&](std::size_t i) {
      std::vector<double> z(coefficients.size());
      for (std::size_t d = 0; d < z.size(); ++d) z[d] = tried(d, i);
      const auto policy = continuous_policy("candidate", contract, shape.head, shape.squash, function.with(at(z)));
      return options.aim.cost(player, *policy, options.episodes, episodes_seed, options.act);
    });
    search.tell(losses);
  }
  return at(search.mean());
}

ContinuousEmbedding polish_rounded(const Player& player, const ContinuousEmbedding& embedding,
                                   const ReturnPolish& options, std::size_t sweeps, const EnoughTime& enough,
                                   const Progress& progress) {
  const ContinuousCode& code = embedding.code();
  if (code.scales.empty()) return embedding;  // floats have no unit worth trying
  const Contract& contract = embedding.policy().contract();
  const std::uint64_t seed = Random({options.seed, Stage::search, options.item + 2, 0}).bits();
  const auto cost = [&](const ContinuousEmbedding& one) {
    return options.aim.cost(player, one.policy(), options.episodes, seed, options.act);
  };
  // The unit of each coefficient: by output, then by part of the terms that has any.
  std::vector<double> units;
  const std::vector<std::size_t> parts = code.terms.parts();
  std::size_t scale = 0;
  for (std::size_t o = 0; o < code.outputs; ++o) {
    for (std::size_t p = 0; p + 1 < parts.size(); ++p) {
      if (parts[p + 1] == parts[p]) continue;
      units.insert(units.end(), parts[p + 1] - parts[p], from_log_scale(code.scales[scale++]));
    }
  }
  ContinuousEmbedding best = embedding;
  double least = cost(best);
  ProgressCounter counter(progress, "polish", sweeps * units.size());
  for (std::size_t sweep = 0; sweep < sweeps; ++sweep) {
    bool better = false;
    for (std::size_t j = 0; j < units.size() && !(enough && enough()); ++j) {
      counter.add(1);
      std::vector<std::optional<ContinuousEmbedding>> moved(2);
      std::vector<double> costs(2);
      for_each_block(2, 1, [&](Block block) {
        ContinuousCode other = best.code();
        other.coefficients[j] += block.begin == 0 ? units[j] : -units[j];
        try {
          moved[block.begin] = ContinuousEmbedding::make(other, contract, "candidate");
        } catch (const Error&) {
          return;  // beyond the largest integer
        }
      });
      fill_played(player, costs, [&](std::size_t i) { return moved[i] ? cost(*moved[i]) : HUGE_VAL; });
      const std::size_t winner = costs[1] < costs[0] ? 1 : 0;
      if (costs[winner] >= least) continue;
      least = costs[winner];
      best = std::move(*moved[winner]);
      better = true;
    }
    if (!better) break;
  }
  return best;
}

}  // namespace mercer
