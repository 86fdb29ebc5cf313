#include "io/torch_file.hpp"

#include <gtest/gtest.h>

#include "support/agent_writer.hpp"
#include "support/errors.hpp"
#include "support/files.hpp"

namespace mercer {
namespace {

const TestTensors two_tensors{{"a.bias", {{3}, {0.5F, -1, 2}}}, {"a.weight", {{2, 3}, {1, 2, 3, 4, 5, 6}}}};

std::vector<double> numbers(const std::string& content, const std::string& name) {
  const TorchFile file(as_bytes(content), "p.pth");
  return file.numbers(file.tensors().at(name));
}

void expect_torch_refused(ErrorCode code, const std::string& part, const std::string& content) {
  expect_error(code, part, [&] { TorchFile(as_bytes(content), "p.pth"); });
}

TEST(TorchFile, both_layouts_hold_the_same) {
  for (const std::string& content : {torch_zip(two_tensors), torch_legacy(two_tensors)}) {
    EXPECT_EQ(numbers(content, "a.bias"), (std::vector<double>{0.5, -1, 2}));
    EXPECT_EQ(numbers(content, "a.weight"), (std::vector<double>{1, 2, 3, 4, 5, 6}));
    const TorchFile file(as_bytes(content), "p.pth");
    EXPECT_EQ(file.tensors().at("a.weight").shape, (std::vector<std::size_t>{2, 3}));
    EXPECT_EQ(file.tensors().size(), 2U);
  }
}

// One storage of these bytes under tensor "x".
std::string one_storage(const std::string& tensor, const std::string& bytes) {
  return zip_of(
      {{"m/data.pkl", pickle::start + pickle::dict({pickle::text("x"), tensor}) + pickle::stop}, {"m/data/0", bytes}});
}

TEST(TorchFile, every_type_of_number) {
  using pickle::tensor;
  EXPECT_EQ(numbers(one_storage(tensor("0", 2, {2}, "HalfStorage"), std::string("\x00\xc1\x01\x00", 4)), "x"),
            (std::vector<double>{-2.5, 0x1p-24}));
  EXPECT_EQ(numbers(one_storage(tensor("0", 1, {1}, "BFloat16Storage"), std::string("\x20\xc0", 2)), "x"),
            std::vector<double>{-2.5});
  EXPECT_EQ(numbers(one_storage(tensor("0", 1, {1}, "DoubleStorage"), std::string("\0\0\0\0\0\0\xe0\x3f", 8)), "x"),
            std::vector<double>{0.5});
  EXPECT_EQ(
      numbers(one_storage(tensor("0", 1, {}, "LongStorage"), std::string("\xff\xff\xff\xff\xff\xff\xff\xff", 8)), "x"),
      std::vector<double>{-1});
  EXPECT_EQ(numbers(one_storage(tensor("0", 2, {2}, "ByteStorage"), "\x01\xff"), "x"), (std::vector<double>{1, 255}));
}

TEST(TorchFile, strides_and_offsets_lead_through_the_storage) {
  using namespace pickle;
  const std::string storage =
      tuple({text("storage"), global("torch", "ByteStorage"), text("0"), text("cpu"), integer(7)}) + "Q";
  const std::string transposed =
      call(global("torch._utils", "_rebuild_tensor_v2"),
           {storage, integer(1), tuple({integer(3), integer(2)}), tuple({integer(1), integer(3)}), no,
            call(global("collections", "OrderedDict"), {})});
  const std::string parameter = call(global("torch._utils", "_rebuild_parameter"), {transposed, yes, none});
  EXPECT_EQ(numbers(one_storage(parameter, std::string("\0\1\2\3\4\5\6", 7)), "x"),
            (std::vector<double>{1, 4, 2, 5, 3, 6}));
}

TEST(TorchFile, dictionaries_inside_dictionaries_have_dotted_names) {
  using namespace pickle;
  const std::string inner = dict({text("w"), tensor("0", 1, {1}, "ByteStorage")});
  const std::string content =
      zip_of({{"m/data.pkl", start + dict({text("model"), inner, text("iteration"), integer(5)}) + stop},
              {"m/data/0", "\x07"}});
  EXPECT_EQ(numbers(content, "model.w"), std::vector<double>{7});
}

TEST(TorchFile, tensors_beyond_their_storage_are_refused) {
  using pickle::tensor;
  for (const std::string& bad : {tensor("0", 4, {5}, "ByteStorage"), tensor("0", 4, {1'000'000'000}, "ByteStorage"),
                                 tensor("0", 4, {2, 2}, "ByteStorage", 1), tensor("0", 4, {1}, "ByteStorage", 4),
                                 tensor("0", 4, {65536, 65536}, "ByteStorage"), tensor("0", 4, {-1}, "ByteStorage")}) {
    expect_torch_refused(ErrorCode::corrupt_file, "p.pth", one_storage(bad, "abcd"));
  }
  // Strides of zero would make 10^9 numbers of one.
  using namespace pickle;
  const std::string storage =
      tuple({text("storage"), global("torch", "ByteStorage"), text("0"), text("cpu"), integer(4)}) + "Q";
  expect_torch_refused(
      ErrorCode::corrupt_file, "reaches beyond",
      one_storage(call(global("torch._utils", "_rebuild_tensor_v2"),
                       {storage, integer(0), tuple({integer(1'000'000'000)}), tuple({integer(0)}), no, none}),
                  "abcd"));
  expect_torch_refused(ErrorCode::corrupt_file, "another number of elements",
                       one_storage(tensor("0", 1'000'000'000, {1}, "ByteStorage"), "abcd"));
  expect_torch_refused(ErrorCode::corrupt_file, "lost the numbers",
                       one_storage(tensor("../../etc/passwd", 4, {4}, "ByteStorage"), "abcd"));
}

TEST(TorchFile, other_files_are_refused) {
  using namespace pickle;
  expect_torch_refused(ErrorCode::bad_format, "the file is empty", "");
  expect_torch_refused(ErrorCode::bad_format, "does not begin like a file", "hello");
  expect_torch_refused(ErrorCode::bad_format, "without data.pkl", zip_of({{"x", "y"}}));
  expect_torch_refused(ErrorCode::bad_format, "no dictionary", zip_of({{"m/data.pkl", start + integer(5) + stop}}));
  expect_torch_refused(ErrorCode::bad_format, "'posix.system'",
                       zip_of({{"m/data.pkl", start + global("posix", "system") + stop}}));
  expect_torch_refused(ErrorCode::bad_format, "torch.FancyStorage",
                       one_storage(tensor("0", 4, {4}, "FancyStorage"), "abcd"));
  expect_torch_refused(ErrorCode::bad_format, "big-endian",
                       zip_of({{"m/data.pkl", tensor_dict({})}, {"m/byteorder", "big"}}));
  expect_torch_refused(ErrorCode::corrupt_file, "twice",
                       zip_of({{"m/data.pkl", tensor_dict({})}, {"m/data.pkl", "x"}}));
  // Each member has a budget of its own: a zip inside a zip could unpack this one to 64 GB.
  expect_torch_refused(ErrorCode::too_large, "'m/byteorder' has 17 bytes; legal: at most 16",
                       zip_of({{"m/data.pkl", tensor_dict({})}, {"m/byteorder", std::string(17, 'l')}}));
}

TEST(TorchFile, truncation_at_every_byte_is_noticed) {
  for (const std::string& whole : {torch_zip(two_tensors), torch_legacy(two_tensors)}) {
    for (std::size_t size = 0; size < whole.size(); ++size) {
      EXPECT_THROW(TorchFile(as_bytes(whole.substr(0, size)), "p.pth"), Error) << size;
    }
  }
}

}  // namespace
}  // namespace mercer
