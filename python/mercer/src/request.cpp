#include "request.hpp"

#include <algorithm>

#include "mercer/error.hpp"

namespace py = pybind11;

std::string option_text_of(const py::handle& value, const std::string& name) {
  if (py::isinstance<py::str>(value)) return value.cast<std::string>();
  if (py::isinstance<py::bool_>(value)) return value.cast<bool>() ? "true" : "false";
  if (py::hasattr(value, "__index__")) return py::str(py::int_(py::reinterpret_borrow<py::object>(value)));
  if (py::hasattr(value, "__float__")) return py::repr(py::float_(py::reinterpret_borrow<py::object>(value)));
  if (py::hasattr(value, "__fspath__")) return py::module_::import("os").attr("fspath")(value).cast<std::string>();
  if (py::isinstance<py::sequence>(value) || py::hasattr(value, "__iter__")) {
    std::string all;
    for (const py::handle item : value) all += (all.empty() ? "" : ",") + option_text_of(item, name);
    return all;
  }
  throw mercer::Error(mercer::ErrorCode::bad_value,
                      "argument " + name + " is " + py::repr(value).cast<std::string>() + ", which is no option value",
                      "Give a number, a text, True or False, or a list of those");
}

void fill_options(mercer::OptionList& options, const py::dict& given, const char* owner) {
  for (const auto& [key, value] : given) {
    const auto python = key.cast<std::string>();
    if (value.is_none()) continue;
    std::string name = python;
    std::ranges::replace(name, '_', '-');
    const mercer::Option* option = options.find(name);
    if (option == nullptr) {
      std::vector<std::string> known;
      for (const mercer::Option& one : options.all()) {
        known.push_back(one.name);
        std::ranges::replace(known.back(), '-', '_');
      }
      mercer::throw_unknown(std::string("argument of ") + owner, python, known);
    }
    if (option->group == mercer::OptionGroup::network) {  // the policy is an object that was read with its settings
      throw mercer::Error(mercer::ErrorCode::bad_value,
                          "argument " + python + " of " + owner + " is a setting of a network's file",
                          "Read the policy by load_policy(file, env, " + python + "=...)");
    }
    options.fill(name, option_text_of(value, python), "argument " + python);
  }
}

mercer::PolicyRequest request_of(const PolicyHandle& policy) {
  mercer::PolicyRequest request = policy.request;
  request.object = policy.policy;
  return request;
}
