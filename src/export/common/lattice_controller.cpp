#include "export/common/lattice_controller.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "export/c/c_text.hpp"
#include "export/c/fixed_plan.hpp"
#include "mercer/error.hpp"

namespace mercer {

std::uint64_t LatticeController::key(std::size_t row) const {
  std::uint64_t number = 0;
  for (std::size_t d = 0; d < states().dimensions(); ++d)
    number = number * states().axes[d].bins() + code.bins[row * states().dimensions() + d];
  return number;
}

std::vector<double> LatticeController::action(std::size_t row) const {
  std::vector<double> made(outside.actions());
  if (row < rows()) {
    std::vector<double> middle;
    for (std::size_t d = 0; d < states().dimensions(); ++d) middle.push_back(cells().centre(row, d));
    model->policy().mean_action({middle.data(), middle.size(), 1}, {made.data(), made.size(), 1});
  } else if (!discrete()) {
    for (std::size_t a = 0; a < made.size(); ++a) {
      const Edges& axis = code.actions.axes[a];
      for (std::size_t b = 0; b < axis.bins(); ++b) made[a] += axis.centre(b) / static_cast<double>(axis.bins());
    }
  }
  for (const double number : made) {
    if (std::isfinite(number)) continue;
    throw Error(ErrorCode::not_finite, fmt::format("the action of a cell is {}", number),
                "Make the embedding again: such a controller must not run anywhere");
  }
  return made;
}

std::vector<std::size_t> LatticeController::test_rows() const {
  const std::size_t count = std::min<std::size_t>(5, rows());
  std::vector<std::size_t> chosen;
  for (std::size_t i = 0; i < count; ++i) chosen.push_back(count == 1 ? 0 : i * (rows() - 1) / (count - 1));
  return chosen;
}

double LatticeController::lead(std::size_t row) const {
  std::vector<double> weights(static_cast<std::size_t>(code.actions.cells()));
  model->policy().row(row, weights);
  std::ranges::partial_sort(weights, weights.begin() + std::min<std::ptrdiff_t>(2, std::ssize(weights)),
                            std::ranges::greater());
  return weights.size() < 2 ? weights[0] : weights[0] - weights[1];
}

namespace {

// The rows of a self-test; where one of them is no clear choice between discrete actions, the next one behind it that
// is.
std::vector<std::size_t> clear_rows(const LatticeController& controller, double least_lead) {
  constexpr std::size_t most_tries = 200;
  std::vector<std::size_t> rows = controller.test_rows();
  if (!controller.discrete() || least_lead <= 0) return rows;
  std::vector<std::size_t> clear;
  for (const std::size_t first : rows) {
    for (std::size_t row = first; row < std::min(controller.rows(), first + most_tries); ++row) {
      if (controller.lead(row) <= least_lead || std::ranges::find(clear, row) != clear.end()) continue;
      clear.push_back(row);
      break;
    }
  }
  return clear;
}

// How far the numbers of actions lie apart that may come out in a row.
double tied_apart(const LatticeController& controller, std::size_t row, double least_lead) {
  std::vector<double> weights(static_cast<std::size_t>(controller.code.actions.cells()));
  controller.model->policy().row(row, weights);
  const double most = *std::ranges::max_element(weights), own = controller.action(row)[0];
  double apart = 0;
  for (std::size_t c = 0; c < weights.size(); ++c) {
    if (most - weights[c] <= least_lead) apart = std::max(apart, std::abs(static_cast<double>(c) - own));
  }
  return apart;
}

}  // namespace

LatticeController lattice_controller(const LatticeEmbedding& embedding, ControllerInterface outside) {
  LatticeController made{decode_lattice(embedding.payload(), "the embedding"), {}, std::move(outside), &embedding};
  if (made.code.states.cells() >= 0x1p64) {
    throw Error(ErrorCode::too_large,
                fmt::format("a lattice of {:.3g} cells, whose numbers no C type holds; legal: below 2^64",
                            made.code.states.cells()),
                "Take fewer bins, or the continuous route");
  }
  const auto columns = static_cast<std::size_t>(made.code.actions.cells());
  if (made.code.order == RowOrder::axes && !made.code.basis.row_by_row()) {
    made.layout = axes_layout(made.cells(), made.code.actions);
  } else {
    made.layout =
        list_layout(made.code.order == RowOrder::mean_action
                        ? made.code.rows
                        : order_rows(made.cells(), {}, {},
                                     made.code.order == RowOrder::axes ? RowOrder::lexicographic : made.code.order),
                    columns);
  }
  return made;
}

std::vector<int> lattice_obs_q(const LatticeController& controller) {
  std::vector<int> q;
  for (const Edges& axis : controller.states().axes)
    q.push_back(fixed_point_q({axis.values.front(), axis.values.back()}));
  return q;
}

void write_lattice_selftest(const LatticeController& controller, const COptions& options, std::span<const int> action_q,
                            CBody& body, double least_lead) {
  const std::size_t d = controller.states().dimensions(), m = controller.outside.actions();
  std::vector<double> given, expected, limits;
  std::vector<std::size_t> rows = clear_rows(controller, least_lead);
  const double tied = rows.empty() ? tied_apart(controller, 0, least_lead) : 0;
  if (rows.empty()) rows.push_back(0);
  for (const std::size_t row : rows) {
    for (std::size_t i = 0; i < d; ++i) given.push_back(controller.cells().centre(row, i));
    const std::vector<double> action = controller.action(row);
    expected.insert(expected.end(), action.begin(), action.end());
  }
  for (std::size_t a = 0; a < m; ++a)
    limits.push_back(controller.discrete() ? tied : 1.01 * body.stated_error * controller.outside.width(a));
  if (options.numbers == CNumbers::floating) {
    for (std::size_t i = 0; i < d; ++i) body.first_case.push_back(c_float(given[i]));
    body.source += float_selftest(given, expected, limits, d);
    return;
  }
  const std::vector<int> obs_q = lattice_obs_q(controller);
  const Contract& contract = controller.outside.contract;
  std::vector<std::string> whole_given, whole_expected, whole_limits;
  const auto whole = [](double value, int q) { return fmt::format("{}", std::llround(std::ldexp(value, q))); };
  for (std::size_t i = 0; i < given.size(); ++i) whole_given.push_back(whole(given[i], obs_q[i % d]));
  for (std::size_t i = 0; i < expected.size(); ++i) whole_expected.push_back(whole(expected[i], action_q[i % m]));
  for (std::size_t a = 0; a < m; ++a)
    whole_limits.push_back(fmt::format("{}", std::llround(std::ceil(std::ldexp(limits[a], action_q[a])))));
  body.first_case.assign(whole_given.begin(), whole_given.begin() + static_cast<std::ptrdiff_t>(d));
  body.source += fixed_selftest(whole_given, whole_expected, d, m, whole_limits);
  body.header_lines += fixed_macros(contract, obs_q, action_q);
}

}  // namespace mercer
