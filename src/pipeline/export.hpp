#pragma once

#include "mercer/kit.hpp"
#include "mercer/pipeline.hpp"

namespace mercer {

/// What an export writes, before it is written.
struct ExportTexts {
  ExportResult result;  ///< without the names of files
  std::vector<ExportedFile> files;
};

/// An embedding under the names of a request, in its format. Throws `bad_value` or `shape_mismatch` for names or test
/// vectors that are not this embedding's, and what the format's function throws.
ExportTexts export_texts(const ExportRequest& request, EmbeddingFile file);

/// Writes files into a folder, which is made, and returns their paths. Throws `cannot_write` before it writes any if
/// one of them exists with another text, unless `force`.
std::vector<std::string> write_files(const std::string& folder, const std::vector<ExportedFile>& files, bool force);

}  // namespace mercer
