#pragma once

#include "mercer/pipeline.hpp"

namespace mercer {

/// Throws `missing_option` if two or more options that the verb cannot work without were not given: it names all of
/// them and a command that works. A single one is left to the verb, whose error says more about it.
void require_named(const TrainRequest& request);
void require_named(const RolloutRequest& request);
void require_named(const EvaluateRequest& request);
void require_named(const EmbedRequest& request);
void require_named(const CompressRequest& request);

}  // namespace mercer
