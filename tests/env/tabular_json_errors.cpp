#include <gtest/gtest.h>

#include "support/mdp_file.hpp"

namespace mercer {
namespace {

using nlohmann::json;
using TabularJsonErrors = MdpFile;

TEST_F(TabularJsonErrors, refuses_wrong_shapes) {
  const json sound = document;
  const auto damaged = [&](const char* pointer, const json& value, const std::string& part) {
    document = sound;
    document[json::json_pointer(pointer)] = value;
    refused(ErrorCode::shape_mismatch, part);
  };
  damaged("/P", 3, "P is not a list of lists of rows");
  damaged("/P", json::array(), "P is not a list of lists of rows");
  damaged("/P/1", json::array(), "P[1] needs 2 rows");
  damaged("/P/1/0", {0.5, 0.5}, "P[1][0]: a list of 4 numbers is needed");
  damaged("/P/1/0/2", "x", "P[1][0]: \"x\" is not a number");
  damaged("/P/1/0/2", nullptr, "null is not a number");  // how many programs write NaN
  damaged("/r", json::array(), "r needs 4 rows");
  damaged("/r/0", {1, 2, 3}, "r[0]: a list of 2 numbers is needed");
  damaged("/mu", {1, 0, 0}, "mu: a list of 4 numbers is needed");
  refused_text(ErrorCode::shape_mismatch, "the document is not an object", "[1, 2]");
}

TEST_F(TabularJsonErrors, refuses_what_is_missing_unknown_or_out_of_range) {
  const json sound = document;
  for (const char* key : {"P", "r", "mu", "gamma"}) {
    document = sound;
    document.erase(key);
    refused(ErrorCode::bad_format, std::string("has no \"") + key + "\"");
  }
  const auto with = [&](const char* key, const json& value, ErrorCode code, const std::string& part) {
    document = sound;
    document[key] = value;
    refused(code, part);
  };
  with("gamma", "0.9", ErrorCode::bad_value, "\"gamma\" is \"0.9\", which is not a number");
  with("horizon", "9", ErrorCode::bad_value, "\"horizon\" is \"9\", which is not a number");
  with("gama", 0.9, ErrorCode::unknown_name, "Did you mean 'gamma'?");
  with("horizn", 9, ErrorCode::unknown_name, "Did you mean 'horizon'?");
  with("gamma", 1.01, ErrorCode::out_of_range, "gamma is 1.01");
  with("gamma", -0.1, ErrorCode::out_of_range, "gamma is -0.1");
  with("horizon", 0, ErrorCode::out_of_range, "horizon is 0");
  with("horizon", 2.5, ErrorCode::bad_value, "horizon is 2.5");
  with("terminal", {4}, ErrorCode::out_of_range, "a terminal state is 4; legal: 0 to 3");
  with("terminal", {0.5}, ErrorCode::bad_value, "a terminal state is 0.5");
  with("terminal", {-1}, ErrorCode::out_of_range, "a terminal state is -1");
}

TEST_F(TabularJsonErrors, refuses_what_is_not_json) {
  refused_text(ErrorCode::bad_format, "is not JSON: mistake at byte", document.dump().substr(0, 200));
  refused_text(ErrorCode::bad_format, "is not JSON", "");
  refused_text(ErrorCode::bad_format, "is not JSON", R"({"P": NaN})");
  expect_error(ErrorCode::cannot_open, "nowhere.json", [&] { read_mdp(folder / "nowhere.json"); });
}

}  // namespace
}  // namespace mercer
