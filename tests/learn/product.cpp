// The products of the learners against sums in double precision, for every instruction set of this machine.

#include "learn/product.hpp"

#include <cmath>
#include <vector>

#include <gtest/gtest.h>

#include "mercer/random.hpp"

namespace mercer::learn {
namespace {

using Eigen::Index;
using Eigen::MatrixXf;

MatrixXf drawn(Index rows, Index columns, std::uint64_t item) {
  Random random({1, Stage::task, item, 0});
  MatrixXf matrix(rows, columns);
  for (float& number : matrix.reshaped()) number = static_cast<float>(2 * random.uniform() - 1);
  return matrix;
}

enum class Ending { none, bias, gate };

// A product with factors as they are or transposed, and columns further apart than they are long.
class Case {
 public:
  Case(const ProductSize& size, int form, Ending ending)
      : size_(size),
        a_(drawn(size.rows, size.depth, 1)),
        b_(drawn(size.depth, size.columns, 2)),
        bias_(drawn(size.rows, 1, 3)),
        gate_(drawn(size.rows, size.columns, 4)),
        stored_a_(stored(a_, (form & 1) != 0)),
        stored_b_(stored(b_, (form & 2) != 0)) {
    left_ = {stored_a_.data(), stored_a_.rows(), (form & 1) != 0};
    right_ = {stored_b_.data(), stored_b_.rows(), (form & 2) != 0};
    if (ending == Ending::bias) finish_ = {.bias = bias_.data(), .rectify = true};
    if (ending == Ending::gate) finish_ = {.gate = gate_.data()};
  }

  MatrixXf run(std::size_t kernel) const {
    MatrixXf out = MatrixXf::Constant(size_.rows, size_.columns, NAN);
    multiply_with(kernel, size_, left_, right_, out.data(), size_.rows, finish_);
    return out;
  }
  Eigen::MatrixXd expected() const {
    Eigen::MatrixXd out = Eigen::MatrixXd::Zero(size_.rows, size_.columns);
    for (Index j = 0; j < size_.columns; ++j) {
      for (Index i = 0; i < size_.rows; ++i) {
        for (Index k = 0; k < size_.depth; ++k) out(i, j) += static_cast<double>(a_(i, k)) * b_(k, j);
        if (finish_.bias != nullptr) out(i, j) = std::max(out(i, j) + bias_(i), 0.0);
        if (finish_.gate != nullptr && !(gate_(i, j) > 0)) out(i, j) = 0;
      }
    }
    return out;
  }

 private:
  // With three rows more than belong to it.
  static MatrixXf stored(const MatrixXf& matrix, bool transposed) {
    const MatrixXf own = transposed ? MatrixXf(matrix.transpose()) : matrix;
    MatrixXf taller = MatrixXf::Constant(own.rows() + 3, own.cols(), NAN);
    taller.topRows(own.rows()) = own;
    return taller;
  }

  ProductSize size_;
  MatrixXf a_, b_, bias_, gate_, stored_a_, stored_b_;
  Factor<float> left_, right_;
  Finish<float> finish_;
};

void expect_right(const ProductSize& size, int form, Ending ending) {
  const Case made(size, form, ending);
  const Eigen::MatrixXd expected = made.expected();
  for (std::size_t kernel = 0; kernel < product_kernels(); ++kernel) {
    const double error = (made.run(kernel).cast<double>() - expected).cwiseAbs().maxCoeff();
    // Each of the sums is rounded `depth` times, at most at its largest.
    EXPECT_LE(error, 6e-8 * static_cast<double>(size.depth) * std::sqrt(static_cast<double>(size.depth)) + 1e-7)
        << size.rows << " x " << size.columns << " x " << size.depth << ", form " << form << ", kernel " << kernel;
  }
}

TEST(Product, every_size_up_to_seventy) {
  int turn = 0;
  for (Index rows = 1; rows <= 70; ++rows) {
    for (Index columns = 1; columns <= 70; ++columns, ++turn) {
      const Index depth = 1 + (31 * rows + 17 * columns) % 70;
      expect_right({rows, columns, depth}, turn % 4, static_cast<Ending>(turn / 4 % 3));
    }
  }
}

TEST(Product, more_than_a_block) {
  for (const Index rows : {1, 383, 385, 800}) {
    for (const Index depth : {255, 256, 257, 600}) {
      for (int form = 0; form < 4; ++form) expect_right({rows, 13, depth}, form, static_cast<Ending>(form % 3));
    }
  }
}

// The machine's own choice is the first kernel, and fused instructions of any width sum alike.
TEST(Product, a_number_depends_neither_on_its_place_nor_on_the_width_of_vectors) {
  const MatrixXf a = drawn(45, 300, 1), b = drawn(300, 29, 2);
  MatrixXf whole(45, 29);
  multiply<float>({45, 29, 300}, {a.data(), 45}, {b.data(), 300}, whole.data(), 45);
  MatrixXf part(7, 5);
  multiply<float>({7, 5, 300}, {a.data() + 20, 45}, {b.data() + 11 * 300, 300}, part.data(), 7);
  EXPECT_EQ(part, whole.block(20, 11, 7, 5));
  for (std::size_t kernel = 0; kernel + 1 < product_kernels(); ++kernel) {
    MatrixXf other(45, 29);
    multiply_with(kernel, {45, 29, 300}, {a.data(), 45}, {b.data(), 300}, other.data(), 45);
    EXPECT_EQ(other, whole) << kernel;
  }
}

// What is not a number is seen by whoever checks the weights, not turned into 0 by max(x, 0).
TEST(Product, nan_stays) {
  const MatrixXf a = MatrixXf::Constant(3, 2, NAN), b = drawn(2, 2, 1), bias = drawn(3, 1, 2);
  for (std::size_t kernel = 0; kernel < product_kernels(); ++kernel) {
    MatrixXf out = MatrixXf::Zero(3, 2);
    multiply_with(kernel, {3, 2, 2}, {a.data(), 3}, {b.data(), 2}, out.data(), 3,
                  {.bias = bias.data(), .rectify = true});
    EXPECT_TRUE(out.array().isNaN().all()) << kernel;
  }
}

}  // namespace
}  // namespace mercer::learn
