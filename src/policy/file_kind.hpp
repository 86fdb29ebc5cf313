#pragma once

#include <string>

#include "mercer/policy.hpp"

namespace mercer {

/// A kind of file that `make_policy` reads.
struct FileKind {
  PolicyKind kind;
  std::string ending;
  PolicyReader read;
};

/// Embeddings, ".mercer". Module `embed` defines it: `make_policy` refers to it by name, so a program that links the
/// static library gets the reader together with `make_policy`. A reader that registered itself before main would be
/// left out there, because nothing refers to its object file.
FileKind embedding_file();

}  // namespace mercer
