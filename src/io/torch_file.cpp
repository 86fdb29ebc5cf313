#include "io/torch_file.hpp"

#include <algorithm>
#include <cstring>

#include <fmt/format.h>

#include "io/file.hpp"
#include "io/half.hpp"
#include "io/limits.hpp"
#include "io/pickle.hpp"
#include "mercer/error.hpp"

namespace mercer {
namespace {

using Kind = Pickle::Kind;

constexpr std::size_t most_axes = limits::torch_axes;
constexpr std::size_t deepest = limits::torch_dictionaries;
constexpr std::size_t deepest_modules = limits::torch_depth;
constexpr std::size_t longest_byte_order = limits::torch_byte_order;
constexpr std::string_view script_prefix = "__torch__.";

constexpr std::string_view known_names[] = {
    "collections.OrderedDict",
    "torch._utils._rebuild_tensor_v2",
    "torch._utils._rebuild_tensor",
    "torch._utils._rebuild_parameter",
    "torch.FloatStorage",
    "torch.DoubleStorage",
    "torch.HalfStorage",
    "torch.BFloat16Storage",
    "torch.LongStorage",
    "torch.IntStorage",
    "torch.ShortStorage",
    "torch.CharStorage",
    "torch.ByteStorage",
    "torch.BoolStorage",
    "torch.Size",
    "torch.device",
    "numpy.core.multiarray.scalar",
    "numpy._core.multiarray.scalar",
    "numpy.dtype",
    "_codecs.encode",
    "numpy.core.multiarray._reconstruct",
    "numpy._core.multiarray._reconstruct",
    "numpy.ndarray",
    "torch.jit._pickle.*",
    "__torch__.*",  // classes of TorchScript, whose code is text in the archive
};

template <class T>
double convert(const std::byte* from) {
  T value;
  std::memcpy(&value, from, sizeof(T));
  return static_cast<double>(value);
}

double convert_half(const std::byte* from) {
  std::uint16_t bits = 0;
  std::memcpy(&bits, from, 2);
  return half_to_double(bits);
}

double convert_bfloat(const std::byte* from) {
  std::uint16_t bits = 0;
  std::memcpy(&bits, from, 2);
  return bfloat_to_double(bits);
}

struct StorageType {
  std::string_view name;
  std::size_t size;
  double (*convert)(const std::byte*);
};
constexpr StorageType storage_types[] = {
    {"torch.FloatStorage", 4, convert<float>},        {"torch.DoubleStorage", 8, convert<double>},
    {"torch.HalfStorage", 2, convert_half},           {"torch.BFloat16Storage", 2, convert_bfloat},
    {"torch.LongStorage", 8, convert<std::int64_t>},  {"torch.IntStorage", 4, convert<std::int32_t>},
    {"torch.ShortStorage", 2, convert<std::int16_t>}, {"torch.CharStorage", 1, convert<std::int8_t>},
    {"torch.ByteStorage", 1, convert<std::uint8_t>},  {"torch.BoolStorage", 1, convert<std::uint8_t>},
};

[[noreturn]] void refuse(const std::string& where, const std::string& why) {
  throw Error(ErrorCode::bad_format, fmt::format("'{}': {}", where, why),
              "Save a state_dict with torch.save, or the agent with its own save");
}

std::vector<std::size_t> sizes_of(const Pickle& pickle, const Pickle::Value* tuple, const std::string& where) {
  if (tuple == nullptr || tuple->kind != Kind::tuple || tuple->items.size() > most_axes) {
    throw_corrupt(where, "has a tensor without a shape");
  }
  std::vector<std::size_t> sizes;
  for (const Pickle::Place place : tuple->items) {
    const Pickle::Value& size = pickle.at(place);
    if (size.kind != Kind::integer || size.integer < 0) throw_corrupt(where, "has a tensor with a size below 0");
    sizes.push_back(static_cast<std::size_t>(size.integer));
  }
  return sizes;
}

bool is_module(const Pickle::Value& value) {
  return value.kind == Kind::object && value.text.starts_with(script_prefix);
}

std::string key_of(const Pickle& pickle, const Pickle::Value& storage, const std::string& where) {
  const Pickle::Value* key = storage.kind == Kind::persistent ? pickle.argument(storage, 2) : nullptr;
  if (key == nullptr || key->kind != Kind::text) throw_corrupt(where, "has a tensor without a storage");
  return std::string(key->text);
}

}  // namespace

TorchFile::TorchFile(std::span<const std::byte> bytes, const std::string& where) : where_(where) {
  const bool zip = bytes.size() > 1 && bytes[0] == std::byte{'P'} && bytes[1] == std::byte{'K'};
  if (zip) {
    read_zip_layout(bytes);
  } else {
    read_legacy_layout(bytes);
  }
}

// One folder of any name with data.pkl, data/KEY for each storage and, from torch 2.1 on, byteorder.
void TorchFile::read_zip_layout(std::span<const std::byte> bytes) {
  std::map<std::string, ZipEntry> entries;
  std::string folder;
  for (const ZipEntry& entry : list_zip(bytes, where_)) {
    if (!entries.emplace(entry.name, entry).second) {
      throw_corrupt(where_, fmt::format("holds '{}' twice", entry.name));
    }
    if (entry.name.ends_with("/data.pkl") && entry.name.find('/') == entry.name.size() - 9) {
      folder = entry.name.substr(0, entry.name.size() - 8);
    }
  }
  if (folder.empty()) refuse(where_, "a zip file without data.pkl: no file of torch.save");
  if (const auto order = entries.find(folder + "byteorder"); order != entries.end()) {
    const ZipBytes text = unpack(order->second, where_, longest_byte_order);
    if (!text.bytes.empty() && text.bytes[0] == std::byte{'b'}) refuse(where_, "it was saved on a big-endian machine");
  }
  for (const auto& [name, entry] : entries) {
    const std::string code = folder + "code/";
    if (name.starts_with(code) && name.ends_with(".py")) sources_.emplace(name.substr(code.size()), entry);
  }
  const ZipEntry& description = entries.at(folder + "data.pkl");
  const ZipBytes content = unpack(description, where_, limits::pickle_bytes);
  const Pickle pickle = parse_pickle(content.bytes, where_, known_names);
  add_storages(pickle);
  for (auto& [key, storage] : storages_) {
    const auto found = entries.find(fmt::format("{}data/{}", folder, key));
    if (found == entries.end()) throw_corrupt(where_, "has lost the numbers of a tensor");
    storage.entry = found->second;
    if (storage.entry.size / storage_types[storage.type].size != storage.size) {
      throw_corrupt(where_, "has another number of elements than it announces");
    }
  }
  add_root(pickle);
}

// A magic number, the protocol, facts about the machine, the object and the keys of its storages, each a pickle; then
// for each key the number of elements and the elements.
void TorchFile::read_legacy_layout(std::span<const std::byte> bytes) {
  constexpr std::string_view magic = "\x8a\x0a\x6c\xfc\x9c\x46\xf9\x20\x6a\xa8\x50\x19.";
  const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  if (text.substr(0, 1) != "\x80" || text.substr(std::min<std::size_t>(2, text.size())).substr(0, 13) != magic) {
    refuse(where_, bytes.empty() ? "the file is empty" : "it does not begin like a file of torch.save");
  }
  std::span<const std::byte> rest = bytes.subspan(15);
  const auto next = [&] {
    Pickle pickle = parse_pickle(rest, where_, known_names);
    rest = rest.subspan(pickle.size());
    return pickle;
  };
  const Pickle protocol = next();
  if (protocol.root().integer != 1001) refuse(where_, "its layout is not number 1001 of torch");
  const Pickle machine = next();
  const Pickle::Value* little = machine.find(machine.root(), "little_endian");
  if (little == nullptr || little->integer != 1) refuse(where_, "it was saved on a big-endian machine");
  const Pickle object = next();
  const Pickle keys = next();
  add_storages(object);
  std::size_t found = 0;
  for (const Pickle::Place place : keys.root().items) {
    const auto storage = storages_.find(keys.at(place).text);
    if (storage == storages_.end()) throw_corrupt(where_, "has numbers of no tensor");
    std::uint64_t size = 0;
    if (rest.size() < 8) throw_corrupt(where_, "ends before its numbers");
    std::memcpy(&size, rest.data(), 8);
    rest = rest.subspan(8);
    const std::size_t each = storage_types[storage->second.type].size;
    if (size != storage->second.size || size > rest.size() / each) throw_corrupt(where_, "ends before its numbers");
    if (storage->second.entry.packed.data() != nullptr) throw_corrupt(where_, "has the numbers of a tensor twice");
    storage->second.entry.packed = rest.first(size * each);
    rest = rest.subspan(size * each);
    ++found;
  }
  if (found != storages_.size()) throw_corrupt(where_, "has lost the numbers of a tensor");
  add_root(object);
}

// ('storage', torch.FloatStorage, key, device, elements[, view])
void TorchFile::add_storages(const Pickle& pickle) {
  for (const Pickle::Value& value : pickle.values()) {
    if (value.kind != Kind::persistent) continue;
    const Pickle::Value *type = pickle.argument(value, 1), *size = pickle.argument(value, 4);
    if (type == nullptr || size == nullptr || size->kind != Kind::integer || size->integer < 0) {
      throw_corrupt(where_, "has a storage without type or size");
    }
    if (const Pickle::Value* view = pickle.argument(value, 5); view != nullptr && view->kind != Kind::none) {
      refuse(where_, "a storage that is part of another, as torch before 0.4 wrote them");
    }
    const auto* const known = std::ranges::find(storage_types, type->text, &StorageType::name);
    if (known == std::end(storage_types)) refuse(where_, fmt::format("a storage of type {}", type->text));
    const Storage storage{static_cast<std::size_t>(known - storage_types), static_cast<std::size_t>(size->integer)};
    const auto [place, fresh] = storages_.emplace(key_of(pickle, value, where_), storage);
    if (!fresh && (place->second.type != storage.type || place->second.size != storage.size)) {
      throw_corrupt(where_, "has two storages under one key");
    }
  }
}

// A dictionary, or several of them: torch.save((actor.state_dict(), critic.state_dict()), path).
void TorchFile::add_root(const Pickle& pickle) {
  const Pickle::Value& root = pickle.root();
  if (is_module(root)) return add_module(pickle, "", root, 1);
  if (root.kind != Kind::tuple && root.kind != Kind::list) return add_tensors(pickle, "", root, 1);
  for (std::size_t i = 0; i < root.items.size(); ++i) {
    add_tensors(pickle, fmt::format("{}.", i), pickle.at(root.items[i]), 2);
  }
}

void TorchFile::add_tensors(const Pickle& pickle, const std::string& prefix, const Pickle::Value& dict,
                            std::size_t depth) {
  if (dict.kind != Kind::dict && dict.kind != Kind::object) refuse(where_, "it holds no dictionary of tensors");
  for (std::size_t i = 0; i + 1 < dict.items.size(); i += 2) {
    const Pickle::Value &key = pickle.at(dict.items[i]), &value = pickle.at(dict.items[i + 1]);
    if (++visited_ > limits::torch_entries) refuse(where_, fmt::format("more than {} entries", limits::torch_entries));
    if (key.kind != Kind::text || key.text.size() > limits::torch_name) continue;
    const std::string name = prefix + std::string(key.text);
    const bool nested = value.kind == Kind::dict || (value.kind == Kind::object && !value.items.empty());
    if (nested && depth < deepest) add_tensors(pickle, name + ".", value, depth + 1);
    if (!nested) add_tensor(pickle, name, value);
  }
}

// An object of a class of TorchScript: its state holds parameters, numbers and other modules by name.
void TorchFile::add_module(const Pickle& pickle, const std::string& path, const Pickle::Value& module,
                           std::size_t depth) {
  if (depth > deepest_modules) refuse(where_, fmt::format("more than {} modules inside each other", deepest_modules));
  if (module.state == Pickle::nowhere || pickle.at(module.state).kind != Kind::dict) {
    refuse(where_, fmt::format("a module of class {} without plain attributes", printable(module.text)));
  }
  classes_.insert_or_assign(path, std::string(module.text));
  const Pickle::Value& state = pickle.at(module.state);
  for (std::size_t i = 0; i + 1 < state.items.size(); i += 2) {
    const Pickle::Value &key = pickle.at(state.items[i]), &value = pickle.at(state.items[i + 1]);
    if (++visited_ > limits::torch_entries) refuse(where_, fmt::format("more than {} entries", limits::torch_entries));
    if (key.kind != Kind::text || key.text.size() > limits::torch_name) continue;
    const std::string name = path.empty() ? std::string(key.text) : fmt::format("{}.{}", path, key.text);
    if (is_module(value)) {
      add_module(pickle, name, value, depth + 1);
    } else if (value.kind == Kind::real) {
      attributes_.insert_or_assign(name, value.real);
    } else if (value.kind == Kind::integer || value.kind == Kind::boolean) {
      attributes_.insert_or_assign(name, static_cast<double>(value.integer));
    } else {
      add_tensor(pickle, name, value);
    }
  }
}

std::string TorchFile::source(std::string_view class_name) const {
  const std::size_t own = class_name.rfind('.');
  std::string file(class_name.substr(0, own == std::string_view::npos ? 0 : own));
  std::ranges::replace(file, '.', '/');
  const auto found = sources_.find(file + ".py");
  if (found == sources_.end()) refuse(where_, fmt::format("it has no code of {}", printable(class_name)));
  if (found->second.size > limits::torch_code) {
    refuse(where_, fmt::format("more than {} bytes of code", limits::torch_code));
  }
  const ZipBytes content = unpack(found->second, where_, limits::torch_code);
  return {reinterpret_cast<const char*>(content.bytes.data()), content.bytes.size()};
}

void TorchFile::add_tensor(const Pickle& pickle, const std::string& name, const Pickle::Value& made) {
  const bool parameter = made.text == "torch._utils._rebuild_parameter";
  const Pickle::Value* const value = parameter ? pickle.argument(made, 0) : &made;
  if (value == nullptr || value->kind != Kind::object || !value->text.starts_with("torch._utils._rebuild_tensor")) {
    return;
  }
  const Pickle::Value *storage = pickle.argument(*value, 0), *offset = pickle.argument(*value, 1);
  if (storage == nullptr || offset == nullptr || offset->kind != Kind::integer || offset->integer < 0) {
    throw_corrupt(where_, "has a tensor without a storage");
  }
  TorchTensor tensor{sizes_of(pickle, pickle.argument(*value, 2), where_), key_of(pickle, *storage, where_),
                     static_cast<std::size_t>(offset->integer), sizes_of(pickle, pickle.argument(*value, 3), where_)};
  if (std::ranges::find(tensor.shape, std::size_t{0}) != tensor.shape.end()) return;
  // Both the number of elements and the place of the last one must be inside the storage.
  const std::size_t held = storages_.at(tensor.storage).size;
  std::size_t count = 1, last = tensor.offset;
  bool inside = tensor.shape.size() == tensor.strides.size() && last < held;
  for (std::size_t d = 0; inside && d < tensor.shape.size(); ++d) {
    const std::size_t size = tensor.shape[d], stride = tensor.strides[d];
    inside = size <= held / count && (size == 1 || stride <= (held - 1 - last) / (size - 1));
    if (!inside) break;
    count *= size;
    last += (size - 1) * stride;
  }
  if (!inside) throw_corrupt(where_, fmt::format("has a tensor '{}' that reaches beyond its storage", name));
  tensors_.insert_or_assign(name, std::move(tensor));
}

std::size_t TorchFile::unpacked(const TorchTensor& tensor) const {
  const Storage& storage = storages_.find(tensor.storage)->second;
  return storage.entry.deflated ? storage.size : 0;
}

std::vector<double> TorchFile::numbers(const TorchTensor& tensor) const {
  const Storage& storage = storages_.find(tensor.storage)->second;
  const StorageType& type = storage_types[storage.type];
  const bool zip = !storage.entry.name.empty();
  const ZipBytes content =
      zip ? unpack(storage.entry, where_, limits::policy_weights * type.size) : ZipBytes{{}, storage.entry.packed};
  std::size_t count = 1;
  for (const std::size_t size : tensor.shape) count *= size;
  std::vector<double> out(count);
  std::vector<std::size_t> index(tensor.shape.size());
  std::size_t at = tensor.offset;
  for (double& number : out) {
    number = type.convert(content.bytes.data() + at * type.size);
    for (std::size_t d = index.size(); d-- > 0;) {
      at += tensor.strides[d];
      if (++index[d] < tensor.shape[d]) break;
      at -= tensor.shape[d] * tensor.strides[d];
      index[d] = 0;
    }
  }
  return out;
}

}  // namespace mercer
