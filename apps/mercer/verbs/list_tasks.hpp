#pragma once

#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "mercer/env.hpp"

/// Parameters as `mercer list` shows them: `name summary nominal low high integer`.
nlohmann::ordered_json parameter_rows(const std::vector<mercer::Parameter>& all);
void print_parameters(const nlohmann::ordered_json& rows);

/// All tasks: `name group summary settings observations actions parameters`. Sizes are null where a task needs settings
/// or a library that is missing; `actions` of a discrete space is its number of choices, and `discrete` is true.
nlohmann::ordered_json task_rows();
/// Group by group, a line for each task.
void print_tasks(const nlohmann::ordered_json& rows);

/// One task with its spaces and all that can be perturbed about it. Throws what `make_env` throws where `spec` has
/// settings; where a task cannot be made without any, `missing` says why.
nlohmann::ordered_json task_document(const std::string& spec);
void print_task(const nlohmann::ordered_json& task);
