#pragma once

#include <fstream>

#include "mercer/env.hpp"
#include "support/errors.hpp"
#include "support/golden.hpp"
#include "support/temporary.hpp"

namespace mercer {

/// A Markov decision process to change and read: 4 states, 2 actions, gamma 0.5.
class MdpFile : public testing::Test {
 protected:
  nlohmann::json document = golden_mdp(read_golden("theory/mdp_106_n4_m2.json"));

  TabularMdp read(const std::string& text) {
    std::ofstream(folder / "mdp.json") << text;
    return read_mdp(folder / "mdp.json");
  }
  TabularMdp read() { return read(document.dump()); }
  void refused(ErrorCode code, const std::string& part) {
    expect_error(code, part, [&] { read(); });
  }
  void refused_text(ErrorCode code, const std::string& part, const std::string& text) {
    expect_error(code, part, [&] { read(text); });
  }

  TemporaryFolder folder;
};

}  // namespace mercer
