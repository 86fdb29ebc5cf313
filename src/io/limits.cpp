#include "io/limits.hpp"

#include <array>

namespace mercer {

std::span<const ReaderLimit> reader_limits() {
  using namespace limits;
  static constexpr std::array all{
      ReaderLimit{"JSON", "objects and arrays inside each other", depth},
      ReaderLimit{"JSON", "bytes of a document", json_bytes},
      ReaderLimit{"TOML", "tables, arrays and dotted keys inside each other", depth},
      ReaderLimit{"TOML", "bytes of a file", toml_bytes},
      ReaderLimit{"zip", "members", zip_members},
      ReaderLimit{"zip", "bytes of all members, unpacked", zip_unpacked},
      ReaderLimit{"zip", "or unpacked bytes for each byte of the file", zip_inflation},
      ReaderLimit{"safetensors", "bytes of the header", safetensors_header},
      ReaderLimit{"safetensors", "axes of a tensor", safetensors_axes},
      ReaderLimit{"pickle", "bytes", pickle_bytes},
      ReaderLimit{"pickle", "values, and places in its memo", pickle_values},
      ReaderLimit{"pickle", "classes and functions", pickle_names},
      ReaderLimit{"pickle", "marks inside each other", depth},
      ReaderLimit{"torch", "bytes of a file", torch_bytes},
      ReaderLimit{"torch", "entries", torch_entries},
      ReaderLimit{"torch", "bytes of TorchScript code", torch_code},
      ReaderLimit{"flax", "entries", flax_entries},
      ReaderLimit{"flax", "maps inside each other", flax_depth},
      ReaderLimit{"Stable-Baselines3", "bytes of a file", agent_bytes},
      ReaderLimit{"Stable-Baselines3", "bytes of policy.pth, unpacked", agent_policy},
      ReaderLimit{"Stable-Baselines3", "bytes of its description, unpacked", agent_data},
      ReaderLimit{"policy", "weights that are read, with the storages that are unpacked for them", policy_weights},
      ReaderLimit{"ONNX", "bytes of a file", onnx_bytes},
      ReaderLimit{"MuJoCo", "bytes of a model", model_bytes},
      ReaderLimit{"lattice embedding", "entries of its table", lattice_entries},
      ReaderLimit{"lattice embedding", "or entries for each byte of its payload", lattice_inflation},
      ReaderLimit{"lattice embedding", "entries in any case", lattice_most},
      ReaderLimit{"continuous embedding", "terms", continuous_terms},
      ReaderLimit{"serve", "connections at once", serve_connections},
      ReaderLimit{"serve", "requests of a connection", serve_requests},
      ReaderLimit{"serve", "bytes of a request's body", serve_body},
      ReaderLimit{"serve", "bytes of a request", serve_request},
      ReaderLimit{"serve", "ranges of a request", serve_ranges},
      ReaderLimit{"serve", "quick questions at once", serve_quick},
      ReaderLimit{"serve", "seconds of a quick question", serve_quick_seconds},
      ReaderLimit{"serve", "evaluations at once", serve_slow},
      ReaderLimit{"serve", "seconds of an evaluation", serve_slow_seconds},
  };
  return all;
}

}  // namespace mercer
