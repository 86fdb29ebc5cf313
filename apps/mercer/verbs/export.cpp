#include "mercer/export.hpp"

#include <filesystem>

#include <fmt/format.h>

#include "cli/program.hpp"
#include "cli/terminal.hpp"
#include "explorer/report.hpp"
#include "io/file.hpp"
#include "mercer/error.hpp"

using mercer::Error;
using mercer::ErrorCode;

namespace {

using json = nlohmann::ordered_json;

struct ExportVerb {
  std::string format, file, out;
  mercer::COptions options;
  std::vector<std::string> safe_action;

  void run(const CommonOptions& common) const {
    if (format != "c" && format != "st" && format != "json") {
      throw Error(format.empty() ? ErrorCode::missing_option : ErrorCode::unknown_name,
                  format.empty() ? "nothing was said about what to export to" : fmt::format("no format '{}'", format),
                  "Write 'mercer export c FILE.mercer --out FOLDER', or 'st' or 'json' in the place of 'c'");
    }
    if (file.empty()) {
      throw Error(ErrorCode::missing_option, "no embedding was named",
                  fmt::format("Write 'mercer export {} FILE.mercer --out FOLDER'", format));
    }
    if (out.empty()) throw Error(ErrorCode::missing_option, "no folder was named", "Add --out FOLDER");
    const mercer::EmbeddingFile embedding = mercer::read_embedding(file);
    if (format == "json") {
      const std::string text = mercer::export_json(embedding);
      const json files{write(options.name + ".json", text)};
      if (!common.quiet) tell("{}: {} bytes\n", files[0].get<std::string>(), text.size());
      if (common.json) print_json({{"files", files}, {"flash_bytes", nullptr}, {"operations", nullptr}});
      return;
    }
    mercer::COptions all = options;
    for (const std::string& number : safe_action)
      all.safe_action.push_back(parse_setting<double>(number, "--safe-action"));
    if (format == "st") return report_st(embedding, all, common);
    report(mercer::export_c(embedding, all), common, embedding.embedding.is_lattice() ? modes(embedding, all) : json());
  }

  // What either mode of a lattice costs, or why it has no such form.
  static json modes(const mercer::EmbeddingFile& embedding, mercer::COptions options) {
    json costs = json::object();
    for (const auto& [name, mode] :
         {std::pair{"table", mercer::CMode::table}, {"coefficients", mercer::CMode::coefficients}}) {
      options.mode = mode;
      try {
        const mercer::CExport made = mercer::export_c(embedding, options);
        costs[name] = {{"flash_bytes", made.flash_bytes}, {"operations", made.operations.total()}};
      } catch (const Error& error) {
        costs[name] = {{"refused", error.what()}};
      }
    }
    return costs;
  }

  static void tell_modes(const json& costs) {
    for (const auto& [name, cost] : costs.items()) {
      if (cost.contains("refused")) {
        tell("--mode {}: {}\n", name, cost["refused"].get<std::string>());
      } else {
        tell("--mode {}: {} bytes of tables, at most {} operations\n", name, cost["flash_bytes"].get<std::size_t>(),
             cost["operations"].get<std::size_t>());
      }
    }
  }

  void report_st(const mercer::EmbeddingFile& embedding, const mercer::COptions& all,
                 const CommonOptions& common) const {
    if (all.numbers == mercer::CNumbers::fixed || all.mode == mercer::CMode::coefficients) {
      throw Error(ErrorCode::bad_value, "Structured Text is written in REAL, and a lattice as a table",
                  "Leave --numbers and --mode out");
    }
    const mercer::StExport made = mercer::export_st(embedding, {.name = all.name, .safe_action = all.safe_action});
    const json files{write(all.name + ".st", made.source)};
    if (!common.quiet) {
      tell("{}\n{} bytes of constants, {} of variables, {} operations for an action\n", files[0].get<std::string>(),
           made.table_bytes, made.variable_bytes, made.operations.total());
      tell("largest difference from the model: {:.2g} measured, {:.2g} stated\n", made.error, made.stated_error);
    }
    if (!common.json) return;
    print_json({{"files", files},
                {"flash_bytes", made.table_bytes},
                {"operations", made.operations.total()},
                {"variable_bytes", made.variable_bytes},
                {"error_measured", made.error},
                {"error_stated", made.stated_error}});
  }

  std::string write(const std::string& name, const std::string& text) const {
    std::error_code ignored;  // what cannot be made cannot be written to, which is told there
    std::filesystem::create_directories(out, ignored);
    const std::filesystem::path path = std::filesystem::path(out) / name;
    mercer::write_atomically(path, [&](std::ostream& stream) { stream << text; });
    return path.string();
  }

  void report(const mercer::CExport& made, const CommonOptions& common, const json& both) const {
    const json files{write(options.name + ".h", made.header), write(options.name + ".c", made.source),
                     write("main.c", made.example)};
    const mercer::COperations& cost = made.operations;
    if (!common.quiet) {
      for (const auto& path : files) tell("{}\n", path.get<std::string>());
      tell("flash: {} bytes of tables, about {} of code; RAM: about {} bytes of stack\n", made.flash_bytes,
           made.code_bytes, made.ram_bytes);
      tell("an action: {} multiplications, {} additions, {} divisions, {} comparisons, {} look-ups, {} library calls\n",
           cost.multiplications, cost.additions, cost.divisions, cost.comparisons, cost.lookups, cost.functions);
      tell_modes(both);
      tell("largest difference from the model: {:.2g} measured, {:.2g} stated\n", made.error, made.stated_error);
      tell("try it: cc -std=c99 -O2 {0}/{1}.c {0}/main.c -o {1} -lm && ./{1}\n", out, options.name);
    }
    if (!common.json) return;
    json document{{"files", files},
                  {"flash_bytes", made.flash_bytes},
                  {"operations", cost.total()},
                  {"operations_by_kind",
                   {{"multiplications", cost.multiplications},
                    {"additions", cost.additions},
                    {"divisions", cost.divisions},
                    {"comparisons", cost.comparisons},
                    {"lookups", cost.lookups},
                    {"library_calls", cost.functions}}},
                  {"code_bytes_estimate", made.code_bytes},
                  {"ram_bytes_estimate", made.ram_bytes},
                  {"error_measured", made.error},
                  {"error_stated", made.stated_error}};
    if (!both.is_null()) document["modes"] = both;
    print_json(document);
  }
};

}  // namespace

void add_export(Program& program) {
  Verb& verb =
      program.add_verb("export", "Write an embedding as C for any device, as Structured Text for PLCs, or as JSON");
  const auto state = std::make_shared<ExportVerb>();
  Settings& settings = *verb.settings;
  verb.app->add_option("FORMAT", state->format, "c, st or json")->type_name("");
  settings.add({"file", "The embedding", "FILE"}, state->file);
  verb.app->add_option("FILE", state->file, "The embedding")->type_name("");
  settings.add({"out", "The folder for the files", "FOLDER"}, state->out);
  settings.add({"name", "Of the files, and in front of every name in them [controller]", "NAME"}, state->options.name);
  settings.add_choice({"numbers", "What the C computes with [float]", "KIND"}, state->options.numbers);
  settings.add_choice({"math", "Where tanh, exp and square roots come from [libm]", "FROM"}, state->options.math);
  settings.add_choice({"mode", "How a lattice is laid down [table]", "MODE"}, state->options.mode);
  settings.add({"safe-action", "What to do when an observation is not a number [the middle]", "A,A,..."},
               state->safe_action);
  verb.run = [state, &program] { state->run(program.common()); };
}
