#include "pipeline/declare/parts.hpp"

namespace mercer {

using namespace declare;

OptionList options_of(InspectRequest& request) {
  OptionList list(request.given);
  list.in(Group::output)
      .add({.name = "file",
            .value = "FILE",
            .help = "An embedding (.mercer), an agent (.zip), a network (.onnx, .safetensors, .pt, .msgpack, .npz) or "
                    "a table (.json, .npz)",
            .used_first = true},
           request.policy.policy);
  list.add({.name = "test-vectors",
            .value = "N",
            .help = "Write N observations with the policy's mean actions as JSON and npz, to check exports with",
            .range = {0, 1e6},
            .used_first = true},
           request.test_vectors);
  list.add({.name = "out",
            .value = "NAME",
            .help = "Name of the test vectors' files, without ending",
            .standard = "FILE.vectors"},
           request.out);
  list.add({.name = "verify",
            .value = "KEY.pub",
            .help = "Refuse a file that is not signed with this key (its public half, PEM)",
            .used_first = true},
           request.public_key);
  list.add_name({.name = "notation", .value = "HOW", .help = "How formulas are written"}, request.notation);
  list.in(Group::task)
      .add({.name = "env",
            .value = "TASK",
            .help = "Task of the policy, for names, units and bounds",
            .standard = "the spaces that the file describes"},
           request.env);
  add_network(list, request.policy);
  add_seed(list, request);
  return list;
}

}  // namespace mercer
