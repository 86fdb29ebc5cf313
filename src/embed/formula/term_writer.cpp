#include "embed/formula/term_writer.hpp"

#include <cmath>
#include <numbers>

#include <fmt/format.h>

#include "core/number_codes.hpp"

namespace mercer {

TermWriter::Factors TermWriter::factors(std::size_t term, double error) {
  const std::vector<std::size_t> parts = terms_.parts();
  if (term < parts[1]) return product(term);
  if (term < parts[2]) return {wave(term - parts[1], error)};
  if (term < parts[3]) return {ridge(term - parts[2], error)};
  return {radial(term - parts[3], error)};
}

std::vector<std::string> TermWriter::definitions() const {
  std::vector<std::string> all;
  for (std::size_t i = 0; i < used_.size(); ++i) {
    const FormulaAxis& axis = variables_.axes[i];
    if (used_[i] && axis.variable != axis.axis) all.push_back(axis_line(axis, writer_));
  }
  for (const std::size_t degree : degrees_) all.push_back(writer_.definition(terms_.tensor.family, degree));
  all.insert(all.end(), lines_.begin(), lines_.end());
  return all;
}

std::string TermWriter::variable(std::size_t axis) {
  used_[axis] = true;
  return writer_.name(variables_.axes[axis].variable);
}

std::string TermWriter::define(const char* letter, std::size_t& count, const std::string& text) {
  std::string name = writer_.name(names_.take(fmt::format("{}{}", letter, ++count)));
  lines_.push_back(writer_.line(name, text));
  return name;
}

TermWriter::Factors TermWriter::product(std::size_t index) {
  Factors factors;
  const std::size_t d = terms_.dimensions();
  for (std::size_t i = 0; i < d; ++i) {
    const std::size_t k = plain_.indices[terms_.tensor.kept[index] * d + i];
    if (k == 0) continue;
    if (is_trigonometric(terms_.tensor.family, terms_.tensor.set.periodic[i] != 0)) {
      factors.push_back(trigonometric(i, k));
    } else if (k == 1) {
      factors.push_back(variable(i));
    } else {
      if (writer_.notation() != Notation::python) degrees_.insert(k);
      factors.push_back(writer_.polynomial(terms_.tensor.family, k, variable(i)));
    }
  }
  return factors;
}

std::string TermWriter::trigonometric(std::size_t axis, std::size_t function) {
  const bool periodic = terms_.tensor.set.periodic[axis] != 0;
  const PlainWave wave = plain_wave(periodic, function);
  const bool odd = !periodic && wave.halves % 2 == 1;
  const auto times = static_cast<double>(odd ? wave.halves : wave.halves / 2);
  const std::string turn = periodic ? "1" : writer_.pi();
  const std::string angle = writer_.product(std::vector{writer_.number(times), turn, variable(axis)});
  return writer_.call(wave.sine ? "sin" : "cos", writer_.quotient(angle, odd ? "2" : "1"));
}

// w . x + b: `numbers` are w, then b.
std::string TermWriter::affine(std::span<const double> numbers, double error) {
  const double each = error / static_cast<double>(numbers.size());
  FormulaSum sum;
  if (std::abs(numbers.back()) > each) sum.add(numbers.back() < 0, writer_.number(numbers.back(), each));
  for (std::size_t i = 0; i + 1 < numbers.size(); ++i) {
    if (std::abs(numbers[i]) <= each) continue;
    const double unit = variables_.axes[i].periodic ? std::numbers::pi : 1;
    const std::string size = writer_.number(numbers[i] / unit, each / unit);
    sum.add(numbers[i] < 0, writer_.product(std::vector{size, variable(i)}));
  }
  return sum.text();
}

std::string TermWriter::wave(std::size_t index, double error) {
  std::vector<double> numbers(terms_.dimensions() + 1);
  random_feature(terms_.waves.kernel, from_log_scale(terms_.waves.length), terms_.waves.seed, terms_.waves.kept[index],
                 numbers);
  return define("w", waves_, writer_.call("cos", affine(numbers, error)));
}

std::string TermWriter::ridge(std::size_t index, double error) {
  std::vector<double> numbers;
  const std::size_t size = terms_.dimensions() + 1;
  for (std::size_t i = 0; i < size; ++i)
    numbers.push_back(terms_.ridges.numbers[index * size + i] * ridge_unit(terms_.ridges, index));
  return define("h", ridges_, writer_.call("tanh", affine(numbers, error)));
}

std::string TermWriter::radial(std::size_t index, double error) {
  const std::size_t d = terms_.dimensions();
  const double cells = std::ldexp(1.0, static_cast<int>(terms_.radials.bits));
  const int narrower = terms_.radials.widths.empty() ? 0 : terms_.radials.widths[index];
  const double width = std::ldexp(from_log_scale(terms_.radials.length), -narrower);
  const double each = error / static_cast<double>(d + 1);  // of each centre in widths, and of the width as a share
  FormulaSum squares;
  for (std::size_t i = 0; i < d; ++i) {
    const double centre = -1 + 2 * (terms_.radials.centres[index * d + i] + 0.5) / cells;
    const std::string name = writer_.quotient(variable(i), variables_.axes[i].periodic ? writer_.pi() : "1");
    squares.add(false, writer_.power(writer_.brackets(writer_.shifted(name, centre, each * width)), 2));
  }
  if (terms_.radials.kernel == Kernel::gaussian) {
    const bool bare = d == 1 || writer_.notation() == Notation::latex;
    const double over = 2 * width * width;
    const std::string all = bare ? squares.text() : writer_.brackets(squares.text());
    const std::string power = fmt::format("-{}", writer_.quotient(all, writer_.number(over, each * over)));
    return define("g", radials_, writer_.call("exp", power));
  }
  const bool three = terms_.radials.kernel == Kernel::matern32;
  const double over = width / std::sqrt(three ? 3 : 5);
  const std::string distance = writer_.call("sqrt", squares.text());
  const std::string far = define("r", distances_, writer_.quotient(distance, writer_.number(over, each * over)));
  std::string front = fmt::format("1 + {}", far);
  if (!three) front += fmt::format(" + {}", writer_.quotient(writer_.power(far, 2), "3"));
  const std::string fall = writer_.call("exp", fmt::format("-{}", far));
  return define("g", radials_, writer_.product(std::vector{writer_.brackets(front), fall}));
}

}  // namespace mercer
