#pragma once

#include <random>

#include <onnx/onnx_pb.h>

/// Changes one thing about a model: an operator, an attribute, who reads what, a size, a weight, the order of nodes.
void mutate_onnx(onnx::ModelProto& model, std::mt19937& random);
