#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace mercer {

/// A token of TorchScript: a name, a number, a text in its quotes, or a sign. The end of a statement is "\n".
struct ScriptToken {
  enum class Kind { name, number, text, sign, end } kind;
  std::string_view text;
};

/// A method of a class, in its own words.
struct ScriptMethod {
  struct Parameter {
    std::string name;
    std::string standard;  ///< the text of its default; empty where it has none
  };
  std::vector<Parameter> parameters;  ///< without self
  std::vector<ScriptToken> body;      ///< views into the source
};

/// The text of a class in the code of a file; empty where it is not there.
std::string_view script_class(std::string_view source, std::string_view class_name);

/// A method of a class. Throws `bad_format` naming it where the class has none, or for signs that TorchScript does not
/// use; `where` names the file.
ScriptMethod script_method(std::string_view class_text, const std::string& method, const std::string& where);

/// The value of "NAME : Final[...] = VALUE" in a class; empty where it has no such constant.
std::string_view script_constant(std::string_view class_text, const std::string& name);

}  // namespace mercer
