#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <string>
#include <vector>

namespace mercer {

/// Processes that run the same program on the same input side by side, as mpirun starts them: each does a share of the
/// work, and all hold all of its results.
struct Team {
  std::size_t rank = 0;  ///< of this process, below `size`
  std::size_t size = 1;
  /// Hands bytes to all others; returns those of all, by rank. Every process calls it as often and in the same order.
  std::function<std::vector<std::string>(const std::string& mine)> gather{};
};

/// Makes this process one of a team. Before any work; by default it is alone.
void join_team(Team team);
const Team& team();

/// True in the body of a parallel loop: processes pass through bodies in no common order, so nothing is shared there.
bool inside_block();

/// Whether work here is to be shared: there are others, and this is not inside a loop.
bool shares_work();

/// Items [begin, end) of the process `rank`: all are cut into as many runs of whole blocks as there are processes.
struct Share {
  std::size_t begin, end;
};
Share share_of(std::size_t rank, std::size_t size, std::size_t items, std::size_t block);

/// Fills `values`, item by item: `fill` is called once with the items of this process, and the rest comes from the
/// others. Alone, or inside a loop, all items are this process's.
void fill_shared(std::span<double> values, const std::function<void(Share)>& fill);

}  // namespace mercer
