#pragma once

#include <string>
#include <vector>

/// What `mercer serve` gives up for good, in two steps, so that a mistake in it harms little. Each step returns a
/// sentence for everything that this kernel does not offer.
namespace isolation {

/// Before anything is read, and before other threads start: no new privileges; no file is written or executed, and no
/// TCP connection made, by this thread and all that it starts.
std::vector<std::string> before_reading();

/// When all is read and the port is bound: no file is opened any more; and a filter of system calls lets every thread
/// of the process take and answer connections, compute, and use memory, and nothing else.
std::vector<std::string> before_serving();

}  // namespace isolation
