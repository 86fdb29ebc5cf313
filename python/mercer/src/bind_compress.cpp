#include "arrays.hpp"
#include "bind.hpp"
#include "env_batch.hpp"
#include "long_call.hpp"
#include "mercer/compress.hpp"
#include "routes.hpp"

namespace py = pybind11;
using mercer::Candidate;
using mercer::Compressed;
using mercer::EmbeddingFile;

namespace {

std::vector<mercer::DictionaryOptions> dictionaries_from(Fields& fields) {
  std::vector<std::string> bases;
  std::size_t degree = mercer::DictionaryOptions{}.degree;
  fields.read("bases", bases);
  fields.read("degree", degree);
  std::vector<mercer::DictionaryOptions> out;
  for (const std::string& basis : bases) {
    out.emplace_back();
    out.back().basis = basis;
  }
  if (out.empty()) out = mercer::default_dictionaries();
  for (mercer::DictionaryOptions& one : out) one.degree = degree;
  return out;
}

void read_formats(Fields& fields, std::vector<mercer::NumberFormat>& place) {
  std::vector<std::string> names;
  fields.read("formats", names);
  if (names.empty()) return;
  place.clear();
  for (const std::string& name : names) place.push_back(mercer::parse<mercer::NumberFormat>(name));
}

mercer::CompressOptions options_from(const py::dict& given) {
  mercer::CompressOptions out;
  Fields fields(given);
  fields.read("max_loss", out.judge.max_loss);
  fields.read("max_loss_return", out.judge.max_loss_return);
  fields.read("max_bytes", out.judge.max_bytes);
  fields.read("confidence", out.judge.confidence);
  fields.read("select_episodes", out.judge.select_episodes);
  fields.read("certify_episodes", out.judge.certify_episodes);
  fields.read("attempts", out.judge.attempts);
  fields.read("act", out.judge.act);
  fields.read("seed", out.judge.seed);
  std::string route = "both";
  fields.read("route", route);
  out.continuous = choose<bool>("route", route, {{"both", true}, {"continuous", true}, {"lattice", false}});
  out.lattice = route != "continuous";
  fields.read("polish", out.polish);
  out.dictionaries = dictionaries_from(fields);
  read_formats(fields, out.formats);
  fields.read("most_terms", out.most_terms);
  fields.read("generations", out.search.generations);
  fields.read("candidate_episodes", out.search.episodes);
  fields.read("seconds", out.seconds);
  fields.finish("compress");
  return out;
}

mercer::StatesOptions states_from(const py::dict& given) {
  mercer::StatesOptions out;
  Fields fields(given);
  fields.read("max_error", out.max_error);
  fields.read("max_bytes", out.max_bytes);
  fields.read("confidence", out.confidence);
  fields.read("most_terms", out.most_terms);
  fields.read("attempts", out.attempts);
  fields.read("seed", out.seed);
  out.dictionaries = dictionaries_from(fields);
  read_formats(fields, out.formats);
  fields.finish("compress_states");
  return out;
}

py::dict to_dict(const Candidate& one) {
  py::dict out;
  out["payload_bytes"] = one.payload_bytes();
  out["loss"] = one.loss;
  out["spread"] = one.spread;
  out["loss_percent"] = one.loss_percent;
  out["action_distance"] = one.action_distance;
  out["route"] = name(one.embedding.route());
  out["basis"] = one.embedding.basis();
  out["k"] = one.embedding.k();
  out["format"] = name(one.format);
  return out;
}

// Tells Python of every candidate; called on the working thread.
mercer::CandidateSink sink_for(const py::object& listener) {
  if (listener.is_none()) return {};
  return [&listener](const Candidate& one, bool on_front) {
    const py::gil_scoped_acquire python;
    listener(to_dict(one), on_front);
  };
}

// Embedding with certificate, all candidates, which of them are on the front, the number of the chosen one, seconds.
py::tuple to_tuple(Compressed found, mercer::EmbeddingOrigin origin) {
  py::list tried;
  for (const Candidate& one : found.tried) tried.append(to_dict(one));
  origin.settings["format"] = name(found.winner().format);
  const EmbeddingHandle handle{std::make_shared<EmbeddingFile>(
      EmbeddingFile{std::move(found.tried[found.chosen].embedding), std::move(origin), 0, found.certificate})};
  return py::make_tuple(handle, tried, found.front, found.chosen, found.seconds);
}

py::tuple compress(const EnvBatch& env, const PolicyHandle& teacher, const py::dict& given, const py::object& listener,
                   const py::object& report) {
  const mercer::CompressOptions options = options_from(given);
  const mercer::CandidateSink sink = sink_for(listener);
  Compressed found = long_call(report, [&](const mercer::Progress& progress) {
    return mercer::compress(env.env(), *teacher.policy, options, sink, progress);
  });
  return to_tuple(std::move(found), {env.env().task().name,
                                     teacher.policy->name(),
                                     options.judge.seed,
                                     {{"act", std::string(name(options.judge.act))}}});
}

py::tuple compress_states(const PolicyHandle& teacher, const py::object& states, const py::dict& given,
                          const py::object& listener, const py::object& report) {
  const mercer::StatesOptions options = states_from(given);
  const Batch batch(states, teacher.policy->observation_dimensions(), "states");
  const mercer::CandidateSink sink = sink_for(listener);
  Compressed found = long_call(report, [&](const mercer::Progress& progress) {
    return mercer::compress_states(*teacher.policy, batch.view(), options, sink, progress);
  });
  return to_tuple(std::move(found), {teacher.policy->contract().task,
                                     teacher.policy->name(),
                                     options.seed,
                                     {{"act", std::string(name(mercer::Act::mean))}}});
}

py::array asked(mercer::Evolution& search) {
  const auto tried = search.ask();
  std::vector<double> out;
  for (std::size_t i = 0; i < tried.cols(); ++i) {
    for (std::size_t d = 0; d < tried.rows(); ++d) out.push_back(tried(d, i));
  }
  return array_of(std::move(out), {static_cast<py::ssize_t>(tried.cols()), static_cast<py::ssize_t>(tried.rows())});
}

}  // namespace

void bind_compress(py::module_& module) {
  module.def("compress", &compress);
  module.def("compress_states", &compress_states);
  py::class_<mercer::Evolution>(module, "Evolution")
      .def(py::init(
               [](const Numbers& start, double step, std::uint64_t seed, std::uint64_t item, std::size_t population) {
                 return mercer::Evolution(span_of(start), step, seed, item, population);
               }),
           py::arg("start"), py::arg("step"), py::arg("seed") = 0, py::arg("item") = 0, py::arg("population") = 0)
      .def_property_readonly("population", &mercer::Evolution::population)
      .def_property_readonly("mean",
                             [](const mercer::Evolution& self) {
                               return array_of({self.mean().begin(), self.mean().end()});
                             })
      .def_property_readonly("step", &mercer::Evolution::step)
      .def("ask", &asked)
      .def("tell", [](mercer::Evolution& self, const Numbers& values) { self.tell(span_of(values)); });
}
