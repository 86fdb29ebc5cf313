#include <algorithm>
#include <cmath>
#include <numeric>

#include <fmt/format.h>

#include "basis/functions/index_limits.hpp"
#include "core/phases.hpp"
#include "mercer/embed.hpp"
#include "mercer/error.hpp"

namespace mercer {

const std::vector<std::string>& known_continuous_bases() {
  static const std::vector<std::string> known{"legendre",        "chebyshev",       "cosine", "hermite",
                                              "fourier",         "mixed",           "ridge",  "kernel:gaussian",
                                              "kernel:matern32", "kernel:matern52", "rff",    "rff:gaussian",
                                              "rff:matern32",    "rff:matern52"};
  return known;
}

DictionaryBasis::DictionaryBasis(std::string_view text) {
  const std::string_view first = text.substr(0, text.find(':'));
  const bool alone = first == text;
  const std::optional<Kernel> of = alone ? kernel : find_name<Kernel>(text.substr(first.size() + 1));
  const std::optional<Family> own = find_name<Family>(text);
  if (own) {
    family = *own;
  } else if (text == "ridge") {
    kind = DictionaryKind::ridge;
  } else if (text == "mixed") {
    kind = DictionaryKind::mixed;
  } else if (of && first == "rff") {
    kind = DictionaryKind::features;
    kernel = *of;
  } else if (of && first == "kernel" && !alone) {
    kind = DictionaryKind::kernel;
    kernel = *of;
  } else {
    throw_unknown("basis of the continuous route", text, known_continuous_bases());
  }
}

namespace {

// Points as coordinates.
std::vector<double> scaled(const Coordinates& coordinates, MatrixView<const double> points) {
  std::vector<double> out(points.rows() * points.cols());
  for (std::size_t d = 0; d < points.rows(); ++d) {
    for (std::size_t i = 0; i < points.cols(); ++i) out[d * points.cols() + i] = coordinates[d].apply(points(d, i));
  }
  return out;
}

// The median distance between points, half of it: a length at which a kernel sees both neighbours and the whole.
double typical_length(MatrixView<const double> x) {
  std::vector<double> distances;
  const std::size_t n = x.cols();
  for (std::size_t i = 0; i < std::min<std::size_t>(n, 400); ++i) {
    const std::size_t a = i * 7919 % n, b = (i * 104729 + 13) % n;
    double sum = 0;
    for (std::size_t d = 0; d < x.rows(); ++d) sum += (x(d, a) - x(d, b)) * (x(d, a) - x(d, b));
    distances.push_back(std::sqrt(sum));
  }
  std::ranges::nth_element(distances, distances.begin() + static_cast<std::ptrdiff_t>(distances.size() / 2));
  return std::max(1e-3, distances[distances.size() / 2]);
}

std::vector<double> columns_of(MatrixView<const double> x, std::span<const std::size_t> chosen) {
  std::vector<double> out(x.rows() * chosen.size());
  for (std::size_t d = 0; d < x.rows(); ++d) {
    for (std::size_t i = 0; i < chosen.size(); ++i) out[d * chosen.size() + i] = x(d, chosen[i]);
  }
  return out;
}

}  // namespace

void check_options(const ContinuousOptions& options, const Policy& teacher) {
  const DictionaryOptions& dictionary = options.dictionary;
  require_in_range("the degree", static_cast<double>(dictionary.degree), 0, 16, "Take a smaller one");
  require_in_range("the number of knots", static_cast<double>(dictionary.knots), 0, 15, "Take 0 for none");
  require_in_range("the number of candidates", static_cast<double>(dictionary.candidates), 1, 65536, "Take 400");
  require_in_range("the bits of a ridge", dictionary.bits, 3, 8, "Take 4");
  require_in_range("the length of a kernel", dictionary.length, 0, 100, "Take 0 to have it chosen");
  require_in_range("the steps of ridges", static_cast<double>(options.polish.ridge_steps), 0, 1000, "Take 0 or 30");
  require_in_range("k", static_cast<double>(options.k), 1, 4096, "Take a handful");
  require_in_range("the number of states", static_cast<double>(options.states), 1, 1e6, "Take 5000");
  require_in_range("the number of rounds", static_cast<double>(options.rounds), 1, 100, "Take 3 to 5");
  const Samples check(teacher, head_for(teacher, options.act == Act::sample), options.squash);
}

Coordinates choose_coordinates(const Policy& teacher, Head head, const DictionaryOptions& options,
                               MatrixView<const double> states, StoredRanges& ranges) {
  const Contract& contract = teacher.contract();
  const bool bounded = has_finite_ranges(contract.observation);
  ranges = bounded ? StoredRanges::contract : StoredRanges::half;
  Coordinates out = !bounded ? visited_coordinates(contract.observation, states) : coordinates_of(contract.observation);
  if (options.knots > 0) add_knots(out, states, options.knots, options.temper);
  for (std::size_t d = 0; head == Head::density && d < contract.action.dimensions(); ++d) {
    Coordinate action{{-1, 1}, contract.action.axes[d].periodic, {}};
    if (options.knots > 0 && !action.periodic) {  // as many as the others have, where they change nothing
      for (std::size_t j = 1; j <= options.knots; ++j) {
        action.knots.push_back(static_cast<std::uint8_t>(256 * j / (options.knots + 1)));
      }
    }
    out.push_back(std::move(action));
  }
  return out;
}

Terms make_dictionary(const DictionaryOptions& options, const Coordinates& coordinates, MatrixView<const double> points,
                      std::uint64_t seed) {
  Terms terms = no_terms(periodic_axes(coordinates));
  const std::vector<double> x = scaled(coordinates, points);
  const MatrixView<const double> at(x.data(), points.rows(), points.cols());
  const DictionaryBasis& basis = options.basis;
  const bool mixed = basis.kind == DictionaryKind::mixed;
  if (basis.kind == DictionaryKind::features) {
    const double length = options.length > 0 ? options.length : typical_length(at);
    add_waves(terms, basis.kernel, length, seed & 0xFFFF, options.candidates);
    return terms;
  }
  if (basis.kind == DictionaryKind::kernel) {
    const double length = options.length > 0 ? options.length : typical_length(at);
    const Landmarks landmarks = choose_landmarks(basis.kernel, length, at, options.candidates);
    const std::vector<double> centres = columns_of(at, landmarks.chosen);
    add_radials(terms, basis.kernel, options.bits + 1, length, 0, {centres.data(), at.rows(), landmarks.chosen.size()});
    return terms;
  }
  if (mixed || basis.kind == DictionaryKind::ridge) {
    add_ridges(terms, options.bits, 8, options.candidates, seed);
    if (!mixed) {  // a ridge never gives a constant
      add_tensor(terms, Family::legendre, IndexRule::total, 0);
      return terms;
    }
    const std::size_t centres = std::min<std::size_t>(options.candidates / 4 + 1, at.cols());
    const Landmarks spread = choose_landmarks(Kernel::matern32, typical_length(at) / 4, at, centres);
    const std::vector<double> some = columns_of(at, spread.chosen);
    add_radials(terms, Kernel::gaussian, options.bits + 1, 0.5, 2, {some.data(), at.rows(), spread.chosen.size()});
  }
  IndexSet products{options.rule, options.degree, options.limits, periodic_axes(coordinates)};
  if (options.lower_degree && (options.limits.empty() || options.limits.size() == coordinates.size())) {
    const std::size_t others = terms.size();
    const std::size_t fit = std::min(most_indices, most_features / std::max<std::size_t>(1, points.cols()));
    products.degree = largest_degree(products, std::max(fit, others + 1) - others);
  }
  add_tensor(terms, mixed ? Family::chebyshev : basis.family, options.rule, products.degree, options.limits);
  return terms;
}

StateMatrix pick_states(const Rollouts& rollouts, std::size_t most) {
  const std::size_t steps = rollouts.steps(), count = std::min(most, steps);
  if (steps == 0 || !rollouts.has_steps()) {
    throw Error(ErrorCode::missing_option, "rollouts without steps have no states", "Keep the steps");
  }
  StateMatrix out{rollouts.observations.size() / steps, {}};
  out.values.resize(out.dimensions * count);
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t step = i * steps / count;
    for (std::size_t d = 0; d < out.dimensions; ++d) {
      out.values[d * count + i] = rollouts.observations[step * out.dimensions + d];
    }
  }
  return out;
}

double mean_total_variation(const Policy& first, const Policy& second, MatrixView<const double> states,
                            std::uint64_t seed) {
  const std::size_t count = states.cols(), actions = first.action_space().dimensions();
  std::vector<double> action(actions * count), own(count), other(count);
  std::vector<std::uint64_t> items(count);
  std::iota(items.begin(), items.end(), std::uint64_t{0});
  const MatrixView<double> drawn(action.data(), actions, count);
  first.sample(states, {seed, Stage::action, 0, items}, drawn);
  first.log_prob(states, drawn, own);
  second.log_prob(states, drawn, other);
  double sum = 0;
  for (std::size_t i = 0; i < count; ++i) sum += std::max(0.0, 1 - std::exp(other[i] - own[i]));
  return sum / static_cast<double>(count);
}

ContinuousEmbedding fit_embedding(const ContinuousCode& shape, const Terms& dictionary, const Samples& samples,
                                  std::size_t k, const Polish& options, const std::string& name,
                                  const Progress& progress) {
  const Features all = evaluate_features(dictionary, shape.coordinates, samples, progress);
  TermPath path = choose_terms(all, samples, k, {}, 1e-6, progress);
  if (path.chosen.empty()) path.chosen.push_back(0);
  std::ranges::sort(path.chosen);
  Features few = select_rows(all, path.chosen);
  ContinuousCode code = shape;
  code.terms = select_terms(dictionary, path.chosen);
  std::vector<double> fitted = polish(few, samples, least_squares(few, samples), options, progress);
  if (options.ridge_steps > 0 && code.terms.ridge_count() > 0) {
    std::vector<double> followed = fitted;
    const Terms moved = move_ridges(code.terms, shape.coordinates, samples, followed, options);
    Features there = evaluate_features(moved, shape.coordinates, samples);
    followed = polish(there, samples, followed, options);
    if (objective(there, samples, followed) < objective(few, samples, fitted)) {
      code.terms = moved;
      few = std::move(there);
      fitted = std::move(followed);
    }
  }
  return ContinuousEmbedding::make(round_coefficients(code, few, samples, fitted), samples.teacher().contract(), name);
}

std::vector<ContinuousRound> make_continuous(const Env& env, const Policy& teacher, const ContinuousOptions& options,
                                             const Progress& progress) {
  check_options(options, teacher);
  RolloutOptions playing;
  playing.episodes = options.episodes;
  playing.seed = options.seed;
  playing.act = options.act;
  const auto episodes = static_cast<double>(options.episodes), planned = static_cast<double>(options.rounds);
  enum : Phases::Place { teacher_plays, fits, embedding_plays };
  Phases bar(progress,
             {{"teacher plays", episodes}, {"fit", 2 * planned * episodes}, {"embedding plays", planned * episodes}});
  bar.begin(teacher_plays);
  const Rollouts met = rollout(env, teacher, playing, bar.inner());
  const StateMatrix states = pick_states(met, options.states);
  const bool whole = options.act == Act::sample;
  const Head head = head_for(teacher, whole);
  ContinuousCode shape;
  shape.head = head;
  shape.squash = head == Head::logits     ? !whole
                 : head == Head::gaussian ? teacher.contract().squash == Squash::tanh
                                          : options.squash;
  shape.format = options.format;
  shape.coordinates = choose_coordinates(teacher, head, options.dictionary, states.view(), shape.ranges);
  Samples samples(teacher, head, shape.squash);
  shape.outputs = samples.outputs();
  // A density is fitted at many actions for each state.
  const std::size_t share = samples.group() == 1 ? 1 : 2;
  samples.add(pick_states(met, std::max<std::size_t>(100, options.states / share)).view());
  const double teacher_mean =
      std::accumulate(met.returns.begin(), met.returns.end(), 0.0) / static_cast<double>(met.episodes());
  std::vector<ContinuousRound> rounds;
  for (std::size_t round = 0; round < options.rounds; ++round) {
    bar.begin(fits, 2 * episodes);
    const Terms dictionary = make_dictionary(options.dictionary, shape.coordinates, samples.points(), options.seed);
    ContinuousEmbedding made =
        fit_embedding(shape, dictionary, samples, options.k, options.polish, teacher.name(), bar.inner());
    const Features few = evaluate_features(made.code().terms, shape.coordinates, samples);
    const double value = objective(few, samples, made.code().coefficients);
    bar.begin(embedding_plays, episodes);
    const Rollouts own = rollout(env, made.policy(), playing, bar.inner());
    const double mean =
        std::accumulate(own.returns.begin(), own.returns.end(), 0.0) / static_cast<double>(own.episodes());
    rounds.push_back({std::move(made), value, teacher_mean - mean});
    const std::size_t added = std::max<std::size_t>(1, 3 * options.states / 10 / share);
    if (round + 1 < options.rounds) samples.add(pick_states(own, added).view());
  }
  std::ranges::stable_sort(rounds, [](const auto& a, const auto& b) { return a.loss < b.loss; });
  return rounds;
}

}  // namespace mercer
