#include "mercer/io/npz.hpp"

#include "io/npy.hpp"
#include "io/zip.hpp"
#include "mercer/io/file.hpp"

namespace mercer {

void write_npz(const std::filesystem::path& path, const Arrays& arrays) {
  std::vector<ZipMember> members;
  for (const auto& [name, array] : arrays) members.push_back({name + ".npy", npy_header(array), array.data});
  write_atomically(path, [&](std::ostream& out) { write_zip(out, members); });
}

Arrays read_npz(const std::filesystem::path& path) {
  const std::vector<std::byte> file = read_file(path);
  Arrays arrays;
  read_zip(file, path.string(), [&](const std::string& member, std::span<const std::byte> bytes) {
    const std::string name = member.ends_with(".npy") ? member.substr(0, member.size() - 4) : member;
    arrays[name] = parse_npy(bytes, path.string() + ":" + name);
  });
  return arrays;
}

}  // namespace mercer
