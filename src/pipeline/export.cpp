#include "pipeline/export.hpp"

#include <fmt/format.h>

#include "export/common/test_vectors.hpp"
#include "io/file.hpp"
#include "mercer/error.hpp"
#include "pipeline/policy_report.hpp"
#include "pipeline/suggest.hpp"

namespace mercer {
namespace {

namespace fs = std::filesystem;

std::string write_text(const fs::path& folder, const std::string& name, const std::string& text) {
  std::error_code ignored;  // write_atomically reports a folder that cannot be created
  const fs::path path = folder / name;
  fs::create_directories(path.parent_path(), ignored);
  write_atomically(path, [&](std::ostream& stream) { stream << text; });
  return path.string();
}

// What either way to lay a lattice down costs, or why there is no such way.
std::vector<ExportResult::Cost> costs_of_modes(const EmbeddingFile& file, COptions options) {
  std::vector<ExportResult::Cost> costs;
  for (const auto& [name, mode] : {std::pair{"table", CMode::table}, {"coefficients", CMode::coefficients}}) {
    options.mode = mode;
    ExportResult::Cost cost;
    cost.mode = name;
    try {
      const CExport made = export_c(file, options);
      cost.flash_bytes = made.flash_bytes;
      cost.operations = made.operations.total();
    } catch (const Error& error) {
      cost.refused = error.what();
    }
    costs.push_back(std::move(cost));
  }
  return costs;
}

}  // namespace

PreparedExport prepare_export(const ExportRequest& request, EmbeddingFile file) {
  name_embedding(file, request.naming, request.file);
  PreparedExport prepared{std::move(file), request.options};
  if (!request.check.empty()) {
    prepared.options.check = std::make_shared<const TestVectors>(read_test_vectors(request.check));
    check_vectors(*prepared.options.check, prepared.file.embedding.policy());
  }
  return prepared;
}

CodeExport export_prepared(const ExportRequest& request, const PreparedExport& prepared) {
  using Format = ExportRequest::Format;
  if (request.format != Format::rust && request.format != Format::js && request.format != Format::onnx) {
    throw Error(ErrorCode::bad_value, "this format is not rust, js or onnx", "Name one of them; for C use export_c");
  }
  for (const char* name : {"numbers", "math", "mode"}) {
    if (!request.given.contains(name)) continue;
    throw Error(ErrorCode::bad_value, fmt::format("--{} is for C alone", name),
                fmt::format("Leave --{} out, or use 'mercer export c'", name));
  }
  const COptions& options = prepared.options;
  const CodeOptions own{.name = options.name, .safe_action = options.safe_action, .check = options.check};
  return request.format == Format::rust ? export_rust(prepared.file, own)
         : request.format == Format::js ? export_js(prepared.file, own)
                                        : export_onnx(prepared.file, own);
}

ExportResult export_code(const ExportRequest& request) {
  if (!request.format) {
    throw Error(
        ErrorCode::missing_option, "no format was named",
        "Write 'mercer export c FILE.mercer --out FOLDER', or 'st', 'rust', 'js', 'onnx' or 'json' in place of 'c'");
  }
  using Format = ExportRequest::Format;
  const char* const names[] = {"c", "st", "json", "rust", "js", "onnx"};
  if (request.file.empty()) {
    throw Error(
        ErrorCode::missing_option, "no embedding was named",
        fmt::format("Write 'mercer export {} FILE.mercer --out FOLDER'", names[static_cast<int>(*request.format)]));
  }
  require_embedding(request.file, fmt::format("export {}", names[static_cast<int>(*request.format)]),
                    fmt::format("--out {}", request.out.empty() ? "FOLDER" : request.out));
  if (request.out.empty()) throw Error(ErrorCode::missing_option, "no folder was named", "Add --out FOLDER");
  const PreparedExport prepared = prepare_export(request, read_embedding(request.file));
  const auto& [file, options] = prepared;
  ExportResult result;
  result.format = *request.format;
  if (result.format == Format::json) {
    const std::string text = export_json(file);
    result.files = {write_text(request.out, options.name + ".json", text)};
    result.json_bytes = text.size();
  } else if (result.format == Format::st) {
    if (options.numbers == CNumbers::fixed || options.mode == CMode::coefficients) {
      throw Error(ErrorCode::bad_value, "Structured Text is written in REAL, and a lattice as a table",
                  "Leave --numbers and --mode out");
    }
    result.st = export_st(file, {.name = options.name, .safe_action = options.safe_action, .check = options.check});
    result.files = {write_text(request.out, options.name + ".st", result.st->source)};
  } else if (result.format != Format::c) {
    result.code = export_prepared(request, prepared);
    for (const CodeExport::File& one : result.code->files)
      result.files.push_back(write_text(request.out, one.name, one.bytes));
  } else {
    result.c = export_c(file, options);
    if (file.embedding.is_lattice()) result.modes = costs_of_modes(file, options);
    result.files = {write_text(request.out, options.name + ".h", result.c->header),
                    write_text(request.out, options.name + ".c", result.c->source),
                    write_text(request.out, "main.c", result.c->example)};
    if (options.check) result.files.push_back(write_text(request.out, options.name + "_check.c", result.c->check));
  }
  return result;
}

}  // namespace mercer
