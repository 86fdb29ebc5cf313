"""check_onnx.py FILE...: refuses what ONNX's own checker refuses, and whatever is not a standard operator."""

import json
import sys

import onnx

for path in sys.argv[1:]:
    model = onnx.load(path)
    onnx.checker.check_model(model, full_check=True)
    assert [(one.domain, one.version) for one in model.opset_import] == [("", 13)], path
    assert all(node.domain == "" and onnx.defs.has(node.op_type) for node in model.graph.node), path
    assert model.producer_name == "mercer" and model.doc_string, path
    facts = {entry.key: entry.value for entry in model.metadata_props}
    assert facts["mercer_version"] == model.producer_version, path
    assert float(facts["error_measured"]) <= float(facts["error_stated"]), path
    selftest = json.loads(facts["selftest"])
    assert len(selftest["observations"]) == len(selftest["actions"]) > 0, path
