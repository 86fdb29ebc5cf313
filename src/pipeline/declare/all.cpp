#include "pipeline/options.hpp"

namespace mercer {

const std::vector<OptionHint>& option_hints() {
  static const std::vector<OptionHint> hints{
      {"train", "algorithm", {"algo"}},
      {"embed", "states", {"fit-states"}},
      {"embed", "teacher", {"policy"}},
      {"embed", "terms", {"k"}},
      {"compress", "basis", {"bases"}},
      {"compress", "episodes", {"candidate-episodes", "select-episodes", "certify-episodes"}},
      {"compress", "format", {"formats"}},
      {"compress", "k", {"most-terms"}},
      {"compress", "seconds", {"budget"}},
      {"compress", "teacher", {"policy"}},
      {"compress", "time", {"budget"}},
      {"certify", "levels", {"level"}},
      {"certify", "teacher", {"policy"}},
  };
  return hints;
}

std::vector<VerbOptions> all_options() {
  std::vector<VerbOptions> all;
  const auto add = [&]<class R>(const std::string& verb, R request) {
    all.push_back({verb, options_of(request).all()});
    for (Option& option : all.back().options) option.text = nullptr, option.parse = nullptr;  // the request is gone
  };
  add("train", TrainRequest{});
  add("rollout", RolloutRequest{});
  add("evaluate", EvaluateRequest{});
  add("embed", EmbedRequest{});
  add("compress", CompressRequest{});
  add("certify", CertifyRequest{});
  add("export", ExportRequest{});
  add("inspect", InspectRequest{});
  return all;
}

}  // namespace mercer
