#pragma once

#include <string>
#include <string_view>

/// The page as it was built into the program.
namespace page {

struct File {
  std::string_view type;  ///< of its content
  std::string_view text;
};

/// "/", "/page.css", "/page.js", "/d3.js": what a server gives out. Null for any other path.
const File* served(std::string_view path);

/// What a server says may run on its page: its own files, and nothing from elsewhere.
std::string_view served_policy();

/// One file that opens from disk: style, scripts and `data` (a JSON document) are in it, and a policy that lets only
/// these very scripts run and no address be asked.
std::string report(std::string_view data);

}  // namespace page
