#include "embed/lattice/action_rows.hpp"

#include <optional>

#include <fmt/format.h>

#include "embed/lattice/draw.hpp"
#include "mercer/error.hpp"

namespace mercer {
namespace {

class DecodedRows final : public ActionRows {
 public:
  DecodedRows(PolicyTable table, const Acting& acting, std::span<const std::uint64_t> visits)
      : rule_(acting.draw), table_(std::move(table)) {
    switch (rule_) {
      case DrawRule::inverse:
        below_ = table_.pi;
        for (std::size_t r = 0; r < table_.rows; ++r) {
          accumulate_row(std::span(below_).subspan(r * table_.cols, table_.cols));
        }
        break;
      case DrawRule::alias:
        alias_.emplace(table_.pi, table_.cols);
        break;
      case DrawRule::importance:
        importance_.emplace(make_proposal(*this, table_.rows, acting.proposal, visits), acting.proposals);
        break;
    }
  }

  std::size_t columns() const override { return table_.cols; }
  double probability(std::size_t row, std::size_t column) const override { return table_.row(row)[column]; }
  void read(std::size_t row, std::span<double> out) const override { std::ranges::copy(table_.row(row), out.begin()); }
  const PolicyTable* table() const override { return &table_; }

  std::size_t draw(std::size_t row, Random& random) const override {
    if (rule_ == DrawRule::inverse) {
      const auto own = std::span(below_).subspan(row * table_.cols, table_.cols);
      return first_above(own, random.uniform() * own.back());
    }
    if (rule_ == DrawRule::alias) return alias_->draw(row, random.uniform());
    const auto own = table_.row(row);
    const std::size_t column = importance_->draw(random, [&](std::size_t c) { return own[c]; });
    return column < own.size() ? column : random.categorical(own);
  }

 private:
  DrawRule rule_;
  PolicyTable table_;
  std::vector<double> below_;  // table_ summed up along each row
  std::optional<AliasTable> alias_;
  std::optional<ImportanceDraw> importance_;
};

}  // namespace

std::unique_ptr<const ActionRows> decoded_rows(PolicyTable table, const Acting& acting,
                                               std::span<const std::uint64_t> visits) {
  return std::make_unique<DecodedRows>(std::move(table), acting, visits);
}

namespace {

class CoefficientRows final : public ActionRows {
 public:
  CoefficientRows(CoefficientTable table, const Acting& acting, std::span<const std::uint64_t> visits)
      : table_(std::move(table)) {
    if (acting.draw == DrawRule::alias) {
      throw Error(ErrorCode::bad_value,
                  "alias tables are made of the whole table, which acting from coefficients spares",
                  "Use draw=inverse, or from=decoded");
    }
    if (acting.draw != DrawRule::importance) return;
    importance_.emplace(make_proposal(*this, table_.place.size(), acting.proposal, visits), acting.proposals);
  }

  std::size_t columns() const override { return table_.columns; }
  double probability(std::size_t row, std::size_t column) const override {
    const Scratch scratch(1, table_.columns);
    read(row, scratch.view().row(0));
    return scratch.view()(0, column);
  }
  void read(std::size_t row, std::span<double> out) const override {
    table_.evaluator->row(table_.place[row], out);
    project_row(out, table_.simplex);
  }

  std::size_t draw(std::size_t row, Random& random) const override {
    const Scratch scratch(1, table_.columns);
    const std::span<double> own = scratch.view().row(0);
    read(row, own);
    if (importance_) {
      const std::size_t column = importance_->draw(random, [&](std::size_t c) { return own[c]; });
      return column < own.size() ? column : random.categorical(own);
    }
    accumulate_row(own);
    return first_above(own, random.uniform() * own.back());
  }

 private:
  CoefficientTable table_;
  std::optional<ImportanceDraw> importance_;
};

}  // namespace

std::unique_ptr<const ActionRows> coefficient_rows(CoefficientTable table, const Acting& acting,
                                                   std::span<const std::uint64_t> visits) {
  return std::make_unique<CoefficientRows>(std::move(table), acting, visits);
}

}  // namespace mercer
