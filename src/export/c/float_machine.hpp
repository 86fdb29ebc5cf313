#pragma once

#include "export/common/head.hpp"

namespace mercer {

/// What the exported float code computes, in the same order and precision: for measuring how far it is from the model.
/// `out` receives the outputs of the terms; `action` what `NAME_act` gives.
void float_outputs(const ContinuousController& controller, CMath math, std::span<const float> obs,
                   std::span<float> out);
void float_act(const ContinuousController& controller, CMath math, std::span<const float> obs, std::span<float> action);

/// Its sin(2 pi t) and exp(x).
float float_sine(float t);
float float_exponential(CMath math, float x);

}  // namespace mercer
