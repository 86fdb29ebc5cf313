#pragma once

#include "export/row_machine.hpp"

namespace mercer {

/// C with the tables of the kept coefficients and `static void fill_row(const uint32_t at[S], T row[L])`.
void write_row_functions(const RowTerms& terms, const FixedRows& whole, const COptions& options, std::string& text,
                         CBody& body);

}  // namespace mercer
