#include "mercer/compress.hpp"

#include <cmath>

#include <fmt/format.h>

#include "compress/pareto_front.hpp"
#include "compress/search.hpp"
#include "mercer/error.hpp"

namespace mercer {

Search::Search(const Player& player, const Policy& teacher, const CompressOptions& options, const CandidateSink& sink,
               const Progress& progress)
    : player_(player),
      teacher_(teacher),
      options_(options),
      sink_(sink),
      forecast_(progress),
      selection_(player, teacher, options.judge, progress_),
      visiting_{options.visit_episodes, Random({options.judge.seed, Stage::search, 1, 0xFFFFFFFF}).bits(),
                options.judge.act},
      states_(pick_states(player.roll_out(teacher, visiting_, progress_), 5000)) {
  teacher_seconds_ = seconds() / static_cast<double>(options.judge.select_episodes + options.visit_episodes);
  options_.search.aim = selection_.aim();
  if (options_.dictionaries.empty() && !options_.shared_ridges) options_.dictionaries = default_dictionaries();
}

Compressed Search::run() {
  if (options_.seconds > 0) expect(options_.seconds);
  if (options_.lattice) try_lattice();
  forecast_.play_for("fit");
  if (options_.continuous && !options_.dictionaries.empty()) follow_dictionaries();
  if (options_.continuous && options_.shared_ridges) follow_ridges();
  forecast_.play_for("certify");
  forecast_.detail("");
  expect(0);
  Selection::Verdict verdict = selection_.certify(measured_, progress_);
  Compressed out{{},
                 front_of(tried_),
                 selection_.teacher_behaviour(),
                 verdict.chosen,
                 std::move(verdict.certificate),
                 seconds(),
                 cut_short_,
                 on_return_};
  out.tried.assign(std::make_move_iterator(tried_.begin()), std::make_move_iterator(tried_.end()));
  if (!options_.resume.file.empty()) std::filesystem::remove(options_.resume.file);
  return out;
}

double Search::seconds() const {
  return before_ + std::chrono::duration<double>(std::chrono::steady_clock::now() - begin_).count();
}

bool Search::enough() const {
  return options_.seconds > 0 && seconds() > options_.seconds - options_.judge.certify_seconds;
}

MeasuredPolicy Search::measure(const Policy& policy, std::size_t bytes) {
  forecast_.play_for("choose");
  const double begin = seconds();
  MeasuredPolicy out = selection_.measure(policy, bytes, progress_);
  student_seconds_ = (seconds() - begin) / static_cast<double>(out.episodes);
  forecast_.play_for("fit");
  return out;
}

const MeasuredPolicy& Search::record(Embedding embedding, NumberFormat format) {
  Candidate one{std::move(embedding), format};
  MeasuredPolicy measured = measure(one.embedding.policy(), one.payload_bytes());
  one.loss = measured.loss;
  one.spread = measured.spread;
  one.loss_percent = 100 * one.loss / std::abs(selection_.teacher_return());
  one.action_distance = distance(one.embedding.policy());
  one.behaviour = measured.behaviour;
  one.admissible = selection_.admissible(measured);
  if (selection_.promising(measured)) smallest_ = std::min(smallest_, one.payload_bytes());
  const bool on_front = add_candidate(tried_, std::move(one));
  measured.policy = &tried_.back().embedding.policy();
  measured_.push_back(measured);
  if (sink_) sink_(tried_.back(), on_front);
  return measured_.back();
}

double Search::distance(const Policy& student) const {
  const MatrixView<const double> states = states_.view();
  const std::size_t actions = teacher_.action_space().dimensions();
  std::vector<double> first(actions * states.cols()), second(first.size());
  teacher_.mean_action(states, {first.data(), actions, states.cols()});
  student.mean_action(states, {second.data(), actions, states.cols()});
  const bool discrete = teacher_.action_space().is_discrete();  // another action is at distance one
  double sum = 0;
  for (std::size_t i = 0; i < first.size(); ++i) {
    const double apart = first[i] - second[i];
    sum += discrete ? (apart != 0 ? 1 : 0) : apart * apart;
  }
  return std::sqrt(sum / static_cast<double>(states.cols()));
}

void Search::try_lattice() {
  const LatticeOptions lattice = best_lattice();
  Episodes met = visiting_;
  met.count *= 5;
  met.act = Act::sample;  // a lattice is made of what a policy draws, whatever is played later
  std::optional<Lattice> made;
  try {
    made = make_lattice(teacher_, player_.roll_out(teacher_, met, progress_), lattice);
  } catch (const Error& error) {
    if (error.code() == ErrorCode::interrupted || !options_.continuous) throw;
    return;  // a teacher without a density, or too many dimensions: this route is not for it
  }
  const std::size_t half = std::max<std::size_t>(1, made->table.pi.size() / 2);
  for (const std::size_t wanted : {60, 250, 1000}) {
    const bool done = enough() && (options_.continuous || !tried_.empty());
    if (done || (wanted > half && wanted > 60)) break;
    const std::size_t k = std::min(wanted, half);  // a small table has one candidate
    TruncationOptions truncation;
    truncation.basis = "dct";
    truncation.k = k;
    LatticeEmbedding one = LatticeEmbedding::make(teacher_, *made, lattice.playing, truncation, options_.judge.seed);
    if (selection_.fits(one.payload().size())) record(std::move(one), NumberFormat::float32);
  }
}

// The states that fits of different sizes visit join the data: a candidate's errors live where the teacher never goes.
void Search::add_visited(Samples& samples, const ContinuousCode& shape) const {
  for (const std::size_t k : {4, 8, 12}) {
    const Terms dictionary = make_dictionary({}, shape.coordinates, samples.points(), options_.judge.seed);
    const ContinuousEmbedding made = fit_embedding(shape, dictionary, samples, k, {}, "candidate", progress_);
    const Rollouts met = player_.roll_out(made.policy(), visiting_, progress_);
    samples.add(pick_states(met, samples.group() == 1 ? 1500 : 200).view());
  }
}

// Returns the bytes of the smallest format.
std::size_t Search::try_formats(const DictionaryPath& path) {
  const std::unique_ptr<Policy> unrounded = path.policy();
  const auto [loss, excess] = [&] {
    const MeasuredPolicy measured = measure(*unrounded, 0);
    return std::pair(measured.loss, measured.excess);
  }();
  const bool near =
      (loss <= 3 * selection_.budget() || loss <= 0.03 * std::abs(selection_.teacher_return())) && excess <= 1;
  std::size_t least = static_cast<std::size_t>(-1);
  for (const NumberFormat format : options_.formats) {
    const bool careful = near && options_.polish == PolishBy::returned;
    ContinuousEmbedding one = path.rounded(format, careful, clock(), progress_);
    least = std::min(least, one.payload().size());
    if (selection_.fits(one.payload().size())) record(std::move(one), format);
    if (!near) break;  // far from what is asked for: one point for the front will do
  }
  return least;
}

void Search::follow_dictionaries() {
  const bool whole = options_.judge.act == Act::sample;
  const Head head = head_for(teacher_, whole);
  ContinuousCode shape;
  shape.head = head;
  shape.squash = head == Head::logits ? !whole : head != Head::gaussian || teacher_.contract().squash == Squash::tanh;
  const std::vector<DictionaryOptions>& dictionaries = options_.dictionaries;
  shape.coordinates = choose_coordinates(teacher_, head, dictionaries.front(), states_.view(), shape.ranges);
  Samples samples(teacher_, head, shape.squash);
  shape.outputs = samples.outputs();
  samples.add(states_.view());
  add_visited(samples, shape);

  Paths paths;
  for (std::size_t i = 0; i < dictionaries.size() && (i == 0 || !enough()); ++i) {
    paths.emplace_back(&player_, samples, shape, dictionaries[i], options_, i, progress_);
  }
  options_.coarse ? follow_coarsely(paths) : follow_in_step(paths);
}

void Search::follow_in_step(Paths& paths) {
  on_return_ = options_.polish == PolishBy::returned;
  std::vector<Followed> followed(paths.size());
  constexpr double usual_rest =
      10;  // times what was spent before: known better after the first dictionary's first term
  expect(usual_rest * seconds());
  for (std::size_t k = 1; k <= options_.most_terms; ++k) {
    forecast_.detail(fmt::format("{} term{}", k, k == 1 ? "" : "s"));
    for (std::size_t i = 0; i < paths.size(); ++i) {
      if (!followed[i].alive) continue;
      if (late()) {
        cut_short_ = true;
        return;
      }
      const double begin = seconds();
      followed[i].alive = paths[i].grow(clock(), progress_);
      if (!followed[i].alive) continue;
      const std::size_t least = try_formats(paths[i]);
      if (least > smallest_ || !selection_.fits(least)) followed[i].alive = false;
      followed[i] = {followed[i].alive, k, seconds() - begin, least, k == 1 ? least : followed[i].first_least};
      expect_rounds(k, followed);
    }
  }
}

std::vector<DictionaryOptions> default_dictionaries() {
  DictionaryOptions polynomials, ridges, mixed;
  ridges.basis = "ridge";
  mixed.basis = "mixed";
  return {polynomials, ridges, mixed};
}

CompressOptions usual_options(const Player& player) {
  CompressOptions out;
  if (player.parallel()) return out;
  out.lattice = false;
  out.polish = PolishBy::action;
  out.coarse = out.then_on_return = true;
  out.judge.glance = 16;
  out.seconds = 120;
  out.visit_episodes = 25;
  out.search.generations = 20;
  out.search.episodes = 20;
  out.judge.select_episodes = 400;
  out.judge.certify_episodes = 4000;
  return out;
}

Compressed compress(const Player& player, const Policy& teacher, const CompressOptions& options,
                    const CandidateSink& sink, const Progress& progress) {
  require_in_range("the number of terms", static_cast<double>(options.most_terms), 1, 256, "Take 20");
  require_in_range("visit episodes", static_cast<double>(options.visit_episodes), 1, 1e8, "Take 200");
  for (const DictionaryOptions& dictionary : options.dictionaries) {  // refuse a name that is none before any work
    ContinuousOptions named;
    named.dictionary = dictionary;
    named.act = options.judge.act;
    if (options.continuous) check_options(named, teacher);
  }
  if (options.formats.empty()) throw Error(ErrorCode::missing_option, "no number format to try", "Name one, as int8");
  return Search(player, teacher, options, sink, progress).run();
}

}  // namespace mercer
