#include "pipeline/export.hpp"

#include <fmt/format.h>

#include "export/common/head.hpp"
#include "export/common/test_vectors.hpp"
#include "io/file.hpp"
#include "mercer/chip.hpp"
#include "mercer/error.hpp"
#include "mercer/warning.hpp"
#include "pipeline/policy_report.hpp"
#include "pipeline/suggest.hpp"

namespace mercer {
namespace {

namespace fs = std::filesystem;

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

// The code and what it costs on the core. Unless it was asked for, functions come from where a program is smaller.
CExport c_with_costs(const ExportRequest& request, const EmbeddingFile& file, COptions& options) {
  CExport made = export_c(file, options);
  if (!request.core) return made;
  ChipCost cost = measure_on_core(file, options, made, *request.core);
  const bool links_all = request.core != Core::host;  // a host's libm is shared: what it costs is not counted
  if (links_all && options.numbers == CNumbers::floating && !request.given.contains("math") && cost.flash_bytes) {
    COptions other = options;
    other.math = options.math == CMath::none ? CMath::libm : CMath::none;
    ChipCost other_cost = measure_on_core(file, other, export_c(file, other), *request.core);
    if (other_cost.flash_bytes < cost.flash_bytes) {
      options = std::move(other);
      cost = std::move(other_cost);
    }
  }
  options.chip = std::make_shared<const ChipCost>(std::move(cost));
  return export_c(file, options);  // its header states them
}

void add_c(const ExportRequest& request, const EmbeddingFile& file, COptions options, ExportTexts& texts) {
  ExportResult& result = texts.result;
  result.c = c_with_costs(request, file, options);
  result.chip = options.chip;
  if (file.embedding.is_lattice()) result.modes = costs_of_modes(file, options);
  if (request.kit) {
    texts.files = export_kit(file, options, *result.c, request.url);
    return;
  }
  if (!request.url.empty()) {
    throw Error(ErrorCode::bad_value, "--url was given without --kit, and only a kit names a home page",
                "Add --kit, or leave it out");
  }
  texts.files = {
      {options.name + ".h", result.c->header}, {options.name + ".c", result.c->source}, {"main.c", result.c->example}};
  if (options.check) texts.files.push_back({options.name + "_check.c", result.c->check});
}

void add_code(const ExportRequest& request, const EmbeddingFile& file, const COptions& options, ExportTexts& texts) {
  using Format = ExportRequest::Format;
  for (const char* name : {"numbers", "math", "mode"}) {
    if (!request.given.contains(name)) continue;
    throw Error(ErrorCode::bad_value, fmt::format("--{} is for C alone", name),
                fmt::format("Leave --{} out, or use 'mercer export c'", name));
  }
  const CodeOptions own{.name = options.name, .safe_action = options.safe_action, .check = options.check};
  texts.result.code = request.format == Format::rust ? export_rust(file, own)
                      : request.format == Format::js ? export_js(file, own)
                                                     : export_onnx(file, own);
  texts.files = texts.result.code->files;
}

void refuse_c_options(const ExportRequest& request) {
  const bool wrong = request.core.has_value() || request.kit || !request.url.empty();
  if (!wrong) return;
  throw Error(ErrorCode::bad_value, "--core, --kit and --url are about exported C",
              "Write 'mercer export c', or leave them out");
}

}  // namespace

ExportTexts export_texts(const ExportRequest& request, EmbeddingFile file) {
  using Format = ExportRequest::Format;
  name_embedding(file, request.naming, request.file);
  COptions options = request.options;
  if (!request.check.empty()) {
    options.check = std::make_shared<const TestVectors>(read_test_vectors(request.check));
    check_vectors(*options.check, file.embedding.policy());
  }
  if (*request.format != Format::json && certified_as_drawn(file)) {
    warn(fmt::format(
        "the certificate of '{0}' is about drawn actions, but exported code plays {1}, for which nothing is "
        "promised: 'mercer certify {0} --act mean' certifies that",
        request.file, mean_words(file)));
  }
  ExportTexts texts;
  ExportResult& result = texts.result;
  result.format = *request.format;
  if (result.format != Format::c) refuse_c_options(request);
  if (result.format == Format::json) {
    texts.files = {{options.name + ".json", export_json(file)}};
    result.json_bytes = texts.files[0].text.size();
  } else if (result.format == Format::st) {
    if (options.numbers == CNumbers::fixed || options.mode == CMode::coefficients) {
      throw Error(ErrorCode::bad_value, "Structured Text is written in REAL, and a lattice as a table",
                  "Leave --numbers and --mode out");
    }
    result.st = export_st(file, {.name = options.name, .safe_action = options.safe_action, .check = options.check});
    texts.files = {{options.name + ".st", result.st->source},
                   {options.name + ".xml", result.st->xml},
                   {options.name + "_example.st", result.st->example}};
  } else if (result.format == Format::c) {
    add_c(request, file, options, texts);
  } else {
    add_code(request, file, options, texts);
  }
  return texts;
}

std::vector<std::string> write_files(const std::string& folder, const std::vector<ExportedFile>& files, bool force) {
  if (std::error_code none; fs::exists(folder, none) && !fs::is_directory(folder, none)) {
    throw Error(ErrorCode::cannot_write, fmt::format("'{}' is a file, not a folder", folder), "Choose another --out");
  }
  for (const ExportedFile& file : files) {
    const fs::path path = fs::path(folder) / file.path;
    std::error_code ignored;
    if (force || !fs::is_regular_file(path, ignored) ||
        (fs::file_size(path, ignored) == file.text.size() && read_text(path, file.text.size()) == file.text))
      continue;
    throw Error(ErrorCode::cannot_write, fmt::format("'{}' exists and holds something else", path.string()),
                "Add --force to replace it, or choose another --out or --name");
  }
  std::vector<std::string> written;
  for (const ExportedFile& file : files) {
    const fs::path path = fs::path(folder) / file.path;
    std::error_code ignored;  // write_atomically reports a folder that cannot be created
    fs::create_directories(path.parent_path(), ignored);
    write_atomically(path, [&](std::ostream& stream) { stream << file.text; });
    written.push_back(path.string());
  }
  return written;
}

ExportResult export_code(const ExportRequest& request) {
  if (!request.format) {
    throw Error(
        ErrorCode::missing_option, "no format was named",
        "Write 'mercer export c FILE.mercer --out FOLDER', or 'st', 'rust', 'js', 'onnx' or 'json' in place of 'c'");
  }
  const char* const names[] = {"c", "st", "json", "rust", "js", "onnx"};
  if (request.file.empty()) {
    throw Error(
        ErrorCode::missing_option, "no embedding was named",
        fmt::format("Write 'mercer export {} FILE.mercer --out FOLDER'", names[static_cast<int>(*request.format)]));
  }
  require_embedding(request.file, fmt::format("export {}", names[static_cast<int>(*request.format)]),
                    fmt::format("--out {}", request.out.empty() ? "FOLDER" : request.out));
  if (request.out.empty()) throw Error(ErrorCode::missing_option, "no folder was named", "Add --out FOLDER");
  ExportTexts texts = export_texts(request, read_embedding(request.file));
  texts.result.files = write_files(request.out, texts.files, request.force);
  return std::move(texts.result);
}

}  // namespace mercer
