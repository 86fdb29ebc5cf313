#include "io/coded.hpp"

#include <filesystem>
#include <new>
#include <stdexcept>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace mercer {
namespace {

// The code that an exception of a library's gets; 0 for none.
template <class Work>
int code_of(const Work& work) {
  try {
    work();
  } catch (const std::exception& trouble) {
    const auto error = coded_error(trouble);
    if (!error) return 0;
    EXPECT_FALSE(error->remedy().empty());
    return static_cast<int>(error->code());
  }
  return -1;
}

TEST(CodedError, of_every_exception_with_a_cause_outside) {
  const std::string longest(300, 'n');
  EXPECT_EQ(code_of([&] { static_cast<void>(std::filesystem::is_directory(longest)); }), 301);
  EXPECT_EQ(code_of([] {
              throw std::filesystem::filesystem_error("write", "a",
                                                      std::make_error_code(std::errc::no_space_on_device));
            }),
            302);
  EXPECT_EQ(code_of([] { throw std::bad_alloc(); }), 208);
  EXPECT_EQ(code_of([] { throw std::length_error("vector"); }), 208);
  EXPECT_EQ(code_of([] { static_cast<void>(nlohmann::json(1).get<std::string>()); }), 304);
  EXPECT_EQ(code_of([] { static_cast<void>(nlohmann::json("caf\xe9").dump()); }), 304);
  EXPECT_EQ(code_of([] { throw Error(ErrorCode::not_met, "a", "b"); }), 501);
  EXPECT_EQ(code_of([] { throw std::logic_error("a mistake of the program's own"); }), 0);
}

}  // namespace
}  // namespace mercer
