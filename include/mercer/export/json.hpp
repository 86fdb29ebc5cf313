#pragma once

#include <string>

#include "mercer/embed/file.hpp"

namespace mercer {

/// One JSON document with all that an embedding is: docs/export.md lists its keys. Throws `not_finite` for a
/// coefficient that is no number.
std::string export_json(const EmbeddingFile& file);

}  // namespace mercer
