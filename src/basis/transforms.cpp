// The only file that sees FFTW, through the part of its C interface that MKL, AOCL and Arm Performance Libraries also
// offer.
#include "basis/transforms.hpp"

#include <memory>
#include <mutex>
#include <vector>

#include <fftw3.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "mercer/core/error.hpp"

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

void cosine(std::span<const std::size_t> shape, std::span<const double> in, std::span<double> out, fftw_r2r_kind kind) {
  const std::vector<fftw_r2r_kind> kinds(shape.size(), kind);
  run(shape, [&](int axes, const int* n, unsigned flags) {
    return fftw_plan_r2r(axes, n, writable(in), out.data(), kinds.data(), flags | FFTW_PRESERVE_INPUT);
  });
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

void cosine_forward(std::span<const std::size_t> shape, std::span<const double> in, std::span<double> out) {
  cosine(shape, in, out, FFTW_REDFT10);
}
void cosine_backward(std::span<const std::size_t> shape, std::span<const double> in, std::span<double> out) {
  cosine(shape, in, out, FFTW_REDFT01);
}

}  // namespace mercer::transforms
