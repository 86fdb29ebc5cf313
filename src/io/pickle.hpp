#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/printable.hpp"

namespace mercer {

/// What a pickle of Python describes, as plain data. Classes and functions are names, calls are records of what would
/// be called with what; nothing is imported and nothing runs.
///
/// Values refer to each other by their places in one list. Shared values and cycles are therefore cheap, and nothing
/// recurses, however deep they nest.
class Pickle {
 public:
  using Place = std::uint32_t;
  static constexpr Place nowhere = 0xffffffff;

  enum class Kind : std::uint8_t {
    none,
    boolean,  ///< integer: 0 or 1
    integer,  ///< of at most 64 bits; wider ones are `other`
    real,
    text,   ///< text: UTF-8
    bytes,  ///< text: the bytes
    list,   ///< items, as of a tuple and a set
    tuple,
    set,
    dict,        ///< items: key, value, key, value, ...
    name,        ///< text: "module.class", of a class or function
    object,      ///< text: its class, or the function that would be called; arguments, state and items as of a dict
    persistent,  ///< arguments: what names data outside the pickle
    other,       ///< legal, and of no use here
  };

  struct Value {
    Kind kind = Kind::none;
    Place arguments = nowhere, state = nowhere;
    std::int64_t integer = 0;
    double real = 0;
    std::string_view text{};
    std::vector<Place> items{};
  };

  const Value& at(Place place) const { return values_[place]; }
  /// All values, in the order in which they were made.
  const std::deque<Value>& values() const { return values_; }
  const Value& root() const { return at(root_); }
  /// Bytes from the first opcode to the last: legacy torch files hold several pickles in a row.
  std::size_t size() const { return size_; }

  /// The value of a key of type text in a dict, or in the items of an object; nullptr where there is none. The last one
  /// counts, as in Python.
  const Value* find(const Value& dict, std::string_view key) const;
  /// An attribute: of the state, where that is a dict.
  const Value* attribute(const Value& object, std::string_view key) const;
  /// An argument of an object or a persistent value, or an item of a tuple or list; nullptr where there is none.
  const Value* argument(const Value& value, std::size_t index) const;

 private:
  friend struct PickleMachine;
  std::deque<Value> values_;
  std::deque<std::string> names_;
  Place root_ = 0;
  std::size_t size_ = 0;
};

/// Reads a pickle of protocol 2 to 5. `known` are the classes and functions that may occur, "module.name"; one that
/// ends in '*' stands for all that begin so. Text and bytes of the result are views into `bytes`, which must outlive
/// it.
///
/// Takes time and memory in proportion to the bytes, and at most the values, marks and places in the memo that `limits`
/// allow. Throws `bad_format` with the place for names that are not known, opcodes that are not needed and more values;
/// `corrupt_file` where the pickle ends early or its stack does not fit.
Pickle parse_pickle(std::span<const std::byte> bytes, const std::string& where,
                    std::span<const std::string_view> known);

}  // namespace mercer
