#include "run/digest.hpp"

#include <cmath>
#include <cstdint>

#include <dlfcn.h>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "mercer/error.hpp"

namespace mercer {
namespace {

// 2.0 and 2 are the same setting.
nlohmann::json plain_numbers(nlohmann::json document) {
  if (document.is_structured()) {
    for (auto& value : document) value = plain_numbers(std::move(value));
  } else if (document.is_number_float()) {
    const double value = document.get<double>();
    if (!std::isfinite(value)) {
      throw Error(ErrorCode::not_finite, "a configuration holds a number that is not finite", "Give a finite number");
    }
    if (value == std::floor(value) && std::abs(value) < 0x1p53) return static_cast<std::int64_t>(value);
  }
  return document;
}

}  // namespace

std::string canonical_json(std::string_view text) {
  try {
    return plain_numbers(nlohmann::json::parse(text)).dump();
  } catch (const nlohmann::json::exception& trouble) {
    throw Error(ErrorCode::bad_format, fmt::format("a configuration is not JSON: {}", trouble.what()),
                "Write one JSON document");
  }
}

std::string code_digest(const void* address) {
  Dl_info info{};
  // A program names itself as it was called, which need not lead there from here.
  const bool found = ::dladdr(address, &info) != 0 && info.dli_fname != nullptr;
  const std::filesystem::path file = found ? info.dli_fname : "";
  return sha256_file(found && std::filesystem::exists(file) && file.has_parent_path() ? file : "/proc/self/exe");
}

std::string library_digest() { return code_digest(reinterpret_cast<const void*>(&library_digest)); }

}  // namespace mercer
