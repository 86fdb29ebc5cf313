#include "mercer/certificate.hpp"

#include <cmath>
#include <fstream>
#include <iterator>
#include <set>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "measure/certificate_words.hpp"
#include "support/errors.hpp"

namespace mercer {
namespace {

Certificate example() {
  Certificate certificate;
  certificate.rows = {
      certificate_row("paired", Level::statistical, 3.5, 1.25, 100, {"independent episodes", "fixed task"}),
      certificate_row("pruning", Level::statistical, 120, NAN, 100, {"held-out episodes"})};
  certificate.teacher_return = -150;
  certificate.loss_return = 1.25;
  certificate.loss_percent = 0.8333;
  certificate.upper_return = 3.5;
  certificate.upper_percent = 2.41231;
  certificate.confidence = 0.9;
  certificate.act = Act::mean;
  certificate.env = "pendulum";
  certificate.teacher = "actor.onnx";
  certificate.episodes = 1000;
  certificate.seed = (std::uint64_t{1} << 63) + 1;
  certificate.attempt = 2;
  certificate.budget_percent = 2;
  certificate.promises = {
      {Quantity::episode_return, -150, -151.25, 1.25, 3.5, 3.2, {}},
      {.about = Quantity::return_percent, .measured = 0.8333, .upper = 2.41231, .alone = 2.2, .budget = 2}};
  certificate.not_covered = {"another task"};
  judge(certificate);
  return certificate;
}

TEST(Certificate, comes_back_from_json_as_it_was) {
  const Certificate was = example();
  const Certificate is = certificate_from_json(certificate_json(was), "x");
  EXPECT_EQ(certificate_json(is), certificate_json(was));
  EXPECT_EQ(is.seed, was.seed);
  EXPECT_EQ(is.rows[0].assumptions, was.rows[0].assumptions);
  EXPECT_TRUE(std::isnan(is.rows[1].measured));
  EXPECT_EQ(is.upper_percent, was.upper_percent);
  EXPECT_FALSE(is.budget_return);
}

TEST(Certificate, has_the_keys_that_scripts_rely_on) {
  const auto document = nlohmann::json::parse(certificate_json(example()));
  for (const char* key : {"rows", "loss_percent", "upper_percent", "met"}) EXPECT_TRUE(document.contains(key)) << key;
  for (const char* key : {"term", "level", "value", "measured", "slack", "vacuous", "assumptions"}) {
    EXPECT_TRUE(document["rows"][0].contains(key)) << key;
  }
  EXPECT_TRUE(document["rows"][1]["measured"].is_null());
}

TEST(Certificate, rows_know_their_slack_and_when_they_say_nothing) {
  const Certificate certificate = example();
  EXPECT_EQ(certificate.rows[0].slack, 2.25);
  EXPECT_FALSE(certificate.rows[0].vacuous);
  EXPECT_TRUE(certificate.rows[1].vacuous);
}

TEST(Certificate, is_met_when_every_budget_is) {
  Certificate certificate = example();
  EXPECT_FALSE(certificate.within_budget);
  certificate.promises[1].budget = 2.3;  // of the two, the bound that counts no other promise decides
  judge(certificate);
  EXPECT_TRUE(certificate.within_budget);
  certificate.promises[0].budget = 3;
  judge(certificate);
  EXPECT_FALSE(certificate.within_budget);
  certificate.promises[0].budget = 4;
  certificate.promises[1].alone = NAN;
  judge(certificate);
  EXPECT_FALSE(certificate.within_budget);  // a percentage was asked for and there is none
}

TEST(Certificate, page_says_it_in_words_and_never_rounds_a_promise_down) {
  const std::string page = certificate_page(example());
  for (const char* part :
       {"Guaranteed, with 90% confidence for all of this together: loses at most 2.4124%", "NOT kept", "says nothing",
        "independent episodes", "another task", "candidate 2 that was certified", "mean actions"}) {
    EXPECT_NE(page.find(part), std::string::npos) << part << "\n" << page;
  }
  Certificate gain = example();
  gain.upper_percent = -1.99999;
  EXPECT_NE(certificate_page(gain).find("gains at least 1.9999%"), std::string::npos);
  gain.confidence = 0.99999999;
  EXPECT_NE(certificate_page(gain).find("with 99.9999% confidence"), std::string::npos);
  gain.rows = {certificate_row("a", Level::rigorous, 1.0000001, 1, 100, {"something"})};
  EXPECT_NE(certificate_page(gain).find("1.00001 "), std::string::npos) << certificate_page(gain);
  gain.rows[0].winner = true;
  EXPECT_NE(certificate_page(gain).find("  least\n"), std::string::npos) << certificate_page(gain);
  gain.rows[0].vacuous = true;  // the smallest of bounds that say nothing is no "least vacuous" one
  EXPECT_EQ(certificate_page(gain).find("  least"), std::string::npos) << certificate_page(gain);
  EXPECT_NE(certificate_page(gain).find("  vacuous: says nothing"), std::string::npos) << certificate_page(gain);
}

TEST(Certificate, page_names_rows_that_do_not_apply_in_one_line) {
  Certificate certificate = example();
  certificate.rows.push_back(
      certificate_row("paper_a", Level::paper, NAN, 1, 100, {"does not apply: one state too many"}));
  certificate.rows.push_back(certificate_row("paper_b", Level::paper, NAN, NAN, 100, {"does not apply: no counts"}));
  const std::string page = certificate_page(certificate);
  EXPECT_NE(page.find("\ndo not apply here: paper_a, paper_b\n"), std::string::npos) << page;
  EXPECT_EQ(page.find("as published"), std::string::npos) << page;
  EXPECT_EQ(certificate_page(example()).find("do not apply"), std::string::npos);
}

TEST(Certificate, page_tells_once_what_rows_rest_on_together) {
  Certificate certificate = example();
  certificate.rows = {certificate_row("a", Level::rigorous, 1, 1, 100, {"shared", "only a"}),
                      certificate_row("b", Level::rigorous, 2, 1, 100, {"shared", "only b"}),
                      certificate_row("c", Level::rigorous, 2, 1, 100, {"shared", "only a"})};
  const std::string page = certificate_page(certificate);
  EXPECT_NE(page.find("  rigorous, guaranteed by theorem: return\n    - shared\n    a, c\n      - only a\n    b\n     "
                      " - only b\n"),
            std::string::npos)
      << page;
}

TEST(Certificate, the_least_rigorous_bound_wins_for_each_return) {
  const auto row = [](Level level, double value, Quantity about, bool in_model) {
    CertificateRow made = certificate_row("x", level, value, 0, 100, {});
    made.about = about;
    made.in_model = in_model;
    return made;
  };
  std::vector<CertificateRow> rows{row(Level::rigorous, 3, Quantity::episode_return, false),
                                   row(Level::rigorous, 2, Quantity::episode_return, false),
                                   row(Level::statistical, 1, Quantity::episode_return, false),
                                   row(Level::rigorous, 5, Quantity::episode_return, true),
                                   row(Level::rigorous, 4, Quantity::discounted_return, true),
                                   row(Level::rigorous, 1, Quantity::pruning, true),
                                   row(Level::rigorous, NAN, Quantity::discounted_return, false)};
  mark_winners(rows);
  std::vector<bool> winners;
  for (const CertificateRow& one : rows) winners.push_back(one.winner);
  EXPECT_EQ(winners, (std::vector<bool>{false, true, false, false, false, false, false}));
}

TEST(Certificate, json_carries_codes) {
  Certificate certificate = example();
  certificate.method = LossMethod::predictable_bernstein;
  certificate.rows[0].about = Quantity::discounted_return;
  certificate.rows[1].about = Quantity::discounted_return;
  certificate.rows[1].in_model = true;
  const auto document = nlohmann::json::parse(certificate_json(certificate));
  EXPECT_EQ(document["level"], "statistical");
  EXPECT_EQ(document["method"], "predictable_bernstein");
  EXPECT_EQ(document["about"], "return");
  EXPECT_EQ(document["act"], "mean");
  EXPECT_EQ(document["rows"][0]["about"], "discounted_return");
  EXPECT_EQ(document["rows"][1]["about"], "discounted_return_in_model");
  const Certificate back = certificate_from_json(document.dump(), "x");
  EXPECT_TRUE(back.rows[1].in_model && !back.rows[0].in_model);
  EXPECT_EQ(back.method, certificate.method);
  EXPECT_NE(certificate_page(certificate).find("statistical, guaranteed: discounted return in the model"),
            std::string::npos);
}

std::string old_certificate(const std::string& name) {
  std::ifstream in(std::string(MERCER_TEST_DATA) + "/certificates/" + name);
  return {std::istreambuf_iterator<char>(in), {}};
}

// Version 0.1 wrote words where codes are now, and what a row is about behind its term as well.
TEST(Certificate, reads_what_version_0_1_wrote) {
  const std::string text = old_certificate("version_0_1.json");
  const Certificate read = certificate_from_json(text, "old");
  const auto was = nlohmann::json::parse(text);
  ASSERT_EQ(read.rows.size(), was["rows"].size());
  std::set<std::string> codes;
  for (std::size_t i = 0; i < read.rows.size(); ++i) {
    const CertificateRow& row = read.rows[i];
    EXPECT_EQ(row.term.find(' '), std::string::npos) << row.term;
    EXPECT_EQ(row.in_model, was["rows"][i]["about"].get<std::string>().ends_with("in the model")) << row.term;
    EXPECT_TRUE(!row.in_model || (row.level != Level::rigorous && !row.winner)) << row.term;
    codes.insert(std::string(name(row.about)));
  }
  // Certificates of actions are another file; the last eight came later.
  EXPECT_EQ(codes.size(), names<Quantity>().size() - 9);
  EXPECT_EQ(read.rows[7].term, "model-exact+error");
  EXPECT_EQ(read.rows[7].about, Quantity::discounted_return);
  EXPECT_EQ(read.rows[7].level, Level::model);
  EXPECT_EQ(read.rows[9].term, "B2'");
  EXPECT_EQ(read.rows[9].level, Level::model);
  EXPECT_TRUE(was["rows"][9]["winner"].get<bool>());
  EXPECT_TRUE(read.rows[2].winner) << "a theorem in the task";
  // Once read, it is written with codes alone.
  const auto again = nlohmann::json::parse(certificate_json(read));
  for (const auto& row : again["rows"]) EXPECT_EQ(row["about"].get<std::string>().find(' '), std::string::npos);
  EXPECT_EQ(certificate_page(certificate_from_json(again.dump(), "new")), certificate_page(read));

  const Certificate of_states = certificate_from_json(old_certificate("version_0_1_states.json"), "old");
  EXPECT_EQ(of_states.about, Quantity::action);
  EXPECT_EQ(of_states.rows.at(0).about, Quantity::action);
  EXPECT_EQ(of_states.rows.at(0).term, "mean_error");
}

TEST(Certificate, names_codes_that_it_does_not_know) {
  const auto expect_refused = [](const std::string& part, const auto& change) {
    auto document = nlohmann::json::parse(certificate_json(example()));
    change(document);
    expect_error(ErrorCode::bad_format, part, [&] { certificate_from_json(document.dump(), "x.mercer"); });
  };
  using json = nlohmann::json;
  expect_refused("'x.mercer': its certificate names the level 'numerical'; known: paper, rigorous",
                 [](json& all) { all["rows"][0]["level"] = "numerical"; });
  expect_refused("bounded quantity 'regret'", [](json& all) { all["rows"][1]["about"] = "regret_in_model"; });
  expect_refused("bounded quantity 'jerk'", [](json& all) { all["about"] = "jerk"; });
  expect_refused("method 'bootstrap'", [](json& all) { all["method"] = "bootstrap"; });
  expect_refused("way to act 'mode'", [](json& all) { all["act"] = "mode"; });
}

TEST(Certificate, says_what_cannot_be_read) {
  expect_error(ErrorCode::bad_format, "certificate cannot be read", [] { certificate_from_json("{}", "x.mercer"); });
  expect_error(ErrorCode::bad_format, "x.mercer", [] { certificate_from_json("nonsense", "x.mercer"); });
  auto document = nlohmann::json::parse(certificate_json(example()));
  document["rows"][0]["vacuous"] = "perhaps";
  expect_error(ErrorCode::bad_format, "boolean", [&] { certificate_from_json(document.dump(), "x.mercer"); });
}

// Nothing that can be read as a promise lacks what it is about, its level, its confidence and its conditions.
TEST(Certificate, sentences_carry_quantity_level_and_conditions) {
  const auto joined = [](const Certificate& certificate) {
    std::string text;
    for (const std::string& sentence : promise_sentences(certificate)) text += sentence + " ";
    return text;
  };
  const auto expect_parts = [](const std::string& text, const std::vector<std::string>& parts) {
    for (const std::string& part : parts) EXPECT_NE(text.find(part), std::string::npos) << part << "\n" << text;
  };
  Certificate certificate = example();
  expect_parts(joined(certificate), {"Guaranteed, with 90% confidence", "of the teacher's mean return", "3.5 in return",
                                     "pendulum", "1000 paired episodes", "mean actions"});
  certificate.level = Level::estimate;
  expect_parts(joined(certificate), {"Estimated (no guarantee)"});
  EXPECT_EQ(joined(certificate).find("Guaranteed"), std::string::npos);
  certificate.level = Level::statistical;
  certificate.cut = Range{-400, 10};
  certificate.promises.push_back({Quantity::outside, 0.01, 0.02, 0.02, 0.031234567, 0.03, {}});
  certificate.promises.push_back({Quantity::failures, 0.01, 0.02, 0.01, 0.0212345678, 0.02, {}});
  certificate.drawing_cost = 2.5;
  expect_parts(joined(certificate),
               {"returns cut to [-400, 10]", "at most 3.1235% of the episodes have a return outside",
                "failure rate is at most 2.1235 percentage points above the teacher's", "costs the teacher 2.5"});
  certificate.about = Quantity::action;
  expect_parts(joined(certificate), {"no promise about the return", "of their range"});
}

// A printed promise is never better than the number it stands for.
TEST(Certificate, promises_round_to_the_safe_side) {
  for (const double value : {1.0000001, 123456.7, 1234567.8, 9.9999999, 1e-9 / 3, -1.0000009, -123456.7, 0.0, -1e-7 / 3,
                             99999.95, 7.123456789e12}) {
    const Promise promise{.upper = value};
    EXPECT_GE(std::stod(promised(promise)), value) << promised(promise);
    EXPECT_NEAR(std::stod(promised(promise)), value, 2e-5 * std::abs(value));
    EXPECT_GE(std::stod(promised({.about = Quantity::return_percent, .upper = value})), value);
  }
}

}  // namespace
}  // namespace mercer
