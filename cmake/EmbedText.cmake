# Writes OUTPUT, a C++ file that holds the text of FILES: what `built_in_files` of env/mujoco/built_in.hpp gives.
set(entries "")
foreach(file ${FILES})
  get_filename_component(name "${file}" NAME)
  file(READ "${file}" text)
  string(APPEND entries "      {\"${name}\", R\"_(${text})_\"},\n")
endforeach()
file(WRITE "${OUTPUT}" "#include \"env/mujoco/built_in.hpp\"

namespace mercer {

std::span<const BuiltInFile> built_in_files() {
  static constexpr BuiltInFile files[] = {
${entries}  };
  return files;
}

}  // namespace mercer
")
