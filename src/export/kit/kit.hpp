#pragma once

#include "export/c/c_text.hpp"
#include "export/kit/episodes.hpp"
#include "mercer/kit.hpp"

namespace mercer {

/// What the texts of a kit are made of.
struct KitFacts {
  const EmbeddingFile& file;
  const COptions& options;
  const CExport& made;
  const Contract& contract;
  StoredEpisodes stored;
  std::string url;

  bool fixed() const { return options.numbers == CNumbers::fixed; }
  bool closed_loop() const { return stored.plant != nullptr; }
  /// Why it does not, as the end of a sentence; of a task that could be played.
  std::string why_recorded() const;
  /// "test_closed_loop" or "test_recorded": of the file and the program.
  std::string test() const { return closed_loop() ? "test_closed_loop" : "test_recorded"; }
  std::string upper() const;
  /// @name@, @NAME@, @test@, @N@, @M@ and @type@.
  Places places() const;
};

/// test/NAME_task.h, test/test_....c and main.c.
std::vector<ExportedFile> kit_programs(const KitFacts& facts);
/// CMake, Arduino, PlatformIO and Zephyr.
std::vector<ExportedFile> kit_build_files(const KitFacts& facts);
/// MISRA.md and misra_suppressions.txt.
std::vector<ExportedFile> kit_misra(const KitFacts& facts);
std::string kit_readme(const KitFacts& facts);

}  // namespace mercer
