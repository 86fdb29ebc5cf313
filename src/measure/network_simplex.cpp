#include "measure/network_simplex.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace mercer {
namespace {

constexpr std::size_t none = static_cast<std::size_t>(-1);

// A spanning tree over sources, sinks and a root that is tied to all by artificial arcs, too dear to stay in use. Each
// node knows the arc to its parent. The tree is kept strongly feasible (arcs without flow point to the root), so that
// the method ends although most pivots of such problems move nothing.
class Tree {
 public:
  Tree(std::span<const std::int64_t> supply, std::span<const std::int64_t> demand, double dear)
      : sources_(supply.size()), root_(supply.size() + demand.size()), nodes_(root_ + 1) {
    for (std::size_t v = 0; v < root_; ++v) {
      const bool source = v < sources_;
      nodes_[v].flow = source ? supply[v] : demand[v - sources_];
      nodes_[v].up = source;
      nodes_[v].potential = source ? 0 : dear;
      nodes_[v].depth = 1;
      nodes_[v].arc = none;
      hang(v, root_);
    }
  }

  double potential(std::size_t v) const { return nodes_[v].potential; }

  // The sum of flow times cost over the arcs of the tree that are not artificial.
  double cost(const std::vector<double>& costs) const {
    double sum = 0;
    for (std::size_t v = 0; v < root_; ++v) {
      if (nodes_[v].arc != none) sum += static_cast<double>(nodes_[v].flow) * costs[nodes_[v].arc];
    }
    return sum;
  }

  // Brings the arc from source i to sink j (node number) into the tree; `reduced` is its reduced cost, below 0.
  void pivot(std::size_t i, std::size_t j, std::size_t arc, double reduced) {
    const std::size_t join = common(i, j);
    std::int64_t delta = std::numeric_limits<std::int64_t>::max();
    std::size_t out = none;
    bool on_source_side = true;
    for (std::size_t v = i; v != join; v = nodes_[v].parent) {
      if (!nodes_[v].up || nodes_[v].flow >= delta) continue;
      delta = nodes_[v].flow;
      out = v;
    }
    for (std::size_t v = j; v != join; v = nodes_[v].parent) {
      if (nodes_[v].up || nodes_[v].flow > delta) continue;
      delta = nodes_[v].flow;
      out = v;
      on_source_side = false;
    }
    if (delta > 0) {
      for (std::size_t v = i; v != join; v = nodes_[v].parent) nodes_[v].flow += nodes_[v].up ? -delta : delta;
      for (std::size_t v = j; v != join; v = nodes_[v].parent) nodes_[v].flow += nodes_[v].up ? delta : -delta;
    }
    const std::size_t in = on_source_side ? i : j, anchor = on_source_side ? j : i;
    turn(in, out);
    nodes_[in].flow = delta;
    nodes_[in].up = on_source_side;
    nodes_[in].arc = arc;
    hang(in, anchor);
    // The part that moved sees the entering arc at reduced cost 0.
    refresh(in, on_source_side ? -reduced : reduced);
  }

 private:
  struct Node {
    std::size_t parent = none, first_child = none, next = none, previous = none;
    std::size_t arc = none;  // of the arc to the parent; none if artificial
    std::size_t depth = 0;
    std::int64_t flow = 0;
    double potential = 0;
    bool up = true;  // the arc goes from the node to its parent
  };

  std::size_t common(std::size_t u, std::size_t v) const {
    while (u != v) {
      std::size_t& deeper = nodes_[u].depth >= nodes_[v].depth ? u : v;
      deeper = nodes_[deeper].parent;
    }
    return u;
  }

  void hang(std::size_t v, std::size_t parent) {
    Node& node = nodes_[v];
    node.parent = parent;
    node.previous = none;
    node.next = nodes_[parent].first_child;
    if (node.next != none) nodes_[node.next].previous = v;
    nodes_[parent].first_child = v;
  }

  void unhang(std::size_t v) {
    const Node& node = nodes_[v];
    (node.previous != none ? nodes_[node.previous].next : nodes_[node.parent].first_child) = node.next;
    if (node.next != none) nodes_[node.next].previous = node.previous;
  }

  // Cuts the arc above `out` and makes `in`, below it, the top of what came off.
  void turn(std::size_t in, std::size_t out) {
    std::size_t v = in, above = nodes_[in].parent;
    Node held = nodes_[in];
    unhang(in);
    while (v != out) {
      const std::size_t next = nodes_[above].parent;
      const Node arc_above = nodes_[above];
      unhang(above);
      nodes_[above].flow = held.flow;
      nodes_[above].up = !held.up;
      nodes_[above].arc = held.arc;
      hang(above, v);
      held = arc_above;
      v = above;
      above = next;
    }
  }

  void refresh(std::size_t top, double shift) {
    walk_.assign(1, top);
    while (!walk_.empty()) {
      const std::size_t v = walk_.back();
      walk_.pop_back();
      nodes_[v].potential += shift;
      nodes_[v].depth = nodes_[nodes_[v].parent].depth + 1;
      for (std::size_t c = nodes_[v].first_child; c != none; c = nodes_[c].next) walk_.push_back(c);
    }
  }

  std::size_t sources_, root_;
  std::vector<Node> nodes_;
  std::vector<std::size_t> walk_;
};

}  // namespace

double least_transport_cost(std::span<const std::int64_t> supply, std::span<const std::int64_t> demand,
                            const std::vector<double>& cost) {
  const std::size_t sinks = demand.size(), arcs = cost.size();
  const double largest = *std::ranges::max_element(cost);
  if (!(largest > 0)) return 0;
  // Dear enough that no path over the root is worth it.
  const double dear = 2 * largest * static_cast<double>(supply.size() + sinks + 1);
  Tree tree(supply, demand, dear);
  // Potentials are sums along paths; what is smaller than their rounding is no gain.
  const double gain = 1e-13 * largest;
  const std::size_t block = std::max<std::size_t>(static_cast<std::size_t>(std::sqrt(static_cast<double>(arcs))), 16);
  std::size_t next = 0, since_pivot = 0;
  while (since_pivot < arcs) {
    double best = -gain;
    std::size_t entering = none;
    const std::size_t count = std::min(block, arcs - since_pivot);
    for (std::size_t k = 0; k < count; ++k) {
      const double reduced = cost[next] + tree.potential(next / sinks) - tree.potential(supply.size() + next % sinks);
      if (reduced < best) {
        best = reduced;
        entering = next;
      }
      if (++next == arcs) next = 0;
    }
    since_pivot += count;
    if (entering == none) continue;
    tree.pivot(entering / sinks, supply.size() + entering % sinks, entering, best);
    since_pivot = 0;
  }
  return tree.cost(cost);
}

}  // namespace mercer
