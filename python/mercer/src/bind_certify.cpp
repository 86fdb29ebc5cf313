#include "bind.hpp"
#include "fields.hpp"
#include "handles.hpp"
#include "long_call.hpp"
#include "mercer/certify.hpp"

namespace py = pybind11;
using mercer::Level;

namespace {

Level parse_level(const std::string& name) {
  return choose<Level>("level", name,
                       {{"paper", Level::paper},
                        {"rigorous", Level::rigorous},
                        {"exact", Level::exact},
                        {"statistical", Level::statistical}});
}

mercer::CertifyOptions options_from(const py::dict& given) {
  mercer::CertifyOptions options;
  Fields fields(given);
  fields.read("episodes", options.episodes);
  fields.read("coupled", options.coupled);
  fields.read("seed", options.seed);
  fields.read("confidence", options.confidence);
  fields.read("attempt", options.attempt);
  fields.read_as("method", options.method, mercer::parse_loss_method);
  fields.read_as("act", options.act, parse_act);
  fields.read("gamma", options.gamma);
  fields.read("horizon", options.horizon);
  fields.read("model", options.model);
  fields.read("max_loss", options.max_loss);
  fields.read("max_loss_return", options.max_loss_return);
  std::optional<std::vector<std::string>> levels;
  fields.read("levels", levels);
  if (levels) {
    options.levels.clear();
    for (const std::string& name : *levels) options.levels.insert(parse_level(name));
  }
  fields.finish("certify");
  return options;
}

}  // namespace

void bind_certify(py::module_& module) {
  module.def("certify", [](const PlayerHandle& own, const PolicyHandle& teacher, const PolicyHandle& student,
                           const py::dict& given, const py::object& report) {
    const mercer::CertifyOptions options = options_from(given);
    const mercer::Player& player = *own.player;
    const auto work = [&](const mercer::Progress& progress) {
      return mercer::certify(player, *teacher.policy, *student.policy, options, progress);
    };
    return mercer::certificate_json(long_call(report, work, !player.parallel()));
  });
}
