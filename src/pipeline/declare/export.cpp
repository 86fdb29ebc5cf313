#include "pipeline/declare/parts.hpp"

namespace mercer {

using namespace declare;

OptionList options_of(ExportRequest& request) {
  using Format = ExportRequest::Format;
  OptionList list(request.given);
  list.in(Group::output)
      .add_choice<Format>({.name = "format", .value = "FORMAT", .help = "What to write", .used_first = true},
                          request.format,
                          {{"c", Format::c},
                           {"st", Format::st},
                           {"rust", Format::rust},
                           {"js", Format::js},
                           {"onnx", Format::onnx},
                           {"json", Format::json}});
  list.add({.name = "file", .value = "FILE", .help = "The embedding", .used_first = true}, request.file);
  list.add({.name = "out", .value = "FOLDER", .help = "Folder for the files", .used_first = true}, request.out);
  list.add({.name = "name",
            .value = "NAME",
            .help = "Name of the files, and prefix of every name in them",
            .used_first = true},
           request.options.name);
  list.add_name({.name = "numbers", .value = "KIND", .help = "What the C computes with"}, request.options.numbers);
  list.add_name(
      {.name = "math",
       .value = "FROM",
       .help = "Where tanh, exp and square roots come from: the C library (libm) or Mercer's own code (none)"},
      request.options.math);
  list.add_name({.name = "mode", .value = "MODE", .help = "How a lattice is stored"}, request.options.mode);
  list.add_name({.name = "core",
                 .value = "CORE",
                 .help = "Compile the C for this core and measure flash, RAM, stack and instructions",
                 .standard = "an estimate"},
                request.core);
  list.add({.name = "kit",
            .help = "Write a library for CMake, Arduino, PlatformIO and Zephyr, with a test that plays episodes"},
           request.kit);
  list.add({.name = "url",
            .value = "URL",
            .help = "Home page of a kit, which Arduino asks for",
            .standard = "one of example.com, to be replaced"},
           request.url);
  list.add({.name = "force", .help = "Replace files that hold something else"}, request.force);
  list.add({.name = "safe-action",
            .value = "A,A,...",
            .help = "Action for an observation that is not a number",
            .standard = "the middle of the range"},
           request.options.safe_action);
  list.add({.name = "check",
            .value = "FILE.json",
            .help = "Test vectors of 'mercer inspect': C, Rust and JavaScript get a program that checks them, the "
                    "self-tests of Structured Text and ONNX hold them"},
           request.check);
  add_naming(list, request.naming);
  return list;
}

}  // namespace mercer
