#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "mercer/export.hpp"
#include "mercer/names.hpp"

namespace mercer {

/// A processor that exported C can be measured on.
enum class Core { cortex_m0, cortex_m4f, cortex_m33, rv32imc, avr, host };
template <>
struct Names<Core> {
  static constexpr std::string_view kind = "core";
  static constexpr Spelling<Core> table[] = {{Core::cortex_m0, "cortex-m0"},
                                             {Core::cortex_m4f, "cortex-m4f"},
                                             {Core::cortex_m33, "cortex-m33"},
                                             {Core::rv32imc, "rv32imc"},
                                             {Core::avr, "avr"},
                                             {Core::host, "host"}};
};

/// What exported C costs on a core: compiled with -Os, linked, and run in an emulator. What is empty was not measured,
/// and `missing` says why.
struct ChipCost {
  Core core = Core::host;
  std::string compiler{};                     ///< with its version; empty: not installed, nothing was measured
  std::optional<std::size_t> flash_bytes{};   ///< by which a linked program grows: code, tables, library routines
  std::optional<std::size_t> ram_bytes{};     ///< the same of its variables; on AVR tables are among them
  std::optional<std::size_t> stack_bytes{};   ///< most of the tried observations, from the call on
  std::optional<std::size_t> instructions{};  ///< of one call, most of the tried observations
  std::optional<std::size_t> cycles{};        ///< the same in clock cycles, where the emulator counts them
  std::string emulator{};                     ///< that counted
  std::size_t observations = 0;               ///< that were tried
  std::string missing{};                      ///< a sentence
};

/// Compiles, links and runs exported C, in a temporary folder. Needs a cross compiler and an emulator on the path:
/// docs/guide/export.md lists them. Throws `bad_format` if the compiler refuses the code.
ChipCost measure_on_core(const EmbeddingFile& file, const COptions& options, const CExport& made, Core core);

/// "Cortex-M0, ...: 1120 bytes of linked flash, ...": what a header or a terminal says.
std::string chip_sentence(const ChipCost& cost);

}  // namespace mercer
