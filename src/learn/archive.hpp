#pragma once

#include <string>

#include "learn/network.hpp"
#include "mercer/io/npz.hpp"

namespace mercer::learn {

/// Named tensors that a learner is written to or filled from: the same calls do both, so that neither can forget what
/// the other knows.
class Archive {
 public:
  /// To write to.
  Archive() = default;
  /// To fill from; `where` names the file in errors.
  Archive(const Arrays& tensors, std::string where) : tensors_(tensors), where_(std::move(where)), filling_(true) {}

  bool filling() const { return filling_; }
  const Arrays& tensors() const { return tensors_; }

  /// "name.0.weight" [outputs, inputs], "name.0.bias" [outputs], "name.1.weight", ...
  void network(const std::string& name, const Network& network, Vector<float>& weights);
  void numbers(const std::string& name, std::span<float> values);
  void numbers(const std::string& name, std::span<double> values);
  void count(const std::string& name, std::uint64_t& value);

 private:
  const Array& wanted(const std::string& name, Array::Type type, const std::vector<std::size_t>& shape) const;
  template <class Number>
  void exchange(const std::string& name, Array::Type type, std::span<Number> values, std::vector<std::size_t> shape);

  Arrays tensors_;
  std::string where_;
  bool filling_ = false;
};

}  // namespace mercer::learn
