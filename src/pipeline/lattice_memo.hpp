#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>

#include "mercer/embedding.hpp"

namespace mercer {

/// A lattice that several embeddings of one process share, as the jobs of a sweep do: made once for each key, which
/// must hold all that it follows from. Whoever comes while it is being made waits. The last four are kept. What `make`
/// throws is thrown to all who wait, and nothing is kept.
std::shared_ptr<const Lattice> shared_lattice(const std::map<std::string, std::string>& key,
                                              const std::function<Lattice()>& make);

}  // namespace mercer
