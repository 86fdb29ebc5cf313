#include "mercer/policy.hpp"

#include <algorithm>

#include "pipeline/declare/parts.hpp"
#include "policy/naming.hpp"

namespace mercer::declare {
namespace {

// Settings of a policy that `wanted` chooses by their keys.
template <class Wanted>
void add_settings(OptionList& list, std::vector<PolicySetting>& into, const Wanted& wanted) {
  for (const PolicySettingKind& kind : known_policy_settings()) {
    // What describes outputs and tensors goes into FILE.toml, or FILE.onnx:mean=NAME.
    if (kind.value == "NAME" || kind.value == "LOW;HIGH" || !wanted(kind.key)) continue;
    const std::size_t bracket = kind.help.rfind(" [");
    list.add_text(
        {.name = kind.key,
         .value = kind.value,
         .help = kind.help.substr(0, bracket),
         .standard = bracket == std::string::npos ? "" : kind.help.substr(bracket + 2, kind.help.size() - bracket - 3)},
        into,
        [key = kind.key](std::vector<PolicySetting>& settings, const std::string& text, const std::string& source) {
          std::erase_if(settings, [&](const PolicySetting& one) { return one.key == key; });
          settings.push_back({key, text, source});
        },
        [key = kind.key](const std::vector<PolicySetting>& settings) -> std::optional<std::string> {
          for (const PolicySetting& one : settings) {
            if (one.key == key) return one.value;
          }
          return std::nullopt;
        });
  }
}

}  // namespace

void add_network(OptionList& list, PolicyRequest& policy) {
  add_settings(list.in(Group::network), policy.settings, [](const std::string&) { return true; });
}

void add_naming(OptionList& list, std::vector<PolicySetting>& settings) {
  add_settings(list.in(Group::output), settings,
               [](const std::string& key) { return std::ranges::find(naming_keys(), key) != naming_keys().end(); });
}

void add_policy(OptionList& list, PolicyRequest& policy, const std::string& help) {
  list.in(Group::policy)
      .add({.name = "policy",
            .value = "POLICY",
            .help = help,
            .choices = {"uniform", "tabular:"},
            .used_first = true,
            .shapes_result = false},
           policy.policy);
  add_network(list, policy);
}

}  // namespace mercer::declare
