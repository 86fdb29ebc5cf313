#include <algorithm>
#include <atomic>
#include <charconv>
#include <map>
#include <mutex>
#include <set>
#include <thread>

#include <arpa/inet.h>
#include <fmt/format.h>

#include "cli/program.hpp"
#include "cli/terminal.hpp"
#include "core/printable.hpp"
#include "explorer/http_server.hpp"
#include "explorer/isolation.hpp"
#include "explorer/memory_reserve.hpp"
#include "explorer/page.hpp"
#include "explorer/serve_work.hpp"
#include "explorer/view_answers.hpp"
#include "explorer/view_library.hpp"
#include "mercer/error.hpp"

namespace {

using json = nlohmann::ordered_json;
using httplib::Request;
using httplib::Response;
using mercer::Error;
using mercer::ErrorCode;

constexpr std::size_t sizes_on_slider = 48;
constexpr const char* no_memory = "There is not enough memory for this.";
constexpr const char* stopped = "Stopped: cancelled, or longer than the time allowed. Ask for fewer episodes.";

// Takes as long for a wrong token as for the right one.
bool same_text(std::string_view given, std::string_view wanted) {
  unsigned char difference = given.size() == wanted.size() ? 0 : 1;
  for (std::size_t i = 0; i < given.size(); ++i) {
    difference |= static_cast<unsigned char>(given[i] ^ wanted[wanted.empty() ? 0 : i % wanted.size()]);
  }
  return difference == 0;
}

bool is_loopback(const std::string& address) {
  in_addr four{};
  if (inet_pton(AF_INET, address.c_str(), &four) == 1) return (ntohl(four.s_addr) >> 24) == 127;
  return address == "localhost" || address == "::1";
}

void answer_json(Response& response, int status, const json& document) {
  response.status = status;
  response.set_content(document.dump(-1, ' ', false, json::error_handler_t::replace), "application/json");
}

void answer_error(Response& response, int status, const std::string& text) {
  answer_json(response, status, {{"error", text}});
}

// "127.0.0.1:8080" without its port; empty for what is no host with a port or without.
std::string host_of(const std::string& header) {
  const bool bracketed = header.starts_with("[");
  if (bracketed && header.find(']') == std::string::npos) return "";
  const std::size_t end = std::min(bracketed ? header.find(']') : header.find(':'), header.size());
  const std::string_view rest = std::string_view(header).substr(std::min(end + (bracketed ? 1 : 0), header.size()));
  const bool port = rest.size() > 1 && rest.size() <= 6 && rest[0] == ':' &&
                    std::ranges::all_of(rest.substr(1), [](char c) { return c >= '0' && c <= '9'; });
  if (!rest.empty() && !port) return "";
  return bracketed ? header.substr(1, end - 1) : header.substr(0, end);
}

class Explorer {
 public:
  Explorer(const Library& library, std::string address, std::string token)
      : library_(library), address_(std::move(address)), token_(std::move(token)) {
    server_.set_pre_routing_handler([this](const Request& request, Response& response) {
      return admit(request, response) ? httplib::Server::HandlerResponse::Unhandled
                                      : httplib::Server::HandlerResponse::Handled;
    });
    server_.set_exception_handler([](const Request&, Response& response, const std::exception_ptr& trouble) {
      try {
        std::rethrow_exception(trouble);
      } catch (const std::bad_alloc&) {
        answer_error(response, 503, no_memory);
      } catch (...) {
        answer_error(response, 500, "The server failed to answer this.");
      }
    });
    server_.set_error_handler([](const Request&, Response& response) {
      if (!response.body.empty()) return;
      answer_error(
          response, response.status,
          response.status == 404 ? "Not found." : "The request could not be read, or took longer than five seconds.");
    });
    server_.set_default_headers({{"Content-Security-Policy", std::string(page::served_policy())},
                                 {"X-Content-Type-Options", "nosniff"},
                                 {"Referrer-Policy", "no-referrer"},
                                 {"Cross-Origin-Opener-Policy", "same-origin"},
                                 {"Cross-Origin-Resource-Policy", "same-origin"},
                                 {"Cache-Control", "no-store"}});
    add_routes();
  }

  int bind(int port) { return server_.bind(address_, port); }

  void run(const std::stop_token& stop) {
    if (stop.stop_requested()) return;
    std::atomic<bool> ended = false;
    const std::stop_callback when_asked(stop, [&] {
      // The library forgets a wish to stop that comes before it listens.
      while (!server_.is_running() && !ended) std::this_thread::sleep_for(std::chrono::milliseconds(1));
      quick_.stop_all();
      slow_.stop_all();
      server_.end();
    });
    server_.listen_after_bind();
    ended = true;
  }

 private:
  // Whether a request may be looked at at all. Another name of this host in a request means that a page from elsewhere
  // had its own name point here.
  bool admit(const Request& request, Response& response) {
    const auto refuse = [&](int status, const std::string& text) {
      answer_error(response, status, text);
      HttpServer::close_after_this();
      return false;
    };
    if (!reserve_.restore()) {
      response.set_header("Retry-After", "1");
      return refuse(503, no_memory);
    }
    if (token_.empty() && !is_loopback(host_of(request.get_header_value("Host"))))
      return refuse(403, "Wrong Host header: this server accepts only its own address.");
    if (request.has_header("Origin") && !own_origin(request)) return refuse(403, "Another page asked.");
    if (request.has_header("Transfer-Encoding")) return refuse(411, "Give the length of the body in Content-Length.");
    if (request.has_header("Content-Encoding")) return refuse(415, "Requests must not have a Content-Encoding.");
    if (const std::string length = request.get_header_value("Content-Length"); !length.empty()) {
      std::size_t bytes = 0;
      const auto [end, trouble] = std::from_chars(length.data(), length.data() + length.size(), bytes);
      if (trouble == std::errc::invalid_argument || (trouble == std::errc() && end != length.data() + length.size()))
        return refuse(400, "Content-Length is not a number.");
      if (trouble != std::errc() || bytes > HttpLimits().body) return refuse(413, "A body of up to 64 KiB is taken.");
    }
    if (request.path.starts_with("/api/") && !token_.empty()) {
      const std::string given = request.get_header_value("Authorization");
      if (!given.starts_with("Bearer ") || !same_text(std::string_view(given).substr(7), token_))
        return refuse(401, "The token is missing or wrong: open the address that 'mercer serve' printed.");
    }
    if (request.method == "POST" && !request.get_header_value("Content-Type").starts_with("application/json"))
      return refuse(415, "POST requests need Content-Type: application/json.");
    static const std::set<std::string> methods{"GET", "HEAD", "POST", "DELETE"};
    if (!methods.contains(request.method)) return refuse(405, "GET, POST and DELETE are known.");
    return true;
  }

  static bool own_origin(const Request& request) {
    const std::string origin = request.get_header_value("Origin");
    return origin == "http://" + request.get_header_value("Host");
  }

  void add_routes() {
    for (const char* path : {"/", "/page.css", "/page.js", "/d3.js"}) {
      server_.Get(path, [path](const Request&, Response& response) {
        const page::File* file = page::served(path);
        response.set_content(file->text.data(), file->text.size(), std::string(file->type));
      });
    }
    server_.Get("/api/view", [this](const Request&, Response& response) {
      work(quick_, "", response, [&](const mercer::Progress&) { return library_.view(); });
    });
    server_.Get(R"(/api/subject/(\d{1,6}))", [this](const Request& request, Response& response) {
      work(quick_, "", response, [&](const mercer::Progress&) {
        const nlohmann::json named{{"subject", std::stoul(request.matches[1])}};
        return about(Question(named).integer("subject", 0, library_.size() - 1));
      });
    });
    server_.Delete(R"(/api/jobs/([A-Za-z0-9-]{1,64}))", [this](const Request& request, Response& response) {
      const std::string name = request.matches[1];
      const bool quick = quick_.stop(name), slow = slow_.stop(name);
      answer_json(response, 200, {{"stopped", quick || slow}});
    });
    add_question("evaluate", slow_, answers::evaluate);
    add_question("play", quick_, answers::play);
    add_question("slice", quick_, [](const Subject& subject, const Question& question, const mercer::Progress&) {
      return answers::slice(subject, question);
    });
    add_question("polar", quick_, [](const Subject& subject, const Question& question, const mercer::Progress&) {
      return answers::polar(subject, question);
    });
    add_question("code", quick_, [](const Subject& subject, const Question& question, const mercer::Progress&) {
      return answers::code(subject, question);
    });
  }

  // Encoding every size of a large table takes a while, and never changes.
  json about(std::size_t id) {
    {
      const std::lock_guard lock(mutex_);
      if (const auto found = about_.find(id); found != about_.end()) return found->second;
    }
    json made = answers::about(library_[id], id, sizes_on_slider);
    const std::lock_guard lock(mutex_);
    return about_.emplace(id, std::move(made)).first->second;
  }

  template <class Answer>
  void add_question(const std::string& kind, WorkLimit& limit, Answer answer) {
    server_.Post("/api/" + kind, [this, &limit, answer](const Request& request, Response& response) {
      try {
        const Question question = Question::parse(request.body);
        const std::size_t id = question.integer("subject", 0, library_.size() - 1);
        work(limit, question.word("work"), response,
             [&](const mercer::Progress& progress) { return answer(library_[id], question, progress); });
      } catch (const Error& error) {
        answer_error(response, 400, fmt::format("{}. {}.", error.problem(), error.remedy()));
      }
    });
  }

  // Every answer is made here: in a place of its own, stopped when its time is up or somebody asks.
  template <class Make>
  void work(WorkLimit& limit, const std::string& name, Response& response, const Make& make) {
    const auto place = limit.take(name, HttpServer::peer_is_gone);
    if (!place) {
      response.set_header("Retry-After", "1");
      return answer_error(response, 503, "The server is busy: try again in a moment.");
    }
    if (place->stop().stop_requested()) return answer_error(response, 409, stopped);
    const HttpServer::AtWork at_work;  // who only waits for a place gives way to others
    mercer::Progress progress;
    progress.stop = place->stop();
    try {
      answer_json(response, 200, make(progress));
    } catch (const Error& error) {
      if (error.code() == ErrorCode::interrupted) return answer_error(response, 409, stopped);
      answer_error(response, 400, fmt::format("{}. {}.", error.problem(), error.remedy()));
    } catch (const std::bad_alloc&) {
      answer_error(response, 503, no_memory);
    }
  }

  const Library& library_;
  std::string address_, token_;
  MemoryReserve reserve_;
  std::mutex mutex_;
  std::map<std::size_t, json> about_;
  // What takes long has places of its own, so that it never keeps the quick from being answered.
  WorkLimit quick_{mercer::limits::serve_quick, std::chrono::seconds(mercer::limits::serve_quick_seconds)};
  WorkLimit slow_{mercer::limits::serve_slow, std::chrono::seconds(mercer::limits::serve_slow_seconds)};
  HttpServer server_;
};

struct ServeVerb {
  LibraryOptions what;
  std::string address = "127.0.0.1", token;
  std::uint64_t port = 8765;
  std::set<std::string> given;

  void run(const CommonOptions& common) const {
    check();
    what.require_embeddings("serve");
    const auto note = [&](const std::vector<std::string>& missing) {
      for (const std::string& sentence : missing) {
        if (!common.quiet) tell("note: {}\n", sentence);
      }
    };
    note(isolation::before_reading());
    const mercer::Progress progress = terminal_progress(common.quiet);
    const Library library(what, progress);
    if (!common.quiet) {
      for (const std::string& sentence : library.left_out()) tell("left out: {}\n", sentence);
    }
    note(library.notes());
    Explorer explorer(library, address, token);
    const int bound = explorer.bind(static_cast<int>(port));
    if (bound < 0) {
      throw Error(ErrorCode::bad_value, fmt::format("cannot listen on {} port {}", address, port),
                  "Take another --port (0: any that is free) or an address of this machine");
    }
    note(isolation::before_serving());  // before anybody learns where it listens
    const std::string host = address.find(':') == std::string::npos ? address : "[" + address + "]";
    const std::string url = fmt::format("http://{}:{}/{}", host, bound, token.empty() ? "" : "#token=" + token);
    if (common.json) {
      fmt::print("{}\n", json{{"url", url}, {"port", bound}, {"embeddings", library.size()}}.dump());
      std::fflush(stdout);
    }
    if (!common.quiet) tell("{} at {} - Ctrl-C ends it\n", mercer::counted(library.size(), "embedding"), url);
    explorer.run(interrupt_token());
  }

  void check() const {
    const bool plain =
        std::ranges::all_of(token, [](unsigned char c) { return std::isalnum(c) != 0 || c == '-' || c == '_'; });
    if (!token.empty() && (token.size() < 16 || token.size() > 256 || !plain)) {
      throw Error(ErrorCode::bad_value, "the token is not 16 to 256 letters, digits, '-' and '_'",
                  "Take a random one, such as 'openssl rand -hex 16' prints");
    }
    if (!is_loopback(address) && token.empty()) {
      throw Error(ErrorCode::missing_option,
                  fmt::format("'{}' can be reached from other machines, and there is no token", address),
                  "Add --token WORD (or MERCER_TOKEN=WORD), which every request must then carry");
    }
  }
};

}  // namespace

void add_serve(Program& program) {
  const auto state = std::make_shared<ServeVerb>();
  mercer::OptionList list(state->given);
  list.in(mercer::OptionGroup::output);
  list.add({.name = "port",
            .value = "N",
            .help = "Port to listen on; 0 for any that is free",
            .range = {0, 65535},
            .used_first = true},
           state->port);
  list.add(
      {.name = "bind", .value = "ADDRESS", .help = "Address to listen on; one that others can reach needs --token"},
      state->address);
  list.add({.name = "token", .value = "WORD", .help = "Word that every request must carry, 16 letters or more"},
           state->token);
  state->what.add_options(list);
  std::vector<mercer::OptionList> own;
  own.push_back(std::move(list));
  Verb& verb =
      program.add_verb("serve", "Show embeddings on a page that computes as you look, on this machine", std::move(own));
  verb.app->add_option("FILE", state->what.paths, "Embeddings, and folders with some")->type_name("");
  verb.run = [state, &program] { state->run(program.common()); };
}
