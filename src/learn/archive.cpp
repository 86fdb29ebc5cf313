#include "learn/archive.hpp"

#include <cstring>

#include <fmt/format.h>

#include "mercer/core/error.hpp"

namespace mercer::learn {

const Array& Archive::wanted(const std::string& name, Array::Type type, const std::vector<std::size_t>& shape) const {
  const Array& array = require_array(tensors_, name, where_);
  if (array.type != type || array.shape != shape) {
    throw Error(ErrorCode::bad_format, fmt::format("'{}' has a tensor '{}' of another shape or type", where_, name),
                "Give a file of a run with the same settings");
  }
  return array;
}

template <class Number>
void Archive::exchange(const std::string& name, Array::Type type, std::span<Number> values,
                       std::vector<std::size_t> shape) {
  if (filling_) {
    const Array& array = wanted(name, type, shape);
    std::memcpy(values.data(), array.data.data(), array.data.size());
  } else {
    const auto bytes = std::as_bytes(values);
    tensors_[name] = {type, std::move(shape), {bytes.begin(), bytes.end()}};
  }
}

void Archive::network(const std::string& name, const Network& network, Vector<float>& weights) {
  using RowMajor = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  for (std::size_t l = 0; l < network.layers.size(); ++l) {
    const Layer& layer = network.layers[l];
    Eigen::Map<Matrix<float>> own(weights.data() + layer.weight, layer.outputs, layer.inputs);
    RowMajor rows = own;
    exchange<float>(fmt::format("{}.{}.weight", name, l), Array::Type::f32,
                    {rows.data(), static_cast<std::size_t>(rows.size())},
                    {static_cast<std::size_t>(layer.outputs), static_cast<std::size_t>(layer.inputs)});
    if (filling_) own = rows;
    numbers(fmt::format("{}.{}.bias", name, l),
            std::span(weights.data() + layer.bias, static_cast<std::size_t>(layer.outputs)));
  }
}

void Archive::numbers(const std::string& name, std::span<float> values) {
  exchange(name, Array::Type::f32, values, {values.size()});
}
void Archive::numbers(const std::string& name, std::span<double> values) {
  exchange(name, Array::Type::f64, values, {values.size()});
}
void Archive::count(const std::string& name, std::uint64_t& value) {
  exchange(name, Array::Type::i64, std::span(&value, 1), {});
}

}  // namespace mercer::learn
