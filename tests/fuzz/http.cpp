#include <array>
#include <cstdint>
#include <string>
#include <thread>
#include <vector>

#include <arpa/inet.h>
#include <fmt/format.h>
#include <netinet/in.h>
#include <nlohmann/json.hpp>
#include <sys/socket.h>
#include <unistd.h>

#include "explorer/http_server.hpp"
#include "fuzz/mutate.hpp"
#include "fuzz/reached.hpp"

// libFuzzer calls this with bytes of its own making, which are sent to a server of 'mercer serve' over a socket of this
// machine. Whatever they are, they end in a response or in a closed connection; the sanitizers watch how. The routes
// stand for those of the page: a text, one with a number in its path, and one that reads JSON.

namespace {

constexpr const char* host = "127.0.0.1";
std::array<std::size_t, 6> classes{};  // of the first response to each input, by its hundreds; 0: none

// Ended by the process: a fuzzer leaves by _Exit where it found something.
struct Running {
  Running() : server(limits()) {
    server.Get("/page.js", [](const httplib::Request&, httplib::Response& response) {
      response.set_content(std::string(5000, 'x'), "text/javascript");
    });
    server.Get(R"(/api/subject/(\d{1,6}))", [](const httplib::Request& request, httplib::Response& response) {
      response.set_content(std::to_string(std::stoul(request.matches[1])), "text/plain");
    });
    server.Post("/api/slice", [](const httplib::Request& request, httplib::Response& response) {
      const HttpServer::AtWork at_work;
      const bool good = nlohmann::json::accept(request.body);
      response.status = good ? 200 : 400;
      if (!good) HttpServer::close_after_this();
      response.set_content(good ? "yes" : "no", "application/json");
    });
    port = server.bind(host, 0);
    thread = std::thread([this] { server.listen_after_bind(); });
    while (!server.is_running()) std::this_thread::yield();
  }
  ~Running() {
    server.end();
    thread.join();
  }

  static HttpLimits limits() {
    HttpLimits out;
    out.reading = out.writing = out.between = std::chrono::milliseconds(500);
    return out;
  }

  HttpServer server;
  int port = -1;
  std::thread thread;
};

Running& running() {
  static Running one;
  return one;
}

// The whole conversation: the input is all that comes, so the server closes the connection after what it can answer.
std::string answer_to(const std::uint8_t* data, std::size_t size) {
  const int socket = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<std::uint16_t>(running().port));
  ::inet_pton(AF_INET, host, &address.sin_addr);
  if (socket < 0 || ::connect(socket, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) std::abort();
  ::send(socket, data, size, MSG_NOSIGNAL);
  ::shutdown(socket, SHUT_WR);
  std::string answer;
  std::array<char, 4096> piece;
  for (ssize_t got = 0; (got = ::recv(socket, piece.data(), piece.size(), 0)) > 0;) {
    answer.append(piece.data(), static_cast<std::size_t>(got));
  }
  ::close(socket);
  return answer;
}

std::vector<std::string> lines_of(std::string_view head) {
  std::vector<std::string> lines;
  while (!head.empty()) {
    const std::size_t end = std::min(head.find("\r\n"), head.size());
    lines.emplace_back(head.substr(0, end));
    head.remove_prefix(std::min(end + 2, head.size()));
  }
  return lines;
}

// A request line, headers and a body whose length is told, mostly as it is.
std::string changed(const std::string& input, FuzzRandom& random) {
  static const std::array<std::string, 12> requests{
      "GET /page.js HTTP/1.1",       "HEAD /page.js HTTP/1.1",         "POST /api/slice HTTP/1.1",
      "GET /api/subject/7 HTTP/1.1", "DELETE /api/jobs/a HTTP/1.1",    "OPTIONS * HTTP/1.1",
      "GET /%70age.js HTTP/1.0",     "GET /../../etc/passwd HTTP/1.1", "GET http://x/page.js HTTP/1.1",
      "GET /page.js?a=1&b HTTP/1.1", "PUT /page.js HTTP/1.1",          "PRI * HTTP/2.0"};
  static const std::array<std::string, 16> headers{"Host: 127.0.0.1",
                                                   "Connection: keep-alive",
                                                   "Connection: close",
                                                   "Range: bytes=0-9",
                                                   "Range: bytes=-1",
                                                   "Range: bytes=0-1,3-4,9-",
                                                   "Range: bytes=99999999999999999999-",
                                                   "Transfer-Encoding: chunked",
                                                   "Content-Type: application/json",
                                                   "Content-Type: multipart/form-data; boundary=x",
                                                   "Content-Type: application/x-www-form-urlencoded",
                                                   "Content-Encoding: gzip",
                                                   "Accept-Encoding: gzip, br",
                                                   "Expect: 100-continue",
                                                   "Content-Length: 18446744073709551616",
                                                   "If-Range: \"x\""};
  const std::size_t blank = std::min(input.find("\r\n\r\n"), input.size());
  std::vector<std::string> lines = lines_of(std::string_view(input).substr(0, blank));
  std::string body = blank + 4 <= input.size() ? input.substr(blank + 4) : std::string();
  if (lines.empty()) lines.emplace_back(one_of(requests, random));
  switch (random() % 6) {
    case 0:
      lines[0] = one_of(requests, random);
      break;
    case 1:
      lines.insert(lines.begin() + 1, one_of(headers, random));
      break;
    case 2:
      if (lines.size() > 1) lines.erase(lines.begin() + 1 + static_cast<std::ptrdiff_t>(random() % (lines.size() - 1)));
      break;
    case 3:
      one_of(lines, random) = mutated_bytes(one_of(lines, random), 16);
      break;
    default:
      try {
        auto document = nlohmann::ordered_json::parse(body);
        mutate_json(document, random);
        body = document.dump();
      } catch (const std::exception&) {
        body = random() % 2 == 0 ? R"({"subject": 0, "x": [1, 2]})" : mutated_bytes(body);
      }
  }
  if (random() % 8 != 0) {
    std::erase_if(lines, [](const std::string& line) { return line.starts_with("Content-Length:"); });
    if (!body.empty()) lines.push_back(fmt::format("Content-Length: {}", body.size()));
  }
  std::string out;
  for (const std::string& line : lines) out += line + "\r\n";
  return out + "\r\n" + body;
}

}  // namespace

extern "C" int LLVMFuzzerInitialize(int*, char***) {
  running();
  count_reached("fuzz_http", "were answered by a route", [] {
    return fmt::format("; answers 2xx {}, 3xx {}, 4xx {}, 5xx {}, none {}", classes[2], classes[3], classes[4],
                       classes[5], classes[0]);
  });
  return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string answer = answer_to(data, size);
  const std::size_t kind = answer.starts_with("HTTP/1.1 ") ? static_cast<std::size_t>(answer[9] - '0') : 0;
  ++classes[kind < classes.size() ? kind : 0];
  if (kind == 5) std::abort();  // a request is never the server's mistake
  if (kind == 2) reached({data, size});
  return 0;
}

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size, std::size_t most, unsigned seed) {
  return fuzz_mutate(data, size, most, seed, changed);
}
