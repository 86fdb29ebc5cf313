#pragma once

#include "mercer/error.hpp"
#include "mercer/pipeline.hpp"

namespace mercer {

/// What a policy's file is, by its ending, as in "an ONNX network"; empty for other files and for embeddings.
std::string policy_file_words(const std::string& file);

/// Whether a word in the place of a file is the name of a task, and no file has that name.
bool is_task(const std::string& name);

/// Throws `bad_format` where `file` is a policy, a task, a folder or something else, and `verb` ("export c") needs an
/// embedding: it says what the file is and, of a policy, how to make an embedding of it and the command that then
/// works, with `flags` behind it. A file that may be an embedding under another name is left to its reader, and so is
/// none at all.
void require_embedding(const std::string& file, const std::string& verb, const std::string& flags = "");

/// The error of a policy that does not fit its task, with the built-in tasks that it does fit, found by trying.
Error with_fitting_tasks(const Error& mismatch, const PolicyRequest& request);

}  // namespace mercer
