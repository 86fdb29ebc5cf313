#include "env/mujoco/robot.hpp"

#include <algorithm>
#include <map>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "io/toml.hpp"
#include "mercer/error.hpp"

namespace mercer {

void bad_robot(const std::string& file, std::size_t line, const std::string& what, const std::string& remedy) {
  throw Error(ErrorCode::bad_format, fmt::format("'{}' line {}: {}", file, line, what), remedy);
}

void unknown_in_robot(const std::string& file, std::size_t line, const std::string& kind, const std::string& name,
                      const std::vector<std::string>& known) {
  const std::string nearest = nearest_name(name, known);
  std::string remedy = fmt::format("Known: {}", fmt::join(known, ", "));
  if (!nearest.empty()) remedy = fmt::format("Did you mean '{}'?", nearest);
  if (known.empty()) remedy = fmt::format("There is no {} with a name", kind);
  throw Error(ErrorCode::unknown_name, fmt::format("'{}' line {}: no {} is called '{}'", file, line, kind, name),
              remedy);
}

namespace {

// A table whose keys are read one by one; what nobody read is unknown.
class Section {
 public:
  Section(const toml::table& table, const std::string& file, std::string name, std::size_t line)
      : table_(table), file_(file), name_(std::move(name)), line_(line) {}

  const std::string& file() const { return file_; }
  std::size_t line() const { return line_; }
  std::size_t line(const std::string& key) const { return table_.contains(key) ? line_of(*table_.get(key)) : line_; }
  bool has(const std::string& key) const { return table_.contains(key); }

  double number(const std::string& key, double standard, double low, double high) {
    const toml::node* const node = find(key);
    return node == nullptr ? standard : number_of(key, *node, low, high);
  }

  std::size_t integer(const std::string& key, std::size_t standard, std::size_t low, std::size_t high) {
    const double value =
        number(key, static_cast<double>(standard), static_cast<double>(low), static_cast<double>(high));
    if (value != std::floor(value)) bad(key, fmt::format("{} is {}, which is not an integer", key, value));
    return static_cast<std::size_t>(value);
  }

  std::optional<bool> flag(const std::string& key) {
    const toml::node* const node = find(key);
    if (node == nullptr) return std::nullopt;
    if (!node->is_boolean()) bad(key, fmt::format("{} must be true or false", key));
    return node->as_boolean()->get();
  }

  std::optional<std::string> text(const std::string& key) {
    const toml::node* const node = find(key);
    if (node == nullptr) return std::nullopt;
    return text_of(key, *node);
  }

  // A text, or an array of texts.
  std::vector<std::string> texts(const std::string& key) {
    const toml::node* const node = find(key);
    if (node == nullptr) return {};
    if (!node->is_array()) return {text_of(key, *node)};
    std::vector<std::string> all;
    for (const toml::node& one : *node->as_array()) all.push_back(text_of(key, one));
    if (all.empty()) bad(key, fmt::format("{} is an empty array", key));
    return all;
  }

  std::optional<Range> range(const std::string& key) {
    const toml::node* const node = find(key);
    if (node == nullptr) return std::nullopt;
    const toml::array* const pair = node->as_array();
    if (pair == nullptr || pair->size() != 2) bad(key, fmt::format("{} must be an array of two numbers", key));
    const Range range{number_of(key, *pair->get(0), -HUGE_VAL, HUGE_VAL),
                      number_of(key, *pair->get(1), -HUGE_VAL, HUGE_VAL)};
    if (range.low >= range.high) bad(key, fmt::format("{} goes from {} to {}", key, range.low, range.high));
    return range;
  }

  template <Named E>
  E choice(const std::string& key, const std::string& text) {
    const std::optional<E> found = find_name<E>(text);
    if (!found) unknown_in_robot(file_, line(key), std::string(Names<E>::kind), text, names<E>());
    return *found;
  }

  // body(section) for each [[key]].
  template <class Body>
  void for_each_table(const std::string& key, Body body) {
    const toml::node* const node = find(key);
    if (node == nullptr) return;
    if (!node->is_array()) bad(key, fmt::format("write [[{0}]], once for each {0}", key));
    for (const toml::node& one : *node->as_array()) {
      if (!one.is_table()) bad(key, fmt::format("write [[{0}]], once for each {0}", key));
      body(Section(*one.as_table(), file_, "[[" + key + "]]", line_of(one)));
    }
  }

  // A table [key], or an empty one.
  Section table(const std::string& key) {
    static const toml::table empty;
    const toml::node* const node = find(key);
    if (node != nullptr && !node->is_table()) bad(key, fmt::format("{} must be a table", key));
    return {node == nullptr ? empty : *node->as_table(), file_, "[" + key + "]", line(key)};
  }

  std::vector<std::string> keys() const {
    std::vector<std::string> all;
    for (const auto& [key, node] : table_) all.emplace_back(key.str());
    return all;
  }

  void check_all_read() const {
    for (const auto& [key, node] : table_) {
      const std::string text(key.str());
      if (!read_.contains(text)) {
        unknown_in_robot(file_, line_of(node), "key of " + name_, text, {read_.begin(), read_.end()});
      }
    }
  }

  [[noreturn]] void bad(const std::string& key, const std::string& what) const { bad_robot(file_, line(key), what); }

 private:
  static std::size_t line_of(const toml::node& node) { return node.source().begin.line; }

  const toml::node* find(const std::string& key) {
    read_.insert(key);
    return table_.get(key);
  }

  double number_of(const std::string& key, const toml::node& node, double low, double high) const {
    const std::optional<double> value = node.is_number() ? node.value<double>() : std::nullopt;
    if (!value) bad(key, fmt::format("{} must be a number", key));
    if (!(*value >= low && *value <= high)) {
      throw Error(ErrorCode::out_of_range,
                  fmt::format("'{}' line {}: {} is {}; legal: {} to {}", file_, line(key), key, *value, low, high),
                  "Correct it");
    }
    return *value;
  }

  std::string text_of(const std::string& key, const toml::node& node) const {
    if (!node.is_string()) bad(key, fmt::format("{} must be a text in quotes", key));
    return node.as_string()->get();
  }

  const toml::table& table_;
  const std::string& file_;
  std::string name_;
  std::size_t line_;
  std::set<std::string> read_;
};

constexpr double most = 1e9;  // of weights, targets and limits on ends: finite, and far from overflow

Quantity read_quantity(Section& item) {
  Quantity quantity;
  quantity.line = item.line();
  std::string chosen;
  for (const std::string& source : names<Source>()) {
    if (!item.has(source)) continue;
    if (!chosen.empty()) item.bad(source, fmt::format("both {} and {} are given", chosen, source));
    chosen = source;
  }
  if (chosen.empty()) {
    // A misspelt key is the likely reason.
    for (const std::string& key : item.keys()) {
      const std::vector<std::string> sources = names<Source>();
      if (!nearest_name(key, sources).empty()) unknown_in_robot(item.file(), item.line(key), "quantity", key, sources);
    }
    bad_robot(item.file(), item.line(), fmt::format("no quantity; give one of {}", fmt::join(names<Source>(), ", ")));
  }
  quantity.line = item.line(chosen);
  quantity.source = *find_name<Source>(chosen);
  if (quantity.source == Source::constant) {
    quantity.constant = item.number(chosen, 0, -most, most);
    return quantity;
  }
  quantity.names = item.texts(chosen);
  if (quantity.names == std::vector<std::string>{"all"}) quantity.names.clear();
  quantity.axes = item.texts("axis");
  quantity.origin = item.text("from").value_or("");
  quantity.target = item.number("target", 0, -most, most);
  if (const auto function = item.text("apply")) quantity.apply = item.choice<Apply>("apply", *function);
  quantity.limits = item.range("limits").value_or(quantity.limits);
  return quantity;
}

StartNoise read_noise(Section& start, const std::string& key) {
  Section noise = start.table(key);
  const bool normal = noise.has("normal");
  if (normal && noise.has("uniform")) noise.bad("normal", "both uniform and normal are given");
  const StartNoise out{normal, noise.number(normal ? "normal" : "uniform", 0, 0, most)};
  noise.number(normal ? "uniform" : "normal", 0, 0, most);  // known, and not given
  noise.check_all_read();
  return out;
}

void read_start(Section start, Robot& robot) {
  robot.position_noise = read_noise(start, "position");
  robot.velocity_noise = read_noise(start, "velocity");
  Section pose = start.table("pose");
  for (const std::string& joint : pose.keys()) {
    robot.pose.push_back({joint, pose.number(joint, 0, -most, most), pose.line(joint)});
  }
  start.for_each_table("disc", [&](Section disc) {
    const std::vector<std::string> joints = disc.texts("joints");
    if (joints.size() != 2) disc.bad("joints", "joints must be an array of two joints");
    robot.discs.push_back({joints[0], joints[1], disc.number("radius", 0, 0, most), disc.line("joints")});
    disc.check_all_read();
  });
  start.check_all_read();
}

}  // namespace

Robot read_robot(std::string_view text, const std::string& file, const ChooseSwitch& choose) {
  const toml::table document = parse_toml(text, file, robot_remedy);
  Robot robot;
  robot.file = file;
  Section top(document, file, "a robot", 1);
  robot.model = top.text("model").value_or("");
  robot.model_line = top.line("model");
  if (robot.model.empty()) bad_robot(file, robot.model_line, "no model", "Write model = \"robot.xml\"");
  robot.frame_skip = top.integer("frame_skip", robot.frame_skip, 1, 1000);
  robot.time_limit = static_cast<std::uint32_t>(top.integer("time_limit", robot.time_limit, 1, 1000000000));
  robot.gamma = top.number("gamma", robot.gamma, 0, 1);
  if (top.has("views")) robot.views.clear();
  for (const std::string& view : top.texts("views")) robot.views.push_back(top.choice<Viewpoint>("views", view));

  std::map<std::string, bool> switches;
  Section declared = top.table("switches");
  std::vector<std::string> known;
  for (const std::string& name : declared.keys()) {
    switches[name] = choose(name, *declared.flag(name));
    known.push_back(name);
  }
  // body(item) for each item that no switch leaves out.
  const auto for_each_item = [&](const std::string& key, const auto& body) {
    top.for_each_table(key, [&](Section item) {
      const std::optional<std::string> name = item.text("switch");
      if (name && !switches.contains(*name)) {
        unknown_in_robot(file, item.line("switch"), "switch", *name, known);
      }
      body(item, !name || switches.at(*name));
      item.check_all_read();
    });
  };
  for_each_item("observe", [&](Section& item, bool on) {
    ObservedItem one{read_quantity(item), item.texts("name"), item.text("unit")};
    if (on) robot.observed.push_back(std::move(one));
  });
  for_each_item("reward", [&](Section& item, bool on) {
    RewardTerm one{item.text("name").value_or(""), read_quantity(item), item.number("weight", 1, -most, most),
                   item.flag("rate").value_or(false), item.flag("before").value_or(false)};
    if (one.rate && one.before) item.bad("before", "a rate is about a whole step: leave out rate or before");
    if (on) robot.reward.push_back(std::move(one));
  });
  for_each_item("end", [&](Section& item, bool on) {
    EndRule one{read_quantity(item)};
    const std::vector<std::string> tests{"at_most", "below", "at_least", "above"};
    if (std::ranges::none_of(tests, [&](const std::string& test) { return item.has(test); })) {
      bad_robot(file, item.line(), fmt::format("an end needs one of {}", fmt::join(tests, ", ")));
    }
    one.at_most = item.number("at_most", one.at_most, -most, most);
    one.below = item.number("below", one.below, -most, most);
    one.at_least = item.number("at_least", one.at_least, -most, most);
    one.above = item.number("above", one.above, -most, most);
    if (on) robot.ends.push_back(std::move(one));
  });
  if (const auto ending = top.text("ending")) robot.ending = top.choice<Ending>("ending", *ending);
  if (robot.ends.empty()) robot.ending = Ending::plain;
  read_start(top.table("start"), robot);
  top.check_all_read();
  if (robot.observed.empty()) bad_robot(file, 1, "nothing is observed", "Add [[observe]]");
  return robot;
}

}  // namespace mercer
