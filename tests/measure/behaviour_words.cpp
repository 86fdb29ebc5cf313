#include "measure/behaviour_words.hpp"

#include <cmath>
#include <regex>

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "measure/certificate_words.hpp"
#include "support/errors.hpp"

namespace mercer {
namespace {

constexpr Motion still{.roughness = 0.0075, .saturation = 0.012, .effort = 0.04, .reversals = 0.3};
constexpr Motion chatter{.roughness = 0.568, .saturation = 0.93, .effort = 0.91, .reversals = 19.5};

Certificate certificate_of(const Motion& teacher, const Motion& embedding) {
  Certificate certificate;
  certificate.teacher_return = -150;
  certificate.loss_return = 1.25;
  certificate.loss_percent = 0.8333;
  certificate.upper_return = 3.5;
  certificate.upper_percent = 2.4;
  certificate.env = "pendulum";
  certificate.teacher = "actor.onnx";
  certificate.episodes = 1000;
  certificate.promises = {
      {.about = Quantity::episode_return, .teacher = -150, .embedding = -151.25, .measured = 1.25, .upper = 3.5}};
  certificate.motion = MotionPair{teacher, embedding};
  return certificate;
}

Promise promise_about(Quantity about, double factor, double upper) {
  return {.about = about, .teacher = 0.1, .embedding = 0.2, .measured = 0.1, .upper = upper, .factor = factor};
}

std::string first_sentence(Certificate certificate, const Promise& promise) {
  certificate.promises.push_back(promise);
  return promise_sentences(certificate).front();
}

// What the words say the mean is at most: a multiple of the teacher's, and a percentage.
struct Said {
  double factor = NAN, percent = NAN;
};

Said read(const std::string& text, const std::string& before, const std::string& after) {
  const std::regex limit(before + "at most (?:(?:([0-9.]+) times )?(the teacher's )(plus|minus) )?([0-9.]+)%" + after);
  std::smatch found;
  if (!std::regex_search(text, found, limit)) return {};
  const double factor = found[2].matched ? (found[1].matched ? std::stod(found[1]) : 1) : 0;
  return {factor, (found[3] == "minus" ? -1 : 1) * std::stod(found[4])};
}

TEST(BehaviourWords, every_promise_reads_as_what_it_bounds) {
  const struct {
    Quantity about;
    bool discrete;
    const char *before, *after;
  } cases[] = {
      {Quantity::roughness, false, "the mean change of the action from step to step is ", " of its range[;.]"},
      {Quantity::roughness, true, "the share of steps at which the action changes is ", "[;.]"},
      {Quantity::distance_teacher, false, "the action differs from the teacher's by ",
       " of its range on average in states that the teacher visits"},
      {Quantity::distance_teacher, true, "chooses another action than the teacher in ",
       " of the states that the teacher visits"},
      {Quantity::distance_embedding, false, "the action differs from the teacher's by ",
       " of its range on average in states that it visits itself"},
      {Quantity::distance_embedding, true, "chooses another action than the teacher in ",
       " of the states that it visits itself"},
  };
  for (const auto& one : cases) {
    const Motion motion = one.discrete ? Motion{.roughness = 0.2, .reversals = 1} : still;
    for (const double factor : {0.0, 1.0, 1.25}) {
      for (const double upper : {0.0, 0.005, 0.0123456789, 1e-9, -0.0123456789, 0.99999999}) {
        if (factor == 0 && upper < 0) continue;  // a mean of shares is not negative
        const std::string text =
            first_sentence(certificate_of(motion, motion), promise_about(one.about, factor, upper));
        const Said said = read(text, one.before, one.after);
        EXPECT_EQ(said.factor, factor) << text;
        EXPECT_GE(said.percent, 100 * upper) << text;
        EXPECT_LE(said.percent, 100 * upper + 1e-4) << text;
      }
    }
  }
}

TEST(BehaviourWords, failures_read_as_more_fewer_or_in_all) {
  const Certificate certificate = certificate_of(still, still);
  const auto text = [&](double factor, double upper) {
    return first_sentence(certificate, promise_about(Quantity::failures, factor, upper));
  };
  EXPECT_NE(text(1, 0.0212345).find("; its failure rate is at most 2.1235 percentage points above the teacher's."),
            std::string::npos);
  EXPECT_NE(text(1, -0.0212345).find("; its failure rate is at least 2.1234 percentage points below the teacher's."),
            std::string::npos);
  EXPECT_NE(text(0, 0.0212345).find("; fails in at most 2.1235% of the episodes."), std::string::npos);
  EXPECT_NE(text(1.5, 0.01).find("episodes that fail is at most 1.5 times the teacher's plus 1.0000%."),
            std::string::npos);
}

TEST(BehaviourWords, promises_without_a_bound_say_nothing) {
  Certificate certificate = certificate_of(still, still);
  EXPECT_EQ(first_sentence(certificate, promise_about(Quantity::roughness, 1, NAN)).find("change"), std::string::npos);
  certificate.upper_return = INFINITY;
  certificate.upper_percent.reset();
  const std::string text = first_sentence(certificate, promise_about(Quantity::roughness, 1, 0.01));
  EXPECT_NE(text.find("the teacher's plus 1.0000%"), std::string::npos) << text;
  EXPECT_NE(text.find("There is no bound on the loss of return."), std::string::npos) << text;
}

// Three times the teacher's and above a floor, and nothing else.
TEST(BehaviourWords, warns_where_a_value_is_far_above_the_teachers) {
  const struct {
    double Motion::*which;
    const char* begins;
    double floor, unit;
  } cases[] = {{&Motion::roughness, "Changes the action by ", 0.01, 100},
               {&Motion::saturation, "Drives the action to a bound ", 0.01, 100},
               {&Motion::effort, "Acts with ", 0.01, 100},
               {&Motion::reversals, "Reverses the action ", 1, 1}};
  constexpr Motion neither{.roughness = 0.5, .saturation = 0.5, .effort = 0.5, .reversals = 5};
  for (const auto& one : cases) {
    for (const double teacher : {0.0, 0.00001, 0.003, 0.004, 0.2, 0.4, 1.5}) {
      for (const double embedding : {0.0, 0.0001, 0.009, 0.011, 0.0121, 0.61, 0.99, 1.1, 1.21, 19.0}) {
        Motion first = neither, second = neither;
        first.*one.which = teacher;
        second.*one.which = embedding;
        const std::vector<std::string> said = warning_sentences(certificate_of(first, second));
        if (embedding <= one.floor || embedding <= 3 * teacher) {
          EXPECT_TRUE(said.empty()) << said.front();
          continue;
        }
        ASSERT_EQ(said.size(), 1u) << one.begins << teacher << " " << embedding;
        ASSERT_TRUE(said[0].starts_with(one.begins)) << said[0];
        EXPECT_NEAR(std::stod(said[0].substr(std::string(one.begins).size())), one.unit * embedding,
                    0.006 * one.unit * embedding);
        EXPECT_EQ(said[0].ends_with("; the teacher does not."), teacher == 0) << said[0];
      }
    }
  }
}

TEST(BehaviourWords, says_what_a_chattering_controller_does) {
  const std::vector<std::string> expected{
      "Changes the action by 56.8% of its range from step to step, the teacher by 0.75%.",
      "Drives the action to a bound 93% of the time, the teacher 1.2%.",
      "Acts with 91% of the largest effort, the teacher with 4%.",
      "Reverses the action 19.5 times a second, the teacher 0.3."};
  EXPECT_EQ(warning_sentences(certificate_of(still, chatter)), expected);
  EXPECT_TRUE(warning_sentences(certificate_of(chatter, still)).empty());
  const Motion few{.roughness = 0.02, .reversals = 0}, many{.roughness = 0.4, .reversals = 8};
  const std::vector<std::string> discrete{"Changes the action at 40% of the steps, the teacher at 2%.",
                                          "Switches the action 8 times a second; the teacher does not."};
  EXPECT_EQ(warning_sentences(certificate_of(few, many)), discrete);
  Certificate failing = certificate_of(still, still);
  failing.promises.push_back({.about = Quantity::failures, .teacher = 0.01, .embedding = 0.08});
  EXPECT_EQ(warning_sentences(failing), std::vector<std::string>{"Fails in 8% of the episodes, the teacher in 1%."});
}

TEST(BehaviourWords, page_shows_teacher_beside_embedding_and_judges_each_budget) {
  Certificate certificate = certificate_of(still, chatter);
  Promise rough = promise_about(Quantity::roughness, 1.25, 0.5612345678);
  rough.teacher = 0.0075;
  rough.embedding = 0.568;
  rough.alone = 0.56;
  rough.budget = 0.005;
  certificate.promises.push_back(rough);
  certificate.promises.push_back({.about = Quantity::distance_teacher,
                                  .measured = 0.12,
                                  .upper = 0.13,
                                  .alone = 0.129,
                                  .budget = 0.2,
                                  .factor = 0});
  certificate.promises.push_back(
      {.about = Quantity::distance_embedding, .measured = 0.32, .upper = 0.33, .alone = 0.329, .factor = 0});
  judge(certificate);
  const std::string page = certificate_page(certificate);
  for (const char* line : {
           R"(\nLimits: NOT kept\.)",
           R"(\nroughness, above 1\.25 times the teacher's +0\.75% +56\.8% +10% +56\.1235% +0\.5%  NOT kept\n)",
           R"(\ndistance of actions where the teacher goes +12% +13\.0000% +20%  kept\n)",
           R"(\nmeasured, on average +teacher +embedding\nreturn +-150 +-151\.25\n)",
           R"(\nroughness: change of the action per step, % of range +0\.75% +56\.8%\n)",
           R"(\nsaturation: actions within 1% of a bound +1\.2% +93%\n)",
           R"(\neffort: mean squared action, % of the largest +4% +91%\n)",
           R"(\nreversals per second \(per step without a time unit\) +0\.3 +19\.5\n)",
           R"(\ndistance of actions in states it visits, % of range +12% +32%\n)",
           R"(\nReverses the action 19\.5 times a second, the teacher 0\.3\.\n)",
       }) {
    EXPECT_TRUE(std::regex_search(page, std::regex(line))) << line << "\n" << page;
  }
}

PerturbedGrid example_grid() {
  PerturbedGrid grid{.names = {"m", "delay"}, .ranges = {{0.8, 1.2}, {0, 1}}, .points = {}, .episodes = 500};
  for (const double m : {0.8, 1.2}) {
    for (const double delay : {0.0, 1.0}) {
      grid.points.push_back({.values = {m, delay},
                             .teacher_return = -150 * m,
                             .loss_return = 3,
                             .loss_percent = 2,
                             .upper_return = 4,
                             .upper_percent = 2.00001 + m + delay,
                             .motion = {still, chatter}});
    }
  }
  return grid;
}

TEST(BehaviourWords, a_grid_names_its_worst_point) {
  Certificate certificate = certificate_of(still, still);
  certificate.grid = example_grid();
  const std::string sentence = promise_sentences(certificate).back();
  EXPECT_EQ(
      sentence,
      "Perturbed tasks. Guaranteed, with 95% confidence for all 4 points together: loses at most 4.2001% of the "
      "teacher's mean return at the worst of them, m=1.2, delay=1 (measured: loses 2%). There is no promise about "
      "what lies between the points.");
  const std::string page = certificate_page(certificate);
  EXPECT_TRUE(std::regex_search(page, std::regex(R"(\n1\.2 +1 +-180 +2% +4\.2001% +56\.8% +0\.75%  worst\n)"))) << page;
  EXPECT_TRUE(std::regex_search(page, std::regex(R"(\n0\.8 +0 +-120 +2% +2\.8001% +56\.8% +0\.75%\n)"))) << page;
  certificate.level = Level::estimate;
  EXPECT_NE(promise_sentences(certificate).back().find("Estimated (no guarantee), with 95%"), std::string::npos);
}

TEST(BehaviourWords, a_grid_without_percentages_bounds_the_return) {
  Certificate certificate = certificate_of(still, still);
  certificate.grid = example_grid();
  for (PerturbedPoint& point : certificate.grid->points) point.upper_percent.reset();
  certificate.grid->points[2].upper_return = 9.0000001;
  const std::string sentence = promise_sentences(certificate).back();
  EXPECT_NE(sentence.find("loses at most 9.00001 in mean return at the worst of them, m=1.2, delay=0"),
            std::string::npos)
      << sentence;
  EXPECT_TRUE(std::regex_search(grid_table(*certificate.grid), std::regex(R"(\n1\.2 +0 +-180 +2% +9\.00001 )")));
  certificate.grid->points[2].upper_return = INFINITY;
  EXPECT_NE(promise_sentences(certificate).back().find("nothing can be promised at the worst of them, m=1.2, delay=0"),
            std::string::npos);
}

TEST(BehaviourWords, a_large_grid_shows_its_worst_points) {
  PerturbedGrid grid{.names = {"g"}, .ranges = {{0, 1}}, .points = {}, .episodes = 10};
  for (int i = 0; i < 100; ++i) {
    grid.points.push_back({.values = {i / 100.0}, .teacher_return = 1, .upper_percent = (i * 37) % 100});
  }
  const std::string text = grid_table(grid);
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 23) << text;
  for (int bound = 80; bound < 100; ++bound) {
    EXPECT_NE(text.find(fmt::format(" {}.0000%", bound)), std::string::npos) << bound;
  }
  EXPECT_EQ(text.find(" 79.0000%"), std::string::npos);
}

TEST(BehaviourWords, motion_grid_and_factors_come_back_from_json) {
  Certificate was = certificate_of(still, chatter);
  was.promises.push_back(promise_about(Quantity::roughness, 1.25, 0.01));
  was.promises.back().budget = 0.005;
  was.grid = example_grid();
  was.grid->points[1].failures = 0.25;
  was.grid->points[1].upper_percent.reset();
  was.grid->points[2].loss_percent = NAN;
  const std::string text = certificate_json(was);
  const Certificate is = certificate_from_json(text, "x");
  EXPECT_EQ(certificate_json(is), text);
  EXPECT_EQ(certificate_page(is), certificate_page(was));
  EXPECT_EQ(is.promises.back().factor, 1.25);
  EXPECT_EQ(is.motion->embedding.reversals, 19.5);
  EXPECT_EQ(is.grid->points[1].failures, 0.25);
  EXPECT_FALSE(is.grid->points[1].upper_percent);
  EXPECT_TRUE(std::isnan(is.grid->points[2].loss_percent));
}

TEST(BehaviourWords, files_from_before_have_neither) {
  auto document = nlohmann::json::parse(certificate_json(certificate_of(still, still)));
  for (auto& promise : document["promises"]) promise.erase("factor");
  document.erase("motion");
  document.erase("grid");
  const Certificate read = certificate_from_json(document.dump(), "old");
  EXPECT_FALSE(read.motion || read.grid);
  EXPECT_EQ(read.promises[0].factor, 1);
  EXPECT_EQ(certificate_page(read).find("measured, on average"), std::string::npos);
}

TEST(BehaviourWords, a_grid_that_does_not_fit_is_refused) {
  Certificate certificate = certificate_of(still, still);
  certificate.grid = example_grid();
  const std::string text = certificate_json(certificate);
  const auto expect_refused = [&](const auto& change) {
    auto document = nlohmann::json::parse(text);
    change(document["grid"]);
    expect_error(ErrorCode::bad_format, "x.mercer", [&] { certificate_from_json(document.dump(), "x.mercer"); });
  };
  using json = nlohmann::json;
  expect_refused([](json& grid) { grid["points"][3]["values"].push_back(1); });
  expect_refused([](json& grid) { grid["points"] = json::array(); });
  expect_refused([](json& grid) { grid["ranges"].erase(0); });
  expect_refused([](json& grid) { grid["points"][0].erase("motion"); });
  expect_refused([](json& grid) { grid["names"] = 7; });
}

}  // namespace
}  // namespace mercer
