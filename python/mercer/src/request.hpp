#pragma once

#include <string>

#include <pybind11/pybind11.h>

#include "handles.hpp"
#include "pipeline/options.hpp"

/// A keyword argument as the text that an option takes: numbers in full precision, True and False, lists with commas.
std::string option_text_of(const pybind11::handle& value, const std::string& name);

/// The keyword argument of an option: max_loss for max-loss.
std::string keyword_of(std::string option);

/// The text of an error with keyword arguments for the flags of declared options: `--max-loss` becomes max_loss,
/// `--mode table` mode="table", `--force` force=True. Whole commands ('mercer embed --k 8') stay as they are.
std::string with_keywords(const std::string& text);

/// Fills options from keyword arguments: `max_loss` is the option max-loss. None leaves an option alone. Throws
/// `unknown_name` with the nearest option, `bad_value` for settings of a network's file, which `load_policy` takes, and
/// what the option's parser throws.
void fill_options(mercer::OptionList& options, const pybind11::dict& given, const char* owner);

/// A policy, and how it was made.
mercer::PolicyRequest request_of(const PolicyHandle& policy);

/// A request whose options were filled from keyword arguments.
template <class R>
R request_from(const pybind11::dict& given, const char* owner) {
  R request;
  mercer::OptionList options = mercer::options_of(request);
  fill_options(options, given, owner);
  return request;
}
