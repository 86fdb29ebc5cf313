#include "distil/imitate.hpp"

#include <algorithm>
#include <cmath>

#include "learn/adam.hpp"

namespace mercer::distil {
namespace {

void draw(std::uint64_t seed, std::uint64_t item, std::uint64_t count, std::size_t states,
          std::span<std::size_t> chosen) {
  Random random({seed, Stage::replay, item, static_cast<std::uint32_t>(count)});
  for (std::size_t& one : chosen) one = static_cast<std::size_t>(random.uniform() * static_cast<double>(states));
}

// Scores become what should be subtracted from them: softmax - label.
void by_scores(const Matrix<float>& label, Columns k, RidgePass& pass) {
  for (Index c = k.begin; c < k.begin + k.count; ++c) {
    const auto scores = pass.output.col(c);
    const Vector<float> odds = (scores.array() - scores.maxCoeff()).exp();
    pass.by_output.col(c) = odds / odds.sum() - label.col(c);
  }
}

}  // namespace

void imitate(Student& student, const Player& player, Labelled& data, const ImitateOptions& options,
             const std::function<bool()>& enough, const Progress& progress) {
  const RidgeShape& shape = student.shape;
  learn::Moments<float> moments(shape.size());
  std::array<Vector<float>, 2> gradients{Vector<float>::Zero(shape.size()), Vector<float>::Zero(shape.size())};
  const auto batch = static_cast<Index>(options.batch);
  Matrix<float> input(shape.observations, batch), label(shape.outputs, batch), weight(shape.outputs, batch);
  RidgePass pass(shape, batch);
  std::vector<std::size_t> chosen(options.batch);
  std::uint64_t count = 0;
  const auto all = static_cast<double>(options.rounds * options.updates);
  double steps_an_episode = std::min<double>(player.task().time_limit, 1000);
  ProgressCounter counter(progress, "imitate", options.rounds);
  for (std::size_t round = 0; round < options.rounds && !(enough && enough()); ++round) {
    play_steps(
        player, *policy_of(student, player.task()), options.steps, Act::mean, options.seed, options.item * 4096 + round,
        steps_an_episode, [&](const Rollouts& met) { data.add(met); }, progress);
    for (std::size_t u = 0; u < options.updates; ++u) {
      draw(options.seed, options.item, count, data.size(), chosen);
      data.gather(chosen, student.scale, input, label);
      data.gather_weights(chosen, weight);
      learn::both([&](std::size_t half) {
        const Columns k = learn::half_of(batch, half);
        forward(shape, student.numbers, input, k, pass);
        if (shape.output != Output::score) {
          pass.by_output.middleCols(k.begin, k.count) =
              2 * weight.middleCols(k.begin, k.count)
                      .cwiseProduct(pass.output.middleCols(k.begin, k.count) - label.middleCols(k.begin, k.count));
        } else {
          by_scores(label, k, pass);
        }
        pass.by_output.middleCols(k.begin, k.count) /= static_cast<float>(batch);
        backward(shape, student.numbers, input, k, pass, gradients[half]);
      });
      gradients[0] += gradients[1];
      const double rate = options.rate * std::max(1 - static_cast<double>(count) / all, 0.01);
      learn::adam(learn::AdamStep<float>(rate, ++count), gradients[0], moments, student.numbers, 0, shape.size());
    }
    counter.add(1);
  }
}

Sampled::Sampled(const Student& student, const Labelled& data, std::size_t states, std::uint64_t seed)
    : input(student.shape.observations, static_cast<Index>(states)),
      label(student.shape.outputs, static_cast<Index>(states)),
      weight(label.rows(), label.cols()),
      pass(student.shape, static_cast<Index>(states)) {
  std::vector<std::size_t> chosen(states);
  draw(seed, 0xFFFFFFFF, 0, data.size(), chosen);
  data.gather(chosen, student.scale, input, label);
  data.gather_weights(chosen, weight);
  forward(student.shape, student.numbers, input, {0, static_cast<Index>(states)}, pass);
}

double imitation_error(const Student& student, const Labelled& data, std::size_t states, std::uint64_t seed) {
  const auto [input, label, weight, pass] = Sampled(student, data, states, seed);
  if (student.shape.output != Output::score)
    return (pass.output - label).cast<double>().squaredNorm() / static_cast<double>(states);
  double sum = 0;
  for (Index c = 0; c < label.cols(); ++c) {
    const auto scores = pass.output.col(c).array();
    const float most = scores.maxCoeff();
    sum += std::log((scores - most).exp().sum()) + most - (scores * label.col(c).array()).sum();
  }
  return sum / static_cast<double>(states);
}

Vector<double> ridge_weights(const Student& student, const Labelled& data, std::uint64_t seed) {
  const RidgeShape& s = student.shape;
  const Sampled sampled(student, data, 4096, seed);
  Vector<double> out(s.ridges);
  for (Index r = 0; r < s.ridges; ++r) {
    const auto values = sampled.pass.hidden.row(r).cast<double>();
    double squares = 0;
    for (Index o = 0; o < s.outputs; ++o) {
      const double c = student.numbers[s.output_begin() + o * s.output_row() + r];
      squares += c * c;
    }
    out[r] = squares * (values.array() - values.mean()).square().mean();
  }
  return out;
}

}  // namespace mercer::distil
