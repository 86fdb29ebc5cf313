#pragma once

#include "mercer/pipeline.hpp"

/// Prints what the file of a policy holds.
void show_policy(const mercer::InspectResult& result);

/// One line for each observation or action: name, unit, range.
void show_space(const char* what, const mercer::Contract& contract, const mercer::Space& space);

/// One line for each warning.
void show_warnings(const mercer::InspectResult& result);
