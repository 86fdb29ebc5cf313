#include <regex>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "export/continuous_cases.hpp"
#include "export/lattice_cases.hpp"
#include "mercer/certificate.hpp"
#include "mercer/export.hpp"

namespace mercer {
namespace {

EmbeddingFile chattering(const std::string& parameter) {
  EmbeddingFile file = test::continuous_case("chebyshev_mean");
  Certificate certificate;
  certificate.upper_return = 3.5;
  certificate.upper_percent = 2.4;
  certificate.promises = {
      {.about = Quantity::episode_return, .teacher = -150, .embedding = -151.25, .measured = 1.25, .upper = 3.5},
      {.about = Quantity::roughness, .teacher = 0.0075, .embedding = 0.568, .upper = 0.5612345, .factor = 1.25},
      {.about = Quantity::failures, .teacher = 0.01, .embedding = 0.08, .upper = 0.08},
      {.about = Quantity::distance_embedding, .measured = 0.32, .upper = 0.33, .factor = 0}};
  certificate.motion = MotionPair{{0.0075, 0.012, 0.04, 0.3}, {0.568, 0.93, 0.91, 19.5}};
  PerturbedPoint point{.values = {1.2}, .loss_percent = 3, .upper_percent = 4.00001};
  certificate.grid = PerturbedGrid{.names = {parameter}, .ranges = {{0.8, 1.2}}, .points = {point}};
  file.certificate = certificate;
  file.verified = true;
  return file;
}

// One line, as a person reads the comment.
std::string joined(const std::string& text) {
  std::string out;
  for (const char c : text) {
    if (c == '\n' || c == ' ' || (c == '*' && (out.empty() || out.back() == ' '))) {
      if (!out.empty() && out.back() != ' ') out += ' ';
    } else {
      out += c;
    }
  }
  return out;
}

void expect_all_of_it(const std::string& text) {
  const std::string line = joined(text);
  for (const char* part :
       {"is at most 1.25 times the teacher's plus 56.1235% of its range", "at the worst of them, m=1.2",
        "no promise about what lies between the points", "Measured, on average teacher embedding",
        "return -150 -151.25", "roughness: change of the action per step, % of range 0.75% 56.8%",
        "saturation: actions within 1% of a bound 1.2% 93%", "effort: mean squared action, % of the largest 4% 91%",
        "failures: episodes that fail 1% 8%", "distance of actions in states it visits, % of range 32%",
        "Reverses the action 19.5 times a second, the teacher 0.3.",
        "Fails in 8% of the episodes, the teacher in 1%."}) {
    EXPECT_NE(line.find(part), std::string::npos) << part << "\n" << text;
  }
}

TEST(CertificateComment, headers_show_teacher_beside_embedding) {
  const EmbeddingFile file = chattering("m");
  const std::string header = export_c(file, {}).header;
  expect_all_of_it(header.substr(0, header.find("*/")));
  const std::string block = export_st(file, {}).source;
  expect_all_of_it(block.substr(0, block.find("*)")));
}

TEST(CertificateComment, a_name_in_the_file_does_not_end_the_comment) {
  const std::string header = export_c(chattering("m */ int x; /*"), {}).header;
  EXPECT_EQ(header.find("int x"), header.rfind("int x", header.find("*/")));
  EXPECT_GT(header.find("#ifndef"), header.find("*/"));
  EXPECT_LT(header.find("int x"), header.find("*/"));
}

// Exported code plays the mean; a certificate is about the code only if that is what was played.
TEST(CertificateComment, of_drawn_actions_promises_nothing_for_code_that_plays_the_mean) {
  std::vector<std::pair<EmbeddingFile, std::string>> drawing{
      {test::continuous_case("chebyshev_gaussian"), "the mean action"},
      {test::continuous_case("chebyshev_softmax"), "the most likely action"},
      {test::lattice_case(test::lattice_kinds().front()), "the mean action"}};
  for (auto& [file, plays] : drawing) {
    file.certificate = Certificate{};
    file.certificate->act = Act::sample;
    const std::string said =
        "It is about drawn actions, but this code plays " + plays + ", for which nothing is promised";
    const std::string rust = std::regex_replace(export_rust(file, {}).files.at(1).text, std::regex("//[/!]"), "");
    for (const std::string& text : {export_c(file, {}).header, rust}) {
      EXPECT_NE(joined(text).find(said), std::string::npos) << text.substr(0, 4000);
      EXPECT_EQ(joined(text).find("the difference above comes on top"), std::string::npos);
    }
    file.certificate->act = Act::mean;
    const std::string header = joined(export_c(file, {}).header);
    EXPECT_EQ(header.find("for which nothing is promised"), std::string::npos);
    EXPECT_NE(header.find("the difference above comes on top"), std::string::npos);
  }
  for (const char* mean : {"chebyshev_mean", "chebyshev_greedy"}) {
    EmbeddingFile file = test::continuous_case(mean);
    file.certificate = Certificate{};
    file.certificate->act = Act::sample;
    EXPECT_NE(joined(export_c(file, {}).header).find("the difference above comes on top"), std::string::npos) << mean;
  }
}

TEST(CertificateComment, without_measurements_there_is_no_table) {
  EmbeddingFile file = chattering("m");
  file.certificate->motion.reset();
  file.certificate->promises.resize(1);
  EXPECT_EQ(export_c(file, {}).header.find("Measured, on average"), std::string::npos);
}

}  // namespace
}  // namespace mercer
