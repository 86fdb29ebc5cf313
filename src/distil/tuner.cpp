#include "distil/tuner.hpp"

#include <algorithm>
#include <cmath>

#include "mercer/statistics.hpp"

namespace mercer::distil {
namespace {

using learn::both;
using learn::half_of;

void exchange_rounding(learn::Archive& archive, Rounding& rounding) {
  std::uint64_t ridge_bits = rounding.grid.ridge_bits, coefficient_bits = rounding.grid.coefficient_bits,
                unit = rounding.unit;
  archive.count("student.ridge_bits", ridge_bits);
  archive.count("student.coefficient_bits", coefficient_bits);
  archive.count("student.unit", unit);
  rounding.grid = {static_cast<unsigned>(ridge_bits), static_cast<unsigned>(coefficient_bits)};
  rounding.unit = static_cast<std::uint8_t>(unit);
  for (const auto& [name, codes] :
       {std::pair("student.halvings", &rounding.halvings), {"student.scales", &rounding.scales}}) {
    if (archive.filling()) {
      const std::vector<float> read = archive.rows(name, 1);
      codes->assign(read.begin(), read.end());
    } else {
      archive.add_rows(name, std::vector<float>(codes->begin(), codes->end()), 1);
    }
  }
}

constexpr std::array<std::size_t, 2> own_hidden{256, 256};  // of critics that are learned from nothing
constexpr std::array<double, 4> first_noise{0.0, 0.1, 0.2, 0.3};

}  // namespace

Tuner::Tuner(const Player& player, const Policy& teacher, Student start, const CriticNetworks* critics,
             const TuneOptions& options, const Progress& progress)
    : player_(player),
      teacher_(teacher),
      options_(options),
      student_(std::move(start)),
      batch_(static_cast<Index>(options.batch)),
      network_(critics != nullptr
                   ? critics->network
                   : learn::Network(static_cast<std::size_t>(student_.shape.observations + student_.shape.outputs),
                                    own_hidden, 1)),
      critics_{learn::Critic<float>(network_, batch_, student_.shape.outputs, options.seed, 1),
               learn::Critic<float>(network_, batch_, student_.shape.outputs, options.seed, 2)},
      replay_(static_cast<std::size_t>(student_.shape.observations),
              static_cast<std::size_t>(3 * student_.shape.outputs), options.buffer, options.buffer),
      moments_(0),
      data_(Matrix<float>::Zero(network_.inputs(), batch_)),
      next_(data_),
      now_(data_),
      seen_(Matrix<float>::Zero(student_.shape.observations, batch_)),
      seen_next_(seen_),
      label_(Matrix<float>::Zero(student_.shape.outputs, batch_)),
      next_label_(label_),
      reward_(Vector<float>::Zero(batch_)),
      goals_(reward_),
      continues_(reward_),
      pass_({}, 0),
      next_pass_({}, 0),
      chosen_(options.batch),
      steps_an_episode_(player.task().time_limit) {
  if (critics != nullptr) {
    units_.observations = critics->normalisation;
    for (std::size_t i = 0; i < 2; ++i) {
      critics_[i].weights = critics_[i].target = critics->weights[std::min(i, critics->weights.size() - 1)];
    }
  }
  make_room();
  const std::size_t share = options.first_steps / (2 * first_noise.size());
  for (const double noise : first_noise) {
    if (share == 0) break;
    play(*noisy(teacher, player.task(), noise), share, progress);
    play(*policy_of(student_, player.task(), noise), share, progress);
  }
  if (critics == nullptr && share > 0) {
    const RidgeShape& shape = student_.shape;
    units_ = units_of(replay_, static_cast<std::size_t>(shape.observations),
                      static_cast<std::size_t>(3 * shape.outputs), options.gamma);
  }
}

void Tuner::make_room() {
  const RidgeShape& shape = student_.shape;
  moments_ = learn::Moments<float>(shape.size());
  for (Vector<float>& gradient : gradients_) gradient = Vector<float>::Zero(shape.size());
  pass_ = RidgePass(shape, batch_);
  next_pass_ = RidgePass(shape, batch_);
  target_ = student_.numbers;
  actor_count_ = 0;
}

void Tuner::restart(Student student, Rounding rounding, Index held) {
  student_ = std::move(student);
  rounding_ = std::move(rounding);
  held_ = held;
  make_room();
}

void Tuner::play(const Policy& policy, std::size_t steps, const Progress& progress) {
  play_steps(
      player_, policy, steps, Act::sample, options_.seed, played_++, steps_an_episode_,
      [this](const Rollouts& rollouts) { remember(rollouts); }, progress);
}

void Tuner::remember(const Rollouts& rollouts) {
  const auto n = static_cast<std::size_t>(student_.shape.observations),
             m = static_cast<std::size_t>(student_.shape.outputs);
  const StateMatrix states = columns_of(rollouts.observations, n);
  const std::vector<double> labels = mean_actions(teacher_, states.view()),
                            last_labels = mean_actions(teacher_, columns_of(rollouts.final_observations, n).view());
  const std::size_t count = rollouts.steps(), episodes = rollouts.episodes();
  const auto unit = [&](std::size_t d, double action) {
    return static_cast<float>(std::clamp(to_unit(player_.task().action.axes[d], action), -1.0, 1.0));
  };
  std::vector<float> before(n), after(n), acted(3 * m);
  for (std::size_t e = 0; e < episodes; ++e) {
    const auto begin = static_cast<std::size_t>(rollouts.offsets[e]),
               end = static_cast<std::size_t>(rollouts.offsets[e + 1]);
    for (std::size_t i = begin; i < end; ++i) {
      const bool last = i + 1 == end;
      const double* next = last ? &rollouts.final_observations[e * n] : &rollouts.observations[(i + 1) * n];
      for (std::size_t d = 0; d < n; ++d) {
        before[d] = static_cast<float>(rollouts.observations[i * n + d]);
        after[d] = static_cast<float>(next[d]);
      }
      for (std::size_t d = 0; d < m; ++d) {
        acted[d] = static_cast<float>(to_unit(player_.task().action.axes[d], rollouts.actions[i * m + d]));
        acted[m + d] = unit(d, labels[d * count + i]);
        acted[2 * m + d] = unit(d, last ? last_labels[d * episodes + e] : labels[d * count + i + 1]);
      }
      replay_.add(before, acted, after, static_cast<float>(rollouts.rewards[i]), last && rollouts.terminated[e] != 0);
    }
  }
}

void Tuner::learn_critics(Of whose, const Progress& progress) {
  for (std::size_t u = 0; u < options_.updates && healthy_; ++u) update_critics(whose);
  progress.check();
}

Vector<float> Tuner::values_of(const Rollouts& rollouts) const {
  const Index n = student_.shape.observations, m = student_.shape.outputs, count = static_cast<Index>(rollouts.steps());
  Matrix<float> input(n + m, count);
  for (Index c = 0; c < count; ++c) {
    for (Index i = 0; i < n; ++i) {
      input(i, c) =
          units_.observation(static_cast<std::size_t>(i), rollouts.observations[static_cast<std::size_t>(c * n + i)]);
    }
    for (Index d = 0; d < m; ++d) {
      const auto axis = static_cast<std::size_t>(d);
      input(n + d, c) = static_cast<float>(
          to_unit(player_.task().action.axes[axis], rollouts.actions[static_cast<std::size_t>(c * m + d)]));
    }
  }
  learn::Pass<float> pass(network_, count);
  Vector<float> smaller = Vector<float>::Constant(count, HUGE_VALF);
  for (const learn::Critic<float>& one : critics_) {
    learn::forward<float>(network_, one.weights.data(), input, {0, count}, pass);
    smaller = smaller.cwiseMin(pass.output().row(0).transpose());
  }
  return units_.values(smaller).matrix();
}

double Tuner::critic_error(const Progress& progress) {
  constexpr std::size_t episodes = 8, rewards = 300;
  const std::uint64_t seed = Random({options_.seed, Stage::explore, played_++, 0xFFFFFFFF}).bits();
  const Rollouts rollouts = player_.roll_out(teacher_, {episodes, seed, Act::mean}, progress);
  const Vector<float> values = values_of(rollouts);
  std::vector<double> returns, errors;
  for (std::size_t e = 0; e < rollouts.episodes(); ++e) {
    const auto begin = static_cast<std::size_t>(rollouts.offsets[e]),
               end = static_cast<std::size_t>(rollouts.offsets[e + 1]);
    const bool terminated = rollouts.terminated[e] != 0;
    const std::size_t ahead = std::max<std::size_t>(1, std::min(rewards, (end - begin) / 2));
    for (std::size_t i = begin; i < end; ++i) {
      const std::size_t last = std::min(i + ahead, end);
      if (last == end && !terminated) break;  // what comes after the time limit is not known
      double sum = last == end ? 0 : values[static_cast<Index>(last)];
      for (std::size_t k = last; k-- > i;) sum = rollouts.rewards[k] + options_.gamma * sum;
      returns.push_back(sum);
      errors.push_back(values[static_cast<Index>(i)] - sum);
    }
  }
  const auto spread = [](const std::vector<double>& x) {
    const Eigen::Map<const Eigen::ArrayXd> all(x.data(), static_cast<Index>(x.size()));
    return x.empty() ? 0.0 : (all - all.mean()).square().mean();
  };
  const double all = spread(returns);
  return all > 0 ? spread(errors) / all : HUGE_VAL;
}

void Tuner::turn(double share, const TunePull& pull, const Progress& progress) {
  if (!healthy_) return;
  play(*policy_of(student_, player_.task(), options_.exploration), options_.steps, progress);
  for (std::size_t u = 0; u < options_.updates && healthy_; ++u) {
    update_critics(Of::student);
    if (healthy_ && count_ % options_.every == 0) update_actor(share, pull);
  }
}

void Tuner::draw() {
  replay_.draw(options_.seed, count_, chosen_);
  const Index n = student_.shape.observations, m = student_.shape.outputs;
  const auto critic_input = [&](Index i, float raw) { return units_.observation(static_cast<std::size_t>(i), raw); };
  const auto input = [&](Index i, float raw) { return student_.scale.apply(static_cast<std::size_t>(i), raw); };
  both([&](std::size_t half) {
    const Columns columns = half_of(batch_, half);
    for (Index c = columns.begin; c < columns.begin + columns.count; ++c) {
      const float* record = replay_.record(chosen_[static_cast<std::size_t>(c)]);
      const float* after = record + n + 3 * m;
      for (Index i = 0; i < n; ++i) {
        data_(i, c) = now_(i, c) = critic_input(i, record[i]);
        next_(i, c) = critic_input(i, after[i]);
        seen_(i, c) = input(i, record[i]);
        seen_next_(i, c) = input(i, after[i]);
      }
      for (Index d = 0; d < m; ++d) {
        data_(n + d, c) = record[n + d];
        label_(d, c) = record[n + m + d];
        next_label_(d, c) = record[n + 2 * m + d];
      }
      reward_[c] = after[n];
      continues_[c] = after[n + 1];
    }
  });
}

void Tuner::choose_next(Of whose, Columns columns) {
  if (whose == Of::student) forward(student_.shape, target_, seen_next_, columns, next_pass_);
  const Matrix<float>& chosen = whose == Of::student ? next_pass_.output : next_label_;
  const auto spread = static_cast<float>(options_.smoothing);
  Random random({options_.seed, Stage::update, count_, static_cast<std::uint32_t>(columns.begin)});
  for (Index c = columns.begin; c < columns.begin + columns.count; ++c) {
    for (Index d = 0; d < student_.shape.outputs; ++d) {
      const float noise = spread * static_cast<float>(std::clamp(random.normal(), -2.0, 2.0));
      next_(student_.shape.observations + d, c) = std::clamp(chosen(d, c) + noise, -1.0F, 1.0F);
    }
  }
}

void Tuner::update_critics(Of whose) {
  draw();
  both([&](std::size_t half) { choose_next(whose, half_of(batch_, half)); });
  both([&](std::size_t i) {
    learn::forward<float>(network_, critics_[i].target.data(), next_, {0, batch_}, critics_[i].target_pass);
  });
  const auto smaller = critics_[0].target_pass.output().cwiseMin(critics_[1].target_pass.output()).row(0).transpose();
  const auto values =
      reward_.array() + static_cast<float>(options_.gamma) * continues_.array() * units_.values(smaller);
  goals_ = (values - units_.shift) / units_.scale;
  ++count_;
  healthy_ = goals_.allFinite();
  both([&](std::size_t i) {
    learn::Critic<float>& own = critics_[i];
    learn::forward<float>(network_, own.weights.data(), data_, {0, batch_}, own.pass);
    own.pass.output_delta() = (own.pass.output() - goals_.transpose()) / static_cast<float>(batch_);
    learn::backward<float>(network_, own.weights.data(), data_, {0, batch_}, own.pass, own.gradient.data());
    adam_with_target(learn::AdamStep<float>(options_.critic_rate, count_), own.gradient, own.moments, own.weights,
                     static_cast<float>(options_.tau), own.target);
  });
}

void Tuner::update_actor(double rate, const TunePull& pull) {
  const RidgeShape& shape = student_.shape;
  const Index n = shape.observations, m = shape.outputs;
  both([&](std::size_t half) {
    const Columns columns = half_of(batch_, half);
    forward(shape, student_.numbers, seen_, columns, pass_);
    now_.block(n, columns.begin, m, columns.count) = pass_.output.middleCols(columns.begin, columns.count);
    if (pull.smoothness > 0) forward(shape, student_.numbers, seen_next_, columns, next_pass_);
  });
  both([&](std::size_t i) {
    learn::forward<float>(network_, critics_[i].weights.data(), now_, {0, batch_}, critics_[i].pass);
  });
  const Matrix<float>&first = critics_[0].pass.output(), &second = critics_[1].pass.output();
  const auto smaller = first.cwiseMin(second);
  const auto values = units_.values(smaller);
  const float size = std::max(values.abs().mean(), 1e-6F);
  mean_value_ = values.mean();
  critics_[0].pass.output_delta() = (first.array() <= second.array()).cast<float>();
  critics_[1].pass.output_delta() = (first.array() > second.array()).cast<float>();
  both([&](std::size_t i) {
    learn::backward_to_input(network_, critics_[i].weights.data(), {0, batch_}, critics_[i].pass,
                             critics_[i].action_slope);
  });
  const float share = 1 / static_cast<float>(batch_);
  const auto held = static_cast<float>(2 * pull.imitation), smooth = static_cast<float>(2 * pull.smoothness);
  both([&](std::size_t half) {
    const Columns k = half_of(batch_, half);
    const auto part = [&](auto& matrix) { return matrix.middleCols(k.begin, k.count); };
    part(pass_.by_output) =
        share * (units_.scale * (part(critics_[0].action_slope) + part(critics_[1].action_slope)) / -size +
                 held * (part(pass_.output) - part(label_)));
    // The next action counts as fixed: it is another state's own.
    if (smooth > 0) part(pass_.by_output) += share * smooth * (part(pass_.output) - part(next_pass_.output));
    backward(shape, student_.numbers, seen_, k, pass_, gradients_[half]);
  });
  gradients_[0] += gradients_[1];
  if (!gradients_[0].allFinite()) {
    healthy_ = false;
    return;
  }
  learn::adam(learn::AdamStep<float>(options_.actor_rate * rate, ++actor_count_), gradients_[0], moments_,
              student_.numbers, held_ * shape.ridge_row(), shape.size());
  target_ += static_cast<float>(options_.tau) * (student_.numbers - target_);
}

void Tuner::exchange(learn::Archive& archive) {
  const auto all = [](Vector<float>& vector) {
    return std::span(vector.data(), static_cast<std::size_t>(vector.size()));
  };
  std::uint64_t ridges = static_cast<std::uint64_t>(student_.shape.ridges), linear = student_.shape.linear ? 1 : 0,
                held = static_cast<std::uint64_t>(held_);
  std::uint64_t healthy = healthy_ ? 1 : 0;
  archive.count("student.ridges", ridges);
  archive.count("student.linear", linear);
  exchange_rounding(archive, rounding_);
  archive.count("student.held", held);
  held_ = static_cast<Index>(held);
  if (archive.filling()) {
    student_.shape.ridges = static_cast<Index>(ridges);
    student_.shape.linear = linear != 0;
    student_.numbers = Vector<float>::Zero(student_.shape.size());
    make_room();
  }
  archive.numbers("student.numbers", all(student_.numbers));
  archive.numbers("student.target", all(target_));
  archive.numbers("student.first", all(moments_.first));
  archive.numbers("student.second", all(moments_.second));
  for (std::size_t i = 0; i < 2; ++i) {
    const std::string name = i == 0 ? "critic1" : "critic2";
    archive.numbers(name + ".weights", all(critics_[i].weights));
    archive.numbers(name + ".target", all(critics_[i].target));
    archive.numbers(name + ".first", all(critics_[i].moments.first));
    archive.numbers(name + ".second", all(critics_[i].moments.second));
  }
  units_.exchange(archive);
  archive.count("tuner.updates", count_);
  archive.count("tuner.actor_updates", actor_count_);
  archive.count("tuner.played", played_);
  archive.count("tuner.healthy", healthy);
  healthy_ = healthy != 0;
  archive.numbers("tuner.steps_an_episode", std::span(&steps_an_episode_, 1));
  std::uint64_t cursor = replay_.cursor();
  archive.count("replay.cursor", cursor);
  if (archive.filling()) {
    replay_.restore(archive.rows("replay.steps", replay_.width()), cursor);
  } else {
    archive.add_rows("replay.steps", replay_.numbers(), replay_.width());
  }
}

}  // namespace mercer::distil
