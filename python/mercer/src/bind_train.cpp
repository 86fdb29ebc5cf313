#include <pybind11/stl/filesystem.h>

#include "bind.hpp"
#include "env_batch.hpp"
#include "fields.hpp"
#include "long_call.hpp"
#include "mercer/train.hpp"

namespace py = pybind11;

namespace {

void read_shared(Fields& fields, mercer::LearnOptions& options) {
  fields.read("hidden", options.hidden);
  fields.read("learning_rate", options.learning_rate);
  fields.read("decay_updates", options.decay_updates);
  fields.read("batch_size", options.batch_size);
  fields.read("gamma", options.gamma);
  fields.read("buffer", options.buffer);
  fields.read("warmup", options.warmup);
  fields.read("train_every", options.train_every);
  fields.read("scale_observations", options.scale_observations);
  fields.read("updates", options.updates);
}

void read_own(Fields& fields, mercer::SacOptions& options) {
  fields.read("tau", options.tau);
  fields.read("initial_alpha", options.initial_alpha);
  fields.read("target_entropy", options.target_entropy);
  fields.read("tune_alpha", options.tune_alpha);
  fields.read("noise_correlation", options.noise_correlation);
}

void read_own(Fields& fields, mercer::DqnOptions& options) {
  fields.read("double_q", options.double_q);
  fields.read("epsilon_start", options.epsilon_start);
  fields.read("epsilon_end", options.epsilon_end);
  fields.read("epsilon_steps", options.epsilon_steps);
  fields.read("epsilon_run", options.epsilon_run);
  fields.read("target_every", options.target_every);
  fields.read("max_gradient_norm", options.max_gradient_norm);
}

py::dict train(const EnvBatch& env, const std::string& name, const std::string& algorithm,
               const std::filesystem::path& folder, const py::dict& given, const py::object& report) {
  const auto which = mercer::parse<mercer::Algorithm>(algorithm);
  const mercer::Recipe recipe = mercer::recipe_for(which, env.env().task().name);
  mercer::TrainOptions options;
  options.env = name;
  options.steps = recipe.steps;
  options.algorithm = recipe.options;
  options.folder = folder;
  Fields fields(given);
  fields.read("seed", options.seed);
  fields.read("steps", options.steps);
  fields.read("snapshots", options.snapshots);
  fields.read("force", options.force);
  std::visit(
      [&](auto& own) {
        read_shared(fields, own);
        read_own(fields, own);
      },
      options.algorithm);
  fields.finish("train");
  const mercer::TrainResult done =
      long_call(report, [&](const mercer::Progress& progress) { return mercer::train(env.env(), options, progress); });
  py::list snapshots;
  for (const mercer::Snapshot& snapshot : done.snapshots) {
    py::dict one;
    one["step"] = snapshot.step;
    one["file"] = snapshot.file.string();
    snapshots.append(one);
  }
  py::dict out;
  out["steps"] = done.steps;
  out["resumed_from"] = done.resumed_from;
  out["seconds"] = done.seconds;
  out["snapshots"] = snapshots;
  return out;
}

}  // namespace

void bind_train(py::module_& module) { module.def("train", &train); }
