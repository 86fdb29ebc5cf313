#include <numeric>
#include <set>

#include <fmt/format.h>
#include <pybind11/stl/filesystem.h>

#include "arrays.hpp"
#include "bind.hpp"
#include "fields.hpp"
#include "handles.hpp"
#include "mercer/policy.hpp"
#include "mercer/statistics.hpp"
#include "policy/agents/agent.hpp"
#include "python_policy.hpp"

namespace py = pybind11;
using mercer::Error;
using mercer::ErrorCode;
using mercer::Policy;

namespace {

// The part of a dictionary that an axis belongs to: "goal" of "goal0", "goal1", ...; of several the longest.
std::string part_of(const std::string& axis, const py::dict& parts) {
  const std::size_t shortest = axis.find_last_not_of("0123456789") + 1;
  for (std::size_t size = axis.size(); size > shortest; --size) {
    std::string key = axis.substr(0, size - 1);
    if (parts.contains(key)) return key;
  }
  throw Error(ErrorCode::bad_value,
              fmt::format("observations without '{}', to which axis '{}' belongs", axis.substr(0, shortest), axis),
              "Give all parts that the policy's contract lists");
}

// The parts of a dictionary one behind the other, in the order of the contract.
py::object joined(const Policy& policy, const py::dict& parts) {
  py::list in_order;
  std::set<std::string> taken;
  for (const mercer::Axis& axis : policy.contract().observation.axes) {
    const std::string key = part_of(axis.name, parts);
    if (taken.insert(key).second) in_order.append(parts[py::str(key)]);
  }
  return py::module_::import("numpy").attr("concatenate")(in_order, py::arg("axis") = -1);
}

Batch observations_for(const Policy& policy, const py::object& given) {
  const bool parts = py::isinstance<py::dict>(given);
  return {parts ? joined(policy, given) : given, policy.observation_dimensions(), "observations"};
}

py::object mean_action(const PolicyHandle& self, const py::object& given) {
  const Policy& policy = *self.policy;
  const Batch observations = observations_for(policy, given);
  const Columns out(policy.action_space().dimensions(), observations.size());
  {
    const py::gil_scoped_release release;
    policy.mean_action(observations.view(), out.view);
  }
  return actions_of(out, policy.action_space(), observations.single());
}

// Row i is episode items[i], or i itself.
Columns drawn(const Policy& policy, const Batch& observations, std::uint64_t seed, std::uint32_t step,
              const std::optional<std::vector<std::uint64_t>>& items) {
  const Columns out(policy.action_space().dimensions(), observations.size());
  std::vector<std::uint64_t> rows = items.value_or(std::vector<std::uint64_t>(observations.size()));
  if (!items) std::iota(rows.begin(), rows.end(), std::uint64_t{0});
  if (rows.size() != observations.size()) {
    throw Error(ErrorCode::shape_mismatch,
                fmt::format("{} items for {} observations", rows.size(), observations.size()), "Give one for each");
  }
  const py::gil_scoped_release release;
  policy.sample(observations.view(), {seed, mercer::Stage::action, step, rows}, out.view);
  return out;
}

py::object sample(const PolicyHandle& self, const py::object& given, std::uint64_t seed, std::uint32_t step,
                  const std::optional<std::vector<std::uint64_t>>& items) {
  const Batch observations = observations_for(*self.policy, given);
  return actions_of(drawn(*self.policy, observations, seed, step, items), self.policy->action_space(),
                    observations.single());
}

py::object log_prob(const PolicyHandle& self, const py::object& given, const py::object& played) {
  const Policy& policy = *self.policy;
  const Batch observations = observations_for(policy, given);
  const Batch actions(played, policy.action_space().dimensions(), "actions");
  if (actions.size() != observations.size()) {
    throw Error(ErrorCode::shape_mismatch,
                fmt::format("{} actions for {} observations", actions.size(), observations.size()),
                "Give one for each");
  }
  py::array_t<double> out(static_cast<py::ssize_t>(observations.size()));
  const std::span<double> values(out.mutable_data(), observations.size());
  {
    const py::gil_scoped_release release;
    policy.log_prob(observations.view(), actions.view(), values);
  }
  return observations.single() ? py::object(py::float_(values[0])) : py::object(out);
}

// As Stable-Baselines3 has it: actions in single precision, cut to the box; integers where they are discrete.
py::tuple predict(PolicyHandle& self, const py::object& given, const py::object& state, const py::object&,
                  bool deterministic) {
  const Policy& policy = *self.policy;
  const mercer::Space& space = policy.action_space();
  const Batch observations = observations_for(policy, given);
  if (space.is_discrete()) {
    if (!deterministic) {
      return py::make_tuple(
          actions_of(drawn(policy, observations, self.seed, self.drawn++, {}), space, observations.single()), state);
    }
    return py::make_tuple(mean_action(self, given), state);
  }
  std::vector<py::ssize_t> shape;
  if (!observations.single()) shape.push_back(static_cast<py::ssize_t>(observations.size()));
  shape.push_back(static_cast<py::ssize_t>(space.dimensions()));
  py::array_t<float> out(shape);
  const std::size_t count = observations.size(), dimensions = space.dimensions();
  std::vector<double> memory(dimensions * count);
  const mercer::MatrixView<double> actions(memory.data(), dimensions, count);
  float* const data = out.mutable_data();
  {
    const py::gil_scoped_release release;
    if (deterministic) {
      policy.mean_action(observations.view(), actions);
    } else {
      std::vector<std::uint64_t> rows(count);
      std::iota(rows.begin(), rows.end(), std::uint64_t{0});
      policy.sample(observations.view(), {self.seed, mercer::Stage::action, self.drawn++, rows}, actions);
    }
    for (std::size_t d = 0; d < dimensions; ++d) {
      const auto [low, high] = space.axes[d].range;
      for (std::size_t i = 0; i < count; ++i) {
        data[i * dimensions + d] = static_cast<float>(std::min(std::max(actions(d, i), low), high));
      }
    }
  }
  return py::make_tuple(out, state);
}

// One observation of a foreign task: the action that is played, cut to the box; a plain number where it is discrete.
py::object act(const PolicyHandle& self, const py::object& given, bool mean, std::uint64_t seed, std::uint64_t episode,
               std::uint32_t step) {
  const Policy& policy = *self.policy;
  const mercer::Space& space = policy.action_space();
  const Batch observation = observations_for(policy, given);
  py::array_t<double> out(static_cast<py::ssize_t>(space.dimensions()));
  const mercer::MatrixView<double> action(out.mutable_data(), space.dimensions(), 1);
  {
    const py::gil_scoped_release release;
    if (mean) {
      policy.mean_action(observation.view(), action);
    } else {
      policy.sample(observation.view(), {seed, mercer::Stage::action, step, {&episode, 1}}, action);
    }
  }
  if (space.is_discrete()) return py::int_(static_cast<std::int64_t>(action(0, 0)));
  for (std::size_t d = 0; d < space.dimensions(); ++d) {
    const auto [low, high] = space.axes[d].range;
    action(d, 0) = std::min(std::max(action(d, 0), low), high);
  }
  return out;
}

std::vector<mercer::PolicySetting> settings_from(const py::dict& given) {
  std::vector<mercer::PolicySetting> settings;
  for (const auto& [key, value] : given) {
    settings.push_back({key.cast<std::string>(), value.cast<std::string>(), "an argument"});
  }
  return settings;
}

PolicyHandle make_policy(const std::string& spec, const TaskHandle& task, const py::dict& settings) {
  std::vector<mercer::PolicySetting> overrides = settings_from(settings);
  PolicyHandle made{mercer::make_policy(spec, task.task, overrides)};
  made.request = {spec, std::move(overrides)};
  return made;
}

PolicyHandle make_tabular(const Numbers& table) {
  const auto rows = rows_of(table, "a policy");
  return {std::make_shared<mercer::TabularPolicy>("table", rows.rows(), rows.cols(), vector_of(table))};
}

PolicyHandle make_python(const std::string& name, const TaskHandle& task, py::object mean, py::object draw,
                         py::object density, py::object given) {
  return {std::make_shared<PythonPolicy>(
      name, mercer::contract_of(task.task),
      PolicyFunctions{std::move(mean), std::move(draw), std::move(density), std::move(given)})};
}

py::dict distance(const PolicyHandle& first, const PolicyHandle& second, const py::object& observations,
                  const std::vector<double>& breaks) {
  const Batch states = observations_for(*first.policy, observations);
  mercer::PolicyDistance found;
  {
    const py::gil_scoped_release release;
    found = mercer::policy_distance(*first.policy, *second.policy, states.view(), breaks);
  }
  py::dict out;
  out["tv"] = found.tv;
  out["most_tv"] = found.most_tv;
  out["kl"] = found.kl;
  out["w1"] = found.w1;
  out["mean_gap"] = found.mean_gap;
  out["inside"] = found.inside;
  return out;
}

}  // namespace

void bind_policy(py::module_& module) {
  py::class_<PolicyHandle>(module, "Policy")
      .def("sample", &sample, py::arg("obs"), py::arg("seed") = 0, py::arg("step") = 0, py::arg("items") = std::nullopt)
      .def("mean_action", &mean_action, py::arg("obs"))
      .def("act", &act, py::arg("obs"), py::arg("mean"), py::arg("seed"), py::arg("episode"), py::arg("step"))
      .def("log_prob", &log_prob, py::arg("obs"), py::arg("actions"))
      .def("predict", &predict, py::arg("observation"), py::arg("state") = py::none(),
           py::arg("episode_start") = py::none(), py::arg("deterministic") = true)
      .def(
          "set_random_seed",
          [](PolicyHandle& self, std::uint64_t seed) {
            self.seed = seed;
            self.drawn = 0;
          },
          py::arg("seed"))
      .def_property_readonly("name", &PolicyHandle::name)
      .def_property_readonly("contract", [](const PolicyHandle& self) { return to_dict(self.policy->contract()); })
      .def("__repr__", [](const PolicyHandle& self) { return fmt::format("<mercer.Policy {}>", self.name()); });
  module.def("make_policy", &make_policy);
  module.def("task_of_agent", [](const std::filesystem::path& file, const py::dict& settings) {
    mercer::AgentOptions options;
    for (const mercer::PolicySetting& one : settings_from(settings)) mercer::set_agent_option(options, one);
    return TaskHandle{mercer::read_agent_task(file, options)};
  });
  module.def("check_fits",
             [](const PolicyHandle& policy, const TaskHandle& task) { mercer::check_fits(*policy.policy, task.task); });
  module.def("make_tabular_policy", &make_tabular);
  module.def("make_python_policy", &make_python, py::arg("name"), py::arg("task"), py::arg("mean"), py::arg("sample"),
             py::arg("log_prob"), py::arg("given"));
  module.def("policy_distance", &distance, py::arg("first"), py::arg("second"), py::arg("observations"),
             py::arg("breaks") = std::vector<double>{});
  module.def("known_policies", [] {
    py::list out;
    for (const mercer::PolicyKind& kind : mercer::known_policies()) out.append(py::make_tuple(kind.name, kind.summary));
    return out;
  });
}
