#include <cmath>

#include "export/common/head.hpp"
#include "export/kit/kit.hpp"
#include "mercer/version.hpp"

namespace mercer {
namespace {

constexpr const char* cmake =
    R"(# A library for other projects (add_subdirectory); by itself also the test and an example.
cmake_minimum_required(VERSION 3.13)
project(@name@ C)

add_library(@name@ STATIC src/@name@.c)
target_include_directories(@name@ PUBLIC src)
set_target_properties(@name@ PROPERTIES C_STANDARD 99 C_STANDARD_REQUIRED ON)
@libm@
if(CMAKE_SOURCE_DIR STREQUAL CMAKE_CURRENT_SOURCE_DIR AND NOT CMAKE_CROSSCOMPILING)
  foreach(program episode @test@)
    add_executable(${program})
    set_target_properties(${program} PROPERTIES C_STANDARD 99)
    target_include_directories(${program} PRIVATE .)
    target_link_libraries(${program} PRIVATE @name@ $<$<PLATFORM_ID:Linux>:m>)
  endforeach()
  target_sources(episode PRIVATE main.c)
  target_sources(@test@ PRIVATE test/@test@.c)
  enable_testing()
  add_test(NAME @test@ COMMAND @test@)
endif()
)";

constexpr const char* arduino = R"(name=@name@
version=@version@
author=Mercer
maintainer=Mercer
sentence=A controller that Mercer exported: @what@.
paragraph=Plain C without dependencies. @N@ observations in, @M@ out. The README names them, with units and ranges.
category=Device Control
url=@url@
architectures=*
includes=@name@.h
)";

constexpr const char* sketch =
    R"(// One action every period_ms. Replace read_sensors() and use_action() by your own.
#include <@name@.h>

static const unsigned long period_ms = @milliseconds@;@period_note@
static unsigned long next_ms;  // when the next action is due

static void read_sensors(@type@ obs[@NAME@_OBSERVATIONS]) {
  for (int i = 0; i < @NAME@_OBSERVATIONS; i++) obs[i] = 0;
}

static void use_action(const @type@ act[@NAME@_ACTIONS]) {
  for (int i = 0; i < @NAME@_ACTIONS; i++) Serial.println(@shown@);
}

void setup() {
  Serial.begin(115200);
  if (@name@_selftest() != 0) {
    Serial.println("self-test failed");
    for (;;) {
    }
  }
  next_ms = millis();
}

void loop() {
  if ((long)(millis() - next_ms) < 0) return;
  next_ms += period_ms;
  @type@ obs[@NAME@_OBSERVATIONS], act[@NAME@_ACTIONS];
  read_sensors(obs);
  @name@_act(obs, act);
  use_action(act);
}
)";

constexpr const char* platformio = R"({
  "name": "@name@",
  "version": "@version@",
  "description": "A controller that Mercer exported: @what@.",
  "keywords": "control",
  "frameworks": "*",
  "platforms": "*",
  "headers": "@name@.h",
  "build": {"srcDir": "src", "includeDir": "src"}
}
)";

constexpr const char* zephyr_module = R"(name: @name@
build:
  cmake: zephyr
  kconfig: zephyr/Kconfig
)";

constexpr const char* zephyr_cmake = R"(if(CONFIG_@NAME@)
  zephyr_library()
  zephyr_library_sources(../src/@name@.c)
  zephyr_include_directories(../src)
  if(NOT CONFIG_@NAME@_SELFTEST)
    zephyr_library_compile_definitions(@NAME@_NO_SELFTEST)
  endif()
endif()
)";

constexpr const char* zephyr_kconfig = R"(config @NAME@
	bool "Controller @name@"
	help
	  Builds the exported controller: @name@_act() in @name@.h.

config @NAME@_SELFTEST
	bool "Self-test of @name@"
	depends on @NAME@
	default y
	help
	  Builds @name@_selftest(), which compares stored actions.
)";

// Text for the value of a property: printable, without what properties, JSON or a sentence could trip over.
std::string plain(const std::string& text) {
  std::string out;
  for (const char c : text) out += c >= ' ' && c < 127 && c != '"' && c != '\\' && c != '=' ? c : ' ';
  return out;
}

}  // namespace

std::vector<ExportedFile> kit_build_files(const KitFacts& facts) {
  const double dt = facts.contract.dt;
  const bool libm = facts.made.source.find("<math.h>") != std::string::npos;
  Places places = facts.places();
  places.insert(places.begin(), {{"what", plain(origin_text(facts.file.origin))},
                                 {"version", version()},
                                 {"milliseconds", std::to_string(dt > 0 ? std::max(1L, std::lround(1000 * dt)) : 20)},
                                 {"period_note", dt > 0 ? "" : "  // the task states no period: set it"},
                                 {"url", facts.url.empty() ? "https://example.com/" : facts.url},
                                 {"shown", facts.fixed() ? "act[i]" : "act[i], 6"},
                                 {"libm", libm ? "target_link_libraries(@name@ PUBLIC m)\n" : ""}});
  const auto text = [&](const char* shape) { return fill(shape, places); };
  const std::string name = facts.options.name;
  return {{"CMakeLists.txt", text(cmake)},
          {"library.properties", text(arduino)},
          {fmt::format("examples/{0}_loop/{0}_loop.ino", name), text(sketch)},
          {"library.json", text(platformio)},
          {"zephyr/module.yml", text(zephyr_module)},
          {"zephyr/CMakeLists.txt", text(zephyr_cmake)},
          {"zephyr/Kconfig", text(zephyr_kconfig)}};
}

}  // namespace mercer
