#pragma once

#include <memory>
#include <string>

#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include "mercer/env.hpp"
#include "mercer/file.hpp"
#include "mercer/pipeline.hpp"
#include "mercer/policy.hpp"
#include "mercer/rollout.hpp"

/// What a task tells about itself without being played.
struct TaskHandle {
  mercer::Task task;
};

/// A task that is played: `env` is shared by all who play it.
using EnvPointer = std::shared_ptr<const mercer::Env>;

/// A policy, and the count of draws that `predict` has made from it.
struct PolicyHandle {
  std::shared_ptr<const mercer::Policy> policy;
  std::uint64_t seed = 0;
  std::uint32_t drawn = 0;
  mercer::PolicyRequest request{};  ///< how it was made, where that was by name: what an embedding's file stores

  const std::string& name() const { return policy->name(); }
};

/// What plays policies: a built-in task, or an environment of Python's.
struct PlayerHandle {
  std::shared_ptr<const mercer::Player> player;
};

/// An embedding with what its file says about it.
struct EmbeddingHandle {
  std::shared_ptr<mercer::EmbeddingFile> file;

  PolicyHandle policy() const { return {{file, &file->embedding.policy()}}; }
};

/// A space as {"count": n or 0, "axes": [{"name", "low", "high", "unit", "periodic"}, ...]}, and back.
pybind11::dict to_dict(const mercer::Space& space);
mercer::Space space_from(const pybind11::dict& given);
pybind11::dict to_dict(const mercer::Contract& contract);

pybind11::tuple to_tuple(const mercer::Range& range);
pybind11::dict to_dict(const mercer::ReturnSummary& summary);
pybind11::dict to_dict(const mercer::PairedLoss& loss);
