#include <cmath>
#include <cstring>
#include <limits>
#include <new>

#include <gtest/gtest.h>

#include "mercer/random.hpp"
#include "policy/graph/graph.hpp"

namespace mercer {
namespace {

struct alignas(64) TileRow {
  float values[tile_columns] = {};
};
using Tile = std::vector<TileRow>;

// About a third of the rows are zero, and about half of the numbers in the others.
Tile rectified(std::size_t rows, std::uint64_t seed) {
  Random random({seed, Stage::task, 0, 0});
  Tile tile(rows);
  for (TileRow& row : tile) {
    const bool dead = random.uniform() < 0.3;
    for (float& value : row.values) value = dead ? 0 : static_cast<float>(std::max(0.0, random.normal()));
  }
  return tile;
}

std::vector<float> numbers(std::size_t count, std::uint64_t seed) {
  Random random({seed, Stage::task, 1, 0});
  std::vector<float> out(count);
  for (float& number : out) number = static_cast<float>(random.normal());
  return out;
}

Tile run(const Product& product, const Tile& in) {
  Tile out(product.outputs());
  product.run(in[0].values, out[0].values);
  return out;
}

TEST(Product, is_the_sum_of_products_in_every_column) {
  for (const std::size_t inputs : {1, 3, 64, 257}) {
    for (const std::size_t outputs : {1, 2, 16, 35, 256}) {
      const std::vector<float> weights = numbers(outputs * inputs, 1), bias = numbers(outputs, 2);
      const Tile in = rectified(inputs, 3), out = run(Product(weights, bias, inputs), in);
      for (std::size_t o = 0; o < outputs; ++o) {
        for (std::size_t c = 0; c < tile_columns; ++c) {
          double sum = bias[o], size = std::abs(bias[o]);
          for (std::size_t i = 0; i < inputs; ++i) {
            const double part = static_cast<double>(weights[o * inputs + i]) * in[i].values[c];
            sum += part;
            size += std::abs(part);
          }
          EXPECT_NEAR(out[o].values[c], sum, 1e-6 * size) << inputs << " to " << outputs;
        }
      }
    }
  }
}

// Alone, a column has more rows that are zero in the whole tile.
TEST(Product, a_column_is_the_same_to_the_bit_whatever_stands_beside_it) {
  constexpr std::size_t inputs = 130, outputs = 50;
  std::vector<float> bias = numbers(outputs, 2);
  for (std::size_t o = 0; o < outputs; o += 3) bias[o] = o % 2 == 0 ? 0.0F : -0.0F;
  const Product product(numbers(outputs * inputs, 1), bias, inputs);
  const Tile in = rectified(inputs, 3), out = run(product, in);
  for (std::size_t c = 0; c < tile_columns; ++c) {
    Tile alone(inputs);
    const std::size_t place = (c * 7 + 3) % tile_columns;
    for (std::size_t i = 0; i < inputs; ++i) alone[i].values[place] = in[i].values[c];
    const Tile found = run(product, alone);
    for (std::size_t o = 0; o < outputs; ++o) {
      EXPECT_EQ(std::memcmp(&found[o].values[place], &out[o].values[c], sizeof(float)), 0) << "column " << c;
    }
  }
}

TEST(Product, what_is_no_number_spreads) {
  std::vector<float> weights(32 * 2, 1.0F);
  weights[5 * 2] = std::numeric_limits<float>::infinity();
  const Tile out = run(Product(weights, std::vector<float>(32), 2), Tile(2));
  EXPECT_TRUE(std::isnan(out[5].values[0])) << "infinity times zero";
  EXPECT_EQ(out[4].values[0], 0);
}

}  // namespace
}  // namespace mercer
