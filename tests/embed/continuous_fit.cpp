#include <cmath>

#include <Eigen/Dense>
#include <gtest/gtest.h>

#include "mercer/embed.hpp"
#include "mercer/embedding.hpp"
#include "mercer/env.hpp"
#include "mercer/parallel.hpp"
#include "mercer/policy.hpp"
#include "support/errors.hpp"
#include "support/function_policy.hpp"

namespace mercer {
namespace {

// A swing-up rule with a corner, on states all over the pendulum's box; a circle, so that some products are the same.
class ContinuousFits : public testing::Test {
 protected:
  ContinuousFits() {
    Random random({3, Stage::start, 0, 0});
    for (std::size_t i = 0; i < count; ++i) {
      const double theta = 6.28 * random.uniform(), speed = 16 * random.uniform() - 8;
      states_[i] = std::cos(theta), states_[count + i] = std::sin(theta), states_[2 * count + i] = speed;
    }
    add_tensor(dictionary_, Family::legendre, IndexRule::total, 4);
  }
  Samples samples(const Policy& teacher, Head head, bool squash) const {
    Samples made(teacher, head, squash);
    made.add({states_.data(), 3, count / 2, count});  // in two parts, as aggregation does
    made.add({states_.data() + count / 2, 3, count / 2, count});
    return made;
  }
  // A Gaussian whose mean and spread change with the state, and a density that leans to one side.
  GaussianPolicy wavy() const {
    return {"g", continuous_contract(contract_of(env_->task()), Head::gaussian, true),
            [](MatrixView<const double> s, MatrixView<double> out) {
              for (std::size_t i = 0; i < s.cols(); ++i) {
                out(0, i) = std::sin(3 * s(1, i)) - 0.2 * s(2, i);
                out(1, i) = -1 + 0.5 * s(0, i);
              }
            }};
  }
  BoxBoltzmannPolicy leaning() const {
    return {"b", continuous_contract(contract_of(env_->task()), Head::density, false),
            [](MatrixView<const double> s, MatrixView<double> out) {
              for (std::size_t i = 0; i < s.cols(); ++i) {
                const double away = s(3, i) - 0.8 * s(1, i);
                out(0, i) = -4 * away * away + s(2, i) * s(3, i) / 8 + 5 * s(0, i);
              }
            },
            1};
  }
  struct Case {
    const Policy& teacher;
    Head head;
    bool squash;
  };

  static constexpr std::size_t count = 600;
  std::vector<double> states_ = std::vector<double>(3 * count);
  std::unique_ptr<Env> env_ = make_env("pendulum");
  FunctionPolicy teacher_{"swing", env_->task(), [](std::span<const double> s, double) {
                            return s[0] > 0.9 ? -8 * s[1] - 2 * s[2] : std::copysign(2.0, s[2] + 0.1 * s[1]);
                          }};
  Coordinates coordinates_ = coordinates_of(env_->task().observation);
  Terms dictionary_ = no_terms({0, 0, 0});
};

// Adds the term with which a dense least-squares solve leaves least, by trying every one; what each leaves. On a circle
// terms can be exactly as good as others, so that the errors are compared and not the terms.
std::vector<double> exhaustive(const Features& features, const Samples& samples, std::size_t most) {
  Eigen::VectorXd target(features.columns), root(features.columns);
  for (std::size_t i = 0; i < features.columns; ++i) {
    root[i] = std::sqrt(samples.weights()(0, i));
    target[i] = root[i] * samples.targets()(0, i);
  }
  std::vector<std::size_t> chosen;
  std::vector<double> error;
  while (chosen.size() < most) {
    double least = HUGE_VAL;
    std::size_t which = 0;
    for (std::size_t j = 0; j < features.terms; ++j) {
      if (std::ranges::find(chosen, j) != chosen.end()) continue;
      Eigen::MatrixXd columns(features.columns, chosen.size() + 1);
      for (std::size_t c = 0; c <= chosen.size(); ++c) {
        const auto row = features.row(c < chosen.size() ? chosen[c] : j);
        for (std::size_t i = 0; i < row.size(); ++i) columns(i, c) = row[i] * root[i];
      }
      const double left = (target - columns * columns.colPivHouseholderQr().solve(target)).squaredNorm();
      if (left < least - 1e-9) {
        least = left;
        which = j;
      }
    }
    chosen.push_back(which);
    error.push_back(least / target.squaredNorm());
  }
  return error;
}

TEST_F(ContinuousFits, choose_the_terms_of_an_exhaustive_search) {
  const Samples data = samples(teacher_, Head::mean, true);
  const Features features = evaluate_features(dictionary_, coordinates_, data);
  const TermPath path = choose_terms(features, data, 8);
  const std::vector<double> reference = exhaustive(features, data, 8);
  for (std::size_t k = 0; k < 8; ++k) EXPECT_NEAR(path.error[k], reference[k], 1e-9) << k;
  for (std::size_t k = 1; k < path.error.size(); ++k) EXPECT_LT(path.error[k], path.error[k - 1]);
  // The first K of a longer path are the path for K; what is given at the start is kept.
  const TermPath longer = choose_terms(features, data, 12),
                 from = choose_terms(features, data, 4, std::vector{7UL, 2UL});
  EXPECT_TRUE(std::equal(path.chosen.begin(), path.chosen.end(), longer.chosen.begin()));
  EXPECT_EQ(from.chosen[0], 7U);
  EXPECT_EQ(from.chosen[1], 2U);
}

TEST_F(ContinuousFits, choose_one_term_at_a_time_as_all_at_once) {
  const Samples data = samples(teacher_, Head::mean, true);
  const Features features = evaluate_features(dictionary_, coordinates_, data);
  TermChooser chooser(features, data);
  while (chooser.path().chosen.size() < 8) ASSERT_TRUE(chooser.next());
  EXPECT_EQ(chooser.path().chosen, choose_terms(features, data, 8).chosen);
  while (chooser.next()) {
  }
  EXPECT_EQ(chooser.path().chosen, choose_terms(features, data, 1000).chosen);
  std::stop_source stop;
  Progress progress;
  progress.stop = stop.get_token();
  stop.request_stop();
  expect_error(ErrorCode::interrupted, "interrupted", [&] { choose_terms(features, data, 8, {}, 1e-6, progress); });
  expect_error(ErrorCode::interrupted, "interrupted",
               [&] { evaluate_features(dictionary_, coordinates_, data, progress); });
}

TEST_F(ContinuousFits, lower_the_degree_of_products_that_would_be_too_many) {
  for (const std::size_t dimensions : {3, 27, 111}) {
    const Coordinates wide(dimensions, Coordinate{{-1, 1}});
    const std::vector<double> points(dimensions * 100);
    const MatrixView<const double> at(points.data(), dimensions, 100);
    DictionaryOptions options;
    EXPECT_EQ(make_dictionary(options, wide, at, 1).tensor.set.degree, dimensions == 3    ? 5U
                                                                       : dimensions == 27 ? 4U
                                                                                          : 2U);
    options.lower_degree = false;
    if (dimensions > 3) expect_error(ErrorCode::too_large, "degree 5", [&] { make_dictionary(options, wide, at, 1); });
    options.basis = "ridge";  // has no degree
    EXPECT_EQ(make_dictionary(options, wide, at, 1).ridge_count(), 400U);
  }
}

TEST_F(ContinuousFits, leave_out_what_is_there_already) {
  const Samples data = samples(teacher_, Head::mean, true);
  const Features features = evaluate_features(dictionary_, coordinates_, data);
  // On the circle sums of products are constant: of 35 functions of degree 4 in three variables, 25 are different
  // ((2m + 1) trigonometric ones up to each degree m of the circle, times powers of the speed).
  EXPECT_EQ(choose_terms(features, data, 35).chosen.size(), 25U);
}

TEST_F(ContinuousFits, do_not_depend_on_threads) {
  const Samples data = samples(teacher_, Head::mean, true);
  const Features features = evaluate_features(dictionary_, coordinates_, data);
  std::vector<std::vector<double>> found;
  for (const std::size_t threads : {1U, 4U}) {
    const ThreadLimit limit(threads);
    const TermPath path = choose_terms(features, data, 9);
    const Features few = select_rows(features, path.chosen);
    found.push_back(polish(few, data, least_squares(few, data)));
    found.back().insert(found.back().end(), path.error.begin(), path.error.end());
  }
  EXPECT_EQ(found[0], found[1]);
}

TEST_F(ContinuousFits, lower_what_they_are_judged_by) {
  const GaussianPolicy gaussian = wavy();
  const BoxBoltzmannPolicy boltzmann = leaning();
  for (const auto& [teacher, head, squash] :
       {Case{teacher_, Head::mean, true}, Case{teacher_, Head::mean, false}, Case{gaussian, Head::gaussian, true},
        Case{boltzmann, Head::density, false}}) {
    Coordinates coordinates = coordinates_;
    if (head == Head::density) coordinates.push_back({{-1, 1}, false});
    Terms dictionary = no_terms(periodic_axes(coordinates));
    add_tensor(dictionary, Family::legendre, IndexRule::total, 4);
    const Samples data = samples(teacher, head, squash);
    const Features all = evaluate_features(dictionary, coordinates, data);
    double before = HUGE_VAL;
    for (const std::size_t k : {4U, 8U, 16U}) {
      const Features few = select_rows(all, choose_terms(all, data, k).chosen);
      const std::vector<double> fitted = least_squares(few, data), polished = polish(few, data, fitted);
      const double first = objective(few, data, fitted), second = objective(few, data, polished);
      EXPECT_LE(second, first);
      EXPECT_TRUE(head != Head::mean || second < 0.99 * first);
      EXPECT_LT(second, before);
      before = second;
      std::vector<double> moved = polished;  // a minimum: nothing near is lower by more than rounding
      for (std::size_t c = 0; head != Head::mean && c < moved.size(); ++c) {
        for (const double step : {-1e-2, 1e-2}) {
          moved[c] = polished[c] + step;
          EXPECT_GT(objective(few, data, moved), second * (1 - 1e-3) - 1e-9);
          moved[c] = polished[c];
        }
      }
    }
  }
}

TEST_F(ContinuousFits, round_so_that_little_is_lost) {
  const Samples data = samples(teacher_, Head::mean, true);
  const Features all = evaluate_features(dictionary_, coordinates_, data);
  std::vector<std::size_t> chosen = choose_terms(all, data, 10).chosen;
  std::ranges::sort(chosen);
  const Features few = select_rows(all, chosen);
  const std::vector<double> best = polish(few, data, least_squares(few, data));
  const double exact = objective(few, data, best);
  for (const NumberFormat format : {NumberFormat::int16, NumberFormat::int8, NumberFormat::int6, NumberFormat::int4}) {
    ContinuousCode code;
    code.format = format;
    code.coordinates = coordinates_;
    code.terms = select_terms(dictionary_, chosen);
    code.coefficients = best;
    const Contract contract = contract_of(env_->task());
    const auto plain = decode_continuous(encode_continuous(code, contract), contract, "plain").coefficients;
    const ContinuousCode rounded = round_coefficients(code, few, data, best);
    const auto careful = decode_continuous(encode_continuous(rounded, contract), contract, "careful").coefficients;
    const double of_plain = objective(few, data, plain), of_careful = objective(few, data, careful);
    EXPECT_LE(of_careful, of_plain * (1 + 1e-12)) << name(format);
    for (std::size_t i = 0; i < careful.size(); ++i) EXPECT_NEAR(careful[i], rounded.coefficients[i], 1e-12);
    std::cout << name(format) << ": objective " << exact << ", rounded plainly " << of_plain << ", with care "
              << of_careful << "\n";
  }
}

// Wide bumps beside each other are nearly the same function: their coefficients cancel, and are larger than they need
// be.
TEST_F(ContinuousFits, stay_within_half_precision) {
  const Samples data = samples(teacher_, Head::mean, true);
  ContinuousCode code;
  code.format = NumberFormat::float16;
  code.coordinates = coordinates_;
  code.terms = no_terms(periodic_axes(coordinates_));
  std::vector<double> centres;
  for (std::size_t d = 0; d < coordinates_.size(); ++d) {
    for (std::size_t i = 0; i < 12; ++i) centres.push_back(0.05 * std::cos(static_cast<double>(i * (d + 1))));
  }
  add_radials(code.terms, Kernel::gaussian, 9, 3, 0, {centres.data(), coordinates_.size(), 12});
  const Features features = evaluate_features(code.terms, coordinates_, data);
  const std::vector<double> huge = least_squares(features, data, 1e-14);
  ASSERT_GT(std::ranges::max(huge), 65504);
  code.coefficients = huge;
  const Contract contract = contract_of(env_->task());
  expect_error(ErrorCode::out_of_range, "does not fit float16, which ends at 65504",
               [&] { encode_continuous(code, contract); });
  const ContinuousCode rounded = round_coefficients(code, features, data, huge);
  const auto read = decode_continuous(encode_continuous(rounded, contract), contract, "half").coefficients;
  EXPECT_LE(std::ranges::max(read), 65504);
  const std::vector<double> nothing(huge.size(), 0.0);
  const double best = objective(features, data, huge), without = objective(features, data, nothing);
  const double left = objective(features, data, read);
  std::printf("objective %.4g at the optimum, %.4g in half precision, %.4g without any\n", best, left, without);
  EXPECT_LT(left, 0.9 * without);
}

TEST_F(ContinuousFits, move_ridges_to_where_they_serve_better) {
  const GaussianPolicy gaussian = wavy();
  const BoxBoltzmannPolicy boltzmann = leaning();
  for (const auto& [teacher, head, squash] : {Case{teacher_, Head::mean, true}, Case{gaussian, Head::gaussian, true},
                                              Case{boltzmann, Head::density, false}}) {
    Coordinates coordinates = coordinates_;
    if (head == Head::density) coordinates.push_back({{-1, 1}, false});
    const Samples data = samples(teacher, head, squash);
    Terms ridges = no_terms(periodic_axes(coordinates));
    add_ridges(ridges, 7, 8, 8, 5);
    add_tensor(ridges, Family::legendre, IndexRule::total, 0);
    const Features before = evaluate_features(ridges, coordinates, data);
    std::vector<double> c = polish(before, data, least_squares(before, data));
    const double still = objective(before, data, c);
    const Terms moved = move_ridges(ridges, coordinates, data, c, {.ridge_steps = 20});
    check_terms(moved);  // on their grid
    EXPECT_NE(moved.ridges.numbers, ridges.ridges.numbers);
    const Features after = evaluate_features(moved, coordinates, data);
    c = polish(after, data, c);
    EXPECT_LT(objective(after, data, c), 0.7 * still);
    std::cout << "eight ridges: " << still << ", moved " << objective(after, data, c) << "\n";
  }
}

TEST_F(ContinuousFits, move_ridges_alike_on_any_number_of_threads) {
  const BoxBoltzmannPolicy boltzmann = leaning();
  Coordinates coordinates = coordinates_;
  coordinates.push_back({{-1, 1}, false});
  const Samples data = samples(boltzmann, Head::density, false);
  Terms ridges = no_terms(periodic_axes(coordinates));
  add_ridges(ridges, 6, 8, 5, 5);
  std::vector<std::vector<double>> found(2, std::vector<double>(5, 0.0));
  std::vector<Terms> moved;
  for (const std::size_t threads : {1U, 4U}) {
    const ThreadLimit limit(threads);
    moved.push_back(move_ridges(ridges, coordinates, data, found[moved.size()], {.ridge_steps = 5}));
  }
  EXPECT_EQ(moved[0].ridges.numbers, moved[1].ridges.numbers);
  EXPECT_EQ(found[0], found[1]);
}

TEST_F(ContinuousFits, refuse_teachers_without_the_function) {
  expect_error(ErrorCode::bad_value, "no Gaussian", [&] { samples(teacher_, Head::gaussian, true); });
  expect_error(ErrorCode::bad_value, "other actions", [&] { samples(teacher_, Head::logits, true); });
}

}  // namespace
}  // namespace mercer
