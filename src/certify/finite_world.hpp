#pragma once

#include <optional>
#include <string>
#include <vector>

#include "certify/lattice_model.hpp"
#include "mercer/certify.hpp"
#include "mercer/embedding.hpp"

namespace mercer {

/// A finite process with the teacher, the embedding and the policies between them as tables: the task itself where it
/// is finite, otherwise a model of it on the embedding's lattice.
struct FiniteWorld {
  LatticeModel model;      ///< its `mdp`; counts and radii only where it is estimated
  bool estimated = false;  ///< from rollouts: not the task itself
  bool one_round = false;  ///< a bandit: an episode is one step, and the discounted return is of rounds without end
  bool lattice = false;    ///< the tables between teacher and embedding mean something
  std::vector<double> teacher;      ///< where estimated: how often it played each action bin in each cell
  std::vector<double> discretised;  ///< its masses of action bins at the middles of cells, itself outside of them
  std::vector<double> pruned;       ///< the same, outside as the embedding does it
  std::vector<double> embedded;     ///< what acts
  std::vector<std::vector<double>> atoms;             ///< values of the actions along each dimension
  std::vector<double> states;                         ///< of the task itself: the numbers that policies see
  std::size_t trajectories = 0;                       ///< rollouts that it was estimated from
  double r_M = 0;                                     ///< largest |reward| that the task declares; 0: none
  std::size_t full_states = 0;                        ///< cells before any were left out
  std::vector<double> state_samples, action_samples;  ///< of boxes: a row for each dimension
  std::vector<std::size_t> state_bins, action_bins;
  std::optional<TableOrigin> origin;  ///< of the embedding's table
  std::vector<std::size_t> rows;      ///< of each state in that table; `LatticeModel::none`: not there

  const SparseMdp& mdp() const { return model.mdp; }
  /// What bounds compare the embedding with: the teacher, or its table where the world is made of cells.
  const std::vector<double>& reference() const { return estimated ? discretised : teacher; }
};

/// The finite world of a task and two policies, or a sentence why there is none.
struct FiniteWorldResult {
  std::optional<FiniteWorld> world;
  std::string why_not;
};

/// `rollouts` are the teacher's, with steps. `gamma`, below 1, becomes the discount of the world.
FiniteWorldResult find_finite_world(const Env& env, const Policy& teacher, const Policy& student,
                                    const Rollouts& rollouts, const CertifyOptions& options, double gamma);

/// Another student on the same lattice in place of the embedding. Throws `bad_value` for one that is on none.
void replace_embedded(FiniteWorld& world, const Policy& student, const Rollouts& rollouts, Act act);

/// Whether the return over so many steps can be followed in moderate time and memory.
bool can_follow(const FiniteWorld& world, std::uint32_t horizon);

/// Whether the task is finite by itself: then no rollouts are needed.
bool is_finite(const Env& env);

}  // namespace mercer
