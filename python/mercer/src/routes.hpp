#pragma once

#include "fields.hpp"
#include "mercer/embed.hpp"
#include "mercer/embedding.hpp"

/// Options structs of both routes from keyword arguments; the names are those of the command line.
void read_dictionary(Fields& fields, mercer::DictionaryOptions& options);
mercer::LatticeOptions read_lattice(Fields& fields);
/// `paper` keeps the published half where nothing else is said.
mercer::TruncationOptions read_truncation(Fields& fields, bool paper);
