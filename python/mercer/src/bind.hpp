#pragma once

#include <pybind11/pybind11.h>

/// Each puts one part of the library into the module; one source file each.
void bind_errors(pybind11::module_& module);
void bind_env(pybind11::module_& module);
void bind_policy(pybind11::module_& module);
void bind_rollout(pybind11::module_& module);
void bind_player(pybind11::module_& module);
void bind_lattice(pybind11::module_& module);
void bind_transforms(pybind11::module_& module);
void bind_basis(pybind11::module_& module);
void bind_mixture(pybind11::module_& module);
void bind_kernels(pybind11::module_& module);
void bind_distances(pybind11::module_& module);
void bind_intervals(pybind11::module_& module);
void bind_tabular(pybind11::module_& module);
void bind_embedding(pybind11::module_& module);
void bind_routes(pybind11::module_& module);
void bind_states(pybind11::module_& module);
void bind_certify(pybind11::module_& module);
void bind_compress(pybind11::module_& module);
void bind_export(pybind11::module_& module);
void bind_files(pybind11::module_& module);
void bind_train(pybind11::module_& module);
