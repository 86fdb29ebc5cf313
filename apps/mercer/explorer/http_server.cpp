#include "explorer/http_server.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <thread>

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

using Clock = std::chrono::steady_clock;

struct HttpServer::Connection {
  socket_t socket;
  std::atomic<bool> at_work = false;
  bool close = false;
  bool given_way = false;
};

namespace {

thread_local HttpServer::Connection* of_this_thread = nullptr;
thread_local bool refusing = false;

// Waits until a socket can be read or written. False when the time is up or it broke.
bool wait_for(socket_t socket, short event, Clock::time_point until) {
  for (;;) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(until - Clock::now()).count();
    if (left <= 0) return false;
    pollfd what{socket, event, 0};
    const int ready = ::poll(&what, 1, static_cast<int>(std::min<std::int64_t>(left, 60000)));
    if (ready < 0 && errno == EINTR) continue;
    if (ready == 0) continue;
    return ready > 0 && (what.revents & event) != 0;
  }
}

// A request and its response, each with an end in time that no trickle of bytes puts off.
class TimedStream final : public httplib::Stream {
 public:
  TimedStream(socket_t socket, const HttpLimits& limits)
      : socket_(socket), limits_(limits), read_until_(Clock::now() + limits.reading) {}

  bool is_readable() const override { return begin_ < end_ || wait_for(socket_, POLLIN, read_until_); }
  bool is_writable() const override { return wait_for(socket_, POLLOUT, Clock::now() + limits_.writing); }

  ssize_t read(char* to, std::size_t size) override {
    if (begin_ == end_) {
      const bool may_read = taken_ <= limits_.request_bytes && wait_for(socket_, POLLIN, read_until_);
      const ssize_t got = may_read ? ::recv(socket_, buffer_.data(), buffer_.size(), 0) : -1;
      if (got <= 0) {
        broken_ = true;
        return got;
      }
      begin_ = 0;
      end_ = static_cast<std::size_t>(got);
      taken_ += end_;
    }
    const std::size_t count = std::min(size, end_ - begin_);
    std::memcpy(to, buffer_.data() + begin_, count);
    begin_ += count;
    return static_cast<ssize_t>(count);
  }

  ssize_t write(const char* from, std::size_t size) override {
    if (!writing_) write_until_ = Clock::now() + limits_.writing;
    writing_ = true;
    if (!wait_for(socket_, POLLOUT, write_until_)) return -1;
    return ::send(socket_, from, size, MSG_NOSIGNAL);
  }

  void get_remote_ip_and_port(std::string& ip, int& port) const override { ip.clear(), port = 0; }
  void get_local_ip_and_port(std::string& ip, int& port) const override { ip.clear(), port = 0; }
  socket_t socket() const override { return socket_; }

  bool has_more() const { return begin_ < end_; }
  bool broken() const { return broken_; }

 private:
  socket_t socket_;
  const HttpLimits& limits_;
  Clock::time_point read_until_, write_until_;
  bool writing_ = false, broken_ = false;
  std::array<char, 4096> buffer_;
  std::size_t begin_ = 0, end_ = 0, taken_ = 0;
};

void say_busy(socket_t socket) {
  constexpr std::string_view text =
      "HTTP/1.1 503 Service Unavailable\r\nConnection: close\r\nRetry-After: 1\r\nContent-Length: 0\r\n\r\n";
  // Nobody is waited for here: a peer that does not take it now does without.
  [[maybe_unused]] const ssize_t sent = ::send(socket, text.data(), text.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
}

// Closing while bytes are unread would reset the connection, and the peer would not see the response. So what comes
// within a moment is read away first.
void close_politely(socket_t socket) {
  ::shutdown(socket, SHUT_WR);
  std::array<char, 4096> nobody;
  const auto until = Clock::now() + std::chrono::milliseconds(200);
  for (std::size_t taken = 0; taken < (std::size_t{1} << 20) && wait_for(socket, POLLIN, until);) {
    const ssize_t got = ::recv(socket, nobody.data(), nobody.size(), MSG_DONTWAIT);
    if (got <= 0) break;
    taken += static_cast<std::size_t>(got);
  }
  ::close(socket);
}

}  // namespace

// A thread for each connection up to the limit, and some more for those that are about to end.
class HttpServer::Threads final : public httplib::TaskQueue {
 public:
  explicit Threads(HttpServer& server) : server_(server) {}

  void enqueue(std::function<void()> serve) override {
    {
      std::unique_lock lock(server_.mutex_);
      if (server_.threads_ >= server_.limits_.connections) server_.give_way();
      // The connection that gave way is about to end. If that takes long, or all are busy, the new one is refused.
      const bool room = server_.ended_.wait_for(lock, std::chrono::seconds(2), [&] {
        return server_.threads_ < 2 * server_.limits_.connections || server_.ending_;
      });
      if (room && !server_.ending_ && start(serve)) return;
    }
    refusing = true;
    serve();
    refusing = false;
  }

  void shutdown() override {
    std::unique_lock lock(server_.mutex_);
    server_.ended_.wait(lock, [&] { return server_.threads_ == 0; });
  }

 private:
  bool start(const std::function<void()>& serve) {
    ++server_.threads_;
    try {
      std::thread([&server = server_, serve] {
        serve();  // throws nothing: `process_and_close_socket` keeps it all
        const std::lock_guard lock(server.mutex_);
        --server.threads_;
        server.ended_.notify_all();
      }).detach();
    } catch (const std::exception&) {  // no thread, or no memory for what it begins with
      --server_.threads_;
      return false;
    }
    return true;
  }

  HttpServer& server_;
};

HttpServer::HttpServer(const HttpLimits& limits) : limits_(limits) {
  new_task_queue = [this] { return new Threads(*this); };
  set_payload_max_length(limits.body);
}

HttpServer::~HttpServer() = default;

int HttpServer::bind(const std::string& address, int port) {
  // A port that was used a moment ago may be used again, but not one that somebody listens on.
  set_socket_options([](socket_t socket) {
    const int yes = 1;
    ::setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
    // A response is several packets. Without this, which connections take over, each waits for the peer to confirm the
    // one before, and peers may take 40 ms for that.
    ::setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
  });
  const int bound = port == 0 ? bind_to_any_port(address) : (bind_to_port(address, port) ? port : -1);
  // The library asks for a queue of five.
  if (bound >= 0) ::listen(svr_sock_, 512);
  return bound;
}

void HttpServer::end() {
  {
    const std::lock_guard lock(mutex_);
    ending_ = true;
    for (const Connection* connection : connections_) ::shutdown(connection->socket, SHUT_RDWR);
  }
  stop();
}

// With the lock held: the connection that has been at its request longest is closed. Its thread wakes and ends.
void HttpServer::give_way() {
  const auto found =
      std::ranges::find_if(connections_, [](const Connection* one) { return !one->at_work.load() && !one->given_way; });
  if (found == connections_.end()) return;
  (*found)->given_way = true;
  ::shutdown((*found)->socket, SHUT_RDWR);
}

bool HttpServer::process_and_close_socket(socket_t socket) {
  if (refusing) {
    say_busy(socket);
    ::close(socket);
    return false;
  }
  Connection connection{socket};
  std::list<Connection*>::iterator place;
  {
    const std::lock_guard lock(mutex_);
    try {
      place = connections_.insert(connections_.end(), &connection);
    } catch (const std::bad_alloc&) {
      ::close(socket);
      return false;
    }
    if (ending_) ::shutdown(socket, SHUT_RDWR);
  }
  of_this_thread = &connection;
  try {
    serve(connection);
  } catch (...) {
    // Memory that ran out in the library, above all: this connection ends, the others go on.
    connection.close = true;
  }
  of_this_thread = nullptr;
  bool at_once = false;
  {
    const std::lock_guard lock(mutex_);
    connections_.erase(place);
    at_once = connection.given_way || ending_;
  }
  if (at_once) {
    ::close(socket);
  } else {
    close_politely(socket);
  }
  return true;
}

void HttpServer::serve(Connection& connection) {
  for (std::size_t request = 1; request <= limits_.requests; ++request) {
    if (!wait_for(connection.socket, POLLIN, Clock::now() + limits_.between)) return;
    TimedStream stream(connection.socket, limits_);
    bool closed = false, understood = false;
    const bool answered = process_request(stream, request == limits_.requests, closed, [&](httplib::Request& head) {
      understood = true;
      // The library would cut whatever is answered, JSON and errors too, and leave its status; several ranges it
      // would copy, each one. Nobody has to heed a range, and the page asks for none.
      head.ranges.clear();
    });
    // The library would take what is left of a request that it did not understand for the next one. Bytes behind a
    // request would be a second one sent in advance, which browsers do not do.
    if (!answered || closed || !understood || connection.close || stream.broken() || stream.has_more()) return;
    const std::lock_guard lock(mutex_);
    if (ending_ || connection.given_way) return;
    connections_.splice(connections_.end(), connections_, std::ranges::find(connections_, &connection));
  }
}

HttpServer::AtWork::AtWork() {
  if (of_this_thread != nullptr) of_this_thread->at_work = true;
}
HttpServer::AtWork::~AtWork() {
  if (of_this_thread != nullptr) of_this_thread->at_work = false;
}

bool HttpServer::peer_is_gone() {
  if (of_this_thread == nullptr) return false;
  char next = 0;
  return ::recv(of_this_thread->socket, &next, 1, MSG_PEEK | MSG_DONTWAIT) == 0;
}

void HttpServer::close_after_this() {
  if (of_this_thread != nullptr) of_this_thread->close = true;
}
