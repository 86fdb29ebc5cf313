#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <list>
#include <mutex>

#include <httplib.h>

#include "io/limits.hpp"

/// What one connection, and all together, may take.
struct HttpLimits {
  std::size_t connections =
      mercer::limits::serve_connections;  ///< at once; one more makes the longest unfinished request give way
  std::size_t requests = mercer::limits::serve_requests;      ///< of one connection
  std::size_t body = mercer::limits::serve_body;              ///< bytes of a request's body
  std::size_t request_bytes = mercer::limits::serve_request;  ///< of a request with its headers
  std::chrono::milliseconds reading{5000};                    ///< for a whole request, however slowly its bytes come
  std::chrono::milliseconds writing{20000};                   ///< for a whole response
  std::chrono::milliseconds between{5000};                    ///< from one request of a connection to the next
};

/// cpp-httplib with limits on time and number that slow or hostile peers cannot get around: the library's own time
/// limit begins anew with every byte.
class HttpServer final : public httplib::Server {
 public:
  explicit HttpServer(const HttpLimits& limits = {});
  ~HttpServer() override;

  /// Binds to a port, 0 for any that is free. Returns it, or -1.
  int bind(const std::string& address, int port);
  /// Closes all connections and makes `listen_after_bind` return. From any thread.
  void end();

  /// While it lives the connection of this thread is at work, and gives way to nobody.
  class AtWork {
   public:
    AtWork();
    ~AtWork();
    AtWork(const AtWork&) = delete;
    AtWork& operator=(const AtWork&) = delete;
  };
  /// Whether nobody waits for the response of this thread any more: its peer closed the connection, or it gave way.
  static bool peer_is_gone();
  /// The connection of this thread ends after this response: what follows is not worth reading.
  static void close_after_this();

  struct Connection;

 private:
  bool process_and_close_socket(socket_t socket) override;
  void serve(Connection& connection);
  void give_way();

  class Threads;
  friend class Threads;

  HttpLimits limits_;
  std::mutex mutex_;
  std::condition_variable ended_;
  std::list<Connection*> connections_;  ///< oldest first
  std::size_t threads_ = 0;
  bool ending_ = false;
};
