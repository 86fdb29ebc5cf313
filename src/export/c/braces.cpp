#include <algorithm>

#include "export/c/c_text.hpp"

namespace mercer {
namespace {

// Behind the parenthesis that closes the first one; npos where the line does not close it.
std::size_t behind_condition(const std::string& line) {
  int depth = 0;
  for (std::size_t i = 0; i < line.size(); ++i) {
    depth += line[i] == '(' ? 1 : line[i] == ')' ? -1 : 0;
    if (line[i] == ')' && depth == 0) return i + 1;
  }
  return std::string::npos;
}

bool begins_block(const std::string& statement) {
  return statement.starts_with("if (") || statement.starts_with("for (") || statement.starts_with("while (");
}

class BraceWriter {
 public:
  explicit BraceWriter(const std::string& code) {
    for (std::size_t at = 0; at < code.size();) {
      const std::size_t end = std::min(code.find('\n', at), code.size());
      lines_.push_back(code.substr(at, end - at));
      at = end + 1;
    }
  }

  std::string write() {
    while (next_ < lines_.size()) {
      const std::string& line = lines_[next_++];
      const std::size_t indent = std::min(line.find_first_not_of(' '), line.size());
      add(indent, line.substr(indent));
    }
    return std::move(out_);
  }

 private:
  void put(std::size_t indent, const std::string& text) {
    out_ += (text.empty() ? "" : std::string(indent, ' ') + text) + "\n";
  }

  void add(std::size_t indent, const std::string& statement) {
    const std::size_t behind = begins_block(statement) ? behind_condition(statement) : std::string::npos;
    if (behind == std::string::npos || statement.ends_with("{")) return put(indent, statement);
    std::string body = statement.substr(behind);
    body.erase(0, std::min(body.find_first_not_of(' '), body.size()));
    if (body.empty() && next_ < lines_.size()) {
      body = lines_[next_++];
      body.erase(0, std::min(body.find_first_not_of(' '), body.size()));
    }
    put(indent, statement.substr(0, behind) + " {");
    add(indent + 2, body);
    put(indent, "}");
  }

  std::vector<std::string> lines_;
  std::size_t next_ = 0;
  std::string out_;
};

}  // namespace

std::string with_braces(const std::string& code) { return BraceWriter(code).write(); }

}  // namespace mercer
