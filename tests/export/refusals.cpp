#include <cmath>
#include <cstdlib>
#include <limits>

#include <gtest/gtest.h>

#include "export/c_text.hpp"
#include "export/continuous_cases.hpp"
#include "export/flat_terms.hpp"
#include "mercer/core/error.hpp"
#include "mercer/export/c.hpp"
#include "mercer/export/json.hpp"

namespace mercer {
namespace {

template <class Body>
ErrorCode code_of(Body body) {
  try {
    body();
  } catch (const Error& error) {
    return error.code();
  }
  return ErrorCode::interrupted;
}

TEST(ExportRefusals, CoefficientsThatAreNoNumbers) {
  ContinuousCode code = test::continuous_case("legendre_mean").embedding.continuous().code();
  for (const double bad : {std::nan(""), std::numeric_limits<double>::infinity()}) {
    code.coefficients[1] = bad;
    EXPECT_EQ(code_of([&] { flatten(code); }), ErrorCode::not_finite);
  }
}

TEST(ExportRefusals, NamesAndSafeActions) {
  const EmbeddingFile file = test::continuous_case("legendre_mean");
  for (const char* name : {"", "1st", "a-b", "a b", "_x"}) {
    EXPECT_EQ(code_of([&] { export_c(file, {.name = name}); }), ErrorCode::bad_value) << name;
  }
  EXPECT_EQ(code_of([&] { export_c(file, {.safe_action = {3}}); }), ErrorCode::out_of_range);
  EXPECT_EQ(code_of([&] { export_c(file, {.safe_action = {std::nan("")}}); }), ErrorCode::out_of_range);
  EXPECT_EQ(code_of([&] { export_c(file, {.safe_action = {0, 0}}); }), ErrorCode::bad_value);
  EXPECT_EQ(code_of([&] { export_c(test::continuous_case("legendre_greedy"), {.safe_action = {0.5}}); }),
            ErrorCode::bad_value);
}

TEST(ExportRefusals, ADensity) {
  ContinuousCode code = test::continuous_case("legendre_mean").embedding.continuous().code();
  const Contract contract = test::continuous_case("legendre_mean").embedding.policy().contract();
  code.head = Head::density;
  code.coordinates = contract_coordinates(contract, code.head);
  code.terms = no_terms(periodic_axes(code.coordinates));
  add_tensor(code.terms, Family::legendre, IndexRule::total, 1);
  code.coefficients.assign(code.terms.size(), 0.1);
  code.outputs = 1;
  const EmbeddingFile file{ContinuousEmbedding::make(code, contract, "density"), {}, 0, {}};
  EXPECT_EQ(code_of([&] { export_c(file); }), ErrorCode::bad_value);
}

TEST(ExportText, FloatsComeBackToTheSameBits) {
  for (const float value : {0.1F, 1.0F, -3.0F, 1e-38F, 3.4e38F, 16777216.0F, 0.33333334F}) {
    const std::string text = c_float(value);
    EXPECT_EQ(std::strtof(text.c_str(), nullptr), value) << text;
    EXPECT_EQ(text.back(), 'f');
    EXPECT_NE(text.find_first_of(".e"), std::string::npos);
  }
}

TEST(ExportText, CommentsStayComments) {
  EXPECT_EQ(c_comment("a */ b \\\n ?"
                      "?/")
                .find("*/"),
            std::string::npos);
  EXPECT_EQ(c_comment("a \\").find('\\'), std::string::npos);
}

}  // namespace
}  // namespace mercer
