#include "bind.hpp"
#include "env_batch.hpp"
#include "long_call.hpp"
#include "mercer/embed.hpp"
#include "mercer/rollout.hpp"
#include "routes.hpp"

namespace py = pybind11;
using mercer::Embedding;
using mercer::EmbeddingFile;
using mercer::Lattice;
using mercer::LatticeEmbedding;
using mercer::Progress;
using mercer::Rollouts;

namespace {

struct LatticeArguments {
  mercer::LatticeOptions lattice;
  mercer::TruncationOptions truncation;
  std::size_t rollouts = 1000;
  std::uint64_t seed = 0;
};

LatticeArguments lattice_arguments(const py::dict& given) {
  LatticeArguments out;
  Fields fields(given);
  const bool paper = given.contains("preset") && py::str(given["preset"]).cast<std::string>() == "paper";
  if (paper) out.rollouts = 200;
  out.lattice = read_lattice(fields);
  out.truncation = read_truncation(fields, paper);
  fields.read("rollouts", out.rollouts);
  fields.read("seed", out.seed);
  fields.finish("embed_lattice");
  return out;
}

struct Made {
  std::shared_ptr<EmbeddingFile> file;
  double pruned_percent = 0;
  std::size_t collapsed_bins = 0;
  mercer::LatticeDistance distance;
};

Made embedded(const mercer::Policy& teacher, const Rollouts& met, const LatticeArguments& all) {
  const Lattice made = mercer::make_lattice(teacher, met, all.lattice);
  LatticeEmbedding embedding = LatticeEmbedding::make(teacher, made, all.lattice.playing, all.truncation, all.seed);
  Made out;
  out.pruned_percent = made.pruned_percent();
  out.collapsed_bins = made.collapsed_bins;
  out.distance = mercer::lattice_distance(made, embedding.table());
  out.file = std::make_shared<EmbeddingFile>(
      EmbeddingFile{std::move(embedding), {met.env, teacher.name(), all.seed, {}}, 0, {}});
  return out;
}

py::tuple with_facts(const Made& made) {
  py::dict facts;
  facts["pruned_percent"] = made.pruned_percent;
  facts["collapsed_bins"] = made.collapsed_bins;
  facts["w1"] = made.distance.w1;
  facts["w1_kind"] = name(made.distance.w1_kind);
  facts["tv"] = made.distance.tv;
  return py::make_tuple(EmbeddingHandle{made.file}, facts);
}

py::tuple embed_lattice(const EnvBatch& env, const PolicyHandle& teacher, const py::dict& given,
                        const py::object& report) {
  const LatticeArguments all = lattice_arguments(given);
  return with_facts(long_call(report, [&](const Progress& progress) {
    mercer::RolloutOptions collecting;
    collecting.episodes = all.rollouts;
    collecting.seed = all.seed;
    return embedded(*teacher.policy, mercer::rollout(env.env(), *teacher.policy, collecting, progress), all);
  }));
}

// From a log: nothing is played.
py::tuple embed_log(const PolicyHandle& teacher, const Rollouts& met, const py::dict& given, const py::object& report) {
  const LatticeArguments all = lattice_arguments(given);
  return with_facts(long_call(report, [&](const Progress&) { return embedded(*teacher.policy, met, all); }));
}

EmbeddingHandle embed_continuous(const EnvBatch& env, const PolicyHandle& teacher, const py::dict& given,
                                 const py::object& report) {
  mercer::ContinuousOptions options;
  Fields fields(given);
  read_dictionary(fields, options.dictionary);
  fields.read("k", options.k);
  fields.read("format", options.format);
  fields.read("act", options.act);
  fields.read("squash", options.squash);
  fields.read("rollouts", options.episodes);
  fields.read("states", options.states);
  fields.read("rounds", options.rounds);
  fields.read("seed", options.seed);
  fields.finish("embed_continuous");
  auto made = long_call(report, [&](const Progress& progress) {
    return mercer::make_continuous(env.env(), *teacher.policy, options, progress);
  });
  mercer::EmbeddingOrigin origin{
      env.env().task().name,
      teacher.policy->name(),
      options.seed,
      {{"act", std::string(name(options.act))}, {"route", std::string(name(mercer::Route::continuous))}}};
  return {std::make_shared<EmbeddingFile>(EmbeddingFile{std::move(made.front().embedding), std::move(origin), 0, {}})};
}

}  // namespace

void bind_routes(py::module_& module) {
  module.def("embed_lattice", &embed_lattice);
  module.def("embed_log", &embed_log);
  module.def("embed_continuous", &embed_continuous);
}
