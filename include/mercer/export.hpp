#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "mercer/file.hpp"
#include "mercer/names.hpp"

namespace mercer {

/// Observations with the mean actions that a policy gives: what an export, or any other runtime, is checked with.
struct TestVectors {
  std::string policy{};  ///< the file, or what it is called
  std::string sha256{};  ///< of the file; empty where there is none
  std::uint64_t seed = 0;
  Contract contract{};
  bool single_precision = false;  ///< actions of networks, which are evaluated so; else they are of double precision
  std::vector<double> observations{}, actions{};  ///< rows; observations are numbers of single precision
  std::vector<double> tolerance{};                ///< of each action, in its unit; 0 of discrete ones

  std::size_t count() const;
};

/// Seeded observations that cover the ranges of a policy, with their mean actions.
///
/// First edges, at most half: the middle, all lower and all upper ends, each end of each observation with the others in
/// the middle. Then random ones: uniform in finite ranges, otherwise normal with mean and spread of the normaliser (0,
/// 1 without one), whose edges are 3 spreads away; every second one is drawn again, up to 32 times, while all actions
/// are at their ends. `seen` replaces infinite ranges where they are known. None is so close to a jump of the policy
/// that rounding would decide. `tolerance` is a share of each action's range, of an action without one absolute.
///
/// Throws `out_of_range` unless `count` is 1 to 10^6, `bad_value` where the policy jumps nearly everywhere.
TestVectors make_test_vectors(const Policy& policy, std::size_t count, std::uint64_t seed, double tolerance,
                              std::span<const Range> seen = {});

/// The same for an embedding, with the ranges that it knows and the error that its float export states as tolerance.
TestVectors make_test_vectors(const EmbeddingFile& file, std::size_t count, std::uint64_t seed);

/// One JSON document with all of it: docs/guide/inspect.md lists its keys.
std::string test_vectors_json(const TestVectors& vectors);
/// The arrays observations, actions and tolerance as .npz.
void write_test_vectors_npz(const std::filesystem::path& path, const TestVectors& vectors);
/// Reads the JSON document back. Throws `bad_format` for another one.
TestVectors read_test_vectors(const std::filesystem::path& path);

/// What the exported C computes with.
enum class CNumbers {
  floating,  ///< float
  fixed,     ///< whole numbers alone: int32 in stated fixed-point formats, products in int64
};
template <>
struct Names<CNumbers> {
  static constexpr std::string_view kind = "kind of numbers";
  static constexpr Spelling<CNumbers> table[] = {{CNumbers::floating, "float"}, {CNumbers::fixed, "fixed"}};
};

/// Where the exported C takes tanh, exp and square roots from.
enum class CMath {
  libm,  ///< tanhf, expf and sqrtf of the C library, and only those of them that the embedding needs
  none,  ///< polynomials of its own; nothing is linked
};
template <>
struct Names<CMath> {
  static constexpr std::string_view kind = "source of functions";
  static constexpr Spelling<CMath> table[] = {{CMath::libm, "libm"}, {CMath::none, "none"}};
};

/// How a lattice embedding is laid down.
enum class CMode {
  table,         ///< the action of every cell: fast, flash grows with cells
  coefficients,  ///< the kept numbers, from which a row is computed for every action
};
template <>
struct Names<CMode> {
  static constexpr std::string_view kind = "mode of a lattice";
  static constexpr Spelling<CMode> table[] = {{CMode::table, "table"}, {CMode::coefficients, "coefficients"}};
};

struct ChipCost;

struct COptions {
  std::string name = "controller";  ///< of the files and in front of every public name: a C identifier of 1 to 40
  CNumbers numbers = CNumbers::floating;
  CMath math = CMath::none;   ///< of no meaning for whole numbers, which never call a library; none links the least
  CMode mode = CMode::table;  ///< of lattices
  /// For observations that are no numbers; empty: the middle of the range, action 0.
  std::vector<double> safe_action{};
  std::shared_ptr<const TestVectors> check{};  ///< a program that checks the export with them is written, too
  std::shared_ptr<const ChipCost> chip{};      ///< what was measured on a core, for the header: see chip.hpp
};

/// Most operations of one call, as written in the source.
struct COperations {
  std::size_t multiplications = 0, additions = 0, divisions = 0, comparisons = 0, lookups = 0;
  std::size_t functions = 0;  ///< calls of the C library
  COperations& operator+=(const COperations& more);
  std::size_t total() const { return multiplications + additions + divisions + comparisons + lookups + functions; }
};

/// Exported C: what stands in the files, and what it costs.
struct CExport {
  std::string header, source, example;  ///< NAME.h, NAME.c, main.c
  std::string check;                    ///< NAME_check.c; empty without test vectors
  std::size_t flash_bytes = 0;          ///< const tables of acting: exact
  std::size_t code_bytes = 0;           ///< an estimate for Thumb-2 with -Os
  std::size_t ram_bytes = 0;            ///< on the stack, an estimate; there are no variables
  COperations operations;
  double error = 0;  ///< largest difference from the embedding that was measured, in the share of the action's range
                     ///< (of logits: absolute)
  double stated_error = 0;  ///< what the header promises, with a margin on the measured one
};

/// C99 that is valid C++11, too: no heap, no variables outside functions, nothing undefined for any input.
///
/// Throws `not_finite` for a coefficient that is no number, `missing_option` for a contract without observations or
/// actions, `bad_value` for a density head, an illegal name, a safe action of another size or a lattice without
/// coefficients, `out_of_range` for a safe action outside the action's range or numbers that no fixed-point format
/// holds, `too_large` for a lattice of 2^64 cells or, from coefficients, of more than 32767 rows; with test vectors
/// `shape_mismatch` or `bad_value` where they are another policy's.
CExport export_c(const EmbeddingFile& file, const COptions& options = {});

struct StOptions {
  std::string name = "controller";    ///< of the file and the block: an IEC identifier of 1 to 40, no reserved word
  std::vector<double> safe_action{};  ///< for observations that are no numbers; empty: as for `COptions`
  std::shared_ptr<const TestVectors> check{};  ///< SELFTEST checks these, too
};

/// Exported Structured Text: what stands in the file, and what it costs.
struct StExport {
  std::string source;              ///< NAME.st
  std::string xml;                 ///< NAME.xml: block and example as PLCopen TC6 XML 2.01
  std::string example;             ///< NAME_example.st: a program that calls the block
  std::size_t table_bytes = 0;     ///< constants of acting: exact
  std::size_t variable_bytes = 0;  ///< variables, inputs and outputs: exact, without what a compiler adds
  COperations operations;          ///< `functions`: EXP, SIN, COS and SQRT
  double error = 0;                ///< as `CExport::error`
  double stated_error = 0;
};

/// One FUNCTION_BLOCK of IEC 61131-3, second edition: an input for each observation and an output for each action.
///
/// Its input SELFTEST makes it check stored cases and tell in its output OK; otherwise OK says whether the observations
/// were usable. Numbers are REAL: every controller has it, LREAL is optional and many emulate it, and an embedding's
/// own rounding is coarser than REAL's. It needs nothing but EXP, SIN, COS, SQRT, ABS and conversions, each only where
/// the embedding does. A lattice embedding becomes a table of actions.
///
/// Throws what `export_c` throws, and `too_large` for a lattice of 2^31 cells or more.
StExport export_st(const EmbeddingFile& file, const StOptions& options = {});

/// A file of a folder that is written together.
struct ExportedFile {
  std::string path;  ///< below that folder: "src/lib.rs"
  std::string text;  ///< or bytes, where the format is binary
};

struct CodeOptions {
  std::string name = "controller";    ///< of the module: 1 to 40 lower-case letters, digits and '_', a letter first
  std::vector<double> safe_action{};  ///< for observations that are no numbers; empty: as for `COptions`
  std::shared_ptr<const TestVectors> check{};  ///< these are checked, too
};

/// Exported Rust, JavaScript or ONNX: the files, and how far they are from the embedding.
struct CodeExport {
  std::vector<ExportedFile> files{};
  std::size_t table_bytes = 0;  ///< numbers of acting: exact
  double error = 0;             ///< as `CExport::error`
  double stated_error = 0;
};

/// A Rust crate for `no_std`: no dependencies, no allocation, no unsafe code, functions of its own in place of a
/// mathematical library. `act` takes an array of f32; `selftest` checks stored cases; test vectors become
/// tests/check.rs.
///
/// A lattice is a table of mean actions. Throws what `export_c` throws, and `too_large` for a lattice of more than 2^53
/// cells.
CodeExport export_rust(const EmbeddingFile& file, const CodeOptions& options = {});

/// One ES module in double precision without dependencies: `act`, `selftest` and `about`; test vectors become
/// NAME_check.mjs. Throws what `export_rust` throws.
CodeExport export_js(const EmbeddingFile& file, const CodeOptions& options = {});

/// An ONNX graph of standard operators (operator set 13): input `observation`, output `action` in its own units, and of
/// discrete actions `logits`, too. The self-test's cases and the test vectors are metadata.
///
/// A graph has no safe action and does not wrap angles. Throws what `export_c` throws, and `bad_value` for a lattice or
/// a safe action.
CodeExport export_onnx(const EmbeddingFile& file, const CodeOptions& options = {});

/// One JSON document with all that an embedding is: docs/guide/export.md lists its keys. Throws `not_finite` for a
/// coefficient that is no number.
std::string export_json(const EmbeddingFile& file);

}  // namespace mercer
