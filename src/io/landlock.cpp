#include "io/landlock.hpp"

#include <cstddef>
#include <cstdint>

#include <fcntl.h>
#include <linux/landlock.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace mercer {
namespace {

// As later kernels know it; an earlier one is given as much of it as it has.
struct Rules {
  std::uint64_t files = 0, net = 0, scope = 0;
};

constexpr std::uint64_t truncating = 1 << 14, device_control = 1 << 15, binding = 1, connecting = 2,
                        abstract_sockets = 1;
constexpr std::uint64_t reading = LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_READ_DIR;
constexpr std::uint64_t changing =
    LANDLOCK_ACCESS_FS_EXECUTE | LANDLOCK_ACCESS_FS_WRITE_FILE | LANDLOCK_ACCESS_FS_REMOVE_DIR |
    LANDLOCK_ACCESS_FS_REMOVE_FILE | LANDLOCK_ACCESS_FS_MAKE_CHAR | LANDLOCK_ACCESS_FS_MAKE_DIR |
    LANDLOCK_ACCESS_FS_MAKE_REG | LANDLOCK_ACCESS_FS_MAKE_SOCK | LANDLOCK_ACCESS_FS_MAKE_FIFO |
    LANDLOCK_ACCESS_FS_MAKE_BLOCK | LANDLOCK_ACCESS_FS_MAKE_SYM;

bool allow(int rules, int folder, std::uint64_t rights) {
  landlock_path_beneath_attr beneath{rights, folder};
  return ::syscall(SYS_landlock_add_rule, rules, LANDLOCK_RULE_PATH_BENEATH, &beneath, 0) == 0;
}

}  // namespace

bool landlock(const LandlockKeeps& keeps) {
  ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
  const long version = ::syscall(SYS_landlock_create_ruleset, nullptr, 0, LANDLOCK_CREATE_RULESET_VERSION);
  if (version < 1) return false;
  Rules rules{.files = changing};
  if (!keeps.read) rules.files |= reading;
  if (version >= 2) rules.files |= LANDLOCK_ACCESS_FS_REFER;
  if (version >= 3) rules.files |= truncating;
  if (version >= 4) rules.net = connecting | (keeps.listen ? 0 : binding);
  if (version >= 5) rules.files |= device_control;
  if (version >= 6) rules.scope = abstract_sockets;
  const std::size_t known = version < 4 ? offsetof(Rules, net) : version < 6 ? offsetof(Rules, scope) : sizeof rules;
  const auto made = static_cast<int>(::syscall(SYS_landlock_create_ruleset, &rules, known, 0));
  if (made < 0) return false;
  bool done = true;
  // Copies of this process have their standard streams there.
  if (const int nowhere = ::open("/dev/null", O_PATH | O_CLOEXEC); nowhere >= 0) {
    constexpr std::uint64_t rights = LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_WRITE_FILE;
    done = allow(made, nowhere, rights & rules.files);
    ::close(nowhere);
  }
  for (const int folder : keeps.folders) {
    if (!keeps.read) done = allow(made, folder, reading) && done;
  }
  done = done && ::syscall(SYS_landlock_restrict_self, made, 0) == 0;
  ::close(made);
  return done;
}

}  // namespace mercer
