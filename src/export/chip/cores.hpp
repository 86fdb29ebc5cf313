#pragma once

#include <span>

#include "mercer/chip.hpp"

namespace mercer {

/// How a core is compiled for and emulated.
struct CoreEntry {
  Core core;
  std::string title;      ///< as people write it
  std::string compiler;   ///< program and flags
  std::string size;       ///< prints bytes of sections
  std::string packages;   ///< of Debian that hold them
  std::string link;       ///< flags of a program with its own start code
  std::string code, ram;  ///< addresses; empty: the compiler's own linker script
  std::string emulator;   ///< program and flags in front of the file
  std::string count;      ///< flags that print a line for every instruction; empty: cycles are printed by the program
  std::string board;      ///< C: how the program reports and ends
};
const CoreEntry& core_entry(Core core);

}  // namespace mercer
