#pragma once

#include "distil/labelled.hpp"

namespace mercer::distil {

struct ImitateOptions {
  std::size_t rounds = 20;     ///< in each the student plays and the teacher labels, 1 or more
  std::size_t steps = 16'000;  ///< that the student plays a round, in whole episodes
  std::size_t updates = 1000;  ///< of Adam a round
  std::size_t batch = 2048;
  double rate = 1e-2;  ///< at the start; falls to a hundredth
  std::uint64_t seed = 0;
  std::uint64_t item = 0;  ///< tells imitations of one seed apart
};

/// Lowers the mean loss of a student on states that it visits itself, and whatever else `data` holds: the squared
/// distance to the teacher's action, both in [-1, 1], or the cross-entropy of the teacher's choice. The student's
/// numbers are where it starts. DAgger: each round adds the states of the student as it is then.
/// `enough` is asked between rounds; true ends it with what there is.
void imitate(Student& student, const Player& player, Labelled& data, const ImitateOptions& options,
             const std::function<bool()>& enough = {}, const Progress& progress = {});

/// A pass of a student over states of `data`, drawn anew.
struct Sampled {
  Sampled(const Student& student, const Labelled& data, std::size_t states, std::uint64_t seed);
  Matrix<float> input, label, weight;
  RidgePass pass;
};

/// The mean of that loss over states of `data`, drawn anew.
double imitation_error(const Student& student, const Labelled& data, std::size_t states, std::uint64_t seed);

/// How much of the outputs' variance goes through each ridge: the sum of its squared coefficients times the variance of
/// the ridge over 4,096 states of `data`.
Vector<double> ridge_weights(const Student& student, const Labelled& data, std::uint64_t seed);

}  // namespace mercer::distil
