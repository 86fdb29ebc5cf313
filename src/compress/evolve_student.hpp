#pragma once

#include "distil/imitate.hpp"
#include "distil/round_to_data.hpp"
#include "mercer/compress.hpp"

namespace mercer {

/// What a student costs: by the aim, in units of the budget, but never less than a student that earns what its teacher
/// does and keeps all limits; and a tenth of its imitation error. So a student is not drawn away from its teacher by
/// returns beyond the teacher's.
double student_cost(const Aim& aim, std::span<const Outcome> outcomes, const Task& task, const Policy& policy,
                    double imitation_error);

/// Lowers the cost (`student_cost`) of a rounded student over all its numbers, rounded as they are played: an evolution
/// strategy for students of up to a few hundred numbers, where no gradient is known. Steps are relative to the root
/// mean square of the ridges, of the coefficients and of the linear part. Candidates of one generation play the same
/// `options.episodes` episodes, new ones in each; of start and result the one that costs less on twice as many others
/// is returned. `options.step` is the first step.
distil::RoundedStudent evolve_student(const distil::RoundedStudent& start, const Player& player,
                                      const distil::Labelled& data, const ReturnPolish& options,
                                      const EnoughTime& enough, const Progress& progress);

}  // namespace mercer
