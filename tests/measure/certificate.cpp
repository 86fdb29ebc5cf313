#include "mercer/certificate.hpp"

#include <cmath>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "support/errors.hpp"

namespace mercer {
namespace {

Certificate example() {
  Certificate certificate;
  certificate.rows = {certificate_row("paired", "statistical", 3.5, 1.25, 100, {"independent episodes", "fixed task"}),
                      certificate_row("pruning", "statistical", 120, NAN, 100, {"held-out episodes"})};
  certificate.teacher_return = -150;
  certificate.loss_return = 1.25;
  certificate.loss_percent = 0.8333;
  certificate.upper_return = 3.5;
  certificate.upper_percent = 2.41231;
  certificate.confidence = 0.9;
  certificate.method = "betting";
  certificate.act = "mean";
  certificate.env = "pendulum";
  certificate.teacher = "actor.onnx";
  certificate.episodes = 1000;
  certificate.seed = (std::uint64_t{1} << 63) + 1;
  certificate.attempt = 2;
  certificate.budget_percent = 2;
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
  EXPECT_FALSE(certificate.met);
  certificate.budget_percent = 2.5;
  judge(certificate);
  EXPECT_TRUE(certificate.met);
  certificate.budget_return = 3;
  judge(certificate);
  EXPECT_FALSE(certificate.met);
  certificate.budget_return = 4;
  certificate.upper_percent.reset();
  judge(certificate);
  EXPECT_FALSE(certificate.met);  // a percentage was asked for and there is none
}

TEST(Certificate, page_says_it_in_words_and_never_rounds_a_promise_down) {
  const std::string page = certificate_page(example());
  for (const char* part : {"at most 2.4124%", "90% confidence", "NOT met", "says nothing", "independent episodes",
                           "another task", "Attempt 2", "not drawn"}) {
    EXPECT_NE(page.find(part), std::string::npos) << part << "\n" << page;
  }
  Certificate gain = example();
  gain.upper_percent = -1.99999;
  EXPECT_NE(certificate_page(gain).find("Gains at least 1.9999%"), std::string::npos);
}

TEST(Certificate, page_names_rows_that_do_not_apply_in_one_line) {
  Certificate certificate = example();
  certificate.rows.push_back(certificate_row("paper_a", "paper", NAN, 1, 100, {"does not apply: one state too many"}));
  certificate.rows.push_back(certificate_row("paper_b", "paper", NAN, NAN, 100, {"does not apply: no counts"}));
  const std::string page = certificate_page(certificate);
  EXPECT_NE(page.find("\ndo not apply here: paper_a, paper_b\n"), std::string::npos) << page;
  EXPECT_EQ(page.find("paper, not a guarantee"), std::string::npos) << page;
  EXPECT_EQ(certificate_page(example()).find("do not apply"), std::string::npos);
}

TEST(Certificate, page_shows_rows_of_levels_that_it_does_not_know) {
  Certificate certificate = example();
  certificate.rows.insert(certificate.rows.begin(), certificate_row("Z9", "numerical", 7.5, 1, 100, {"a grid"}));
  const std::string page = certificate_page(certificate);
  EXPECT_LT(page.find("statistical: return"), page.find("\nnumerical: return\n")) << page;
  EXPECT_NE(page.find("\n  Z9                                  7.5            1"), std::string::npos) << page;
  EXPECT_NE(page.find("Z9 (numerical: return)\n    - a grid"), std::string::npos) << page;
}

TEST(Certificate, page_tells_once_what_rows_rest_on_together) {
  Certificate certificate = example();
  certificate.rows = {certificate_row("a", "rigorous", 1, 1, 100, {"shared", "only a"}),
                      certificate_row("b", "rigorous", 2, 1, 100, {"shared", "only b"}),
                      certificate_row("c", "rigorous", 2, 1, 100, {"shared", "only a"})};
  const std::string page = certificate_page(certificate);
  EXPECT_NE(page.find("  rigorous: return\n    - shared\n    a, c\n      - only a\n    b\n      - only b\n"),
            std::string::npos)
      << page;
}

TEST(Certificate, says_what_cannot_be_read) {
  expect_error(ErrorCode::bad_format, "certificate cannot be read", [] { certificate_from_json("{}", "x.mercer"); });
  expect_error(ErrorCode::bad_format, "x.mercer", [] { certificate_from_json("nonsense", "x.mercer"); });
  auto document = nlohmann::json::parse(certificate_json(example()));
  document["rows"][0]["vacuous"] = "perhaps";
  expect_error(ErrorCode::bad_format, "boolean", [&] { certificate_from_json(document.dump(), "x.mercer"); });
}

}  // namespace
}  // namespace mercer
