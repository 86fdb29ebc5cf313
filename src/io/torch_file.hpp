#pragma once

#include <cstddef>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "io/pickle.hpp"
#include "io/zip.hpp"

namespace mercer {

/// A tensor in a file of torch.save: its shape, and where its numbers stand.
struct TorchTensor {
  std::vector<std::size_t> shape;
  std::string storage;               ///< the key of the storage
  std::size_t offset = 0;            ///< in elements
  std::vector<std::size_t> strides;  ///< in elements, one for each axis
};

/// The tensors in the bytes of a file that torch.save wrote, in the zip layout (torch 1.6 and later) or the one before
/// it: little-endian numbers of 16, 32 or 64 bits, bfloat16, integers and flags. Dictionaries inside dictionaries give
/// names with dots between; a tuple of dictionaries counts as one with the keys 0, 1, .... Nothing of the pickle is
/// executed; see `parse_pickle`. Of a TorchScript archive (torch.jit.save) also the classes and numbers of its modules
/// and the text of their code.
///
/// The bytes must outlive it. Throws `bad_format` for what holds anything else, `corrupt_file` for damage.
class TorchFile {
 public:
  TorchFile(std::span<const std::byte> bytes, const std::string& where);

  const std::map<std::string, TorchTensor, std::less<>>& tensors() const { return tensors_; }
  /// Whether it is a TorchScript archive: its root is a module.
  bool is_script() const { return classes_.contains(""); }
  /// Of TorchScript: the class of each module, by its path; "" is the root.
  const std::map<std::string, std::string, std::less<>>& classes() const { return classes_; }
  /// Of TorchScript: attributes that are numbers or flags, by path, such as "normalizer.eps".
  const std::map<std::string, double, std::less<>>& attributes() const { return attributes_; }
  /// The code of the file that defines a class of TorchScript, at most 256 KiB. Throws `bad_format` where there is
  /// none.
  std::string source(std::string_view class_name) const;
  /// Elements that are unpacked to read a tensor: those of its whole storage, where that is deflated (torch itself
  /// stores numbers as they are).
  std::size_t unpacked(const TorchTensor& tensor) const;
  /// The numbers of a tensor, row-major.
  std::vector<double> numbers(const TorchTensor& tensor) const;

 private:
  struct Storage {
    std::size_t type = 0;  ///< place in the table of types
    std::size_t size = 0;  ///< in elements
    ZipEntry entry{};
  };

  void read_zip_layout(std::span<const std::byte> bytes);
  void read_legacy_layout(std::span<const std::byte> bytes);
  void add_storages(const Pickle& pickle);
  void add_root(const Pickle& pickle);
  void add_tensors(const Pickle& pickle, const std::string& prefix, const Pickle::Value& dict, std::size_t depth);
  void add_module(const Pickle& pickle, const std::string& path, const Pickle::Value& module, std::size_t depth);
  void add_tensor(const Pickle& pickle, const std::string& name, const Pickle::Value& made);

  std::string where_;
  std::size_t visited_ = 0;
  std::map<std::string, Storage, std::less<>> storages_;
  std::map<std::string, TorchTensor, std::less<>> tensors_;
  std::map<std::string, std::string, std::less<>> classes_;
  std::map<std::string, double, std::less<>> attributes_;
  std::map<std::string, ZipEntry, std::less<>> sources_;  ///< by path below code/
};

}  // namespace mercer
