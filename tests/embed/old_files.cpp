// Embeddings of the first release (tests/data/embeddings), each with the table that it decoded to then.
#include <cmath>
#include <cstring>

#include <gtest/gtest.h>

#include "mercer/file.hpp"
#include "support/files.hpp"

namespace mercer {
namespace {

class OldFiles : public testing::TestWithParam<const char*> {};

TEST_P(OldFiles, decode_to_the_same_table) {
  const std::string path = std::string(MERCER_TEST_DATA) + "/embeddings/" + GetParam() + ".mercer";
  const EmbeddingFile file = read_embedding(path);
  const std::string bytes = read_bytes(path + ".f64");
  std::vector<double> expected(bytes.size() / sizeof(double));
  std::memcpy(expected.data(), bytes.data(), bytes.size());
  const std::vector<double>& found = file.embedding.lattice().table().pi;
  ASSERT_EQ(found.size(), expected.size());
  for (std::size_t i = 0; i < found.size(); ++i) EXPECT_NEAR(found[i], expected[i], 1e-12) << i;
  EXPECT_TRUE(file.embedding.lattice().policy().own_edges().empty());
  EXPECT_EQ(file.embedding.lattice().whole_energy(), 0) << "they did not say it";
  EXPECT_EQ(file.origin.teacher_sha256, "");
}

INSTANTIATE_TEST_SUITE_P(Files, OldFiles,
                         testing::Values("fourier_mean_action", "svd_lexicographic", "db4_snake", "dct_tour_discrete"));

}  // namespace
}  // namespace mercer
