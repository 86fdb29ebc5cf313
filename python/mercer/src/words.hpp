#pragma once

#include <pybind11/pybind11.h>

/// What `help` says of functions and classes that are bound already.
void bind_words(pybind11::module_& module);
