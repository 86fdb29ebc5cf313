#include <cmath>
#include <cstdlib>
#include <fstream>
#include <limits>
#include <set>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "export/c/c_text.hpp"
#include "export/common/flat_terms.hpp"
#include "export/compiled.hpp"
#include "export/continuous_cases.hpp"
#include "export/lattice_cases.hpp"
#include "mercer/error.hpp"
#include "mercer/export.hpp"

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

// The pendulum's file with a few bytes of its manifest replaced by others.
std::filesystem::path damaged(const test::Folder& folder, const std::string& from, const std::string& to) {
  std::ifstream in(MERCER_TEST_DATA "/export/pendulum_5000.mercer", std::ios::binary);
  std::string bytes((std::istreambuf_iterator<char>(in)), {});
  const std::size_t at = bytes.find(from);
  EXPECT_NE(at, std::string::npos);
  bytes.replace(at, from.size(), to);
  std::ofstream(folder.path() / "damaged.mercer", std::ios::binary) << bytes;
  return folder.path() / "damaged.mercer";
}

TEST(ExportRefusals, FilesOfANewerVersionOrWithoutAContract) {
  const test::Folder folder;
  EXPECT_EQ(code_of([&] { export_c(read_embedding(damaged(folder, "format\\\":1,", "format\\\":9,"))); }),
            ErrorCode::bad_format);
  EXPECT_EQ(code_of([&] { export_c(read_embedding(damaged(folder, "contract\\\"", "kontract\\\""))); }),
            ErrorCode::bad_format);
  const EmbeddingFile whole = read_embedding(MERCER_TEST_DATA "/export/pendulum_5000.mercer");
  EXPECT_NE(export_c(whole).source, "");
}

TEST(ExportRefusals, WhatHasNoCoefficientMode) {
  for (const test::LatticeKind& kind : test::lattice_kinds()) {
    if (!kind.coefficients) {
      EXPECT_EQ(code_of([&] { export_c(test::lattice_case(kind), {.mode = CMode::coefficients}); }),
                ErrorCode::bad_value)
          << kind.name;
    }
    if (kind.simplex == SimplexRule::softmax) {
      EXPECT_EQ(code_of([&] {
                  export_c(test::lattice_case(kind), {.numbers = CNumbers::fixed, .mode = CMode::coefficients});
                }),
                ErrorCode::bad_value)
          << kind.name;
    }
  }
}

TEST(ExportJson, HoldsBothRoutes) {
  const auto continuous = nlohmann::json::parse(export_json(test::continuous_case("mixed_mean")));
  std::set<std::string> kinds;
  for (const auto& term : continuous["continuous"]["terms"]) kinds.insert(term["kind"]);
  EXPECT_EQ(kinds, (std::set<std::string>{"product", "wave", "ridge", "bump"}));
  EXPECT_EQ(continuous["contract"]["observation"]["axes"][0]["name"], "position");
  const EmbeddingFile file = test::lattice_case(test::lattice_kinds()[0]);
  const auto lattice = nlohmann::json::parse(export_json(file));
  const LatticeEmbedding& embedding = file.embedding.lattice();
  ASSERT_EQ(lattice["lattice"]["table"].size(), embedding.table().rows);
  EXPECT_EQ(lattice["lattice"]["table"][3][2], embedding.table().row(3)[2]);
  EXPECT_EQ(lattice["lattice"]["coefficients"].size(), embedding.numbers().size());
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
