#pragma once

#include <memory>
#include <string>

#include <pybind11/pybind11.h>

#include "mercer/env.hpp"
#include "mercer/file.hpp"
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
  std::string own_name{};  ///< where the file that it was read from has another

  const std::string& name() const { return own_name.empty() ? policy->name() : own_name; }
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
