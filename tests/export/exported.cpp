#include "export/exported.hpp"

#include <algorithm>
#include <cctype>
#include <cmath>

#include "export/continuous_cases.hpp"

namespace mercer::test {
namespace {

// States that the export itself never looked at.
std::vector<double> fresh_states(const FlatTerms& flat) {
  const std::vector<Range> ranges = ranges_of(flat);
  std::vector<double> all;
  for (std::size_t i = 0; i < tested_states; ++i) {
    std::vector<double> state = even_state(ranges, i + 1234567, 0.04);
    for (std::size_t d = 0; d < state.size(); ++d) {
      if (flat.axes[d].periodic) state[d] = std::clamp(state[d], ranges[d].low, ranges[d].high);
    }
    all.insert(all.end(), state.begin(), state.end());
  }
  return all;
}

std::string upper(std::string name) {
  for (char& c : name) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  return name;
}

}  // namespace

double macro(const CExport& made, const std::string& name, const std::string& what, std::size_t number) {
  const std::string whole = "#define " + upper(name) + "_" + what + "_" + std::to_string(number) + " ";
  const std::size_t at = made.header.find(whole);
  return at == std::string::npos ? 1 : std::stod(made.header.substr(at + whole.size()));
}

ContinuousController controller_of(const EmbeddingFile& file) {
  const ContinuousEmbedding& embedding = file.embedding.continuous();
  return {flatten(embedding.code()), embedding.code().head, embedding.code().squash,
          ControllerInterface{embedding.policy().contract(), {}}, &embedding};
}

Exported exported(const std::string& kind, const std::string& setting, std::vector<double> safe_action) {
  Exported made;
  made.name = kind + "_" + setting;
  made.fixed = setting == "fixed";
  made.file = std::make_shared<EmbeddingFile>(continuous_case(kind));
  const COptions options{.name = made.name,
                         .numbers = made.fixed ? CNumbers::fixed : CNumbers::floating,
                         .math = setting == "libm" ? CMath::libm : CMath::none,
                         .safe_action = std::move(safe_action)};
  made.code = export_c(*made.file, options);
  const ContinuousController controller = controller_of(*made.file);
  const std::size_t d = controller.flat.dimensions();
  for (std::size_t i = 0; i < d; ++i) made.obs_one.push_back(macro(made.code, made.name, "OBS_ONE", i));
  for (std::size_t a = 0; a < controller.outside.actions(); ++a)
    made.act_one.push_back(macro(made.code, made.name, "ACT_ONE", a));
  std::vector<double> given = fresh_states(controller.flat);
  for (std::size_t i = 0; i < given.size(); ++i) {
    made.obs.push_back(static_cast<float>(given[i]));
    made.whole.push_back(static_cast<std::int32_t>(std::lround(given[i] * made.obs_one[i % d])));
    if (!made.fixed) given[i] = made.obs.back();
  }
  made.model = model_answers(controller, given);
  return made;
}

std::vector<double> act_all(const Compiled& compiled, const Exported& one) {
  const std::size_t d = one.obs_one.size(), m = one.act_one.size();
  std::vector<double> actions(tested_states * m);
  if (one.fixed) {
    const auto act = compiled.function<void(const std::int32_t*, std::int32_t*)>(one.name + "_act");
    std::vector<std::int32_t> raw(m);
    for (std::size_t i = 0; i < actions.size(); ++i) {
      if (i % m == 0) act(one.whole.data() + i / m * d, raw.data());
      actions[i] = raw[i % m] / one.act_one[i % m];
    }
    return actions;
  }
  const auto act = compiled.function<void(const float*, float*)>(one.name + "_act");
  std::vector<float> raw(m);
  for (std::size_t i = 0; i < actions.size(); ++i) {
    if (i % m == 0) act(one.obs.data() + i / m * d, raw.data());
    actions[i] = raw[i % m];
  }
  return actions;
}

}  // namespace mercer::test
