#pragma once

#include "mercer/pipeline.hpp"

namespace mercer {

/// What is exported, and how.
struct PreparedExport {
  EmbeddingFile file;
  COptions options;
};

/// An embedding under the names of a request, with its test vectors. Throws `bad_value` or `shape_mismatch` for names
/// or vectors that are not this embedding's.
PreparedExport prepare_export(const ExportRequest& request, EmbeddingFile file);

/// Rust, JavaScript or ONNX of what was prepared. Throws `bad_value` for options of C alone.
CodeExport export_prepared(const ExportRequest& request, const PreparedExport& prepared);

}  // namespace mercer
