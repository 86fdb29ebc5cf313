#include "explorer/page.hpp"

#include <array>
#include <stdexcept>

#include <fmt/format.h>

#include "page_files.hpp"

namespace page {
namespace {

std::string filled(std::string text, std::string_view marker, std::string_view with) {
  const std::size_t place = text.find(marker);
  if (place == std::string::npos) throw std::logic_error("the page has no " + std::string(marker));
  return text.replace(place, marker.size(), with);
}

std::string served_html() {
  std::string html = filled(std::string(files::html), "<!--policy-->", "");
  html = filled(std::move(html), "<!--style-->", R"(<link rel="stylesheet" href="page.css">)");
  return filled(std::move(html), "<!--scripts-->", R"(<script src="d3.js"></script><script src="page.js"></script>)");
}

}  // namespace

const File* served(std::string_view path) {
  static const std::string html = served_html();
  static const std::array<std::pair<std::string_view, File>, 4> all{
      {{"/", {"text/html; charset=utf-8", html}},
       {"/page.css", {"text/css; charset=utf-8", files::css}},
       {"/page.js", {"text/javascript; charset=utf-8", files::js}},
       {"/d3.js", {"text/javascript; charset=utf-8", files::d3}}}};
  for (const auto& [name, file] : all) {
    if (name == path) return &file;
  }
  return nullptr;
}

std::string_view served_policy() {
  return "default-src 'none'; script-src 'self'; style-src 'self'; img-src data:; connect-src 'self'; "
         "worker-src data:; base-uri 'none'; "
         "form-action 'none'; frame-ancestors 'none'";
}

std::string report(std::string_view data) {
  const std::string policy = fmt::format(
      "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; script-src '{}' '{}'; style-src "
      "'{}'; "
      "img-src data:; worker-src data:; base-uri 'none'; form-action 'none'\">",
      files::d3_hash, files::js_hash, files::css_hash);
  std::string html = filled(std::string(files::html), "<!--policy-->", policy);
  html = filled(std::move(html), "<!--style-->", fmt::format("<style>{}</style>", files::css));
  // The one way in which JSON could end its element early.
  std::string safe;
  safe.reserve(data.size());
  for (const char c : data) {
    if (c == '<') {
      safe += "\\u003c";
    } else {
      safe.push_back(c);
    }
  }
  return filled(
      std::move(html), "<!--scripts-->",
      fmt::format("<script type=\"application/json\" id=\"view\">{}</script>\n<script>{}</script>\n<script>{}</script>",
                  safe, files::d3, files::js));
}

}  // namespace page
