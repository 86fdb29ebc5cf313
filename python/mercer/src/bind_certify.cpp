#include "bind.hpp"
#include "env_batch.hpp"
#include "fields.hpp"
#include "long_call.hpp"
#include "mercer/certify.hpp"

namespace py = pybind11;

namespace {

mercer::CertifyOptions options_from(const py::dict& given) {
  mercer::CertifyOptions options;
  Fields fields(given);
  fields.read("episodes", options.episodes);
  fields.read("coupled", options.coupled);
  fields.read("seed", options.seed);
  fields.read("confidence", options.confidence);
  fields.read("attempt", options.attempt);
  fields.read("method", options.method);
  fields.read("act", options.act);
  fields.read("gamma", options.gamma);
  fields.read("horizon", options.horizon);
  fields.read("model", options.model);
  fields.read("max_loss", options.max_loss);
  fields.read("max_loss_return", options.max_loss_return);
  std::optional<std::vector<std::string>> levels;
  fields.read("levels", levels);
  if (levels) {
    options.levels.clear();
    for (const std::string& name : *levels) options.levels.insert(mercer::parse<mercer::Level>(name));
  }
  fields.finish("certify");
  return options;
}

}  // namespace

void bind_certify(py::module_& module) {
  module.def("certify", [](const EnvBatch& env, const PolicyHandle& teacher, const PolicyHandle& student,
                           const py::dict& given, const py::object& report) {
    const mercer::CertifyOptions options = options_from(given);
    return mercer::certificate_json(long_call(report, [&](const mercer::Progress& progress) {
      return mercer::certify(env.env(), *teacher.policy, *student.policy, options, progress);
    }));
  });
}
