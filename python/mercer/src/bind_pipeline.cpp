#include "bind.hpp"
#include "env_batch.hpp"
#include "long_call.hpp"
#include "pipeline/documents.hpp"
#include "request.hpp"

namespace py = pybind11;

namespace {

mercer::PolicyRequest request_of(const PolicyHandle& policy) {
  mercer::PolicyRequest request = policy.request;
  request.object = policy.policy;
  return request;
}

// The embedding, and the facts of `mercer embed --json` as text.
py::tuple embed(const std::optional<EnvBatch>& env, const std::string& name, const PolicyHandle& teacher,
                const py::object& logged, const py::dict& given, const py::object& report) {
  auto request = request_from<mercer::EmbedRequest>(given, "embed");
  if (env) {
    request.task.object = env->shared();
    request.task.env = name;
  }
  request.teacher = request_of(teacher);
  if (!logged.is_none()) request.logged = std::make_shared<const mercer::Rollouts>(logged.cast<mercer::Rollouts>());
  mercer::EmbedResult result =
      long_call(report, [&](const mercer::Progress& progress) { return mercer::embed(request, progress); });
  const std::string facts = mercer::document(result).dump();
  return py::make_tuple(EmbeddingHandle{std::make_shared<mercer::EmbeddingFile>(std::move(*result.file))}, facts);
}

std::string train(const py::dict& given, const py::object& report) {
  const auto request = request_from<mercer::TrainRequest>(given, "train");
  return mercer::document(
             long_call(report, [&](const mercer::Progress& progress) { return mercer::train(request, progress); }))
      .dump();
}

// Every option of a verb: name, default, legal values, help, group.
py::list options_of_verb(const std::string& verb) {
  py::list out;
  for (const mercer::VerbOptions& one : mercer::all_options()) {
    if (one.verb != verb) continue;
    for (const mercer::Option& option : one.options) {
      py::dict row;
      std::string name = option.name;
      std::ranges::replace(name, '-', '_');
      row["name"] = name;
      row["option"] = option.name;
      row["default"] = option.default_text();
      row["legal"] = option.only_choices ? option.full_help() : option.range_text();
      row["group"] = std::string(mercer::name(option.group));
      row["help"] = option.help;
      out.append(row);
    }
  }
  return out;
}

}  // namespace

void bind_pipeline(py::module_& module) {
  module.def("embed", &embed);
  module.def("train", &train);
  module.def("options", &options_of_verb);
}
