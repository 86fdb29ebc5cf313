#pragma once

#include "mercer/pipeline.hpp"

/// Prints what the file of a policy holds.
void show_policy(const mercer::InspectResult& result);

/// One line for each observation and action: name, unit, range; and the control period.
void show_contract(const mercer::Contract& contract);

/// One line for each warning.
void show_warnings(const mercer::InspectResult& result);
