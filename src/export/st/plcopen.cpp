#include "export/c/c_text.hpp"
#include "export/st/st.hpp"
#include "mercer/version.hpp"

namespace mercer {
namespace {

std::string xml_text(const std::string& text) {
  std::string out;
  for (const char c : text) {
    switch (c) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '"':
        out += "&quot;";
        break;
      default:
        out += c;
    }
  }
  return out;
}

std::string variable(const std::string& name, const std::string& type, const std::string& more = "") {
  return fmt::format("            <variable name=\"{}\">\n              <type>{}</type>\n{}            </variable>\n",
                     name, type, more);
}

std::string initial_values(const std::vector<std::string>& values) {
  if (values.empty()) return "";
  std::string text = "              <initialValue>\n                <arrayValue>\n";
  for (const std::string& value : values)
    text += fmt::format("                  <value><simpleValue value=\"{}\"/></value>\n", value);
  return text + "                </arrayValue>\n              </initialValue>\n";
}

// "i, test, cases" are three variables.
std::string declarations(const StDeclarations& declared) {
  std::string text;
  for (const StDeclarations::Entry& entry : declared.entries()) {
    const std::string type =
        entry.size == 0 ? fmt::format("<{}/>", entry.type)
                        : fmt::format("<array><dimension lower=\"0\" upper=\"{}\"/><baseType><{}/></baseType></array>",
                                      entry.size - 1, entry.type);
    for (std::size_t at = 0; at < entry.names.size();) {
      const std::size_t end = std::min(entry.names.find(", ", at), entry.names.size());
      text += variable(entry.names.substr(at, end - at), type, initial_values(entry.values));
      at = end + 2;
    }
  }
  return text;
}

std::string section(const std::string& tag, const std::string& attributes, const std::string& variables) {
  return fmt::format("          <{0}{1}>\n{2}          </{0}>\n", tag, attributes, variables);
}

std::string pou(const std::string& name, const std::string& type, const std::string& interface,
                const std::string& statements) {
  return fmt::format(
      "      <pou name=\"{}\" pouType=\"{}\">\n        <interface>\n{}        </interface>\n        <body>\n          "
      "<ST>\n"
      "            <xhtml xmlns=\"http://www.w3.org/1999/xhtml\">{}</xhtml>\n          </ST>\n        </body>\n      "
      "</pou>\n",
      name, type, interface, xml_text(statements));
}

// obs_speed of the block comes from sensor_speed, and act_torque goes to drive_torque.
std::string sensor(const std::string& input) { return "sensor" + input.substr(3); }
std::string drive(const std::string& output) { return "drive" + output.substr(3); }

std::string example_statements(const StBlock& block) {
  std::string inputs, outputs;
  for (const std::string& input : block.inputs) inputs += fmt::format(", {} := {}", input, sensor(input));
  for (const std::string& output : block.outputs)
    outputs += fmt::format("{} := controller.{};\n", drive(output), output);
  return fmt::format(R"(IF NOT started THEN
  controller(SELFTEST := TRUE);
  healthy := controller.OK;
  started := TRUE;
END_IF;
controller(SELFTEST := FALSE{});
usable := healthy AND controller.OK;
{})",
                     inputs, outputs);
}

std::string example_name(const StBlock& block) { return block.name + "_example"; }

}  // namespace

std::string st_example(const StBlock& block) {
  std::string text = fmt::format(
      "(* Calls {} in every cycle{}. Replace the sensor_ variables by your inputs and the\n"
      " * drive_ variables by your outputs; act only while usable is TRUE. *)\n"
      "PROGRAM {}\nVAR\n  controller : {};\n  started, healthy, usable : BOOL;\n",
      block.name, block.dt > 0 ? fmt::format(" of a task that runs every {:g} s", block.dt) : "", example_name(block),
      block.name);
  for (const std::string& input : block.inputs) text += fmt::format("  {} : REAL;\n", sensor(input));
  for (const std::string& output : block.outputs) text += fmt::format("  {} : {};\n", drive(output), block.output_type);
  return text + "END_VAR\n\n" + example_statements(block) + "END_PROGRAM\n";
}

std::string plcopen_xml(const StBlock& block) {
  std::string inputs = variable("SELFTEST", "<BOOL/>"), outputs = variable("OK", "<BOOL/>"), locals;
  for (const std::string& input : block.inputs) inputs += variable(input, "<REAL/>");
  for (const std::string& output : block.outputs) outputs += variable(output, fmt::format("<{}/>", block.output_type));
  locals = variable("controller", fmt::format("<derived name=\"{}\"/>", block.name));
  for (const char* flag : {"started", "healthy", "usable"}) locals += variable(flag, "<BOOL/>");
  for (const std::string& input : block.inputs) locals += variable(sensor(input), "<REAL/>");
  for (const std::string& output : block.outputs)
    locals += variable(drive(output), fmt::format("<{}/>", block.output_type));
  const std::string interface = section("inputVars", "", inputs) + section("outputVars", "", outputs) +
                                section("localVars", " constant=\"true\"", declarations(block.constants)) +
                                section("localVars", "", declarations(block.variables));
  // The time is part of the format and would make every export another file.
  return fmt::format(R"(<?xml version="1.0" encoding="utf-8"?>
<project xmlns="http://www.plcopen.org/xml/tc6_0201">
  <fileHeader companyName="" productName="Mercer" productVersion="{}" creationDateTime="2000-01-01T00:00:00"/>
  <contentHeader name="{}">
    <coordinateInfo>
      <fbd><scaling x="1" y="1"/></fbd>
      <ld><scaling x="1" y="1"/></ld>
      <sfc><scaling x="1" y="1"/></sfc>
    </coordinateInfo>
  </contentHeader>
  <types>
    <dataTypes/>
    <pous>
{}{}    </pous>
  </types>
  <instances>
    <configurations/>
  </instances>
</project>
)",
                     version(), block.name,
                     pou(block.name, "functionBlock", interface, block.comment + block.statements),
                     pou(example_name(block), "program", section("localVars", "", locals), example_statements(block)));
}

}  // namespace mercer
