#pragma once

#include <string>

#include "support/errors.hpp"
#include "support/onnx_model.hpp"

/// Expects that a network is refused with a text that contains `part`. Where the model names no output, it is 'y'.
inline void refused(OnnxModel model, const std::string& part, mercer::ErrorCode code = mercer::ErrorCode::bad_format) {
  if (model.proto.graph().output_size() == 0) model.output("y");
  expect_error(code, part, [&] { model.network(); });
}
