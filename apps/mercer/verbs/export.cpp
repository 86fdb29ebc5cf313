#include "cli/output.hpp"
#include "cli/program.hpp"
#include "cli/terminal.hpp"
#include "core/printable.hpp"
#include "pipeline/documents.hpp"

namespace {

void show_c(const mercer::ExportRequest& request, const mercer::ExportResult& result) {
  const mercer::CExport& made = *result.c;
  const mercer::COperations& cost = made.operations;
  for (const std::string& path : result.files) tell("{}\n", path);
  if (result.chip) tell("{}\n", mercer::chip_sentence(*result.chip));
  if (!result.chip || !result.chip->flash_bytes) {
    tell("estimate: flash {} bytes of tables and about {} of code; RAM about {} bytes of stack (--core measures)\n",
         made.flash_bytes, made.code_bytes, made.ram_bytes);
  }
  tell("an action: {}, {}, {}, {}, {}, {}\n", mercer::counted(cost.multiplications, "multiplication"),
       mercer::counted(cost.additions, "addition"), mercer::counted(cost.divisions, "division"),
       mercer::counted(cost.comparisons, "comparison"), mercer::counted(cost.lookups, "look-up"),
       mercer::counted(cost.functions, "library call"));
  for (const auto& mode : result.modes) {
    if (mode.refused.empty()) {
      tell("--mode {}: {} bytes of tables, at most {} operations\n", mode.mode, mode.flash_bytes, mode.operations);
    } else {
      tell("--mode {}: {}\n", mode.mode, mode.refused);
    }
  }
  tell("largest difference from the embedding: {:.2g} measured, {:.2g} stated\n", made.error, made.stated_error);
  if (request.kit) {
    tell("try it: cmake -S {0} -B {0}/build && cmake --build {0}/build && ctest --test-dir {0}/build\n", request.out);
  } else {
    tell("try it: cc -std=c99 -O2 {0}/{1}.c {0}/main.c -o {1} -lm && ./{1}\n", request.out, request.options.name);
  }
}

// A folder as it begins a module's name: node looks for "web/pilot.mjs" among packages, and for "./web/pilot.mjs" here.
std::string module_folder(const std::string& folder) {
  return folder.starts_with('/') || folder.starts_with('.') ? folder : "./" + folder;
}

void show_st(const mercer::ExportRequest& request, const mercer::ExportResult& result) {
  const mercer::StExport& made = *result.st;
  for (const std::string& path : result.files) tell("{}\n", path);
  tell("{} bytes of constants, {} of variables, {} operations for an action\n", made.table_bytes, made.variable_bytes,
       made.operations.total());
  tell("largest difference from the embedding: {:.2g} measured, {:.2g} stated\n", made.error, made.stated_error);
  tell("try it: import {0}/{1}.xml into your PLC project; its program {1}_example runs the self-test, then acts\n",
       request.out, request.options.name);
}

void show_code(const mercer::ExportRequest& request, const mercer::ExportResult& result) {
  const mercer::CodeExport& made = *result.code;
  for (const std::string& path : result.files) tell("{}\n", path);
  tell("{} bytes of numbers\n", made.table_bytes);
  tell("largest difference from the embedding: {:.2g} measured, {:.2g} stated\n", made.error, made.stated_error);
  using Format = mercer::ExportRequest::Format;
  const std::string& name = request.options.name;
  if (result.format == Format::rust) {
    tell("try it: cargo run --manifest-path {}/Cargo.toml --example act\n", request.out);
  } else if (result.format == Format::js) {
    tell(
        "try it: node -e \"import('{}/{}.mjs').then((m) => console.log(m.selftest() === 0 ? 'agrees' : 'differs'))\"\n",
        module_folder(request.out), name);
  } else {
    tell("try it: mercer inspect {}/{}.onnx\n", request.out, name);
  }
}

void run(const mercer::ExportRequest& request, const CommonOptions& common) {
  const mercer::ExportResult result = mercer::export_code(request);
  if (!common.quiet) {
    if (result.c) show_c(request, result);
    if (result.st) show_st(request, result);
    if (result.code) show_code(request, result);
    if (result.format == mercer::ExportRequest::Format::json)
      tell("{}: {} bytes\n", result.files.front(), result.json_bytes);
  }
  if (common.json) print_json(mercer::document(result));
}

}  // namespace

void add_export(Program& program) {
  Verb& verb = add_request_verb<mercer::ExportRequest>(
      program, "export", "Write an embedding as C, Rust, JavaScript, ONNX, Structured Text for PLCs, or JSON", run);
  verb.settings->add_positional("FORMAT", "format");
  verb.settings->add_positional("FILE", "file");
}
