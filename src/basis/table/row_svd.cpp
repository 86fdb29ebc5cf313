#include <algorithm>
#include <cmath>
#include <cstring>

#include <Eigen/QR>
#include <Eigen/SVD>
#include <fmt/format.h>

#include "basis/table/svd_eigen.hpp"
#include "mercer/basis.hpp"
#include "mercer/error.hpp"
#include "mercer/parallel.hpp"

namespace mercer {
namespace {

void check(std::size_t rows, std::size_t columns, std::size_t rank, const RowBlocks& cut) {
  require_in_range("rows", static_cast<double>(rows), 1, 1e15, "Give at least one row");
  require_in_range("columns", static_cast<double>(columns), 1, 4096, "Only few columns can be factored by rows");
  require_in_range("rank", static_cast<double>(rank), 1, static_cast<double>(std::min(rows, columns)),
                   "Ask for at most as many as the table has rows and columns");
  require_in_range("rows of a block", static_cast<double>(cut.rows), 1, 1 << 24, "Take 1024");
  require_in_range("blocks of a chain", static_cast<double>(cut.blocks), 1, 1 << 24, "Take 64");
}

// The triangle below which `under` goes: R of [triangle; under], columns x columns.
Eigen::MatrixXd join(const Eigen::MatrixXd& triangle, const Eigen::Ref<const RowMajorMatrix>& under) {
  const Eigen::Index n = under.cols();
  Eigen::MatrixXd stacked(triangle.rows() + under.rows(), n);
  stacked << triangle, under;
  const Eigen::HouseholderQR<Eigen::MatrixXd> qr(stacked);
  Eigen::MatrixXd joined = Eigen::MatrixXd::Zero(n, n);
  const Eigen::Index filled = std::min(stacked.rows(), n);
  joined.topRows(filled) = qr.matrixQR().topRows(filled).triangularView<Eigen::Upper>();
  return joined;
}

// Calls body(first, last, values) for every block of rows in [begin, end).
template <class Body>
void walk(std::size_t begin, std::size_t end, std::size_t columns, std::size_t step, const RowReader& read,
          std::vector<double>& buffer, const Body& body) {
  for (std::size_t first = begin; first < end; first += step) {
    const std::size_t last = std::min(end, first + step);
    const std::span<double> values = std::span(buffer).first((last - first) * columns);
    read(first, last, values);
    for (const double value : values) {
      if (std::isfinite(value)) continue;
      throw Error(ErrorCode::not_finite, fmt::format("rows {} to {} of the table hold {}", first, last - 1, value),
                  "Give finite numbers");
    }
    body(first, last, values);
  }
}

Eigen::MatrixXd chain_triangle(std::size_t begin, std::size_t end, std::size_t columns, const RowReader& read,
                               const RowBlocks& cut) {
  Eigen::MatrixXd triangle(0, static_cast<Eigen::Index>(columns));
  std::vector<double> buffer(std::min(cut.rows, end - begin) * columns);
  walk(begin, end, columns, cut.rows, read, buffer,
       [&](std::size_t first, std::size_t last, std::span<const double> values) {
         triangle =
             join(triangle, Eigen::Map<const RowMajorMatrix>(values.data(), static_cast<Eigen::Index>(last - first),
                                                             static_cast<Eigen::Index>(columns)));
       });
  return triangle;
}

}  // namespace

RowSvd row_svd(std::size_t rows, std::size_t columns, std::size_t rank, const RowReader& read, const Team& team,
               const RowBlocks& cut) {
  check(rows, columns, rank, cut);
  const std::size_t chain = cut.rows * cut.blocks;
  const Share own = share_of(team.rank, team.size, rows, chain);
  const std::size_t size = columns * columns;
  std::vector<double> triangles((own.end - own.begin + chain - 1) / chain * size);
  for_each_block(own.end - own.begin, chain, [&](Block block) {
    const Eigen::MatrixXd made = chain_triangle(own.begin + block.begin, own.begin + block.end, columns, read, cut);
    Eigen::Map<RowMajorMatrix>(triangles.data() + block.index * size, made.rows(), made.cols()) = made;
  });
  if (team.size > 1) {
    std::string mine(triangles.size() * sizeof(double), '\0');
    if (!mine.empty()) std::memcpy(mine.data(), triangles.data(), mine.size());  // a process may have no rows
    triangles.clear();
    for (const std::string& bytes : team.gather(mine)) {
      const std::size_t before = triangles.size();
      triangles.resize(before + bytes.size() / sizeof(double));
      if (!bytes.empty()) std::memcpy(triangles.data() + before, bytes.data(), bytes.size());
    }
  }
  const auto n = static_cast<Eigen::Index>(columns);
  Eigen::MatrixXd last(0, n);
  for (std::size_t c = 0; c < triangles.size(); c += size) {
    last = join(last, Eigen::Map<const RowMajorMatrix>(triangles.data() + c, n, n));
  }
  const Svd small = leading_svd(last, rank);
  return {rows, columns, rank, small.s, small.vt};
}

void row_factors(const RowSvd& of, const RowReader& read, const RowWriter& write, const Team& team,
                 const RowBlocks& cut) {
  check(of.rows, of.columns, of.rank, cut);
  const auto n = static_cast<Eigen::Index>(of.columns), k = static_cast<Eigen::Index>(of.rank);
  Eigen::MatrixXd v = Eigen::Map<const RowMajorMatrix>(of.vt.data(), k, n).transpose();
  for (Eigen::Index i = 0; i < k; ++i) {
    const double s = of.s[static_cast<std::size_t>(i)];
    if (s > 1e-13 * of.s[0]) {
      v.col(i) /= s;
    } else {
      v.col(i).setZero();
    }
  }
  const std::size_t chain = cut.rows * cut.blocks;
  const Share own = share_of(team.rank, team.size, of.rows, chain);
  for_each_block(own.end - own.begin, chain, [&](Block block) {
    std::vector<double> buffer(cut.rows * of.columns), factor(cut.rows * of.rank);
    walk(own.begin + block.begin, own.begin + block.end, of.columns, cut.rows, read, buffer,
         [&](std::size_t first, std::size_t last, std::span<const double> values) {
           const auto count = static_cast<Eigen::Index>(last - first);
           Eigen::Map<RowMajorMatrix>(factor.data(), count, k).noalias() =
               Eigen::Map<const RowMajorMatrix>(values.data(), count, n) * v;
           write(first, last, std::span<const double>(factor).first((last - first) * of.rank));
         });
  });
}

}  // namespace mercer
