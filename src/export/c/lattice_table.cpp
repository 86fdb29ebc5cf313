#include <algorithm>
#include <cmath>

#include "export/c/c_text.hpp"
#include "export/common/lattice_controller.hpp"

namespace mercer {
namespace {

// Actions of all rows, and of what has none where every action is equally likely there.
std::vector<double> all_actions(const LatticeController& controller) {
  const bool uniform = controller.code.play.unvisited == Unvisited::uniform && !controller.full();
  std::vector<double> table;
  for (std::size_t row = 0; row < controller.rows() + (uniform ? 1 : 0); ++row) {
    const std::vector<double> action = controller.action(row);
    table.insert(table.end(), action.begin(), action.end());
  }
  return table;
}

// As many bits after the point as 16 bits leave for each action.
std::vector<int> table_q(const std::vector<double>& table, std::size_t actions, bool discrete) {
  std::vector<int> q;
  for (std::size_t a = 0; a < actions; ++a) {
    double most = 1e-6;
    for (std::size_t i = a; i < table.size(); i += actions) most = std::max(most, std::abs(table[i]));
    q.push_back(discrete ? 0 : static_cast<int>(std::floor(std::log2(32767 / most))));
  }
  return q;
}

}  // namespace

CBody lattice_table_body(const LatticeController& controller, const COptions& options) {
  const bool fixed = options.numbers == CNumbers::fixed, discrete = controller.discrete();
  const std::size_t m = controller.outside.actions();
  CBody body;
  std::string text;
  const std::vector<double> table = all_actions(controller);
  const std::vector<int> q = fixed ? table_q(table, m, discrete) : std::vector<int>(m);
  if (discrete || fixed) {
    std::vector<long> numbers;
    for (std::size_t i = 0; i < table.size(); ++i) {
      numbers.push_back(std::lround(std::ldexp(table[i], q[i % m])));
      body.error =
          std::max(body.error, std::abs(std::ldexp(static_cast<double>(numbers.back()), -q[i % m]) - table[i]) /
                                   controller.outside.width(i % m));
    }
    const bool small = discrete && std::ranges::max(numbers) < 256;
    text += c_integer_table(small ? "unsigned char" : "int16_t", "table", numbers, m);
    body.table_bytes += (small ? 1 : 2) * numbers.size();
  } else {
    text += c_float_table("table", table, m);
    body.table_bytes += 4 * table.size();
    for (std::size_t i = 0; i < table.size(); ++i)
      body.error =
          std::max(body.error, std::abs(static_cast<float>(table[i]) - table[i]) / controller.outside.width(i % m));
  }
  if (!fixed) {
    text += c_float_table("safe", controller.outside.safe);
    body.table_bytes += 4 * m;
  }
  write_lattice_find(controller, options, text, body);
  const std::vector<std::pair<std::string, std::string>> places{
      {"N", std::to_string(controller.states().dimensions())},
      {"M", std::to_string(m)},
      {"type", fixed ? "int32_t" : "float"},
      {"value", !fixed && discrete ? "(float)table[row][i]" : "table[row][i]"}};
  text += fill(fixed ? R"(void @name@_act(const int32_t obs[@N@], int32_t act[@M@])
{
  uint32_t row;
  int i;
  (void)find(obs, &row);
  for (i = 0; i < @M@; i++) act[i] = @value@;
}

)"
                     : R"(void @name@_act(const float obs[@N@], float act[@M@])
{
  uint32_t row = 0;
  const int usable = find(obs, &row);
  int i;
  for (i = 0; i < @M@; i++) act[i] = usable != 0 ? @value@ : safe[i];
}

)",
               places);
  body.code_bytes += 50;
  body.operations.lookups += m;
  body.stated_error = with_margin(body.error, 1e-6);
  body.source = std::move(text);
  write_lattice_selftest(controller, options, q, body);
  return body;
}

}  // namespace mercer
