#include "mercer/compress/compress.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <numeric>

#include "compress/dictionary_path.hpp"
#include "mercer/core/error.hpp"

namespace mercer {
namespace {

// Episodes of different purposes never share a seed, nor those of the search.
enum class Purpose : std::uint64_t { fit = 1, select = 2, certify = 3 };
std::uint64_t seed_of(const CompressOptions& options, Purpose purpose) {
  return Random({options.seed, Stage::search, static_cast<std::uint64_t>(purpose), 0xFFFFFFFF}).bits();
}

double mean_of(std::span<const double> values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

class Search {
 public:
  Search(const Env& env, const Policy& teacher, const CompressOptions& options, const CandidateSink& sink,
         const Progress& progress)
      : env_(env), teacher_(teacher), options_(options), sink_(sink), progress_(progress) {
    selecting_ = playing(Purpose::select, options.select_episodes);
    teacher_returns_ = rollout(env, teacher, selecting_, progress).returns;
    teacher_mean_ = mean_of(teacher_returns_);
    budget_ = options.max_loss_return.value_or(HUGE_VAL);
    if (options.max_loss) budget_ = std::min(budget_, *options.max_loss * std::abs(teacher_mean_));
  }

  Compressed run() {
    if (options_.lattice) try_lattice();
    if (options_.continuous) follow_dictionaries();
    if (tried_.empty()) {
      throw Error(ErrorCode::missing_option, "no candidate was tried: no route is left to search",
                  "Allow the continuous route, or a larger --max-bytes");
    }
    return certified();
  }

 private:
  RolloutOptions playing(Purpose purpose, std::size_t episodes) const {
    RolloutOptions out;
    out.episodes = episodes;
    out.seed = seed_of(options_, purpose);
    out.act = options_.act;
    out.keep_steps = false;
    return out;
  }

  bool enough() const { return options_.seconds > 0 && seconds() > options_.seconds; }
  double seconds() const { return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin_).count(); }
  EnoughTime clock() const {
    return [this] { return enough(); };
  }

  // What the certificate will say, as far as the selection episodes tell: the loss, the uncertainty of it, and the
  // width that betting leaves at the number of certifying episodes.
  double expected_upper(const Candidate& one) const {
    const double n = static_cast<double>(options_.certify_episodes),
                 selected = static_cast<double>(options_.select_episodes);
    const double odds = std::log(2 / (1 - options_.confidence));
    const double width = env_.return_range(env_.task().time_limit).width();
    return one.loss + one.spread / std::sqrt(selected) + one.spread * std::sqrt(2 * odds / n) + width * odds / n;
  }
  bool promising(const Candidate& one) const { return fits(one.payload_bytes()) && expected_upper(one) <= budget_; }
  bool fits(std::size_t bytes) const { return !options_.max_bytes || bytes <= *options_.max_bytes; }

  double loss_of(const Policy& policy, double& spread) const {
    const std::vector<double> own = rollout(env_, policy, selecting_, progress_).returns;
    std::vector<double> lost(own.size());
    for (std::size_t i = 0; i < own.size(); ++i) lost[i] = teacher_returns_[i] - own[i];
    const double mean = mean_of(lost);
    spread = 0;
    for (const double value : lost) spread += (value - mean) * (value - mean);
    spread = std::sqrt(spread / static_cast<double>(std::max<std::size_t>(1, lost.size() - 1)));
    return mean;
  }

  const Candidate& record(Embedding embedding, std::string format) {
    Candidate one{std::move(embedding), std::move(format)};
    one.loss = loss_of(one.embedding.policy(), one.spread);
    one.loss_percent = 100 * one.loss / std::abs(teacher_mean_);
    const bool on_front = std::ranges::none_of(tried_, [&](const Candidate& other) {
      return other.payload_bytes() <= one.payload_bytes() && other.loss <= one.loss;
    });
    if (promising(one)) smallest_ = std::min(smallest_, one.payload_bytes());
    tried_.push_back(std::move(one));
    if (sink_) sink_(tried_.back(), on_front);
    return tried_.back();
  }

  void try_lattice();
  void follow_dictionaries();
  void add_visited(Samples& samples, const ContinuousCode& shape) const;
  std::size_t try_formats(const DictionaryPath& path);
  Compressed certified();

  const Env& env_;
  const Policy& teacher_;
  const CompressOptions& options_;
  const CandidateSink& sink_;
  const Progress& progress_;
  const std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
  RolloutOptions selecting_;
  std::vector<double> teacher_returns_;
  double teacher_mean_ = 0;
  double budget_ = 0;                                    // in units of return
  std::size_t smallest_ = static_cast<std::size_t>(-1);  // payload of a promising candidate
  std::vector<Candidate> tried_;
};

void Search::try_lattice() {
  LatticeOptions lattice = best_lattice();
  RolloutOptions met = playing(Purpose::fit, 1000);
  met.keep_steps = true;
  met.act = Act::sample;
  std::optional<Lattice> made;
  try {
    made = make_lattice(teacher_, rollout(env_, teacher_, met, progress_), lattice);
  } catch (const Error& error) {
    if (error.code() == ErrorCode::interrupted) throw;
    return;  // a teacher without a density, or too many dimensions: this route is not for it
  }
  for (const std::size_t k : {60, 250, 1000}) {
    if (enough() || k > made->table.pi.size() / 2) break;
    TruncationOptions truncation;
    truncation.basis = "dct";
    truncation.k = k;
    LatticeEmbedding embedding = LatticeEmbedding::make(teacher_, *made, lattice.playing, truncation, options_.seed);
    if (fits(embedding.payload().size())) record(std::move(embedding), "float32");
  }
}

// The states that fits of different sizes visit join the data: a candidate's errors live where the teacher never goes.
void Search::add_visited(Samples& samples, const ContinuousCode& shape) const {
  DictionaryOptions first;
  for (const std::size_t k : {4, 8, 12}) {
    const Terms dictionary = make_dictionary(first, shape.coordinates, samples.points(), options_.seed);
    const ContinuousEmbedding made = fit_embedding(shape, dictionary, samples, k, {}, "candidate");
    RolloutOptions visiting = playing(Purpose::fit, 200);
    visiting.keep_steps = true;
    samples.add(
        pick_states(rollout(env_, made.policy(), visiting, progress_), samples.group() == 1 ? 1500 : 200).view());
  }
}

// Returns the bytes of the smallest format.
std::size_t Search::try_formats(const DictionaryPath& path) {
  double spread = 0;
  const double loss = loss_of(*path.policy(), spread);
  const bool near = loss <= 3 * budget_ || loss <= 0.03 * std::abs(teacher_mean_);
  std::size_t least = static_cast<std::size_t>(-1);
  for (const NumberFormat format : options_.formats) {
    ContinuousEmbedding one = path.rounded(format, near, clock(), progress_);
    least = std::min(least, one.payload().size());
    if (fits(one.payload().size())) record(std::move(one), std::string(format_name(format)));
    if (!near) break;  // far from what is asked for: one point for the front will do
  }
  return least;
}

void Search::follow_dictionaries() {
  RolloutOptions met = playing(Purpose::fit, 200);
  met.keep_steps = true;
  const StateMatrix states = pick_states(rollout(env_, teacher_, met, progress_), 5000);
  const bool whole = options_.act == Act::sample;
  const Head head = head_for(teacher_, whole);
  ContinuousCode shape;
  shape.head = head;
  shape.squash = head == Head::logits ? !whole : head != Head::gaussian || teacher_.contract().squash == Squash::tanh;
  const std::vector<DictionaryOptions> dictionaries =
      options_.dictionaries.empty() ? default_dictionaries() : options_.dictionaries;
  shape.coordinates = choose_coordinates(teacher_, head, dictionaries.front(), states.view(), shape.own_ranges);
  Samples samples(teacher_, head, shape.squash);
  shape.outputs = samples.outputs();
  samples.add(states.view());
  add_visited(samples, shape);

  std::vector<DictionaryPath> paths;
  for (std::size_t i = 0; i < dictionaries.size(); ++i) {
    paths.emplace_back(env_, samples, shape, dictionaries[i], options_, i);
  }
  std::vector<bool> alive(paths.size(), true);
  for (std::size_t k = 1; k <= options_.most_terms; ++k) {
    for (std::size_t i = 0; i < paths.size(); ++i) {
      if (!alive[i] || enough()) continue;
      alive[i] = paths[i].grow(clock(), progress_);
      if (!alive[i]) continue;
      const std::size_t least = try_formats(paths[i]);
      // A little larger than the best so far: someone must stand in should that fail its certificate.
      if (least > smallest_ + smallest_ / 4 || !fits(least)) alive[i] = false;
    }
  }
}

Compressed Search::certified() {
  std::vector<std::size_t> order(tried_.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  // Promising ones from the smallest upwards; then whoever came nearest.
  std::ranges::stable_sort(order, [&](std::size_t a, std::size_t b) {
    const Candidate &first = tried_[a], &second = tried_[b];
    const bool one = promising(first), other = promising(second);
    if (one != other) return one;
    return one ? std::pair(first.payload_bytes(), first.loss) < std::pair(second.payload_bytes(), second.loss)
               : expected_upper(first) < expected_upper(second);
  });
  const RolloutOptions judging = playing(Purpose::certify, options_.certify_episodes);
  PairedReturns paired;
  paired.teacher = rollout(env_, teacher_, judging, progress_).returns;
  paired.range = env_.return_range(env_.task().time_limit);
  paired.seed = judging.seed;
  CertifyOptions certifying;
  certifying.episodes = judging.episodes;
  certifying.seed = judging.seed;
  certifying.confidence = options_.confidence;
  certifying.act = options_.act;
  certifying.levels = {Level::statistical};
  certifying.max_loss = options_.max_loss;
  certifying.max_loss_return = options_.max_loss_return;
  std::optional<Certificate> best;
  std::size_t chosen = order.front();
  for (std::size_t j = 0; j < std::min(options_.attempts, order.size()); ++j) {
    certifying.attempt = j + 1;
    const Policy& student = tried_[order[j]].embedding.policy();
    paired.student = rollout(env_, student, judging, progress_).returns;
    Certificate one = certify_paired(env_, teacher_, student, paired, certifying, progress_);
    const bool better = !best || one.met || one.upper_return < best->upper_return;
    if (better) {
      best = std::move(one);
      chosen = order[j];
    }
    if (best->met) break;
  }
  Compressed out{tried_[chosen], std::move(*best), {}, {}, seconds()};
  out.tried = std::move(tried_);
  std::vector<std::size_t> by_size(out.tried.size());
  std::iota(by_size.begin(), by_size.end(), std::size_t{0});
  std::ranges::stable_sort(by_size, [&](std::size_t a, std::size_t b) {
    return std::pair(out.tried[a].payload_bytes(), out.tried[a].loss) <
           std::pair(out.tried[b].payload_bytes(), out.tried[b].loss);
  });
  double least = HUGE_VAL;
  for (const std::size_t i : by_size) {
    if (out.tried[i].loss >= least) continue;
    least = out.tried[i].loss;
    out.front.push_back(i);
  }
  return out;
}

}  // namespace

std::vector<DictionaryOptions> default_dictionaries() {
  DictionaryOptions polynomials, ridges, mixed;
  ridges.basis = "ridge";
  mixed.basis = "mixed";
  return {polynomials, ridges, mixed};
}

Compressed compress(const Env& env, const Policy& teacher, const CompressOptions& options, const CandidateSink& sink,
                    const Progress& progress) {
  if (!options.max_loss && !options.max_loss_return && !options.max_bytes) {
    throw Error(ErrorCode::missing_option, "no budget was given", "Give a largest loss or a largest number of bytes");
  }
  require_in_range("the number of terms", static_cast<double>(options.most_terms), 1, 256, "Take 20");
  return Search(env, teacher, options, sink, progress).run();
}

}  // namespace mercer
