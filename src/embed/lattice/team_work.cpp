#include "embed/lattice/team_work.hpp"

#include <optional>

#include <fmt/format.h>

#include "mercer/error.hpp"

namespace mercer {

void run_in_team(const Team& team, const std::function<void()>& work) {
  if (team.size == 1) return work();
  std::string mine;
  try {
    work();
  } catch (const Error& error) {
    mine = fmt::format("{}\n{}\n{}", static_cast<int>(error.code()), error.problem(), error.remedy());
  } catch (const std::exception& error) {  // such as memory that is not there
    mine = fmt::format("{}\n{}\n{}", static_cast<int>(ErrorCode::too_large), error.what(), "Take more processes");
  }
  const std::vector<std::string> all = team.gather(mine);
  for (std::size_t rank = 0; rank < all.size(); ++rank) {
    if (all[rank].empty()) continue;
    const std::size_t first = all[rank].find('\n'), last = all[rank].rfind('\n');
    throw Error(static_cast<ErrorCode>(std::stoi(all[rank])),
                fmt::format("{} (process {} of {})", all[rank].substr(first + 1, last - first - 1), rank, team.size),
                all[rank].substr(last + 1));
  }
}

}  // namespace mercer
