#include "io/toml.hpp"

#include <algorithm>
#include <vector>

#include <fmt/format.h>

#include "io/limits.hpp"
#include "mercer/error.hpp"

namespace mercer {
namespace {

// Finds how deep the headers and the settings of a text go, each for itself. It runs before the parser, which follows
// dots to any depth and frees what it made by recursion. A number with a point counts as a key with a dot.
class DepthScanner {
 public:
  explicit DepthScanner(std::string_view text) : text_(text) {}

  // The line where the limit is passed; 0 where it is not.
  std::size_t first_line_beyond(std::size_t most) {
    while (at_ < text_.size()) {
      step(text_[at_++]);
      if (outer_ + dots_ > most) return line_;
    }
    return 0;
  }

 private:
  void step(char letter) {
    if (letter == '\n') ++line_;
    if (letter == '#') at_ = std::min(text_.find('\n', at_), text_.size());
    if (letter == '"' || letter == '\'') skip_string(letter);
    if (letter == '.') ++dots_;
    if (letter == ',' || (letter == '\n' && open_.empty())) dots_ = 0;
    if (letter == '[' || letter == '{') {
      open_.push_back(dots_ + 1);
      outer_ += open_.back();
      dots_ = 0;
    }
    if ((letter == ']' || letter == '}') && !open_.empty()) {
      outer_ -= open_.back();
      open_.pop_back();
      dots_ = 0;
    }
  }
  // A string without an end is the parser's business.
  void skip_string(char quote) {
    const std::string three(3, quote);
    const bool many = text_.substr(at_ - 1, 3) == three;
    if (many) at_ += 2;
    for (; at_ < text_.size(); ++at_) {
      if (text_[at_] == '\n') ++line_;
      if (text_[at_] == '\\' && quote == '"') {
        ++at_;
      } else if (many ? text_.substr(at_, 3) == three : text_[at_] == quote || text_[at_] == '\n') {
        break;
      }
    }
    at_ = std::min(at_ + (many ? 3 : 1), text_.size());
  }

  std::string_view text_;
  std::size_t at_ = 0, line_ = 1, dots_ = 0, outer_ = 0;
  std::vector<std::size_t> open_;
};

}  // namespace

toml::table parse_toml(std::string_view text, const std::string& file, const std::string& remedy) {
  if (const std::size_t line = DepthScanner(text).first_line_beyond(limits::depth); line > 0) {
    throw Error(ErrorCode::bad_format,
                fmt::format("'{}' line {}: tables deeper than {} levels", file, line, limits::depth), remedy);
  }
  try {
    return toml::parse(text);
  } catch (const toml::parse_error& mistake) {
    throw Error(ErrorCode::bad_format,
                fmt::format("'{}' line {}: {}", file, mistake.source().begin.line, mistake.description()), remedy);
  }
}

}  // namespace mercer
