#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "export/common/code.hpp"
#include "export/common/provenance.hpp"
#include "export/onnx/onnx_terms.hpp"
#include "mercer/error.hpp"
#include "mercer/policy.hpp"
#include "mercer/version.hpp"

namespace mercer {
namespace {

constexpr int operator_set = 13;  // axes of sums are inputs from here on; every runtime of the last years has it
constexpr int ir_version = 7;

void describe(onnx::ValueInfoProto& value, const std::string& name, std::size_t size, bool integer = false) {
  value.set_name(name);
  auto& type = *value.mutable_type()->mutable_tensor_type();
  type.set_elem_type(integer ? onnx::TensorProto::INT64 : onnx::TensorProto::FLOAT);
  type.mutable_shape()->add_dim()->set_dim_param("batch");
  type.mutable_shape()->add_dim()->set_dim_value(static_cast<std::int64_t>(size));
}

// From sums to what goes out.
void add_head(const ContinuousController& controller, GraphWriter& graph, onnx::GraphProto& proto) {
  const std::size_t m = controller.outside.actions();
  if (controller.discrete()) {
    const std::string sums = add_sums(controller, "observation", controller.flat.outputs, graph);
    const std::string logits = graph.node("Identity", {sums}, {}, "logits");
    graph.node("ArgMax", {logits}, {{"axis", 1}, {"keepdims", 1}}, "action");
    describe(*proto.add_output(), "action", 1, true);
    describe(*proto.add_output(), "logits", controller.flat.outputs);
    return;
  }
  const Contract& contract = controller.outside.contract;
  std::vector<double> low, high;
  for (const Range& clip : contract.clip) {
    low.push_back(clip.low);
    high.push_back(clip.high);
  }
  std::string value = add_sums(controller, "observation", m, graph);
  if (controller.squash) value = graph.node("Tanh", {value});
  value = graph.node("Mul", {value, graph.list("scale", contract.scale)});
  value = graph.node("Add", {value, graph.list("centre_of_action", contract.centre)});
  value = graph.node("Max", {value, graph.list("lowest_action", low)});
  graph.node("Min", {value, graph.list("highest_action", high)}, {}, "action");
  describe(*proto.add_output(), "action", m);
}

// What our own reader makes of the graph.
std::vector<double> answers_of(const Network& network, std::span<const double> states, const std::string& output,
                               std::size_t observations) {
  const std::size_t count = states.size() / observations, place = network.find_output(output);
  const std::size_t width = network.outputs()[place].size;
  std::vector<double> columns(states.size()), rows(count * width), answers(count * width);
  for (std::size_t i = 0; i < states.size(); ++i) columns[i % observations * count + i / observations] = states[i];
  std::vector<MatrixView<double>> out(network.outputs().size(), MatrixView<double>{nullptr, 0, count});
  out[place] = {rows.data(), width, count};
  const MatrixView<const double> in{columns.data(), observations, count};
  network.evaluate({&in, 1}, out);
  for (std::size_t i = 0; i < answers.size(); ++i) answers[i] = rows[i % width * count + i / width];
  return answers;
}

std::string cases_text(const CodeSubject& subject, const TestVectors* vectors, double stated_error) {
  using json = nlohmann::ordered_json;
  const std::size_t n = subject.outside().observations(), m = subject.outside().actions();
  std::vector<double> given = subject.cases.given, expected = subject.cases.expected;
  if (vectors != nullptr) {
    given.insert(given.end(), vectors->observations.begin(), vectors->observations.end());
    expected.insert(expected.end(), vectors->actions.begin(), vectors->actions.end());
  }
  const auto rows = [](const std::vector<double>& numbers, std::size_t width) {
    json all = json::array();
    for (auto at = numbers.begin(); at != numbers.end(); at += static_cast<std::ptrdiff_t>(width))
      all.push_back(std::vector<double>(at, at + static_cast<std::ptrdiff_t>(width)));
    return all;
  };
  const std::vector<double> limits =
      subject.discrete() ? std::vector<double>(m, 0) : case_limits(subject.outside(), stated_error, vectors);
  return json{{"observations", rows(given, n)}, {"actions", rows(expected, m)}, {"limits", limits}}.dump();
}

}  // namespace

CodeExport export_onnx(const EmbeddingFile& file, const CodeOptions& options) {
  if (file.embedding.is_lattice()) {
    throw Error(ErrorCode::bad_value, "a lattice has no ONNX form: a graph would hold every cell",
                "Use 'mercer export c', 'rust' or 'js', or compress by the continuous route and export that");
  }
  if (!options.safe_action.empty()) {
    throw Error(
        ErrorCode::bad_value, "an ONNX graph has no safe action",
        "Leave --safe-action out and check observations before the graph runs, or export C, Rust or JavaScript");
  }
  CodeSubject subject = code_subject(file, options);
  const ContinuousController& controller = *subject.continuous;
  subject.beyond = "Observations outside their range are clipped to it";
  if (controller.flat.any_periodic()) subject.beyond += "; give angles within their range, they are not wrapped";
  subject.beyond += ". Check that observations are numbers before the graph runs: there is no safe action";

  onnx::ModelProto model;
  model.set_ir_version(ir_version);
  model.set_producer_name("mercer");
  model.set_producer_version(version());
  model.add_opset_import()->set_version(operator_set);
  onnx::GraphProto& proto = *model.mutable_graph();
  proto.set_name(options.name);
  describe(*proto.add_input(), "observation", subject.outside().observations());
  GraphWriter graph(proto);
  add_head(controller, graph, proto);

  CodeExport made;
  made.table_bytes = graph.bytes();
  const std::string bare = model.SerializeAsString();
  const Network network = parse_onnx(std::as_bytes(std::span(bare)), options.name);
  made.error = largest_difference(controller, [&](std::span<const double> states) {
    return answers_of(network, states, controller.discrete() ? "logits" : "action", subject.outside().observations());
  });
  made.stated_error = with_margin(1.5 * made.error, 1e-6);
  model.set_doc_string(code_notes(file, options, subject, made, ""));
  const auto add = [&](const char* key, const std::string& value) {
    if (value.empty()) return;
    onnx::StringStringEntryProto& entry = *model.add_metadata_props();
    entry.set_key(key);
    entry.set_value(value);
  };
  add("mercer_version", version());
  add("teacher", origin_text(file.origin));
  add("teacher_sha256", file.origin.teacher_sha256);
  add("certificate_id", certificate_id(file));
  add("error_measured", fmt::format("{:.3g}", made.error));
  add("error_stated", fmt::format("{:.3g}", made.stated_error));
  add("selftest", cases_text(subject, options.check.get(), made.stated_error));
  made.files = {{options.name + ".onnx", model.SerializeAsString()}};
  return made;
}

}  // namespace mercer
