// The only file that sees FFTW, through the part of its C interface that MKL, AOCL and Arm Performance Libraries also
// offer.
#include "basis/table/transforms.hpp"

#include <array>
#include <cassert>
#include <memory>
#include <mutex>
#include <vector>

#include <fftw3.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "mercer/error.hpp"

namespace mercer::transforms {
namespace {

// Making and destroying plans is not thread-safe in FFTW; running them is.
std::mutex& planner() {
  static std::mutex mutex;
  return mutex;
}

struct DestroyPlan {
  void operator()(fftw_plan plan) const {
    const std::scoped_lock lock(planner());
    fftw_destroy_plan(plan);
  }
};
using Plan = std::unique_ptr<std::remove_pointer_t<fftw_plan>, DestroyPlan>;

std::vector<int> lengths(std::span<const std::size_t> shape) {
  std::vector<int> result;
  for (const std::size_t length : shape) {
    require_in_range("length of an axis", static_cast<double>(length), 1, 1 << 30, "Use fewer bins");
    result.push_back(static_cast<int>(length));
  }
  return result;
}

// FFTW_ESTIMATE chooses by rule, not by clock, so that the same numbers come out each time. It leaves arrays alone.
template <class Make>
void run(std::span<const std::size_t> shape, Make make) {
  const std::vector<int> n = lengths(shape);
  Plan plan;
  {
    const std::scoped_lock lock(planner());
    plan.reset(make(static_cast<int>(n.size()), n.data(), FFTW_ESTIMATE));
  }
  if (!plan) {
    throw Error(ErrorCode::too_large,
                fmt::format("no transform could be planned for shape [{}]", fmt::join(shape, ", ")),
                "Use a smaller table");
  }
  fftw_execute(plan.get());
}

// FFTW's plain interface takes pointers to what it may write; inputs are preserved where we say so.
double* writable(std::span<const double> values) { return const_cast<double*>(values.data()); }
fftw_complex* complex_of(std::span<std::complex<double>> values) {
  return reinterpret_cast<fftw_complex*>(values.data());  // the same layout, by the standards of both languages
}

}  // namespace

void real_to_complex(std::span<const std::size_t> shape, std::span<const double> in,
                     std::span<std::complex<double>> out) {
  run(shape, [&](int axes, const int* n, unsigned flags) {
    return fftw_plan_dft_r2c(axes, n, writable(in), complex_of(out), flags | FFTW_PRESERVE_INPUT);
  });
}

void complex_to_real(std::span<const std::size_t> shape, std::span<std::complex<double>> in, std::span<double> out) {
  run(shape, [&](int axes, const int* n, unsigned flags) {
    return fftw_plan_dft_c2r(axes, n, complex_of(in), out.data(), flags | FFTW_DESTROY_INPUT);
  });
}

LanePlan::LanePlan(std::size_t length, bool backward) : length_(length) {
  const std::array<std::size_t, 1> shape{length};
  const std::vector<int> n = lengths(shape);
  constexpr int count = lanes;
  std::vector<std::complex<double>> data(length * lanes);  // planned with memory like that of every run
  fftw_complex* const place = complex_of(data);
  const std::scoped_lock lock(planner());
  plan_ = fftw_plan_many_dft(1, n.data(), count, place, nullptr, count, 1, place, nullptr, count, 1,
                             backward ? FFTW_BACKWARD : FFTW_FORWARD, FFTW_ESTIMATE);
  if (plan_ == nullptr) {
    throw Error(ErrorCode::too_large, fmt::format("no transform could be planned for length {}", length),
                "Use a smaller table");
  }
}

LanePlan::~LanePlan() { DestroyPlan()(static_cast<fftw_plan>(plan_)); }

void LanePlan::run(std::span<std::complex<double>> data) const {
  assert(data.size() == length_ * lanes);
  fftw_execute_dft(static_cast<fftw_plan>(plan_), complex_of(data), complex_of(data));
}

}  // namespace mercer::transforms
