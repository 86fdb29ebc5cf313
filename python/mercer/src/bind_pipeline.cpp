#include "arrays.hpp"
#include "bind.hpp"
#include "env_batch.hpp"
#include "long_call.hpp"
#include "pipeline/documents.hpp"
#include "pipeline/export.hpp"
#include "request.hpp"

namespace py = pybind11;

namespace {

// The embedding, and the facts of `mercer embed --json` as text.
py::tuple embed(const py::object& env, const std::string& name, const PolicyHandle& teacher, const py::object& logged,
                const py::dict& given, const py::object& report) {
  auto request = request_from<mercer::EmbedRequest>(given, "embed");
  if (!env.is_none()) {
    request.task.object = env.cast<const EnvBatch&>().shared();
    request.task.env = name;
  }
  request.teacher = request_of(teacher);
  if (!logged.is_none()) request.logged = std::make_shared<const mercer::Rollouts>(logged.cast<mercer::Rollouts&>());
  mercer::EmbedResult result =
      long_call(report, [&](const mercer::Progress& progress) { return mercer::embed(request, progress); });
  const std::string facts = mercer::document(result).dump();
  return py::make_tuple(EmbeddingHandle{std::make_shared<mercer::EmbeddingFile>(std::move(*result.file))}, facts);
}

py::dict to_dict(const mercer::Candidate& one, bool played) {
  py::dict out = py::module_::import("json").attr("loads")(mercer::document(one, played).dump());
  out["loss"] = one.loss;
  out["spread"] = one.spread;
  return out;
}

// States and the offsets of their episodes.
using Log = std::pair<py::object, std::vector<std::int64_t>>;

mercer::LoggedStates to_log(const Log& given, std::size_t dimensions) {
  const Batch batch(given.first, dimensions, "states");
  mercer::LoggedStates out{{batch.view().rows(), {}}, given.second};
  for (std::size_t d = 0; d < batch.view().rows(); ++d) {
    for (std::size_t i = 0; i < batch.size(); ++i) out.states.values.push_back(batch.view()(d, i));
  }
  return out;
}

// The embedding with its certificate, all candidates, the numbers of those on the Pareto front, seconds, and why the
// budget is not kept, if it is not.
py::tuple compress(const PlayerHandle& player, const std::string& name, const PolicyHandle& teacher,
                   const std::optional<Log>& log, const py::dict& given, const py::object& listener,
                   const py::object& report) {
  auto request = request_from<mercer::CompressRequest>(given, "compress");
  request.task.player = player.player;
  request.task.env = name;
  request.teacher = request_of(teacher);
  if (log) request.logged_states = to_log(*log, teacher.policy->observation_dimensions());
  const bool played = !log;
  mercer::CandidateSink sink;
  if (!listener.is_none()) {
    sink = [&listener, played](const mercer::Candidate& one, bool on_front) {
      const py::gil_scoped_acquire python;
      listener(to_dict(one, played), on_front);
    };
  }
  const auto work = [&](const mercer::Progress& progress) { return mercer::compress(request, sink, progress); };
  mercer::CompressResult result = long_call(report, work, !player.player->parallel());
  py::object refused = py::none();
  try {
    mercer::require_budget(result);
  } catch (const mercer::Error& error) {
    refused = py::str(with_keywords(error.what()));
  }
  mercer::Compressed& found = result.found;
  py::list tried;
  for (const mercer::Candidate& one : found.tried) tried.append(to_dict(one, played));
  result.origin.settings["format"] = document(found.winner(), played)["format"].get<std::string>();
  const EmbeddingHandle handle{std::make_shared<mercer::EmbeddingFile>(mercer::EmbeddingFile{
      std::move(found.tried[found.chosen].embedding), std::move(result.origin), 0, found.certificate})};
  return py::make_tuple(handle, tried, found.front, found.seconds, refused);
}

std::string certify(const PlayerHandle& player, const std::string& name, const PolicyHandle& teacher,
                    const py::object& student, const py::dict& given, const py::object& report) {
  auto request = request_from<mercer::CertifyRequest>(given, "certify");
  request.task.player = player.player;
  request.task.env = name;
  request.teacher = request_of(teacher);
  if (py::isinstance<EmbeddingHandle>(student)) {
    request.embedding = student.cast<const EmbeddingHandle&>().file;
  } else {
    request.student = student.cast<const PolicyHandle&>().policy;
  }
  const auto work = [&](const mercer::Progress& progress) { return mercer::certify(request, progress); };
  return mercer::document(long_call(report, work, !player.player->parallel())).dump();
}

std::string train(const py::dict& given, const py::object& report) {
  const auto request = request_from<mercer::TrainRequest>(given, "train");
  return mercer::document(
             long_call(report, [&](const mercer::Progress& progress) { return mercer::train(request, progress); }))
      .dump();
}

std::string inspect(const py::dict& given) {
  const auto request = request_from<mercer::InspectRequest>(given, "inspect");
  const py::gil_scoped_release release;
  return mercer::document(mercer::inspect(request)).dump();
}

// Writes the files; what `mercer export --json` says about them, as text.
std::string export_as(const EmbeddingHandle& embedding, const mercer::ExportRequest& request) {
  const py::gil_scoped_release release;
  mercer::ExportTexts texts = mercer::export_texts(request, *embedding.file);
  texts.result.files = mercer::write_files(request.out, texts.files, request.force);
  return mercer::document(texts.result).dump();
}

std::string export_c(const EmbeddingHandle& embedding, const py::dict& given) {
  auto request = request_from<mercer::ExportRequest>(given, "export_c");
  request.format = mercer::ExportRequest::Format::c;
  return export_as(embedding, request);
}

std::string export_code(const EmbeddingHandle& embedding, const py::dict& given) {
  return export_as(embedding, request_from<mercer::ExportRequest>(given, "export"));
}

// Every option of a verb: name, default, legal values, help, group.
py::list options_of_verb(const std::string& verb) {
  py::list out;
  for (const mercer::VerbOptions& one : mercer::all_options()) {
    if (one.verb != verb) continue;
    for (const mercer::Option& option : one.options) {
      py::dict row;
      row["name"] = keyword_of(option.name);
      row["option"] = option.name;
      row["default"] = option.default_text();
      row["legal"] = option.legal_text();
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
  module.def("compress", &compress);
  module.def("certify", &certify);
  module.def("inspect", &inspect);
  module.def("train", &train);
  module.def("export_c", &export_c);
  module.def("export_code", &export_code);
  module.def("export_json", [](const EmbeddingHandle& embedding) { return mercer::export_json(*embedding.file); });
  module.def("options", &options_of_verb);
}
