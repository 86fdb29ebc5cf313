#include <fmt/format.h>

#include "explorer/view_answers.hpp"
#include "explorer/view_parts.hpp"

namespace answers {

json code(const Subject& subject, const Question& question) {
  constexpr std::size_t most_text = 400'000;
  const auto now = shown(subject, question);
  const ShownCode& code = now->code();
  if (!code.made) return {{"header", nullptr}, {"source", nullptr}, {"why", code.why}};
  const mercer::CExport& made = *code.made;
  json answer{{"header", made.header},
              {"source", made.source},
              {"flash_bytes", made.flash_bytes},
              {"operations", made.operations.total()}};
  if (made.source.size() > most_text) {
    answer["source"] = answer["header"] = nullptr;
    answer["why"] = fmt::format("The C has {} bytes: 'mercer export c' writes it to a file.", made.source.size());
  }
  return answer;
}

}  // namespace answers
