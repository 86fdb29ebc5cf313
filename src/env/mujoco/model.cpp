#include "env/mujoco/model.hpp"

#include <map>
#include <mutex>

#include "env/mujoco/built_in.hpp"
#include "env/mujoco/compile.hpp"

namespace mercer {

ModelPointer built_in_model(const std::string& name) {
  static std::mutex mutex;
  static std::map<std::string, ModelPointer> compiled;
  const std::scoped_lock lock(mutex);
  ModelPointer& model = compiled[name];
  if (!model) {
    const std::string file = name + ".xml";
    model = compile_text(file, built_in_text(file));
  }
  return model;
}

}  // namespace mercer
