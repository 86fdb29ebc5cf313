#include "compress/evolve_student.hpp"

#include <cmath>

#include "compress/play_values.hpp"

namespace mercer {
namespace {

using distil::Index;
using distil::RidgeShape;
using distil::Student;
using distil::Vector;

// What a step of one is for each number.
Vector<float> step_sizes(const RidgeShape& shape, const Vector<float>& numbers) {
  Vector<float> sizes = Vector<float>::Ones(numbers.size());
  const auto relative = [&](Index begin, Index row, Index rows, Index length) {
    double squares = 0;
    for (Index r = 0; r < rows; ++r) squares += numbers.segment(begin + r * row, length).cast<double>().squaredNorm();
    const double mean = std::sqrt(squares / static_cast<double>(std::max<Index>(rows * length, 1)));
    for (Index r = 0; r < rows; ++r) {
      sizes.segment(begin + r * row, length).setConstant(static_cast<float>(std::max(mean, 0.05)));
    }
  };
  relative(0, shape.ridge_row(), shape.ridges, shape.ridge_row());
  relative(shape.output_begin(), shape.output_row(), shape.outputs, shape.ridges);
  relative(shape.output_begin() + shape.ridges, shape.output_row(), shape.outputs, shape.output_row() - shape.ridges);
  return sizes;
}

}  // namespace

double student_cost(const Aim& aim, std::span<const Outcome> outcomes, const Task& task, const Policy& policy,
                    double imitation_error) {
  double cost = aim.cost(outcomes, task, policy);
  if (aim.return_alone()) cost = (aim.teacher_return + cost) / aim.budget;
  constexpr double closeness = 0.1;
  return std::max(cost, 0.0) + closeness * imitation_error;
}

distil::RoundedStudent evolve_student(const distil::RoundedStudent& from, const Player& player,
                                      const distil::Labelled& data, const ReturnPolish& options,
                                      const EnoughTime& enough, const Progress& progress) {
  const Student& start = from.student;
  const Vector<float> sizes = step_sizes(start.shape, start.numbers);
  const auto count = static_cast<std::size_t>(start.numbers.size());
  // Units follow the numbers: a student that doubles is not held back by its grid.
  const auto at = [&](auto value) {
    distil::RoundedStudent out = from;
    Vector<float>& numbers = out.student.numbers;
    for (std::size_t i = 0; i < count; ++i) {
      const auto place = static_cast<Index>(i);
      numbers[place] += sizes[place] * static_cast<float>(value(i));
    }
    out.rounding = fitting_rounding(out.student, from.rounding.grid);
    numbers = rounded(out.student, out.rounding);
    return out;
  };
  const auto cost = [&](const distil::RoundedStudent& one, std::size_t episodes, std::uint64_t seed) {
    const auto policy = distil::policy_of(one.student, player.task());
    const auto outcomes = player.play(*policy, options.aim.playing(episodes, seed, options.act));
    return student_cost(options.aim, outcomes, player.task(), *policy, imitation_error(one.student, data, 1024, 0));
  };
  Evolution search(std::vector<double>(count, 0.0), options.step, options.seed, options.item, options.population);
  std::vector<double> costs(search.population());
  ProgressCounter counter(progress, "polish", options.generations);
  for (std::size_t g = 0; g < options.generations && !(enough && enough()); ++g) {
    const MatrixView<const double> tried = search.ask();
    const std::uint64_t seed =
        Random({options.seed, Stage::search, options.item + 1, static_cast<std::uint32_t>(g)}).bits();
    fill_played(player, costs, [&](std::size_t i) {
      return cost(at([&](std::size_t d) { return tried(d, i); }), options.episodes, seed);
    });
    search.tell(costs);
    counter.add(1);
  }
  const std::span<const double> mean = search.mean();
  const distil::RoundedStudent found = at([&](std::size_t d) { return mean[d]; });
  const std::uint64_t seed = Random({options.seed, Stage::search, options.item + 2, 0}).bits();
  return cost(found, 2 * options.episodes, seed) < cost(from, 2 * options.episodes, seed) ? found : from;
}

}  // namespace mercer
