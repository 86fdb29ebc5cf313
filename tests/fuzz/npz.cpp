#include "io/npz.hpp"

#include <cstdint>
#include <span>
#include <sstream>
#include <string>
#include <vector>

#include "fuzz/memory_file.hpp"
#include "fuzz/mutate.hpp"
#include "fuzz/reached.hpp"
#include "io/zip.hpp"
#include "mercer/error.hpp"
#include "mercer/rollout.hpp"

// libFuzzer calls this with bytes of its own making. Whatever they are, reading them ends in arrays or in an Error; the
// sanitizers watch how. What was read is taken for rollouts.

namespace {

std::size_t rollouts = 0;

}  // namespace

extern "C" int LLVMFuzzerInitialize(int*, char***) {
  count_reached("fuzz_npz", "were arrays", [] { return ", of them rollouts " + std::to_string(rollouts); });
  return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const MemoryFile file({data, size});
  try {
    for (const auto& [name, array] : mercer::read_npz(file.path())) {
      if (array.type != mercer::Array::Type::text) array.as_doubles();
    }
    reached({data, size});
    // The reader of rollouts goes by the ending of the name.
    const std::filesystem::path link =
        std::filesystem::temp_directory_path() / ("fuzz" + std::to_string(::getpid()) + ".npz");
    std::filesystem::remove(link);
    std::filesystem::create_symlink(file.path(), link);
    mercer::read_rollouts(link);
    ++rollouts;
  } catch (const mercer::Error&) {
    return 0;
  }
  return 0;
}

// Members are changed apart and packed again: their checksums keep all else out.
extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size, std::size_t most, unsigned seed) {
  return fuzz_mutate(data, size, most, seed, [](const std::string& input, FuzzRandom& random) -> std::string {
    std::vector<std::pair<std::string, std::string>> members;
    try {
      mercer::read_zip(
          std::as_bytes(std::span(input)), "fuzz.npz", [&](const std::string& name, std::span<const std::byte> bytes) {
            members.emplace_back(name, std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size()));
          });
    } catch (const mercer::Error&) {
      return {};
    }
    if (members.empty()) return {};
    auto& [name, bytes] = one_of(members, random);
    switch (random() % 8) {
      case 0:
        name = mutated_bytes(name, 4);
        break;
      case 1:
        members.erase(members.begin() + static_cast<std::ptrdiff_t>(random() % members.size()));
        break;
      case 2:  // one array under another's name
        bytes = std::string(one_of(members, random).second);
        break;
      case 3:
        if (bytes.size() > 128) {  // the header alone
          const std::string head = mutated_bytes(bytes.substr(0, 128), 0);
          bytes.replace(0, 128, head + std::string(128 - head.size(), ' '));
        }
        break;
      case 4:  // a digit of the shape, or of the type
        if (const std::size_t digit = bytes.find_first_of("0123456789", 20 + random() % 60); digit < 128) {
          bytes[digit] = static_cast<char>('0' + random() % 10);
        }
        break;
      default:
        bytes = mutated_bytes(bytes);
    }
    std::vector<mercer::ZipMember> packed;
    for (const auto& [own, content] : members) packed.push_back({own, "", std::as_bytes(std::span(content))});
    std::ostringstream out;
    mercer::write_zip(out, packed);
    return out.str();
  });
}
