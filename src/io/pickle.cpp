#include "io/pickle.hpp"

#include <algorithm>
#include <bit>

#include <fmt/format.h>

#include "io/file.hpp"
#include "io/limits.hpp"
#include "mercer/error.hpp"

namespace mercer {
namespace {

constexpr std::size_t longest_name = limits::pickle_name;

bool is_known(std::string_view name, std::span<const std::string_view> known) {
  return std::ranges::any_of(known, [&](std::string_view one) {
    return one.ends_with('*') ? name.starts_with(one.substr(0, one.size() - 1)) : name == one;
  });
}

}  // namespace

using Kind = Pickle::Kind;
using Place = Pickle::Place;

/// The stack machine that pickles are programs of, with every operation that runs something left out.
struct PickleMachine {
  std::span<const std::byte> bytes;
  const std::string& where;
  std::span<const std::string_view> known;
  std::size_t at = 0;
  Pickle made{};
  std::vector<Place> stack{};
  std::vector<std::size_t> marks{};
  std::vector<Place> memo{};

  Pickle run() {
    for (auto code = number(1); code != '.'; code = number(1)) {
      if (at > limits::pickle_bytes) refuse("no end");
      step(static_cast<unsigned char>(code));
    }
    made.root_ = pop();
    made.size_ = at;
    return std::move(made);
  }
  void step(unsigned char code);

  void check_protocol(std::uint64_t protocol) const {
    if (protocol < 2 || protocol > 5) refuse(fmt::format("protocol {}; legal: 2 to 5,", protocol));
  }
  [[noreturn]] void damaged(std::string_view why) const {
    throw_corrupt(where, fmt::format("{} at byte {} of its pickle", why, at));
  }
  [[noreturn]] void refuse(const std::string& why) const {
    throw Error(ErrorCode::bad_format, fmt::format("'{}': {} at byte {} of its pickle", where, why, at),
                "Pickles are read as data and never executed; save plain weights or export the policy to ONNX "
                "(docs/guide/policies.md)");
  }

  std::span<const std::byte> take(std::uint64_t size) {
    if (size > bytes.size() - at) damaged("ends early");
    const auto taken = bytes.subspan(at, size);
    at += size;
    return taken;
  }
  std::string_view text(std::uint64_t size) {
    const auto taken = take(size);
    return {reinterpret_cast<const char*>(taken.data()), taken.size()};
  }
  std::uint64_t number(std::size_t size) {
    std::uint64_t value = 0;
    const auto taken = take(size);
    for (std::size_t i = size; i-- > 0;) value = value << 8 | static_cast<std::uint64_t>(taken[i]);
    return value;
  }
  std::string_view line() {
    const auto rest = bytes.subspan(at);
    const auto end = std::ranges::find(rest, std::byte{'\n'});
    if (end == rest.end()) damaged("ends early");
    const std::string_view found = text(static_cast<std::uint64_t>(end - rest.begin()));
    ++at;
    return found;
  }

  Place push(Pickle::Value value) {
    if (made.values_.size() >= limits::pickle_values) refuse(fmt::format("more than {} values", limits::pickle_values));
    const auto place = static_cast<Place>(made.values_.size());
    made.values_.push_back(std::move(value));
    push_place(place);
    return place;
  }
  void push_place(Place place) {
    if (stack.size() >= limits::pickle_values)
      refuse(fmt::format("more than {} values on its stack", limits::pickle_values));
    stack.push_back(place);
  }
  void push_text(Kind kind, std::uint64_t size) { push({.kind = kind, .text = text(size)}); }
  void push_integer(std::int64_t value) { push({.kind = Kind::integer, .integer = value}); }

  Pickle::Value& value(Place place) { return made.values_[place]; }
  // What lies below a mark belongs to the operations after it.
  std::size_t bottom() const { return marks.empty() ? 0 : marks.back(); }
  Place top() const {
    if (stack.size() <= bottom()) damaged("an empty stack");
    return stack.back();
  }
  Place pop() {
    const Place place = top();
    stack.pop_back();
    return place;
  }
  void mark() {
    if (marks.size() >= limits::depth) refuse(fmt::format("more than {} marks inside each other", limits::depth));
    marks.push_back(stack.size());
  }
  std::vector<Place> pop_to_mark() {
    if (marks.empty()) damaged("a missing mark");
    const auto from = stack.begin() + static_cast<std::ptrdiff_t>(marks.back());
    std::vector<Place> items(from, stack.end());
    stack.erase(from, stack.end());
    marks.pop_back();
    return items;
  }

  void remember(std::uint64_t place) {
    if (place >= limits::pickle_values)
      refuse(fmt::format("place {} of the memo; legal: below {}", place, limits::pickle_values));
    if (place >= memo.size()) memo.resize(place + 1, Pickle::nowhere);
    memo[place] = top();
  }
  void recall(std::uint64_t place) {
    if (place >= memo.size() || memo[place] == Pickle::nowhere) damaged("an empty place of the memo");
    push_place(memo[place]);
  }

  std::vector<Place> pop_items(std::size_t count) {
    std::vector<Place> items(count);
    for (std::size_t i = count; i-- > 0;) items[i] = pop();
    return items;
  }
  void tuple(std::size_t size) { push({.kind = Kind::tuple, .items = pop_items(size)}); }
  void extend(std::vector<Place> items, bool pairs) {
    Pickle::Value& target = value(top());
    const bool fits = pairs ? target.kind == Kind::dict || target.kind == Kind::object
                            : target.kind == Kind::list || target.kind == Kind::set || target.kind == Kind::object;
    if (!fits || (pairs && items.size() % 2 != 0)) damaged("items for what takes none");
    // Items of objects are pairs; what a class of lists holds is of no use here.
    if (!pairs && target.kind == Kind::object) return;
    target.items.insert(target.items.end(), items.begin(), items.end());
  }

  void name(std::string_view module, std::string_view own) {
    if (module.size() + own.size() >= longest_name) refuse("a class with a name of more than 256 letters");
    std::string full = fmt::format("{}.{}", module, own);
    if (!is_known(full, known)) refuse(fmt::format("it refers to '{}', which is no plain data,", printable(full)));
    if (made.names_.size() >= limits::pickle_names) refuse(fmt::format("more than {} classes", limits::pickle_names));
    made.names_.push_back(std::move(full));
    push({.kind = Kind::name, .text = made.names_.back()});
  }
  void stack_name() {
    const Place own = pop(), module = pop();
    if (value(own).kind != Kind::text || value(module).kind != Kind::text) damaged("a class without a name");
    name(value(module).text, value(own).text);
  }
  void global_name() {
    const std::string_view module = line();
    name(module, line());
  }
  void object(Place arguments) {
    const Place kind = pop();
    if (value(kind).kind != Kind::name) refuse("a call of what is no known class or function");
    if (value(arguments).kind != Kind::tuple) damaged("arguments that are no tuple");
    push({.kind = Kind::object, .arguments = arguments, .text = value(kind).text});
  }
  void build() {
    const Place state = pop();
    Pickle::Value& target = value(top());
    // Python gives attributes to dictionaries of torch, too (_metadata); they are of no use here.
    if (target.kind == Kind::object) target.state = state;
  }
  void long_integer(std::uint64_t size) {
    const auto digits = take(size);
    if (size > 8) return static_cast<void>(push({.kind = Kind::other}));
    std::uint64_t bits = 0;
    for (std::size_t i = 0; i < size; ++i) bits |= static_cast<std::uint64_t>(digits[i]) << (8 * i);
    if (size > 0 && size < 8 && (bits >> (8 * size - 1)) != 0) bits |= ~std::uint64_t{0} << (8 * size);
    push_integer(static_cast<std::int64_t>(bits));
  }
  double real() {
    std::uint64_t bits = 0;
    for (const std::byte byte : take(8)) bits = bits << 8 | static_cast<std::uint64_t>(byte);
    return std::bit_cast<double>(bits);
  }
};

namespace {

using Machine = PickleMachine;

struct Operation {
  unsigned char code;
  void (*run)(Machine&);
};

// The opcodes of Python's pickletools that such files use, by purpose; STOP is the machine's own.
constexpr Operation operations[] = {
    {0x80, [](Machine& m) { m.check_protocol(m.number(1)); }},                            // PROTO
    {0x95, [](Machine& m) { m.take(8); }},                                                // FRAME
    {'N', [](Machine& m) { m.push({}); }},                                                // NONE
    {0x88, [](Machine& m) { m.push({.kind = Kind::boolean, .integer = 1}); }},            // NEWTRUE
    {0x89, [](Machine& m) { m.push({.kind = Kind::boolean, .integer = 0}); }},            // NEWFALSE
    {'J', [](Machine& m) { m.push_integer(static_cast<std::int32_t>(m.number(4))); }},    // BININT
    {'K', [](Machine& m) { m.push_integer(static_cast<std::int64_t>(m.number(1))); }},    // BININT1
    {'M', [](Machine& m) { m.push_integer(static_cast<std::int64_t>(m.number(2))); }},    // BININT2
    {0x8a, [](Machine& m) { m.long_integer(m.number(1)); }},                              // LONG1
    {0x8b, [](Machine& m) { m.long_integer(m.number(4)); }},                              // LONG4
    {'G', [](Machine& m) { m.push({.kind = Kind::real, .real = m.real()}); }},            // BINFLOAT
    {0x8c, [](Machine& m) { m.push_text(Kind::text, m.number(1)); }},                     // SHORT_BINUNICODE
    {'X', [](Machine& m) { m.push_text(Kind::text, m.number(4)); }},                      // BINUNICODE
    {0x8d, [](Machine& m) { m.push_text(Kind::text, m.number(8)); }},                     // BINUNICODE8
    {'U', [](Machine& m) { m.push_text(Kind::text, m.number(1)); }},                      // SHORT_BINSTRING
    {'T', [](Machine& m) { m.push_text(Kind::text, m.number(4)); }},                      // BINSTRING
    {'C', [](Machine& m) { m.push_text(Kind::bytes, m.number(1)); }},                     // SHORT_BINBYTES
    {'B', [](Machine& m) { m.push_text(Kind::bytes, m.number(4)); }},                     // BINBYTES
    {0x8e, [](Machine& m) { m.push_text(Kind::bytes, m.number(8)); }},                    // BINBYTES8
    {0x96, [](Machine& m) { m.push_text(Kind::bytes, m.number(8)); }},                    // BYTEARRAY8
    {')', [](Machine& m) { m.push({.kind = Kind::tuple}); }},                             // EMPTY_TUPLE
    {']', [](Machine& m) { m.push({.kind = Kind::list}); }},                              // EMPTY_LIST
    {'}', [](Machine& m) { m.push({.kind = Kind::dict}); }},                              // EMPTY_DICT
    {0x8f, [](Machine& m) { m.push({.kind = Kind::set}); }},                              // EMPTY_SET
    {0x85, [](Machine& m) { m.tuple(1); }},                                               // TUPLE1
    {0x86, [](Machine& m) { m.tuple(2); }},                                               // TUPLE2
    {0x87, [](Machine& m) { m.tuple(3); }},                                               // TUPLE3
    {'t', [](Machine& m) { m.push({.kind = Kind::tuple, .items = m.pop_to_mark()}); }},   // TUPLE
    {'l', [](Machine& m) { m.push({.kind = Kind::list, .items = m.pop_to_mark()}); }},    // LIST
    {0x91, [](Machine& m) { m.push({.kind = Kind::set, .items = m.pop_to_mark()}); }},    // FROZENSET
    {'(', [](Machine& m) { m.mark(); }},                                                  // MARK
    {'0', [](Machine& m) { m.pop(); }},                                                   // POP
    {'1', [](Machine& m) { m.pop_to_mark(); }},                                           // POP_MARK
    {'a', [](Machine& m) { m.extend(m.pop_items(1), false); }},                           // APPEND
    {'e', [](Machine& m) { m.extend(m.pop_to_mark(), false); }},                          // APPENDS
    {0x90, [](Machine& m) { m.extend(m.pop_to_mark(), false); }},                         // ADDITEMS
    {'s', [](Machine& m) { m.extend(m.pop_items(2), true); }},                            // SETITEM
    {'u', [](Machine& m) { m.extend(m.pop_to_mark(), true); }},                           // SETITEMS
    {'q', [](Machine& m) { m.remember(m.number(1)); }},                                   // BINPUT
    {'r', [](Machine& m) { m.remember(m.number(4)); }},                                   // LONG_BINPUT
    {0x94, [](Machine& m) { m.remember(m.memo.size()); }},                                // MEMOIZE
    {'h', [](Machine& m) { m.recall(m.number(1)); }},                                     // BINGET
    {'j', [](Machine& m) { m.recall(m.number(4)); }},                                     // LONG_BINGET
    {'c', [](Machine& m) { m.global_name(); }},                                           // GLOBAL
    {0x93, [](Machine& m) { m.stack_name(); }},                                           // STACK_GLOBAL
    {'R', [](Machine& m) { m.object(m.pop()); }},                                         // REDUCE
    {0x81, [](Machine& m) { m.object(m.pop()); }},                                        // NEWOBJ
    {'b', [](Machine& m) { m.build(); }},                                                 // BUILD
    {'Q', [](Machine& m) { m.push({.kind = Kind::persistent, .arguments = m.pop()}); }},  // BINPERSID
};

}  // namespace

void PickleMachine::step(unsigned char code) {
  const auto found = std::ranges::find(operations, code, &Operation::code);
  if (found == std::end(operations)) refuse(fmt::format("opcode 0x{:02x}, which plain data does not need,", code));
  found->run(*this);
}

Pickle parse_pickle(std::span<const std::byte> bytes, const std::string& where,
                    std::span<const std::string_view> known) {
  return PickleMachine{bytes, where, known}.run();
}

const Pickle::Value* Pickle::find(const Value& dict, std::string_view key) const {
  if (dict.kind != Kind::dict && dict.kind != Kind::object) return nullptr;
  for (std::size_t i = dict.items.size(); i >= 2; i -= 2) {
    const Value& name = at(dict.items[i - 2]);
    if (name.kind == Kind::text && name.text == key) return &at(dict.items[i - 1]);
  }
  return nullptr;
}

const Pickle::Value* Pickle::attribute(const Value& object, std::string_view key) const {
  return object.kind == Kind::object && object.state != nowhere ? find(at(object.state), key) : nullptr;
}

const Pickle::Value* Pickle::argument(const Value& value, std::size_t index) const {
  const bool indirect = value.kind == Kind::object || value.kind == Kind::persistent;
  if (indirect && value.arguments == nowhere) return nullptr;
  const Value& tuple = indirect ? at(value.arguments) : value;
  if (tuple.kind != Kind::tuple && tuple.kind != Kind::list) return nullptr;
  return index < tuple.items.size() ? &at(tuple.items[index]) : nullptr;
}

}  // namespace mercer
