#pragma once

#include <memory>

#include "export/common/head.hpp"
#include "export/compiled.hpp"

namespace mercer::test {

inline constexpr std::size_t tested_states = 10000;

/// One exported controller, and what it must answer.
struct Exported {
  std::string name;
  bool fixed = false;
  CExport code;
  std::shared_ptr<EmbeddingFile> file;
  std::vector<double> obs_one, act_one;  ///< what stands for one in fixed point; 1 for float
  std::vector<float> obs;                ///< states that the export itself never looked at, one after the other
  std::vector<std::int32_t> whole;       ///< the same in fixed point
  std::vector<double> model;             ///< `model_answers` for them
};

/// A kind of `continuous_kinds` with the setting "libm", "none" or "fixed".
Exported exported(const std::string& kind, const std::string& setting, std::vector<double> safe_action = {});

/// What NAME_OBS_ONE_0 and its like stand for; 1 where the header does not define it.
double macro(const CExport& made, const std::string& name, const std::string& what, std::size_t number);

ContinuousController controller_of(const EmbeddingFile& file);

/// What NAME_act gives for all of its states, one after the other, in the action's own units.
std::vector<double> act_all(const Compiled& compiled, const Exported& one);

}  // namespace mercer::test
