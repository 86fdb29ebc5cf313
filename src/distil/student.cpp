#include "distil/student.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace mercer::distil {
namespace {

// Plays its mean action plus noise, limited to the box: a saturated action is often played as it is.
class NoisyPolicy final : public DeterministicPolicy {
 public:
  NoisyPolicy(std::string name, const Task& task, BatchFunction choose, double noise)
      : DeterministicPolicy(std::move(name), contract_of(task), std::move(choose)), noise_(noise) {}

  void sample(MatrixView<const double> observation, const Draws& draws, MatrixView<double> action) const override {
    mean_action(observation, action);
    if (!(noise_ > 0)) return;
    for (std::size_t c = 0; c < action.cols(); ++c) {
      Random random = draws.random(c);
      for (std::size_t d = 0; d < action.rows(); ++d) {
        const Range range = action_space().axes[d].range;
        action(d, c) = std::clamp(action(d, c) + noise_ * range.width() / 2 * random.normal(), range.low, range.high);
      }
    }
  }

 private:
  double noise_;
};

// What a student computes, for a policy. Plain sums, so that a state's action does not depend on the states beside it.
class StudentFunction {
 public:
  StudentFunction(Student student, const Task& task) : student_(std::move(student)), box_(task.action) {}

  void operator()(MatrixView<const double> observation, MatrixView<double> out) const {
    const RidgeShape& s = student_.shape;
    std::vector<double> input(static_cast<std::size_t>(s.observations)), hidden(static_cast<std::size_t>(s.ridges));
    for (std::size_t c = 0; c < observation.cols(); ++c) {
      for (std::size_t d = 0; d < input.size(); ++d) {
        input[d] = student_.scale.apply(d, observation(d, c));
      }
      const float* row = student_.numbers.data();
      for (double& ridge : hidden) {
        ridge =
            std::tanh(std::inner_product(input.begin(), input.end(), row, static_cast<double>(row[s.observations])));
        row += s.ridge_row();
      }
      for (std::size_t o = 0; o < out.rows(); ++o, row += s.output_row()) {
        double sum =
            std::inner_product(hidden.begin(), hidden.end(), row, static_cast<double>(row[s.output_row() - 1]));
        if (s.linear) sum += std::inner_product(input.begin(), input.end(), row + s.ridges, 0.0);
        const double unit = s.output == Output::tanh ? std::tanh(sum) : std::clamp(sum, -1.0, 1.0);
        out(o, c) = s.output == Output::score ? sum : from_unit(box_.axes[o], unit);
      }
    }
  }

 private:
  Student student_;
  Space box_;
};

}  // namespace

InputScale input_scale(const Space& space, MatrixView<const double> states) {
  InputScale out{power_coordinates(space, states), {}, {}};
  for (std::size_t d = 0; d < space.dimensions(); ++d) {
    double sum = 0, squares = 0;
    for (const double value : states.row(d)) {
      const double x = out.coordinates[d].apply(value);
      sum += x;
      squares += x * x;
    }
    const auto count = static_cast<double>(states.cols());
    const double spread = std::sqrt(std::max(squares / count - sum / count * (sum / count), 0.0));
    const double wanted = -std::nearbyint(std::log2(std::max(spread, 1e-6)));
    out.reach.push_back(static_cast<float>(std::exp2(std::clamp(wanted, 0.0, 8.0))));
    out.centre.push_back(out.reach.back() * static_cast<float>(sum / count));
  }
  return out;
}

Student initial_student(const RidgeShape& shape, const InputScale& scale, std::uint64_t seed) {
  Student out{shape, scale, initial_numbers(shape, seed)};
  const Eigen::Map<const Vector<float>> centre(scale.centre.data(), shape.observations);
  for (Index r = 0; r < shape.ridges; ++r) {
    auto row = out.numbers.segment(r * shape.ridge_row(), shape.ridge_row());
    row[shape.observations] -= row.head(shape.observations).dot(centre);
  }
  return out;
}

Squash squash_like(Squash teacher, const Task& task, std::span<const double> played) {
  if (teacher == Squash::tanh || task.action.is_discrete()) return teacher;
  const std::size_t dimensions = task.action.dimensions();
  double largest = 0;
  for (std::size_t i = 0; i < played.size(); ++i) {
    largest = std::max(largest, std::abs(to_unit(task.action.axes[i % dimensions], played[i])));
  }
  return largest > 0.9 && largest < 1 ? Squash::tanh : Squash::none;
}

RidgeShape shape_for(const Task& task, std::size_t ridges, bool linear, Squash squash) {
  const bool discrete = task.action.is_discrete();
  const std::size_t outputs = discrete ? task.action.count : task.action.dimensions();
  return {static_cast<Index>(task.observation.dimensions()), static_cast<Index>(ridges), static_cast<Index>(outputs),
          linear,
          discrete                 ? Output::score
          : squash == Squash::tanh ? Output::tanh
                                   : Output::clip};
}

double to_unit(const Axis& axis, double action) {
  return (action - (axis.range.low + axis.range.high) / 2) / (axis.range.width() / 2);
}
double from_unit(const Axis& axis, double unit) {
  return (axis.range.low + axis.range.high) / 2 + axis.range.width() / 2 * unit;
}

std::unique_ptr<Policy> policy_of(Student student, const Task& task, double noise) {
  const auto outputs = static_cast<std::size_t>(student.shape.outputs);
  const bool discrete = student.shape.output == Output::score;
  BatchFunction choose = StudentFunction(std::move(student), task);
  if (discrete) choose = greedy_index(std::move(choose), outputs);
  return std::make_unique<NoisyPolicy>("student", task, std::move(choose), noise);
}

std::unique_ptr<Policy> noisy(const Policy& policy, const Task& task, double noise) {
  const BatchFunction choose = [&policy](MatrixView<const double> observation, MatrixView<double> action) {
    policy.mean_action(observation, action);
  };
  return std::make_unique<NoisyPolicy>(policy.name(), task, choose, noise);
}

}  // namespace mercer::distil
