#include "view/verdicts.hpp"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <limits>
#include <sstream>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "measure/certificate_words.hpp"
#include "mercer/random.hpp"

namespace mercer {
namespace {

constexpr double unknown_value = std::numeric_limits<double>::quiet_NaN();

// A certificate of 4000 episodes that keeps 1% and moves like its teacher.
Certificate good_certificate() {
  Certificate certificate;
  certificate.env = "pendulum";
  certificate.episodes = 4000;
  certificate.teacher_return = -150;
  certificate.upper_return = 0.6;
  certificate.upper_percent = 0.4;
  certificate.budget_percent = 1;
  certificate.motion = MotionPair{{0.01, 0.02, 0.1, 0.3}, {0.012, 0.02, 0.1, 0.3}};
  certificate.promises = {{Quantity::return_percent, unknown_value, unknown_value, 0.1, 0.4, 0.4, 1, 1},
                          {Quantity::distance_teacher, 0, 0.03, 0.03, 0.031, 0.031, {}, 0},
                          {Quantity::distance_embedding, 0, 0.02, 0.02, 0.021, 0.021, {}, 0}};
  PerturbedGrid grid;
  grid.names = {"m"};
  grid.points = {{{0.8}, -140, 0.1, 0.1, 1, 0.7}, {{1.2}, -160, 0.1, 0.1, 4, 2.5}};
  certificate.grid = grid;
  return certificate;
}

CExport small_code() {
  CExport code;
  code.flash_bytes = 60;
  code.code_bytes = 940;
  code.ram_bytes = 120;
  code.operations.multiplications = 40;
  code.operations.additions = 20;
  return code;
}

struct Case {
  Certificate certificate = good_certificate();
  CExport code = small_code();
  VerdictFacts facts{};

  std::vector<Verdict> all() {
    facts.certificate = &certificate;
    facts.outcomes = measured_outcomes(certificate);
    facts.code = &code;
    facts.dt = 0.05;
    return verdicts(facts);
  }
  Verdict at(const std::string& code_of) {
    const auto found = all();
    return *std::ranges::find(found, code_of, &Verdict::code);
  }
};

TEST(Verdicts, a_good_embedding_is_green_in_every_answer) {
  Case good;
  const auto all = good.all();
  ASSERT_EQ(all.size(), 5u);
  for (const Verdict& one : all) EXPECT_EQ(one.colour, Colour::green) << one.sentence;
  EXPECT_EQ(
      all[0].sentence,
      "Actions differ from the teacher's by at most 3.1000% of their range on average (guaranteed, 95% confidence).");
  EXPECT_EQ(all[1].sentence,
            "Loses at most 0.4000% of the teacher's mean return (guaranteed, 95% confidence); keeps the limit of 1%.");
  EXPECT_EQ(all[2].sentence, "Guaranteed, 95% confidence: 4000 paired episodes of pendulum.");
  EXPECT_EQ(
      all[3].sentence,
      "Changes the action by 1.2% of its range per step; the teacher by 1%. Loses at most 2.5000% of the teacher's "
      "mean return at the worst of 2 perturbed points (m=1.2).");
  EXPECT_EQ(
      all[4].sentence,
      "Fits half of a Cortex-M0 with 32 KiB of flash, 4 KiB of RAM and 48 MHz: about 1000 bytes of flash, 120 bytes "
      "of stack and 60 operations an action, 0.25% of its time. Estimated, not measured.");
}

TEST(Verdicts, a_chattering_embedding_is_red_however_little_it_loses) {
  Case rough;
  rough.certificate.motion->embedding = {0.568, 0.02, 0.1, 19.5};
  const Verdict found = rough.at("smooth");
  EXPECT_EQ(found.colour, Colour::red);
  EXPECT_TRUE(found.sentence.starts_with(
      "Changes the action by 56.8% of its range from step to step, the teacher by 1%. Reverses the action 19.5 times a "
      "second, the teacher 0.3. "))
      << found.sentence;
  EXPECT_EQ(rough.at("loss").colour, Colour::green);
}

TEST(Verdicts, without_a_certificate_nothing_is_promised) {
  Case bare;
  bare.all();
  bare.facts.certificate = nullptr;
  bare.facts.why_uncertified = "There is no certificate.";
  bare.facts.loss = PairedLoss{-3, 2, {1.5, 2.5}};
  bare.facts.episodes = 1000;
  const auto all = verdicts(bare.facts);
  EXPECT_EQ(all[1].colour, Colour::amber);
  EXPECT_EQ(all[1].sentence,
            "Loses 2% of the teacher's mean return (95% interval: loses 1.5% to 2.5%; measured on 1000 episodes). "
            "Nothing is promised.");
  EXPECT_EQ(all[2].colour, Colour::red);
  EXPECT_EQ(all[2].sentence, "There is no certificate. Nothing is promised.");
  EXPECT_EQ(all[3].colour, Colour::amber);
  EXPECT_TRUE(all[3].sentence.ends_with("Not tested in perturbed tasks.")) << all[3].sentence;
  for (const Verdict& one : all) {
    EXPECT_EQ(one.sentence.find("at most"), std::string::npos) << one.sentence;
    EXPECT_EQ(one.sentence.find("uaranteed"), std::string::npos) << one.sentence;
  }
  bare.facts.loss->ci95_percent.high = 5.1;
  EXPECT_EQ(verdicts(bare.facts)[1].colour, Colour::red);
  bare.facts.loss = PairedLoss{1.2, -0.8, {-1.59, -0.001}};
  EXPECT_TRUE(verdicts(bare.facts)[1].sentence.starts_with(
      "Gains 0.8% of the teacher's mean return (95% interval: gains 0.001% to 1.59%;"));
  bare.facts.loss->ci95_percent.high = 0.3;
  EXPECT_NE(verdicts(bare.facts)[1].sentence.find("95% interval: from a gain of 1.59% to a loss of 0.3%;"),
            std::string::npos);
}

TEST(Verdicts, what_is_unknown_is_amber_and_says_so) {
  VerdictFacts nothing;
  nothing.why_uncertified = "There is no certificate.";
  nothing.why_no_code = "There is no C.";
  const auto all = verdicts(nothing);
  EXPECT_EQ(all[0].sentence, "Not known: no teacher was compared.");
  EXPECT_EQ(all[1].sentence, "Not known: nothing was played.");
  for (const std::size_t i : {0, 1, 3}) EXPECT_EQ(all[i].colour, Colour::amber);
  EXPECT_EQ(all[4].colour, Colour::red);
}

TEST(Verdicts, losses_are_judged_by_the_budget_and_without_one_by_size) {
  Case one;
  one.certificate.promises[0].upper = one.certificate.promises[0].alone = 1.2;
  one.certificate.upper_percent = 1.2;
  one.certificate.within_budget = false;
  EXPECT_EQ(one.at("loss").colour, Colour::red);
  EXPECT_TRUE(one.at("loss").sentence.ends_with("; exceeds the limit of 1%."));
  one.certificate.promises[0].alone = 0.9;  // all promises together print more than the budget was judged by
  EXPECT_EQ(one.at("loss").colour, Colour::green);
  EXPECT_TRUE(one.at("loss").sentence.ends_with("; judged alone, keeps the limit of 1%."));
  EXPECT_EQ(one.at("trust").colour, Colour::amber);
  EXPECT_TRUE(one.at("trust").sentence.ends_with("; a limit that was asked for is not kept."));
  one.certificate.budget_percent.reset();
  one.certificate.promises.clear();
  one.certificate.within_budget = true;
  for (const auto& [upper, colour] : {std::pair{0.9, Colour::green},
                                      {1.0, Colour::green},
                                      {1.01, Colour::amber},
                                      {5.0, Colour::amber},
                                      {5.01, Colour::red},
                                      {-2.0, Colour::green}}) {
    one.certificate.upper_percent = upper;
    EXPECT_EQ(one.at("loss").colour, colour) << upper;
  }
  EXPECT_TRUE(one.at("loss").sentence.starts_with("Gains at least 2.0000% of"));
  one.certificate.upper_percent.reset();
  EXPECT_EQ(one.at("loss").colour, Colour::amber) << "a loss in return alone has no scale";
  EXPECT_TRUE(one.at("loss").sentence.starts_with("Loses at most 0.6 in mean return"));
}

TEST(Verdicts, doubts_about_a_certificate_are_named) {
  Case one;
  one.certificate.level = Level::estimate;
  EXPECT_EQ(one.at("trust").colour, Colour::amber);
  EXPECT_EQ(one.at("loss").colour, Colour::amber) << "an estimate is never green";
  EXPECT_TRUE(one.at("trust").sentence.starts_with("Estimated (no guarantee), 95% confidence: "));
  one.certificate.level = Level::statistical;
  one.facts.verified = false;
  EXPECT_EQ(one.at("trust").colour, Colour::amber);
  EXPECT_NE(one.at("trust").sentence.find("no digests"), std::string::npos);
  one.certificate.about = Quantity::action;
  EXPECT_NE(one.at("trust").sentence.find("4000 logged episodes; no promise about the return"), std::string::npos);
  EXPECT_EQ(one.at("loss").sentence, "There is no bound on the loss of return.");
  EXPECT_EQ(one.at("loss").colour, Colour::amber);
}

TEST(Verdicts, distances_and_perturbed_points_have_their_limits) {
  Case one;
  one.certificate.budget_percent.reset();  // nothing was asked for
  one.certificate.promises[0].budget.reset();
  for (const auto& [distance, colour] : {std::pair{0.05, Colour::green}, {0.06, Colour::amber}, {0.26, Colour::red}}) {
    one.certificate.promises[1].upper = distance;
    EXPECT_EQ(one.at("same").colour, colour) << distance;
  }
  for (const auto& [worst, colour] : {std::pair{5.0, Colour::green}, {5.1, Colour::amber}, {21.0, Colour::red}}) {
    one.certificate.grid->points[1].upper_percent = worst;
    EXPECT_EQ(one.at("smooth").colour, colour) << worst;
  }
  one.certificate.grid->points[1].upper_percent = 1;
  one.certificate.motion->embedding.roughness = 1.25 * 0.01 + 0.0051;
  EXPECT_EQ(one.at("smooth").colour, Colour::amber) << "more than --keep behaviour allows";
  one.certificate.motion->embedding = one.certificate.motion->teacher;
  one.certificate.motion->embedding.saturation = 0.2;
  EXPECT_EQ(one.at("smooth").colour, Colour::amber) << "a bound is not a jump";
}

TEST(Verdicts, another_policy_that_keeps_its_promises_is_no_problem) {
  Case other;
  other.certificate.promises[1].upper = other.certificate.promises[1].alone = 0.4;
  EXPECT_EQ(other.at("same").colour, Colour::amber);
  EXPECT_EQ(other.at("same").sentence,
            "Actions differ from the teacher's by at most 40.0000% of their range on average (guaranteed, 95% "
            "confidence). It is another policy that keeps the promises about its return.");
  other.certificate.within_budget = false;
  EXPECT_EQ(other.at("same").colour, Colour::red) << "a limit is not kept";
  other.certificate.within_budget = true;
  other.certificate.promises[0].alone = 1.1;
  EXPECT_EQ(other.at("same").colour, Colour::red) << "the loss is above its limit";
  other.certificate.promises[0].alone = 0.4;
  other.certificate.level = Level::estimate;
  EXPECT_EQ(other.at("same").colour, Colour::red) << "an estimate guarantees nothing";
  other.certificate.level = Level::statistical;
  other.certificate.promises[1].budget = 0.5;  // --max-distance
  EXPECT_EQ(other.at("same").colour, Colour::green);
  EXPECT_TRUE(other.at("same").sentence.ends_with(" The limit on it is kept.")) << other.at("same").sentence;
  other.certificate.promises[1].budget = 0.3;
  EXPECT_EQ(other.at("same").colour, Colour::red);
  EXPECT_TRUE(other.at("same").sentence.ends_with(" The limit on it is not kept."));
}

TEST(Verdicts, discrete_actions_have_their_own_words) {
  Case one;
  one.certificate.motion = MotionPair{{0.1, 0, 0, 2}, {0.11, 0, 0, 2}};
  EXPECT_TRUE(
      one.at("same").sentence.starts_with("Chooses another action than the teacher in at most 3.1000% of the "));
  EXPECT_TRUE(one.at("smooth").sentence.starts_with("Changes the action at 11% of the steps; the teacher at 10%. "));
}

TEST(Verdicts, costs_are_compared_with_half_of_a_chip) {
  Case one;
  one.code.code_bytes = (16 << 10) - 60;
  EXPECT_EQ(one.at("cost").colour, Colour::green);
  one.code.code_bytes += 1;
  EXPECT_EQ(one.at("cost").colour, Colour::amber);
  EXPECT_NE(one.at("cost").sentence.find("Fits half of a Cortex-M4F"), std::string::npos);
  one.code.flash_bytes = 128 << 10;
  EXPECT_EQ(one.at("cost").colour, Colour::red);
  EXPECT_NE(one.at("cost").sentence.find("Does not fit"), std::string::npos);
  one.code = small_code();
  one.code.operations.multiplications = 12001;  // 20 actions a second, half of 480,000 operations
  EXPECT_EQ(one.at("cost").colour, Colour::amber);
  one.code = small_code();
  one.code.operations.functions = 1;
  EXPECT_NE(one.at("cost").sentence.find("(without the C library)"), std::string::npos);
}

// There is one promise: the figure of the answer is the figure of the certificate's own sentence.
TEST(Verdicts, the_promise_is_that_of_the_certificate_to_the_digit) {
  for (std::uint32_t i = 0; i < 500; ++i) {
    Random draw({7, Stage::action, i, 0});
    Case one;
    const double upper = 20 * draw.uniform() - 5;
    one.certificate.upper_percent = one.certificate.promises[0].upper = one.certificate.promises[0].alone = upper;
    const std::string sentence = one.at("loss").sentence;
    std::string figure = sentence.substr(0, sentence.find(" ("));
    figure[0] = static_cast<char>(std::tolower(figure[0]));
    EXPECT_NE(promise_sentences(one.certificate)[0].find(figure), std::string::npos) << figure;
    const std::size_t begin = figure.find_first_of("0123456789");
    const double shown = std::stod(figure.substr(begin)) * (upper < 0 ? -1 : 1);
    EXPECT_GE(shown, upper);
  }
}

TEST(Verdicts, the_guide_states_the_limits) {
  std::stringstream text;
  text << std::ifstream(MERCER_TEST_DATA "/../../docs/guide/serve.md").rdbuf();
  const VerdictLimits limits;
  const std::string all = text.str();
  for (const std::string& part :
       {fmt::format("| up to {:g}% of the action's range | up to {:g}% |", 100 * limits.same_green,
                    100 * limits.same_red),
        fmt::format("| the limit is kept; without one, up to {:g}% | up to {:g}%", limits.loss_green, limits.loss_red),
        fmt::format("at most {:g}% lost at the worst perturbed point", limits.worst_green),
        fmt::format("up to {:g}% there", limits.worst_red),
        fmt::format("{:g} times the teacher's plus {:g}%", limits.rough_factor, 100 * limits.rough_plus),
        std::string(limits.small.words), std::string(limits.large.words)}) {
    EXPECT_NE(all.find(part), std::string::npos) << part;
  }
}

}  // namespace
}  // namespace mercer
