#include <cmath>

#include <gtest/gtest.h>

#include "support/errors.hpp"
#include "support/graph_case.hpp"

// Weights in every type of number, stored as bytes or as a list of the file format.

namespace mercer {
namespace {

using Proto = onnx::TensorProto;

// y = x + w for three numbers; the weights are what comes out for x = 0.
Numbers weights_as_read(const Proto& tensor) {
  OnnxModel model;
  model.input("x", {3}).weights(tensor).node("Add", {"x", "w"}, {"y"}).output("y");
  return run_network(model.network(), {0, 0, 0}, 1);
}

Proto three(Proto::DataType type) {
  Proto tensor;
  tensor.set_name("w");
  tensor.set_data_type(type);
  tensor.add_dims(3);
  return tensor;
}

template <class T>
Proto three_raw(Proto::DataType type, const std::vector<T>& values) {
  Proto tensor = three(type);
  tensor.set_raw_data(std::string(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T)));
  return tensor;
}

TEST(GraphWeights, floats) {
  const Numbers want{1.5, -0.1F, 1e-30F};
  EXPECT_EQ(weights_as_read(three_raw<float>(Proto::FLOAT, {1.5F, -0.1F, 1e-30F})), want);
  EXPECT_EQ(weights_as_read(float_tensor("w", {3}, {1.5, -0.1, 1e-30})), want);
}

TEST(GraphWeights, doubles) {
  const Numbers want{1.5, -0.1F, 1e30F};
  EXPECT_EQ(weights_as_read(three_raw<double>(Proto::DOUBLE, {1.5, -0.1, 1e30})), want);
  Proto listed = three(Proto::DOUBLE);
  for (const double value : {1.5, -0.1, 1e30}) listed.add_double_data(value);
  EXPECT_EQ(weights_as_read(listed), want);
}

TEST(GraphWeights, whole_numbers) {
  const Numbers want{7, -3, 1 << 20};
  EXPECT_EQ(weights_as_read(three_raw<std::int64_t>(Proto::INT64, {7, -3, 1 << 20})), want);
  EXPECT_EQ(weights_as_read(integer_tensor("w", {3}, {7, -3, 1 << 20})), want);
  EXPECT_EQ(weights_as_read(three_raw<std::int32_t>(Proto::INT32, {7, -3, 1 << 20})), want);
  Proto listed = three(Proto::INT32);
  for (const int value : {7, -3, 1 << 20}) listed.add_int32_data(value);
  EXPECT_EQ(weights_as_read(listed), want);
}

TEST(GraphWeights, truths) {
  EXPECT_EQ(weights_as_read(three_raw<std::uint8_t>(Proto::BOOL, {1, 0, 1})), (Numbers{1, 0, 1}));
  Proto listed = three(Proto::BOOL);
  for (const int value : {1, 0, 1}) listed.add_int32_data(value);
  EXPECT_EQ(weights_as_read(listed), (Numbers{1, 0, 1}));
}

// The patterns and their values are those of the IEEE half format: 1, its largest number, its smallest.
TEST(GraphWeights, halves) {
  const Numbers want{1, -65504, 0x1p-24};
  EXPECT_EQ(weights_as_read(three_raw<std::uint16_t>(Proto::FLOAT16, {0x3C00, 0xFBFF, 0x0001})), want);
  Proto listed = three(Proto::FLOAT16);
  for (const int value : {0x3C00, 0xFBFF, 0x0001}) listed.add_int32_data(value);
  EXPECT_EQ(weights_as_read(listed), want);
}

TEST(GraphWeights, every_half_that_is_finite) {
  for (int bits = 0; bits < 0x7C00; ++bits) {
    const int exponent = bits / 1024, fraction = bits % 1024;
    const double want = exponent == 0 ? fraction * 0x1p-24 : (1 + fraction / 1024.0) * std::exp2(exponent - 15);
    const auto pattern = static_cast<std::uint16_t>(bits);
    if (bits % 61 != 0 && fraction != 0 && fraction != 1023) continue;  // the edges, and a sample of the rest
    const auto negative = static_cast<std::uint16_t>(bits | 0x8000);
    const Numbers got = weights_as_read(three_raw<std::uint16_t>(Proto::FLOAT16, {pattern, negative, 0}));
    ASSERT_EQ(got, (Numbers{want, -want, 0})) << bits;
  }
}

TEST(GraphWeights, brain_floats) {
  const Numbers want{1, -3.140625, 0x1p-126};
  EXPECT_EQ(weights_as_read(three_raw<std::uint16_t>(Proto::BFLOAT16, {0x3F80, 0xC049, 0x0080})), want);
  Proto listed = three(Proto::BFLOAT16);
  for (const int value : {0x3F80, 0xC049, 0x0080}) listed.add_int32_data(value);
  EXPECT_EQ(weights_as_read(listed), want);
}

TEST(GraphWeights, infinity_is_a_bound_but_no_weight) {
  OnnxModel model;
  model.input("x", {1}).weights("low", {}, {0}).weights("high", {}, {HUGE_VAL});
  model.node("Clip", {"x", "low", "high"}, {"y"}).output("y");
  EXPECT_EQ(run_network(model.network(), {-1, 1e30F}, 2), (Numbers{0, 1e30F}));
  const auto refused = [](const Proto& tensor, const std::string& part) {
    expect_error(ErrorCode::not_finite, part, [&] { weights_as_read(tensor); });
  };
  refused(float_tensor("w", {3}, {1, HUGE_VAL, 2}), "number 1 of tensor 'w' is inf");
  refused(float_tensor("w", {3}, {1, 2, -HUGE_VAL}), "number 2 of tensor 'w' is -inf");
  refused(float_tensor("w", {3}, {std::nan(""), 2, 3}), "number 0 of tensor 'w' is nan");
  refused(float_tensor("w", {1}, {std::nan("")}), "number 0 of tensor 'w' is nan");
  refused(three_raw<std::uint16_t>(Proto::FLOAT16, {0, 0x7C00, 0}), "number 1 of tensor 'w' is inf");
  refused(three_raw<std::uint16_t>(Proto::FLOAT16, {0, 0, 0x7C01}), "number 2 of tensor 'w' is nan");
  refused(three_raw<std::uint16_t>(Proto::BFLOAT16, {0xFF80, 0, 0}), "number 0 of tensor 'w' is -inf");
  // A double that single precision cannot hold.
  refused(three_raw<double>(Proto::DOUBLE, {0, 1e300, 0}), "number 1 of tensor 'w' is 1e+300");
}

}  // namespace
}  // namespace mercer
