#pragma once

/// @file
/// Everything a program needs from Mercer. A whole program:
///
///     #include <mercer/mercer.hpp>
///
///     int main() {
///       mercer::CompressRequest request;
///       request.task.env = "pendulum";
///       request.teacher.policy = "actor.onnx";
///       request.out = "small.mercer";
///       mercer::compress(request);  // searches, certifies, writes the file
///     }
///
/// Include a single header to compile faster; each says what it needs.

#include "mercer/basis.hpp"
#include "mercer/certificate.hpp"
#include "mercer/certify.hpp"
#include "mercer/chip.hpp"
#include "mercer/compress.hpp"
#include "mercer/critics.hpp"
#include "mercer/embed.hpp"
#include "mercer/embedding.hpp"
#include "mercer/env.hpp"
#include "mercer/error.hpp"
#include "mercer/export.hpp"
#include "mercer/file.hpp"
#include "mercer/functions.hpp"
#include "mercer/kit.hpp"
#include "mercer/lattice.hpp"
#include "mercer/matrix_view.hpp"
#include "mercer/mdp.hpp"
#include "mercer/names.hpp"
#include "mercer/parallel.hpp"
#include "mercer/perturb.hpp"
#include "mercer/pipeline.hpp"
#include "mercer/policy.hpp"
#include "mercer/random.hpp"
#include "mercer/rollout.hpp"
#include "mercer/statistics.hpp"
#include "mercer/train.hpp"
#include "mercer/version.hpp"
#include "mercer/warning.hpp"
