// Attacks on files: every byte, every value of the manifest, older formats, signatures. Nothing may be accepted
// silently.

#include <atomic>
#include <cmath>
#include <filesystem>
#include <functional>
#include <map>
#include <thread>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "embed/payload/certified.hpp"
#include "io/safetensors.hpp"
#include "io/sha256.hpp"
#include "mercer/file.hpp"
#include "mercer/policy.hpp"
#include "mercer/warning.hpp"
#include "support/errors.hpp"
#include "support/files.hpp"
#include "support/keys.hpp"
#include "support/temporary.hpp"

namespace mercer {
namespace {

using json = nlohmann::ordered_json;

struct Case {
  const char* name;
  const char* source;  ///< of version 0.1, in tests/data
  bool certified, is_signed;
};

class Digests : public testing::TestWithParam<Case> {
 protected:
  Digests() {
    write_bytes(folder_ / "key.pem", test_private_key);
    write_bytes(folder_ / "key.pub", test_public_key);
    EmbeddingFile old = read_embedding(std::string(MERCER_TEST_DATA) + GetParam().source);
    if (GetParam().certified && !old.certificate) old.certificate = some_certificate();
    if (!GetParam().certified) old.certificate.reset();
    if (GetParam().is_signed) key_ = read_signing_key(folder_ / "key.pem");
    write_embedding(path_, old.embedding, old.origin, old.certificate, key_);
    bytes_ = read_bytes(path_);
    file_ = read_safetensors(path_);
    manifest_ = json::parse(file_.metadata.at("mercer"));
  }

  static Certificate some_certificate() {
    Certificate made;
    made.rows.push_back(certificate_row("paired", Level::statistical, 2.5, 1.25, 100, {"episodes are independent"}));
    made.teacher_return = -150.5;
    made.loss_return = 1.25;
    made.loss_percent = 0.83;
    made.upper_return = 2.5;
    made.upper_percent = 1.66;
    made.budget_percent = 2;
    made.env = "pendulum";
    made.teacher = "actor.onnx";
    made.episodes = 10000;
    made.not_covered = {"another task"};
    return made;
  }

  // A valid safetensors file around another manifest, as another program would write it.
  void put(const json& manifest) {
    Safetensors other = file_;
    other.metadata["mercer"] = manifest.dump();
    write_safetensors(path_, other);
  }

  std::string refusal() {
    try {
      read_embedding(path_);
      return "";
    } catch (const Error& error) {
      EXPECT_TRUE(error.exit_code() == 2 || error.exit_code() == 3) << error.what();
      return error.what();
    }
  }

  void expect_refused(const std::string& part, const std::string& what) {
    const std::string said = refusal();
    EXPECT_NE(said.find(part), std::string::npos) << what << ": " << (said.empty() ? "accepted" : said);
  }

  TemporaryFolder folder_;
  std::filesystem::path path_ = folder_ / "p.mercer";
  std::optional<SigningKey> key_;
  std::string bytes_;
  Safetensors file_;
  json manifest_;
};

TEST_P(Digests, are_checked_when_a_file_is_read) {
  const EmbeddingFile file = read_embedding(path_);
  EXPECT_TRUE(file.verified);
  EXPECT_EQ(file.certificate.has_value(), GetParam().certified);
  EXPECT_EQ(file.signature.has_value(), GetParam().is_signed);
  EXPECT_EQ(verification_text(file), "digests match");
}

TEST_P(Digests, refuse_a_flip_of_any_byte) {
  for (std::size_t i = 0; i < bytes_.size(); ++i) {
    for (const int flip : {0xFF, 0x01, 0x20}) {  // the last turns letters into capitals
      std::string bad = bytes_;
      bad[i] = static_cast<char>(bad[i] ^ flip);
      write_bytes(path_, bad);
      ASSERT_NE(refusal(), "") << "byte " << i << " of " << bytes_.size() << ", flipped by " << flip;
    }
  }
}

TEST_P(Digests, refuse_a_file_that_is_cut_or_longer) {
  for (std::size_t size = 0; size < bytes_.size(); ++size) {
    write_bytes(path_, bytes_.substr(0, size));
    ASSERT_NE(refusal(), "") << size;
  }
  write_bytes(path_, bytes_ + '\0');
  EXPECT_NE(refusal(), "");
}

// What a reader must name when the value at this place of the manifest is another.
std::string part_of(const json::json_pointer& place) {
  const std::string text = place.to_string();
  const std::string first = text.substr(1, text.find('/', 1) - 1);
  if (first == "digests") return place.back();
  if (first == "contract" || first == "certificate" || first == "signature") return first;
  for (const char* key : {"env", "teacher", "teacher_sha256", "seed", "settings", "folder"}) {
    if (first == key) return "provenance";
  }
  if (first == "kind") return "not an embedding";
  return first == "format" ? "format" : "manifest";
}

json changed(const json& value) {
  if (value.is_boolean()) return !value.get<bool>();
  if (value.is_number_float()) return std::nextafter(value.get<double>(), HUGE_VAL);  // the least change there is
  if (value.is_number()) return value.get<std::int64_t>() + 1;
  if (value.is_string()) return value.get<std::string>() + "0";
  return 0;
}

TEST_P(Digests, refuse_every_other_value_and_name_its_part) {
  std::size_t numbers = 0, others = 0;
  const json flat = manifest_.flatten();
  for (const auto& [place, value] : flat.items()) {
    const json::json_pointer at(place);
    json bad = manifest_;
    bad[at] = changed(value);
    put(bad);
    expect_refused(part_of(at), place);
    (value.is_number() ? numbers : others) += 1;
    bad[at] = nullptr;
    if (value.is_null()) continue;
    put(bad);
    expect_refused(part_of(at), place + " is null");
  }
  EXPECT_GT(numbers, 15U);
  EXPECT_GT(others, 15U);
}

TEST_P(Digests, refuse_keys_that_are_new_or_gone_or_elsewhere) {
  const std::function<void(const json::json_pointer&)> attack = [&](const json::json_pointer& at) {
    const json& object = manifest_[at];
    json bad = manifest_;
    bad[at]["unheard"] = 1;
    put(bad);
    EXPECT_NE(refusal(), "") << "new key in " << at.to_string();
    for (const auto& [key, value] : object.items()) {
      bad = manifest_;
      bad[at].erase(key);
      put(bad);
      const bool unsign = at.empty() && key == "signature";  // an unsigned file is a whole file
      EXPECT_EQ(refusal().empty(), unsign) << "without " << (at / key).to_string();
      bad[at][key] = value;  // now the last one
      put(bad);
      const bool was_last = object.back() == value && (--object.end()).key() == key;
      EXPECT_EQ(refusal().empty(), was_last) << "order of " << (at / key).to_string();
      if (value.is_object()) attack(at / key);
    }
  };
  attack(json::json_pointer());
}

TEST_P(Digests, refuse_what_stands_around_the_manifest) {
  Safetensors other = file_;
  other.metadata["more"] = "text";
  write_safetensors(path_, other);
  expect_refused("header", "other metadata");
  other = file_;
  other.tensors["more"] = {Array::Type::u8, {1}, std::vector<std::byte>(1)};
  write_safetensors(path_, other);
  expect_refused("header", "another tensor");
  other = file_;
  other.tensors["payload"].shape = {1, other.tensors["payload"].data.size()};
  write_safetensors(path_, other);
  expect_refused("header", "another shape");
  other = file_;
  other.metadata["mercer"] = manifest_.dump(1);
  write_safetensors(path_, other);
  expect_refused("manifest", "spaces");
  std::string twice = file_.metadata["mercer"];
  other.metadata["mercer"] = twice.insert(1, "\"k\":3,");
  write_safetensors(path_, other);
  expect_refused("twice", "a key that stands twice");
}

TEST_P(Digests, refuse_another_payload_with_its_own_checksum) {
  file_.tensors["payload"].data.back() ^= std::byte{1};
  put(manifest_);
  expect_refused("payload", "a changed payload");
  json bad = manifest_;
  bad["digests"]["payload"] = sha256(file_.tensors["payload"].data);
  put(bad);
  expect_refused("manifest", "a changed payload with its digest");
}

// A deep value would end recursive code.
TEST_P(Digests, refuse_deep_manifests) {
  Safetensors other = file_;
  std::string deep = file_.metadata["mercer"];
  const std::string nested = std::string(100000, '[') + std::string(100000, ']');
  other.metadata["mercer"] = deep.insert(1, "\"deep\":" + nested + ",");
  write_safetensors(path_, other);
  expect_refused("deeper than", "a deep manifest");
}

// The format that has no digests cannot be told from one whose digests were removed: neither is verified.
TEST_P(Digests, are_not_replaced_by_an_older_format) {
  json bad = manifest_;
  bad["format"] = 1;
  put(bad);
  expect_refused("format 1 has none", "digests in format 1");
  bad = manifest_;
  bad.erase("digests");
  put(bad);
  expect_refused("no digests", "format 2 without digests");
  bad["format"] = 1;
  bad.erase("signature");
  put(bad);
  std::vector<std::string> warnings;
  set_warning_sink([&](const std::string& sentence) { warnings.push_back(sentence); });
  const EmbeddingFile file = read_embedding(path_);
  set_warning_sink({});
  EXPECT_FALSE(file.verified);
  EXPECT_FALSE(file.signature);
  ASSERT_EQ(warnings.size(), 1U);
  EXPECT_NE(warnings[0].find("cannot be verified"), std::string::npos);
  EXPECT_NE(verification_text(file).find("cannot be verified"), std::string::npos);
  if (!file.certificate) return;
  EXPECT_NE(file.certificate->not_covered.back().find("version 0.1"), std::string::npos);
  // Written again, its certificate still says where it comes from.
  write_embedding(path_, file.embedding, file.origin, file.certificate);
  EXPECT_TRUE(read_embedding(path_).verified);
  EXPECT_EQ(read_embedding(path_).certificate->not_covered, file.certificate->not_covered);
}

TEST_P(Digests, are_checked_before_a_certificate_is_added) {
  json bad = manifest_;
  bad["contract"]["dt"] = 0.5;
  put(bad);
  const std::string before = read_bytes(path_);
  expect_error(ErrorCode::corrupt_file, "contract", [&] { add_certificate(path_, some_certificate()); });
  EXPECT_EQ(read_bytes(path_), before);
}

// A file that took its place while it was certified is another policy.
TEST_P(Digests, tell_which_file_a_certificate_is_about) {
  const std::string certified = sha256_file(path_);
  EmbeddingFile other = read_embedding(path_);
  other.origin.seed += 1;
  write_embedding(path_, other.embedding, other.origin, other.certificate, key_);
  const std::string before = read_bytes(path_);
  expect_error(ErrorCode::cannot_write, "changed while it was certified",
               [&] { add_certificate_to(path_, certified, some_certificate(), key_); });
  EXPECT_EQ(read_bytes(path_), before);
  add_certificate_to(path_, sha256_file(path_), some_certificate(), key_);
  EXPECT_EQ(certificate_json(*read_embedding(path_).certificate), certificate_json(some_certificate()));
}

// What is certified and what is remembered of it are the same bytes, however fast files are exchanged meanwhile.
TEST_P(Digests, are_of_what_was_read) {
  const std::string first = read_bytes(path_);
  EmbeddingFile other = read_embedding(path_);
  other.origin.seed += 1;
  write_embedding(path_, other.embedding, other.origin, other.certificate, key_);
  const std::string second = read_bytes(path_);
  const std::map<std::string, std::uint64_t> seeds{{sha256(first), other.origin.seed - 1},
                                                   {sha256(second), other.origin.seed}};
  std::atomic<bool> done = false;
  std::thread swapper([&] {
    for (bool odd = false; !done; odd = !odd) {
      write_bytes(path_.string() + ".new", odd ? first : second);
      std::filesystem::rename(path_.string() + ".new", path_);
    }
  });
  for (int i = 0; i < 200; ++i) {
    const CertifiedFile read = read_to_certify(path_);
    EXPECT_EQ(read.file.origin.seed, seeds.at(read.sha256));
  }
  done = true;
  swapper.join();
}

TEST_P(Digests, are_new_with_a_new_certificate) {
  std::vector<std::string> warnings;
  set_warning_sink([&](const std::string& sentence) { warnings.push_back(sentence); });
  add_certificate(path_, some_certificate());
  EXPECT_EQ(warnings.size(), GetParam().is_signed ? 1U : 0U);
  const EmbeddingFile file = read_embedding(path_);
  EXPECT_TRUE(file.verified);
  EXPECT_FALSE(file.signature);
  EXPECT_EQ(certificate_json(*file.certificate), certificate_json(some_certificate()));
  const std::string added = read_bytes(path_);
  write_embedding(path_, file.embedding, file.origin, file.certificate);
  EXPECT_EQ(read_bytes(path_), added) << "a certificate that was there from the start";
  // Files of version 0.1 become files of this one.
  const std::filesystem::path old = folder_ / "old.mercer";
  std::filesystem::copy_file(std::string(MERCER_TEST_DATA) + GetParam().source, old);
  add_certificate(old, some_certificate());
  EXPECT_TRUE(read_embedding(old).verified);
  set_warning_sink({});
}

TEST_P(Digests, and_a_signature_bind_a_file_to_a_key) {
  const SigningKey key = read_signing_key(folder_ / "key.pem");
  write_bytes(folder_ / "other.pub", other_public_key);
  add_certificate(path_, some_certificate(), key);
  const EmbeddingFile file = read_embedding(path_);
  ASSERT_TRUE(file.signature);
  EXPECT_EQ(file.signature->algorithm, "ed25519");
  require_signature(file, path_, folder_ / "key.pub");
  expect_error(ErrorCode::bad_format, "another key", [&] { require_signature(file, path_, folder_ / "other.pub"); });
  expect_error(ErrorCode::bad_format, "private key", [&] { require_signature(file, path_, folder_ / "key.pem"); });

  // An attacker who mends every digest cannot mend the signature.
  json bad = json::parse(read_safetensors(path_).metadata.at("mercer"));
  const json signature = bad["signature"];
  bad.erase("signature");
  bad["certificate"]["upper_percent"] = 0.001;
  bad["digests"]["certificate"] = sha256(bad["certificate"].dump());
  bad["digests"].erase("manifest");
  bad["digests"]["manifest"] = sha256(bad.dump());
  put(bad);
  EXPECT_TRUE(read_embedding(path_).verified) << "digests alone do not say who wrote a file";
  expect_error(ErrorCode::bad_format, "is not signed",
               [&] { require_signature(read_embedding(path_), path_, folder_ / "key.pub"); });
  bad["signature"] = signature;
  put(bad);
  expect_refused("signature", "another file's signature");
}

INSTANTIATE_TEST_SUITE_P(Files, Digests,
                         testing::Values(Case{"lattice", "/embeddings/dct_tour_discrete.mercer", true, false},
                                         Case{"continuous", "/export/pendulum_5000.mercer", true, false},
                                         Case{"uncertified", "/embeddings/db4_snake.mercer", false, false},
                                         Case{"signed", "/export/pendulum_5000.mercer", true, true}),
                         [](const auto& one) { return std::string(one.param.name); });

}  // namespace
}  // namespace mercer
