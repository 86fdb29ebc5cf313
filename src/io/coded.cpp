#include "io/coded.hpp"

#include <cerrno>
#include <filesystem>
#include <new>
#include <stdexcept>
#include <system_error>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace mercer {

std::optional<Error> coded_error(const std::exception& trouble) {
  if (const auto* error = dynamic_cast<const Error*>(&trouble)) return *error;
  const auto* system = dynamic_cast<const std::system_error*>(&trouble);  // a thread that could not start, above all
  const bool short_of = system != nullptr && (system->code() == std::errc::resource_unavailable_try_again ||
                                              system->code() == std::errc::not_enough_memory);
  if (short_of || dynamic_cast<const std::bad_alloc*>(&trouble) != nullptr ||
      dynamic_cast<const std::length_error*>(&trouble) != nullptr) {
    return Error(ErrorCode::too_large, no_memory, no_memory_remedy);
  }
  if (const auto* refused = dynamic_cast<const std::filesystem::filesystem_error*>(&trouble)) {
    const int number = refused->code().value();
    const bool writing = number == ENOSPC || number == EROFS || number == EDQUOT || number == EFBIG;
    return Error(writing ? ErrorCode::cannot_write : ErrorCode::cannot_open,
                 fmt::format("cannot use '{}': {}", refused->path1().string(), refused->code().message()),
                 "Check the name, and that you may read and write there");
  }
  if (dynamic_cast<const nlohmann::json::exception*>(&trouble) != nullptr) {
    return Error(ErrorCode::bad_format,
                 fmt::format("a file holds a value that is not as it should be: {}", trouble.what()),
                 "Give the file as it was written, and text that is UTF-8");
  }
  return std::nullopt;
}

}  // namespace mercer
