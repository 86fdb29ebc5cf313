#include "embed/episode_pieces.hpp"

#include <algorithm>

namespace mercer {

EpisodePieces::EpisodePieces(std::size_t count, std::size_t horizon) : episodes(count) {
  // Steps enough to keep all threads busy, in tens of megabytes; groups few enough that a sketch of each can be held.
  constexpr std::size_t steps = std::size_t{1} << 16, most_groups = 64;
  piece = std::clamp<std::size_t>(steps / std::max<std::size_t>(horizon, 1), 16, 4096);
  const std::size_t pieces = (count + piece - 1) / piece;
  group = (pieces + most_groups - 1) / most_groups * piece;
}

void play_pieces(const Env& env, const Policy& teacher, std::uint64_t seed, const EpisodePieces& pieces,
                 const Team& team, const TakePiece& take, const Progress& progress, const char* stage) {
  const Share own = pieces.own(team);
  RolloutOptions options;
  options.episodes = pieces.episodes;
  options.seed = seed;
  const Progress inner{{}, progress.stop};  // a bar for each piece would say nothing
  ProgressCounter counter(progress, stage, own.end - own.begin);
  for (std::size_t begin = own.begin; begin < own.end; begin += pieces.piece) {
    const std::size_t end = std::min(own.end, begin + pieces.piece);
    take(begin / pieces.group, rollout_part(env, teacher, options, {begin, end}, inner));
    counter.add(end - begin);
  }
}

}  // namespace mercer
