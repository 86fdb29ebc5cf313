#include <gtest/gtest.h>

#include "pipeline/teacher.hpp"

namespace mercer {
namespace {

// What a text names is what stands in it, so that the rest stays when the file is looked for elsewhere.
TEST(NamedFile, is_part_of_the_text_of_a_task_or_policy) {
  const std::pair<std::string, std::string> cases[] = {{"actor.onnx", "actor.onnx"},
                                                       {"a/b.zip:temperature=0.2", "a/b.zip"},
                                                       {"tabular:x.json", "x.json"},
                                                       {"x.json", "x.json"},
                                                       {"mujoco:robots/arm.toml", "robots/arm.toml"},
                                                       {"mujoco:file=robots/arm.toml", "robots/arm.toml"},
                                                       {"mujoco:/home/arm.toml,gravity=5..9", "/home/arm.toml"},
                                                       {"runs.pt2/actor.pt", "runs.pt2/actor.pt"},
                                                       {"uniform", ""},
                                                       {"pendulum:m=2", ""},
                                                       {"mujoco", ""}};
  for (const auto& [text, file] : cases) EXPECT_EQ(named_file(text), file) << text;
}

}  // namespace
}  // namespace mercer
