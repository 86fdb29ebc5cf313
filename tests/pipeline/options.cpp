#include "pipeline/options.hpp"

#include <algorithm>
#include <cctype>
#include <map>
#include <set>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "mercer/train.hpp"
#include "support/errors.hpp"

namespace mercer {
namespace {

TEST(Options, FillTheFieldsOfTheRequest) {
  CompressRequest request;
  OptionList options = options_of(request);
  options.fill("max-loss", "2%", "--max-loss");
  options.fill("certify-episodes", "500", "--certify-episodes");
  options.fill("polish", "action", "--polish");
  options.fill("formats", "int8,float16", "--formats");
  options.fill("budget", "2m", "--budget");
  EXPECT_EQ(request.options.judge.max_loss, 0.02);
  EXPECT_EQ(request.options.judge.certify_episodes, 500u);
  EXPECT_EQ(request.options.polish, PolishBy::action);
  EXPECT_EQ(request.formats, (std::vector{NumberFormat::int8, NumberFormat::float16}));
  EXPECT_EQ(request.options.seconds, 120);
  EXPECT_EQ(request.given.size(), 5u);
  options.fill("max-loss", "none", "--max-loss");
  EXPECT_FALSE(request.options.judge.max_loss);
}

TEST(Options, RefuseWhatIsNotLegalAndSaySo) {
  CompressRequest request;
  OptionList options = options_of(request);
  const auto fill = [&](const char* name, const char* text) { options.fill(name, text, std::string("--") + name); };
  expect_error(ErrorCode::unknown_name, "Did you mean 'max-bytes'?", [&] { fill("max-byte", "3"); });
  expect_error(ErrorCode::out_of_range, "--degree is 17; legal: 0 to 16", [&] { fill("degree", "17"); });
  expect_error(ErrorCode::out_of_range, "legal: between 0 and 1", [&] { fill("confidence", "1"); });
  expect_error(ErrorCode::out_of_range, "500%", [&] { fill("max-loss", "5"); });
  expect_error(ErrorCode::out_of_range, "--max-loss is -1%; legal: 0% or more", [&] { fill("max-loss", "-1%"); });
  expect_error(ErrorCode::out_of_range, "is 150%; legal: between 0% and 100%", [&] { fill("confidence", "150%"); });
  expect_error(ErrorCode::bad_value, "'inf%', which is not a number", [&] { fill("max-loss", "inf%"); });
  expect_error(ErrorCode::bad_value, "not an integer", [&] { fill("degree", "3.5"); });
  expect_error(ErrorCode::unknown_name, "--polish is 'acton'; legal: ", [&] { fill("polish", "acton"); });
  expect_error(ErrorCode::unknown_name, "Did you mean 'action'?", [&] { fill("polish", "acton"); });
  expect_error(ErrorCode::bad_value, "5m or 2h", [&] { fill("budget", "soon"); });
  EXPECT_TRUE(request.given.empty()) << "nothing was filled";
}

TEST(Options, SharesAreFractionsOrPercentages) {
  const auto filled = [](const char* text) {
    CertifyRequest request;
    options_of(request).fill("confidence", text, "--confidence");
    return request.confidence;
  };
  EXPECT_EQ(filled("95%"), 0.95);
  EXPECT_EQ(filled("0.95"), 0.95);
  EXPECT_EQ(filled("99.9%"), 99.9 / 100);
}

TEST(UnknownOption, SuggestsWhatWasMeantOrTheThreeNearest) {
  const auto refused = [](const char* verb, const char* name, const char* message) {
    const auto spell = [](const std::string& option) { return "--" + option; };
    const UnknownOption unknown{verb, name, "flag of 'mercer'", spell(name), spell, "'mercer --help'"};
    const std::vector<std::string> known{"most-terms", "fit-states", "route", "rounds", "knots", "seed"};
    expect_error(ErrorCode::unknown_name, message, [&] { throw_unknown_option(unknown, known); });
  };
  refused("embed", "states", "no flag of 'mercer' is called '--states'. Did you mean '--fit-states'?");
  refused("compress", "seconds", "Did you mean '--budget'?");
  refused("compress", "episodes",
          "Did you mean '--candidate-episodes', '--select-episodes' or '--certify-episodes'? 'mercer --help' explains");
  refused("embed", "sede", "Did you mean '--seed'?");
  refused("embed", "roundabout", "The nearest names are --rounds, --route, --knots; 'mercer --help' lists all.");
}

TEST(UnknownOption, HintsLeadFromNamesThatAreNotThereToThoseThatAre) {
  std::map<std::string, std::set<std::string>> names;
  for (const VerbOptions& verb : all_options()) {
    for (const Option& option : verb.options) names[verb.verb].insert(option.name);
  }
  for (const OptionHint& hint : option_hints()) {
    EXPECT_FALSE(names[hint.verb].contains(hint.name)) << hint.verb << " --" << hint.name;
    for (const std::string& option : hint.means) {
      EXPECT_TRUE(names[hint.verb].contains(option)) << hint.verb << " --" << option;
    }
  }
}

// Defaults are those of the fields: a default that is changed in a struct shows in every face, and nowhere twice.
TEST(Options, DefaultsAreThoseOfTheFields) {
  CompressRequest request;
  request.options.most_terms = 77;
  EXPECT_EQ(options_of(request).find("most-terms")->default_text(), "77");
  EXPECT_EQ(options_of(request).find("confidence")->default_text(),
            option_text(CompressRequest{}.options.judge.confidence));
}

std::string described(const LatticeRequest& request) {
  const LatticeOptions lattice = request.lattice();
  const TruncationOptions truncation = request.truncation(0);
  return fmt::format("{} {} {} {} {} {} {} {} {} {} {} {} {} {}", option_text(lattice.state_bins),
                     option_text(lattice.action_bins), to_text(lattice.state_edges), to_text(lattice.action_edges),
                     lattice.reach_bounds, lattice.conditional_actions, name(lattice.table), lattice.prune,
                     lattice.full, lattice.playing.unvisited == Unvisited::uniform, lattice.playing.noise,
                     truncation.energy, name(truncation.order), name(truncation.simplex));
}

// "best: 45, paper: 15" of the preset, or the text itself.
std::string default_for(const std::string& preset, const std::string& text) {
  const std::size_t place = text.find(preset + ": ");
  if (place == std::string::npos) return text;
  const std::size_t begin = place + preset.size() + 2;
  return text.substr(begin, text.find(", ", begin) - begin);
}

// A default in words, given by hand, changes nothing: it is what the library does without.
TEST(Options, DefaultsOfPresetsAreWhatTheyDo) {
  for (const std::string preset : {"best", "paper"}) {
    EmbedRequest plain;
    OptionList declared = options_of(plain);
    declared.fill("preset", preset, "preset");
    const std::string expected = described(plain.lattice);
    std::size_t filled = 0;
    for (const Option& option : declared.all()) {
      if (option.group != OptionGroup::lattice || option.name == "preset" || option.default_text().empty()) continue;
      EmbedRequest request = plain;
      OptionList options = options_of(request);
      options.fill(option.name, default_for(preset, option.default_text()), option.name);
      EXPECT_EQ(described(request.lattice), expected) << preset << " --" << option.name;
      ++filled;
    }
    EXPECT_GE(filled, 14u);
  }
  LatticeRequest paper;
  paper.preset = LatticeRequest::Preset::paper;
  EXPECT_NE(described(paper), described({}));
}

TEST(Options, DefaultsThatTheLibraryHoldsAreReadFromIt) {
  CompressRequest compressing;
  OptionList options = options_of(compressing);
  const auto fill = [&](const char* name) { options.fill(name, options.find(name)->default_text(), name); };
  fill("max-loss"), fill("formats"), fill("bases");
  EXPECT_EQ(compressing.options.judge.max_loss, SelectionOptions{}.max_loss);
  EXPECT_EQ(compressing.formats, CompressOptions{}.formats);
  const std::vector<DictionaryOptions> dictionaries = default_dictionaries();
  ASSERT_EQ(compressing.bases.size(), dictionaries.size());
  for (std::size_t i = 0; i < dictionaries.size(); ++i) {
    EXPECT_EQ(compressing.bases[i], option_text(dictionaries[i].basis));
    EXPECT_EQ(DictionaryBasis(compressing.bases[i]).kind, dictionaries[i].basis.kind);
  }
  const CertifyOptions certifying;
  const CertifyRequest request;
  EXPECT_EQ(request.episodes, certifying.episodes);
  EXPECT_EQ(request.confidence, certifying.confidence);
  EXPECT_EQ(request.levels, certifying.levels);
  EXPECT_EQ(EmbedRequest{}.certify_episodes, certifying.episodes);
  EXPECT_EQ(EmbedRequest{}.confidence, certifying.confidence);
  EXPECT_EQ(EvaluateRequest{}.episodes, RolloutOptions{}.episodes);
}

TEST(Options, DefaultsByRouteAreWhatEmbedTakes) {
  EmbedRequest request;
  const OptionList options = options_of(request);
  EXPECT_EQ(options.find("basis")->default_text(),
            "best: dct, paper: fourier, printed: fourier:printed; with --scratch: svd; continuous: chebyshev");
  EXPECT_EQ(options.find("rollouts")->default_text(),
            fmt::format("best: 1000, paper: 200, continuous: {}", ContinuousOptions{}.episodes));
  request.route = Route::continuous;
  EXPECT_EQ(request.usual_basis(), "chebyshev");
  request.continuous.dictionary.basis = "rff:gaussian";
  EXPECT_EQ(request.usual_basis(), "rff:gaussian");
}

TEST(Options, EveryVerbDeclaresEachNameOnceWithHelpAndAGroup) {
  for (const VerbOptions& verb : all_options()) {
    std::set<std::string> seen;
    std::size_t first = 0;
    for (const Option& option : verb.options) {
      EXPECT_TRUE(seen.insert(option.name).second) << verb.verb << " --" << option.name;
      EXPECT_FALSE(option.help.empty()) << verb.verb << " --" << option.name;
      EXPECT_NE(option.help.back(), '.') << option.help;
      const bool of_algorithm = std::ranges::any_of(Names<Algorithm>::table, [&](const auto& one) {
        return option.help.starts_with(std::string(one.code) + ": ");
      });
      EXPECT_TRUE(of_algorithm || std::isupper(static_cast<unsigned char>(option.help.front()))) << option.help;
      first += option.used_first;
    }
    EXPECT_LE(first, 10u) << verb.verb;
    EXPECT_GE(first, 3u) << verb.verb;
  }
}

// The text of every default is read back to the same value: what a file stores can make the same request again.
TEST(Options, TextsAreReadBackToTheSame) {
  const auto check = []<class R>(R request) {
    R other;
    OptionList from = options_of(request), to = options_of(other);
    for (const Option& option : from.all()) {
      const auto text = option.text();
      if (!text || text->empty()) continue;
      to.fill(option.name, *text, option.name);
      EXPECT_EQ(to.find(option.name)->text(), text) << option.name;
    }
  };
  check(TrainRequest{});
  check(RolloutRequest{});
  check(EvaluateRequest{});
  check(EmbedRequest{});
  check(CompressRequest{});
  check(CertifyRequest{});
  check(ExportRequest{});
}

TEST(Options, SettingsAreWhatDiffersFromTheDefaults) {
  EmbedRequest request;
  EXPECT_TRUE(settings_of(request).empty());
  request.k = 40;
  request.lattice.state_bins = std::vector<std::size_t>{3, 4};
  request.teacher.settings = {{"temperature", "7", "a program"}};
  request.out = "p.mercer";
  request.seed = 3;
  const std::map<std::string, std::string> expected{{"k", "40"}, {"state-bins", "3,4"}, {"temperature", "7"}};
  EXPECT_EQ(settings_of(request), expected) << "neither where it is written nor the seed, which has its own place";
}

TEST(Options, OfTheOtherRouteAreRefused) {
  EmbedRequest request;
  OptionList options = options_of(request);
  options.fill("degree", "5", "--degree");  // the default, and still of no meaning
  expect_error(ErrorCode::bad_value, "--degree belongs to the continuous route",
               [&] { refuse_other_route(options, Route::lattice); });
  refuse_other_route(options, Route::continuous);
}

}  // namespace
}  // namespace mercer
