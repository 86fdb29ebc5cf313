#include <algorithm>
#include <limits>

#include "mercer/measure/long_run.hpp"

namespace mercer {
namespace {

constexpr std::uint32_t unseen = std::numeric_limits<std::uint32_t>::max();

// Tarjan's search with its own stack: a chain of 10^5 states would overflow that of the program.
class Search {
 public:
  explicit Search(const PolicyChain& chain)
      : chain_(chain), order_(chain.n, unseen), low_(chain.n), component_(chain.n, unseen) {
    for (std::uint32_t s = 0; s < chain.n; ++s) {
      if (order_[s] == unseen) visit(s);
    }
  }
  const std::vector<std::uint32_t>& component() const { return component_; }
  std::uint32_t components() const { return components_; }

 private:
  struct Frame {
    std::uint32_t state;
    std::size_t edge;
  };

  void enter(std::uint32_t s) {
    order_[s] = low_[s] = time_++;
    open_.push_back(s);
    frames_.push_back({s, chain_.offsets[s]});
  }

  void visit(std::uint32_t root) {
    enter(root);
    while (!frames_.empty()) {
      const std::uint32_t s = frames_.back().state;
      if (frames_.back().edge < chain_.offsets[s + 1]) {
        const std::size_t edge = frames_.back().edge++;
        const std::uint32_t to = chain_.next[edge];
        if (!(chain_.probability[edge] > 0)) continue;
        if (order_[to] == unseen) {
          enter(to);
        } else if (component_[to] == unseen) {
          low_[s] = std::min(low_[s], order_[to]);
        }
        continue;
      }
      frames_.pop_back();
      if (!frames_.empty()) low_[frames_.back().state] = std::min(low_[frames_.back().state], low_[s]);
      if (low_[s] == order_[s]) close(s);
    }
  }

  void close(std::uint32_t root) {
    while (component_[root] == unseen) {
      component_[open_.back()] = components_;
      open_.pop_back();
    }
    ++components_;
  }

  const PolicyChain& chain_;
  std::vector<std::uint32_t> order_, low_, component_, open_;
  std::vector<Frame> frames_;
  std::uint32_t time_ = 0, components_ = 0;
};

}  // namespace

std::vector<std::vector<std::uint32_t>> closed_classes(const PolicyChain& chain) {
  const Search search(chain);
  const auto& component = search.component();
  std::vector<std::uint8_t> leaves(search.components());
  for (std::size_t s = 0; s < chain.n; ++s) {
    for (std::size_t i = chain.offsets[s]; i < chain.offsets[s + 1]; ++i) {
      if (chain.probability[i] > 0 && component[chain.next[i]] != component[s]) leaves[component[s]] = 1;
    }
  }
  std::vector<std::vector<std::uint32_t>> members(search.components());
  for (std::uint32_t s = 0; s < chain.n; ++s) members[component[s]].push_back(s);
  std::vector<std::vector<std::uint32_t>> closed;
  for (std::size_t c = 0; c < members.size(); ++c) {
    if (leaves[c] == 0) closed.push_back(std::move(members[c]));
  }
  return closed;
}

}  // namespace mercer
