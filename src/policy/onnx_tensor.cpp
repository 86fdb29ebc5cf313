#include "policy/onnx_tensor.hpp"

#include <bit>
#include <cmath>
#include <cstring>

#include <fmt/format.h>
#include <onnx/onnx_pb.h>

#include "core/half.hpp"
#include "mercer/core/error.hpp"

namespace mercer {
namespace {

using Proto = onnx::TensorProto;

double from_bfloat(std::uint16_t bits) { return std::bit_cast<float>(std::uint32_t{bits} << 16); }

template <class T>
std::vector<double> from_bytes(const std::string& bytes, double (*convert)(T)) {
  std::vector<double> numbers(bytes.size() / sizeof(T));
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    T value;
    std::memcpy(&value, bytes.data() + i * sizeof(T), sizeof(T));
    numbers[i] = convert(value);
  }
  return numbers;
}

template <class T>
double plain(T value) {
  return static_cast<double>(value);
}

template <class Field>
std::vector<double> from_field(const Field& field) {
  return {field.begin(), field.end()};
}

std::vector<double> read_numbers(const Proto& proto, const std::string& where) {
  const std::string& raw = proto.raw_data();
  const bool is_raw = proto.has_raw_data();
  switch (proto.data_type()) {
    case Proto::FLOAT:
      return is_raw ? from_bytes(raw, &plain<float>) : from_field(proto.float_data());
    case Proto::DOUBLE:
      return is_raw ? from_bytes(raw, &plain<double>) : from_field(proto.double_data());
    case Proto::INT64:
      return is_raw ? from_bytes(raw, &plain<std::int64_t>) : from_field(proto.int64_data());
    case Proto::INT32:
      return is_raw ? from_bytes(raw, &plain<std::int32_t>) : from_field(proto.int32_data());
    case Proto::BOOL:
      return is_raw ? from_bytes(raw, &plain<std::uint8_t>) : from_field(proto.int32_data());
    case Proto::FLOAT16:
    case Proto::BFLOAT16: {
      const auto convert = proto.data_type() == Proto::FLOAT16 ? &from_half : &from_bfloat;
      if (is_raw) return from_bytes(raw, convert);
      std::vector<double> numbers;
      for (const std::int32_t bits : proto.int32_data()) numbers.push_back(convert(static_cast<std::uint16_t>(bits)));
      return numbers;
    }
    default:
      break;
  }
  throw Error(ErrorCode::bad_format,
              fmt::format("'{}': the numbers of '{}' have type {} ({})", where, proto.name(), proto.data_type(),
                          Proto::DataType_IsValid(proto.data_type())
                              ? Proto::DataType_Name(static_cast<Proto::DataType>(proto.data_type()))
                              : "unknown"),
              "Export with float weights");
}

}  // namespace

Tensor read_tensor(const Proto& proto, const std::string& where) {
  const auto refuse = [&](const std::string& why, const char* remedy) {
    throw Error(ErrorCode::bad_format, fmt::format("'{}': tensor '{}' {}", where, proto.name(), why), remedy);
  };
  if (proto.data_location() == Proto::EXTERNAL) {
    refuse("is kept in another file", "Export the weights into the .onnx file itself");
  }
  Tensor tensor;
  tensor.data = read_numbers(proto, where);
  std::size_t size = 1;
  for (const std::int64_t extent : proto.dims()) {
    if (extent < 0 || (extent > 0 && size > tensor.data.size() / static_cast<std::size_t>(extent))) {
      refuse(fmt::format("announces an axis of {} and holds {} numbers", extent, tensor.data.size()),
             "Export the network again");
    }
    size *= static_cast<std::size_t>(extent);
    tensor.shape.push_back(static_cast<std::size_t>(extent));
  }
  if (size != tensor.data.size() || tensor.shape.size() > 8) {
    refuse(fmt::format("announces {} numbers in {} axes and holds {}; legal: as many, in up to 8", size,
                       tensor.shape.size(), tensor.data.size()),
           "Export the network again");
  }
  for (std::size_t i = 0; i < size; ++i) {
    const auto single = static_cast<float>(tensor.data[i]);  // as it is computed with: a double may be too large
    if (std::isnan(single) || (std::isinf(single) && size > 1)) {
      throw Error(ErrorCode::not_finite,
                  fmt::format("'{}': number {} of tensor '{}' is {}", where, i, proto.name(), tensor.data[i]),
                  "Look for divergence in the training, and export a network with finite weights");
    }
  }
  return tensor;
}

}  // namespace mercer
