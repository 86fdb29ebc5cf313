#pragma once

#include <functional>
#include <string>

namespace mercer {

/// Receives what does not stop the work and still must be seen, such as a file that cannot be verified. The library
/// never prints: without a receiver nothing happens. Set it before other threads work; an empty function removes it.
void set_warning_sink(std::function<void(const std::string& sentence)> sink);

/// Hands a sentence to the receiver.
void warn(const std::string& sentence);

/// While one exists, warnings of its thread are dropped: for attempts of which only the outcome counts.
class NoWarnings {
 public:
  NoWarnings();
  ~NoWarnings();
  NoWarnings(const NoWarnings&) = delete;
  NoWarnings& operator=(const NoWarnings&) = delete;
};

}  // namespace mercer
