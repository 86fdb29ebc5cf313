#include <pybind11/stl/filesystem.h>

#include "arrays.hpp"
#include "bind.hpp"
#include "fields.hpp"
#include "long_call.hpp"
#include "mercer/perturb.hpp"
#include "mercer/rollout.hpp"
#include "pipeline/teacher.hpp"
#include "request.hpp"

namespace py = pybind11;
using mercer::Rollouts;

namespace {

// The library's own numbers, kept alive by the rollouts they belong to.
template <class T>
py::array view_of(py::object owner, const std::vector<T>& numbers, std::size_t columns) {
  const auto size = static_cast<py::ssize_t>(numbers.size()), width = static_cast<py::ssize_t>(columns);
  std::vector<py::ssize_t> shape{size};
  if (columns > 0) shape = {size / width, width};
  return py::array_t<T>(shape, numbers.data(), std::move(owner));
}

template <class Member>
auto matrix(Member member, std::vector<std::string> Rollouts::*names) {
  return [member, names](const py::object& self) {
    const auto& rollouts = self.cast<const Rollouts&>();
    const std::size_t columns = (rollouts.*names).size();
    return view_of(self, rollouts.*member, columns == 0 ? 1 : columns);
  };
}

py::array actions(const py::object& self) {
  const auto& rollouts = self.cast<const Rollouts&>();
  if (rollouts.discrete_actions) {
    py::array_t<std::int64_t> out(static_cast<py::ssize_t>(rollouts.actions.size()));
    for (std::size_t i = 0; i < rollouts.actions.size(); ++i) {
      out.mutable_data()[i] = static_cast<std::int64_t>(rollouts.actions[i]);
    }
    return out;
  }
  return view_of(self, rollouts.actions, std::max<std::size_t>(1, rollouts.action_names.size()));
}

Rollouts from_arrays(const py::dict& given) {
  Rollouts out;
  Fields fields(given);
  fields.read("env", out.env);
  fields.read("policy", out.policy);
  fields.read("seed", out.seed);
  fields.read("gamma", out.gamma);
  fields.read("discrete_actions", out.discrete_actions);
  fields.read("observation_names", out.observation_names);
  fields.read("action_names", out.action_names);
  const auto numbers = [&](const char* name, std::vector<double>& place) {
    Numbers array;
    fields.read(name, array);
    place = vector_of(array);
  };
  fields.read("offsets", out.offsets);
  numbers("observations", out.observations);
  numbers("actions", out.actions);
  numbers("rewards", out.rewards);
  numbers("final_observations", out.final_observations);
  numbers("returns", out.returns);
  numbers("discounted_returns", out.discounted_returns);
  fields.read("terminated", out.terminated);
  fields.finish("rollouts");
  return out;
}

// The spread that a policy causes, where a task's noise needs it.
std::optional<std::vector<double>> spread_of(const std::string& name, std::uint64_t seed, const PolicyHandle& policy) {
  const auto env = mercer::make_env(name, seed);
  if (!mercer::needs_spread(*env)) return std::nullopt;
  return long_call(py::none(), [&](const mercer::Progress& progress) {
    return mercer::spread_of(name, env->task().observation, seed, *policy.policy, progress);
  });
}

template <class R>
R request_for(const PlayerHandle& player, const std::string& name, const PolicyHandle& policy, const py::dict& given,
              const char* owner) {
  R request = request_from<R>(given, owner);
  request.task.player = player.player;
  request.task.env = name;
  request.policy = request_of(policy);
  return request;
}

Rollouts rollout(const PlayerHandle& player, const std::string& name, const PolicyHandle& policy,
                 const std::optional<Numbers>& start_states, bool keep_steps, const py::dict& given,
                 const py::object& report) {
  auto request = request_for<mercer::RolloutRequest>(player, name, policy, given, "rollout");
  if (start_states) request.task.start_states = vector_of(*start_states);
  request.keep_steps = keep_steps;
  const auto work = [&](const mercer::Progress& progress) { return mercer::rollout(request, progress).rollouts; };
  Rollouts played = long_call(report, work, !player.player->parallel());
  played.policy = policy.name();
  return played;
}

// What `mercer evaluate --json` prints.
py::dict evaluate(const PlayerHandle& player, const std::string& name, const PolicyHandle& policy,
                  const py::object& against, const py::dict& given, const py::object& report) {
  auto request = request_for<mercer::EvaluateRequest>(player, name, policy, given, "evaluate");
  if (!against.is_none()) request.against = request_of(against.cast<const PolicyHandle&>());
  const auto work = [&](const mercer::Progress& progress) { return mercer::evaluate(request, progress); };
  const mercer::EvaluateResult result = long_call(report, work, !player.player->parallel());
  py::dict out;
  out["env"] = result.env;
  out["policy"] = policy.name();
  out["seed"] = result.seed;
  out["episodes"] = result.played.episodes();
  out["steps"] = result.played.steps();
  out["return"] = to_dict(result.returns);
  out["std_ci95"] = result.std_interval ? py::object(to_tuple(*result.std_interval)) : py::none();
  out["discounted_return"] = to_dict(result.discounted);
  if (!result.against) return out;
  py::dict other;
  other["policy"] = against.cast<const PolicyHandle&>().name();
  other["return"] = to_dict(result.against->returns);
  out["against"] = other;
  out["paired"] = to_dict(result.against->loss);
  return out;
}

}  // namespace

void bind_rollout(py::module_& module) {
  py::class_<Rollouts>(module, "Rollouts")
      .def_readonly("env", &Rollouts::env)
      .def_readonly("policy", &Rollouts::policy)
      .def_readonly("seed", &Rollouts::seed)
      .def_readonly("gamma", &Rollouts::gamma)
      .def_readonly("discrete_actions", &Rollouts::discrete_actions)
      .def_readonly("state_names", &Rollouts::state_names)
      .def_readonly("observation_names", &Rollouts::observation_names)
      .def_readonly("action_names", &Rollouts::action_names)
      .def_property_readonly("episodes", &Rollouts::episodes)
      .def_property_readonly("steps", &Rollouts::steps)
      .def_property_readonly("states", matrix(&Rollouts::states, &Rollouts::state_names))
      .def_property_readonly("observations", matrix(&Rollouts::observations, &Rollouts::observation_names))
      .def_property_readonly("actions", &actions)
      .def_property_readonly("start_states", matrix(&Rollouts::start_states, &Rollouts::state_names))
      .def_property_readonly("final_observations", matrix(&Rollouts::final_observations, &Rollouts::observation_names))
      .def_property_readonly(
          "offsets", [](const py::object& self) { return view_of(self, self.cast<const Rollouts&>().offsets, 0); })
      .def_property_readonly(
          "rewards", [](const py::object& self) { return view_of(self, self.cast<const Rollouts&>().rewards, 0); })
      .def_property_readonly(
          "returns", [](const py::object& self) { return view_of(self, self.cast<const Rollouts&>().returns, 0); })
      .def_property_readonly(
          "discounted_returns",
          [](const py::object& self) { return view_of(self, self.cast<const Rollouts&>().discounted_returns, 0); })
      .def_property_readonly("terminated",
                             [](const py::object& self) {
                               return view_of(self, self.cast<const Rollouts&>().terminated, 0).attr("astype")("bool");
                             })
      .def("save", [](const Rollouts& self, const std::filesystem::path& path) { mercer::write_rollouts(path, self); });
  module.def("make_rollouts", &from_arrays);
  module.def("read_rollouts", &mercer::read_rollouts, py::arg("path"), py::arg("gamma") = std::nullopt,
             py::call_guard<py::gil_scoped_release>());
  module.def("spread_of", &spread_of);
  module.def("rollout", &rollout);
  module.def("evaluate", &evaluate);
}
