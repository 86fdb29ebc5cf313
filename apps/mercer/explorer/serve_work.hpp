#pragma once

#include <chrono>
#include <condition_variable>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <stop_token>
#include <string>
#include <thread>

/// Work that is under way for somebody: bounded in number and in time, and stopped when it is asked to.
class WorkLimit {
 public:
  WorkLimit(std::size_t at_once, std::chrono::milliseconds longest);
  ~WorkLimit();

  /// A place for work, held while it lives.
  class Place {
   public:
    Place(WorkLimit& limit, std::uint64_t number, std::stop_token stop)
        : limit_(limit), number_(number), stop_(std::move(stop)) {}
    ~Place();
    Place(const Place&) = delete;
    Place& operator=(const Place&) = delete;
    std::stop_token stop() const { return stop_; }

   private:
    WorkLimit& limit_;
    std::uint64_t number_;
    std::stop_token stop_;
  };

  /// Waits for a place, first come, first served, as long as work may take. Null if there is none by then, or if
  /// `is_gone`, asked ten times a second, says that nobody waits for it any more. `name` is what it can be stopped by,
  /// while it waits, too; empty: by nothing. Its time begins when it has its place.
  std::unique_ptr<Place> take(const std::string& name, const std::function<bool()>& is_gone = {});
  /// Asks the work of this name to stop. False where there is none.
  bool stop(const std::string& name);
  void stop_all();

 private:
  struct Work {
    std::string name;
    std::chrono::steady_clock::time_point until;
    std::stop_source source;
  };
  void watch(const std::stop_token& ended);

  std::size_t at_once_;
  std::chrono::milliseconds longest_;
  std::mutex mutex_;
  std::condition_variable_any changed_;
  std::map<std::uint64_t, Work> under_way_;
  std::map<std::uint64_t, Work> waiting_;
  std::uint64_t count_ = 0;
  bool is_new_ = false;  ///< work that the watcher has not seen yet
  std::jthread watcher_;
};
