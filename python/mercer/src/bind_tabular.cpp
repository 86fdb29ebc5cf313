#include <fmt/format.h>
#include <pybind11/stl/filesystem.h>

#include "arrays.hpp"
#include "bind.hpp"
#include "fields.hpp"
#include "mercer/certify.hpp"
#include "mercer/mdp.hpp"

namespace py = pybind11;
using mercer::TabularMdp;

namespace {

TabularMdp make(const Numbers& transitions, const Numbers& rewards, const Numbers& start, double gamma,
                std::uint32_t horizon, const std::optional<std::vector<std::size_t>>& terminal) {
  if (transitions.ndim() != 3) {
    throw mercer::Error(
        mercer::ErrorCode::shape_mismatch,
        fmt::format("transitions with {} axes; needed: [state][action][next state]", transitions.ndim()),
        "Give P[s][a][s']");
  }
  TabularMdp mdp;
  mdp.n = static_cast<std::size_t>(transitions.shape(0));
  mdp.m = static_cast<std::size_t>(transitions.shape(1));
  mdp.P = vector_of(transitions);
  mdp.r = vector_of(rewards);
  mdp.mu = vector_of(start);
  mdp.gamma = gamma;
  mdp.horizon = horizon;
  if (terminal) {
    mdp.terminal.assign(mdp.n, 0);
    for (const std::size_t state : *terminal) {
      mercer::require_in_range("a terminal state", static_cast<double>(state), 0, static_cast<double>(mdp.n) - 1,
                               "Give the number of a state");
      mdp.terminal[state] = 1;
    }
  }
  mercer::check_mdp(mdp, "the process");
  return mdp;
}

py::dict solve(const TabularMdp& mdp, const Numbers& policy) {
  mercer::TabularSolution solution;
  mercer::LongRun run;
  std::vector<double> dense(mdp.n * mdp.n, 0.0);
  {
    const py::gil_scoped_release release;
    const mercer::SparseMdp sparse = mercer::sparse_mdp(mdp);
    const std::vector<double> pi = mercer::checked_policy(sparse, span_of(policy), "the policy");
    solution = mercer::solve_tabular(sparse, pi);
    const mercer::PolicyChain chain = mercer::policy_chain(sparse, pi);
    run = mercer::long_run(chain);
    for (std::size_t s = 0; s < mdp.n; ++s) {
      for (std::size_t i = chain.offsets[s]; i < chain.offsets[s + 1]; ++i) {
        dense[s * mdp.n + chain.next[i]] += chain.probability[i];
      }
    }
  }
  const auto n = static_cast<py::ssize_t>(mdp.n), m = static_cast<py::ssize_t>(mdp.m);
  py::dict out;
  out["V"] = array_of(std::move(solution.V));
  out["Q"] = array_of(std::move(solution.Q), {n, m});
  out["A"] = array_of(std::move(solution.A), {n, m});
  out["eta"] = solution.eta;
  out["d"] = array_of(std::move(solution.d));
  out["rho"] = run.applicable ? py::object(array_of(std::move(run.rho))) : py::none();
  out["Z"] = run.applicable ? py::object(array_of(std::move(run.Z), {n, n})) : py::none();
  out["P_pi"] = array_of(std::move(dense), {n, n});
  out["V_error"] = solution.V_error;
  out["eta_error"] = solution.eta_error;
  if (!run.applicable) out["no_long_run"] = run.reason;
  return out;
}

py::dict solve_horizon(const TabularMdp& mdp, const Numbers& policy, std::size_t T, double gamma) {
  mercer::FiniteHorizon made;
  {
    const py::gil_scoped_release release;
    made = mercer::solve_finite_horizon(mercer::sparse_mdp(mdp), span_of(policy), T, gamma);
  }
  const auto n = static_cast<py::ssize_t>(mdp.n), steps = static_cast<py::ssize_t>(T);
  py::dict out;
  out["eta"] = made.eta;
  out["eta_error"] = made.eta_error;
  out["V"] = array_of(std::move(made.V), {steps + 1, n});
  out["visits"] = array_of(std::move(made.visits), {steps, n});
  return out;
}

// All rows as dictionaries, and |eta1 - eta2|.
py::tuple bounds(const TabularMdp& mdp, const Numbers& first, const Numbers& second, const std::string& kernel,
                 std::size_t k, std::size_t horizon, const std::optional<Numbers>& atoms) {
  mercer::BoundInputs inputs;
  std::vector<std::vector<double>> axes;  // one dimension
  if (atoms) axes = {vector_of(*atoms)};
  inputs.K = k;
  inputs.T = horizon;
  inputs.atoms = axes;
  std::vector<mercer::Bound> all;
  double difference = 0;
  {
    const py::gil_scoped_release release;
    inputs.kernel = mercer::make_action_kernel(mercer::parse<mercer::ActionKernelKind>(kernel), mdp.m, span_of(first));
    const mercer::TabularComparison comparison = mercer::compare(mdp, span_of(first), span_of(second));
    difference = std::abs(comparison.difference());
    all = mercer::rigorous_bounds(comparison, inputs);
    for (mercer::Bound& bound : mercer::paper_bounds(comparison, inputs)) all.push_back(std::move(bound));
  }
  py::list rows;
  for (const mercer::Bound& bound : all) {
    py::dict row;
    row["id"] = bound.id;
    row["level"] = name(bound.level);
    row["quantity"] = name(bound.quantity);
    row["value"] = bound.applicable ? py::object(py::float_(bound.value)) : py::none();
    row["applicable"] = bound.applicable;
    row["vacuous"] = bound.vacuous;
    row["needs"] = bound.needs;
    row["measured"] = bound.measured;
    rows.append(row);
  }
  return py::make_tuple(rows, difference);
}

}  // namespace

void bind_tabular(py::module_& module) {
  py::class_<TabularMdp>(module, "TabularMdp")
      .def(py::init(&make), py::arg("transitions"), py::arg("rewards"), py::arg("start"), py::arg("gamma") = 0.99,
           py::arg("horizon") = 1, py::arg("terminal") = std::nullopt)
      .def_readonly("n", &TabularMdp::n)
      .def_readonly("m", &TabularMdp::m)
      .def_readonly("gamma", &TabularMdp::gamma)
      .def_readonly("horizon", &TabularMdp::horizon)
      .def_property_readonly("transitions",
                             [](const TabularMdp& self) {
                               const auto n = static_cast<py::ssize_t>(self.n);
                               return array_of(self.P, {n, static_cast<py::ssize_t>(self.m), n});
                             })
      .def_property_readonly(
          "rewards",
          [](const TabularMdp& self) {
            return array_of(self.r, {static_cast<py::ssize_t>(self.n), static_cast<py::ssize_t>(self.m)});
          })
      .def_property_readonly("start", [](const TabularMdp& self) { return array_of(self.mu); })
      .def("solve", &solve, py::arg("policy"))
      .def("solve_finite_horizon", &solve_horizon, py::arg("policy"), py::arg("T"), py::arg("gamma") = 1.0);
  module.def("bound_rows", &bounds);
  module.def("read_mdp", &mercer::read_mdp, py::arg("path"));
  module.def("make_chain", &mercer::make_chain, py::arg("n"), py::arg("alpha") = 1.0, py::arg("horizon") = 100);
  module.def("make_noisy_bandit", &mercer::make_noisy_bandit, py::arg("arms"), py::arg("noise"), py::arg("seed") = 0);
}
