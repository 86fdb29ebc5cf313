#include "arrays.hpp"
#include "bind.hpp"
#include "env/spec.hpp"
#include "env_batch.hpp"
#include "fields.hpp"
#include "mercer/env.hpp"
#include "mercer/perturb.hpp"

namespace py = pybind11;
using mercer::Task;

namespace {

Task make_task(const std::string& name, const py::dict& observation, const py::dict& action, std::uint32_t time_limit) {
  Task task;
  task.name = name;
  task.observation = space_from(observation);
  task.state = task.observation;
  task.action = space_from(action);
  task.time_limit = time_limit;
  task.gamma = 1;  // nothing declares a discount
  return task;
}

py::list to_list(const std::vector<mercer::Parameter>& all) {
  py::list out;
  for (const mercer::Parameter& one : all) {
    py::dict row;
    row["name"] = one.name;
    row["help"] = one.help;
    row["nominal"] = one.nominal;
    row["low"] = one.legal.low;
    row["high"] = one.legal.high;
    row["integer"] = one.integer;
    out.append(row);
  }
  return out;
}

// Sticks as (from, to, radius, fixed), and the names of the views.
py::tuple figure_tuple(const mercer::Figure& figure) {
  py::list sticks, views;
  for (const mercer::Stick& stick : figure.sticks) {
    sticks.append(
        py::make_tuple(py::tuple(py::cast(stick.from)), py::tuple(py::cast(stick.to)), stick.radius, stick.fixed));
  }
  for (const mercer::Viewpoint view : figure.views) views.append(std::string(mercer::name(view)));
  return py::make_tuple(sticks, views);
}

void bind_batch(py::module_& module) {
  py::class_<EnvBatch>(module, "EnvBatch")
      .def(py::init([](const std::string& name, std::size_t count, std::uint64_t seed,
                       const std::optional<std::vector<double>>& spread) {
             EnvPointer env = spread ? mercer::with_spread(name, seed, *spread) : mercer::make_env(name, seed);
             return std::make_unique<EnvBatch>(std::move(env), count);
           }),
           py::arg("name"), py::arg("num_envs"), py::arg("seed"), py::arg("spread") = std::nullopt)
      .def("reset", &EnvBatch::reset, py::arg("seed"), py::arg("mask"))
      .def("set_state", &EnvBatch::set_state)
      .def("step", &EnvBatch::step)
      .def("observe", &EnvBatch::observe)
      .def("figure", [](const EnvBatch& self, std::size_t index) { return figure_tuple(self.figure(index)); })
      .def_property_readonly("state", &EnvBatch::state)
      .def_property_readonly("broken", &EnvBatch::broken)
      .def_property_readonly("num_envs", &EnvBatch::count)
      .def_property_readonly("task", [](const EnvBatch& self) { return TaskHandle{self.env().task()}; })
      .def("return_range", [](const EnvBatch& self, std::optional<std::uint32_t> horizon) {
        return to_tuple(self.env().return_range(horizon.value_or(self.env().task().time_limit)));
      });
}

}  // namespace

void bind_env(py::module_& module) {
  py::class_<TaskHandle>(module, "Task")
      .def(py::init(
               [](const std::string& name, const py::dict& observation, const py::dict& action,
                  std::uint32_t time_limit) { return TaskHandle{make_task(name, observation, action, time_limit)}; }),
           py::arg("name"), py::arg("observation"), py::arg("action"), py::arg("time_limit"))
      .def_property_readonly("name", [](const TaskHandle& self) { return self.task.name; })
      .def_property_readonly("state", [](const TaskHandle& self) { return to_dict(self.task.state); })
      .def_property_readonly("observation", [](const TaskHandle& self) { return to_dict(self.task.observation); })
      .def_property_readonly("action", [](const TaskHandle& self) { return to_dict(self.task.action); })
      .def_property_readonly("reward", [](const TaskHandle& self) { return to_tuple(self.task.reward); })
      .def_property_readonly("time_limit", [](const TaskHandle& self) { return self.task.time_limit; })
      .def_property_readonly("gamma", [](const TaskHandle& self) { return self.task.gamma; })
      .def_property_readonly("dt", [](const TaskHandle& self) { return self.task.dt; });
  bind_batch(module);
  module.def("disturbances", [] { return to_list(mercer::disturbances()); });
  module.def(
      "parameters",
      [](const std::string& name) {
        const auto [task, settings] = mercer::split_spec(name);
        return to_list(mercer::perturbable(mercer::find_env(task), settings));
      },
      py::arg("name"));
  module.def("known_envs", [] {
    py::list out;
    for (const mercer::EnvEntry& entry : mercer::known_envs()) {
      out.append(py::make_tuple(entry.name, entry.summary, entry.settings, entry.group));
    }
    return out;
  });
}
