#include "bind.hpp"
#include "mercer/parallel.hpp"
#include "words.hpp"

namespace py = pybind11;

PYBIND11_MODULE(_mercer, module) {
  module.doc() = "The C++ library behind the package mercer; import that instead.";
  module.attr("__version__") = MERCER_VERSION;
  bind_errors(module);
  bind_env(module);
  bind_policy(module);
  bind_rollout(module);
  bind_player(module);
  bind_lattice(module);
  bind_transforms(module);
  bind_basis(module);
  bind_mixture(module);
  bind_kernels(module);
  bind_distances(module);
  bind_intervals(module);
  bind_tabular(module);
  bind_embedding(module);
  bind_files(module);
  bind_pipeline(module);

  py::class_<mercer::ThreadLimit>(module, "ThreadLimit").def(py::init<std::size_t>(), py::arg("threads"));
  module.def("thread_count", &mercer::thread_count);
  bind_words(module);
}
