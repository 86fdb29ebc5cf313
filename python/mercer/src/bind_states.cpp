#include "arrays.hpp"
#include "bind.hpp"
#include "handles.hpp"
#include "routes.hpp"

namespace py = pybind11;

namespace {

// The continuous route on given states: nothing is played, and the teacher is asked once, about all of them.
EmbeddingHandle embed_states(const PolicyHandle& handle, const py::object& states, const py::dict& given) {
  const mercer::Policy& teacher = *handle.policy;
  mercer::ContinuousOptions options;
  Fields fields(given);
  read_dictionary(fields, options.dictionary);
  fields.read("k", options.k);
  fields.read_as("format", options.format, mercer::parse_format);
  fields.read("squash", options.squash);
  fields.read("seed", options.seed);
  fields.finish("embed_states");
  const Batch batch(states, teacher.observation_dimensions(), "states");
  const py::gil_scoped_release release;
  mercer::check_options(options, teacher);
  mercer::ContinuousCode shape;
  shape.head = mercer::head_for(teacher, false);
  shape.squash = shape.head == mercer::Head::logits || options.squash;
  shape.format = options.format;
  mercer::Samples samples(teacher, shape.head, shape.squash);
  shape.outputs = samples.outputs();
  samples.add(batch.view());
  shape.coordinates =
      mercer::choose_coordinates(teacher, shape.head, options.dictionary, batch.view(), shape.own_ranges);
  const mercer::Terms dictionary =
      mercer::make_dictionary(options.dictionary, shape.coordinates, samples.points(), options.seed);
  return {std::make_shared<mercer::EmbeddingFile>(mercer::EmbeddingFile{
      mercer::fit_embedding(shape, dictionary, samples, options.k, options.polish, teacher.name()),
      {teacher.contract().task, teacher.name(), options.seed, {}},
      0,
      {}})};
}

}  // namespace

void bind_states(py::module_& module) { module.def("embed_states", &embed_states); }
