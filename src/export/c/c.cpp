#include <algorithm>
#include <cctype>
#include <cmath>
#include <filesystem>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "export/common/head.hpp"
#include "export/common/lattice_controller.hpp"
#include "export/common/test_vectors.hpp"
#include "mercer/error.hpp"
#include "mercer/export.hpp"

namespace mercer {
namespace {

constexpr const char* other_names = "Choose a name other than main, math, stdint, stdio, test, check and recorded";

void check_name(const std::string& name) {
  const auto legal = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; };
  if (!name.empty() && name.size() <= 40 && std::ranges::all_of(name, legal) &&
      std::isalpha(static_cast<unsigned char>(name[0])) != 0) {
    // NAME.c must not be the example's file, nor NAME.h the C library's header.
    for (const char* taken : {"main", "math", "stdint", "stdio"}) {
      if (name != taken) continue;
      throw Error(ErrorCode::bad_value, fmt::format("'{}' is the name of another file of the program", name),
                  other_names);
    }
    // Their functions would be test_act, check_act and recorded_act, and so are tables of the programs around the code.
    for (const char* taken : {"test", "check", "recorded"}) {
      if (name != taken) continue;
      throw Error(ErrorCode::bad_value, fmt::format("'{}' is how the code itself names its cases", name), other_names);
    }
    return;
  }
  throw Error(ErrorCode::bad_value, fmt::format("'{}' is not a valid C identifier", name),
              "Give 1 to 40 letters, digits and '_', a letter first");
}

}  // namespace

ControllerInterface controller_interface(const Contract& contract, const COptions& options) {
  if (contract.observation.dimensions() == 0 || contract.action.dimensions() == 0) {
    throw Error(ErrorCode::missing_option, "the embedding's contract names no observations or no actions",
                "Make the embedding again with this version");
  }
  ControllerInterface outside{contract, options.safe_action};
  if (outside.safe.empty()) {
    for (const Axis& axis : contract.action.axes) {
      const double middle = (axis.range.low + axis.range.high) / 2;
      outside.safe.push_back(contract.action.is_discrete() || !std::isfinite(middle) ? 0 : middle);
    }
  }
  if (outside.safe.size() != contract.action.dimensions()) {
    throw Error(ErrorCode::bad_value,
                fmt::format("{} numbers for a safe action of {}", outside.safe.size(), contract.action.dimensions()),
                "Give one for each action");
  }
  for (std::size_t a = 0; a < outside.safe.size(); ++a) {
    const auto [low, high] = contract.action.axes[a].range;
    require_in_range(fmt::format("the safe action '{}'", contract.action.axes[a].name), outside.safe[a], low, high,
                     "Give one that the contract allows");
    if (contract.action.is_discrete() && outside.safe[a] != std::floor(outside.safe[a])) {
      throw Error(ErrorCode::bad_value, fmt::format("the safe action {} is not an integer", outside.safe[a]),
                  "Give the number of an action");
    }
  }
  return outside;
}

std::string origin_text(const EmbeddingOrigin& origin) {
  const std::string name = std::filesystem::path(origin.teacher).filename().string();
  return fmt::format("{} ({})", name.empty() ? origin.teacher : name, origin.env);
}

namespace {

std::string head_text(const ContinuousEmbedding& embedding) {
  switch (embedding.code().head) {
    case Head::gaussian:
      return "actions are normal before they are limited, and act gives their mean";
    case Head::logits:
      return embedding.code().squash ? "the action with the largest number is taken"
                                     : "actions have probabilities softmax(numbers), and act gives the most likely one";
    default:
      return embedding.code().squash ? "limited by tanh" : "cut to the range";
  }
}

// Names the functions of the C library that the code calls.
std::string library_sentence(const CBody& body) {
  if (!body.needs_libm) return "It needs no library.";
  std::vector<std::string_view> names;
  for (const char* name : {"tanhf", "expf", "sqrtf"}) {
    if (body.source.find(fmt::format(" {}(", name)) != std::string::npos) names.emplace_back(name);
  }
  if (names.empty()) return "It needs the C library's mathematical functions (link with -lm).";
  const std::string_view last = names.back();
  names.pop_back();
  return fmt::format("It needs the C library's {}{}{} (link with -lm).", fmt::join(names, ", "),
                     names.empty() ? "" : " and ", last);
}

CExport export_continuous(const EmbeddingFile& file, const COptions& options) {
  const ContinuousEmbedding& embedding = file.embedding.continuous();
  const ContinuousCode& code = embedding.code();
  if (code.head == Head::density) {
    throw Error(ErrorCode::bad_value, "a density over observations and actions has no exported form",
                "Embed the mean action ('--act mean') or a Gaussian policy");
  }
  const ContinuousController controller{flatten(code), code.head, code.squash,
                                        controller_interface(embedding.policy().contract(), options), &embedding};
  require_usable_ranges(controller.outside.contract, ranges_of(controller.flat));
  CBody body = options.numbers == CNumbers::fixed ? fixed_body(controller, options) : float_body(controller, options);
  HeaderFacts facts;
  facts.what = fmt::format("{} in {} terms of {}", origin_text(file.origin), embedding.k(), embedding.basis());
  facts.computation =
      fmt::format("A sum of {} functions of the observation, scaled to [-1, 1], for {}; {}. {}", embedding.k(),
                  code.outputs == 1 ? "one output" : fmt::format("each of {} outputs", code.outputs),
                  head_text(embedding), library_sentence(body));
  facts.formulas = formula_lines(embedding);
  facts.beyond = "Observations outside their range are clipped to it";
  if (controller.flat.any_periodic()) facts.beyond += ", angles go round";
  return assemble(file, options, controller.outside, facts, std::move(body));
}

CExport export_lattice(const EmbeddingFile& file, const COptions& options) {
  const LatticeEmbedding& embedding = file.embedding.lattice();
  const LatticeController controller =
      lattice_controller(embedding, controller_interface(embedding.policy().contract(), options));
  const bool table = options.mode == CMode::table;
  CBody body = table ? lattice_table_body(controller, options) : lattice_coefficient_body(controller, options);
  HeaderFacts facts;
  facts.what = fmt::format("{} on a lattice of {} cells, {} {}", origin_text(file.origin), controller.rows(),
                           embedding.basis(), embedding.k());
  facts.computation = fmt::format(
      "{} {} {}",
      table ? "A table with the mean action of every cell."
            : "A row of probabilities of action cells is computed from the kept coefficients; act gives its mean.",
      controller.full() ? "Every cell has its own."
      : controller.code.play.unvisited == Unvisited::nearest
          ? "A state whose cell was never visited counts as the nearest cell that was."
          : "In a cell that was never visited all actions are equally likely.",
      library_sentence(body));
  facts.beyond = "Observations outside the lattice belong to the cell at that end";
  facts.weights = "probabilities";
  return assemble(file, options, controller.outside, facts, std::move(body));
}

}  // namespace

COperations& COperations::operator+=(const COperations& more) {
  multiplications += more.multiplications;
  additions += more.additions;
  divisions += more.divisions;
  comparisons += more.comparisons;
  lookups += more.lookups;
  functions += more.functions;
  return *this;
}

CExport export_c(const EmbeddingFile& file, const COptions& options) {
  check_name(options.name);
  if (options.check) check_vectors(*options.check, file.embedding.policy());
  return file.embedding.is_lattice() ? export_lattice(file, options) : export_continuous(file, options);
}

}  // namespace mercer
