#include "request.hpp"

#include <algorithm>
#include <cctype>
#include <map>
#include <regex>

#include "mercer/error.hpp"

namespace py = pybind11;

std::string option_text_of(const py::handle& value, const std::string& name) {
  if (py::isinstance<py::str>(value)) return value.cast<std::string>();
  if (py::isinstance<py::bool_>(value)) return value.cast<bool>() ? "true" : "false";
  if (py::hasattr(value, "__index__")) return py::str(py::int_(py::reinterpret_borrow<py::object>(value)));
  if (py::hasattr(value, "__float__")) return py::repr(py::float_(py::reinterpret_borrow<py::object>(value)));
  if (py::hasattr(value, "__fspath__")) return py::module_::import("os").attr("fspath")(value).cast<std::string>();
  if (py::isinstance<py::sequence>(value) || py::hasattr(value, "__iter__")) {
    std::string all;
    for (const py::handle item : value) all += (all.empty() ? "" : ",") + option_text_of(item, name);
    return all;
  }
  throw mercer::Error(
      mercer::ErrorCode::bad_value,
      "argument " + name + " is " + py::repr(value).cast<std::string>() + ", which is not an option value",
      "Give a number, a text, True or False, or a list of those");
}

std::string keyword_of(std::string option) {
  std::ranges::replace(option, '-', '_');
  return option;
}

std::string with_keywords(const std::string& text) {
  static const auto declared = [] {
    std::map<std::string, mercer::Option> by_name;
    for (const mercer::VerbOptions& verb : mercer::all_options()) {
      for (const mercer::Option& option : verb.options) {  // a name may have other choices in another verb
        auto& choices = by_name.try_emplace(option.name, option).first->second.choices;
        choices.insert(choices.end(), option.choices.begin(), option.choices.end());
      }
    }
    return by_name;
  }();
  static const std::regex flags("'mercer [^']*'|--([a-z][a-z0-9-]*)(?: ([a-z_]+|[0-9]+[.][0-9]+|[0-9]+))?");
  std::string out;
  auto rest = text.begin();
  for (std::sregex_iterator match(text.begin(), text.end(), flags), end; match != end; ++match) {
    const auto found = declared.find((*match)[1]);
    if (found == declared.end()) continue;
    const auto& [name, option] = *found;
    const std::string word = (*match)[2];
    const bool choice = std::ranges::find(option.choices, word) != option.choices.end();
    const bool number = !word.empty() && std::isdigit(static_cast<unsigned char>(word[0])) != 0;
    out.append(rest, text.begin() + match->position());
    out += keyword_of(name);
    if (option.value.empty()) out += "=True";
    if (choice) out += "=\"" + word + "\"";
    if (number) out += "=" + word;
    rest = choice || number ? (*match)[0].second : (*match)[1].second;
  }
  return out.append(rest, text.end());
}

void fill_options(mercer::OptionList& options, const py::dict& given, const char* owner) {
  for (const auto& [key, value] : given) {
    const auto python = key.cast<std::string>();
    if (value.is_none()) continue;
    std::string name = python;
    std::ranges::replace(name, '_', '-');
    const mercer::Option* option = options.find(name);
    if (option == nullptr) {
      std::vector<std::string> known;
      for (const mercer::Option& one : options.all()) known.push_back(one.name);
      const std::string function(owner);
      mercer::throw_unknown_option(
          {function, name, "argument of " + function, python, keyword_of, "help(mercer." + function + ")"}, known);
    }
    // Where the request does not name the file, the policy is an object that was read with its settings.
    if (option->group == mercer::OptionGroup::network && options.find("file") == nullptr) {
      throw mercer::Error(mercer::ErrorCode::bad_value,
                          "argument " + python + " of " + owner + " is a setting of a network's file",
                          "Read the policy by load_policy(file, env, " + python + "=...)");
    }
    options.fill(name, option_text_of(value, python), "argument " + python);
  }
}

mercer::PolicyRequest request_of(const PolicyHandle& policy) {
  mercer::PolicyRequest request = policy.request;
  request.object = policy.policy;
  return request;
}
