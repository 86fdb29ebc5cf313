#include "mercer/export/st.hpp"

#include <fmt/format.h>

#include "export/st_block.hpp"
#include "mercer/core/error.hpp"

namespace mercer {
namespace {

void check_block_name(const std::string& name) {
  if (st_identifier(name) && name.size() <= 40 && !st_reserved(name)) return;
  throw Error(ErrorCode::bad_value, fmt::format("'{}' is no name that Structured Text takes", name),
              "Give 1 to 40 letters and digits with single '_' between them, a letter first, no word of the language "
              "and no 'obs_' or 'act_' at its beginning");
}

StBody continuous_body(const EmbeddingFile& file, const Outside& outside) {
  const ContinuousEmbedding& embedding = file.embedding.continuous();
  const ContinuousCode& code = embedding.code();
  if (code.head == Head::density) {
    throw Error(ErrorCode::bad_value, "a density over observations and actions has no exported form",
                "Embed the mean action ('--act mean') or a Gaussian policy");
  }
  StBody body = st_continuous_body({flatten(code), code.head, code.squash, outside, &embedding});
  const char* head = code.head == Head::logits ? "the action with the largest sum is taken"
                     : code.squash             ? "limited by tanh"
                                               : "cut to the range";
  body.computation = fmt::format(
      "A sum of {} functions of the observation, scaled to -1 .. 1, for each {}; {}. Observations outside their range "
      "count as its end{}.",
      embedding.k(), code.head == Head::logits ? "action" : "mean action", head, body.wraps ? ", angles go round" : "");
  return body;
}

}  // namespace

StExport export_st(const EmbeddingFile& file, const StOptions& options) {
  check_block_name(options.name);
  const Outside outside =
      outside_of(file.embedding.policy().contract(), {.name = options.name, .safe_action = options.safe_action});
  StBody body = file.embedding.is_lattice() ? st_lattice_body(lattice_controller(file.embedding.lattice(), outside))
                                            : continuous_body(file, outside);
  body.what = fmt::format("{} in {} {} of {}", origin_text(file.origin), file.embedding.k(),
                          file.embedding.is_lattice() ? "coefficients" : "terms", file.embedding.basis());
  return assemble_st(file, options, outside, std::move(body));
}

}  // namespace mercer
