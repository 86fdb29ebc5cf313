#include <algorithm>
#include <chrono>

#include <fmt/format.h>

#include "core/phases.hpp"
#include "io/file.hpp"
#include "io/sha256.hpp"
#include "learn/checkpoint.hpp"
#include "mercer/error.hpp"
#include "mercer/version.hpp"
#include "pipeline/documents.hpp"
#include "pipeline/options.hpp"
#include "pipeline/playing.hpp"
#include "pipeline/teacher.hpp"

namespace mercer {
namespace {

namespace fs = std::filesystem;

void check(const CompressRequest& request) {
  CompressRequest copy = request;
  if (request.route == CompressRequest::Routes::lattice) refuse_other_route(options_of(copy), Route::lattice);
  if (!request.out.empty()) check_embedding_path(request.out);
  if (request.sign && request.out.empty() && request.results.empty()) refuse_sign();
  if (request.options.seconds > 0 && team().size > 1) {
    throw Error(ErrorCode::bad_value, "--budget was given, but several processes share no clock",
                "Leave it out and lower --generations, or use one process");
  }
  if (request.results.empty()) return;
  std::error_code ignored;  // check_writable reports a folder that cannot be created
  fs::create_directories(request.results, ignored);
  check_writable(fs::path(request.results) / "tried.json");
}

// Nothing is played: the states are those of a log.
bool on_states(const CompressRequest& request) { return !request.states.empty() || request.logged_states; }

// Seconds of an episode of the teacher's.
double episode_seconds(const Player& player, const Policy& teacher, Act act, const Progress& progress) {
  constexpr std::size_t tried = 2;
  const auto begin = std::chrono::steady_clock::now();
  player.play(teacher, {tried, 0, act}, progress);
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count() / tried;
}

// A slow player asks for less, in everything that was not asked for by name: no more episodes than time allows.
CompressOptions usual_or_given(const CompressRequest& request, const Player& player, const Policy& teacher,
                               const Progress& progress) {
  CompressOptions options = request.options;
  const auto given = [&](const char* name) { return request.given.contains(name); };
  if (!player.parallel() && !on_states(request)) {
    const CompressOptions usual = usual_options(player);
    if (!given("budget")) options.seconds = usual.seconds;
    std::size_t fit = usual.judge.select_episodes;
    if (options.seconds > 0) {
      const double each = episode_seconds(player, teacher, request.task.act.value_or(options.judge.act), progress);
      constexpr double share = 0.05, least = 12;
      fit = static_cast<std::size_t>(std::clamp(share * options.seconds / each, least, static_cast<double>(fit)));
      if (!given("most-terms")) options.most_terms = 256;  // time ends the search
    }
    options.visit_episodes = std::min(usual.visit_episodes, fit);
    if (!given("generations")) options.search.generations = usual.search.generations;
    if (!given("candidate-episodes")) options.search.episodes = std::min(usual.search.episodes, fit);
    if (!given("select-episodes")) options.judge.select_episodes = fit;
    if (!given("certify-episodes")) options.judge.certify_episodes = usual.judge.certify_episodes;
    options.coarse = usual.coarse;
    options.judge.glance = usual.judge.glance;
    options.then_on_return = usual.then_on_return && !given("polish");
    if (!given("polish")) options.polish = usual.polish;
  }
  // A quarter of the time certifies, unless the number of episodes is decided.
  if (!given("certify-episodes")) options.judge.certify_seconds = options.seconds / 4;
  return options;
}

// Students with shared ridges are for tasks of more than a few observations, or asked for by name.
constexpr std::string_view shared_basis = "shared";
bool asks_for_shared(const CompressRequest& request, const Player& player, Act act) {
  if (on_states(request) || request.route == CompressRequest::Routes::lattice) return false;
  const bool named = std::ranges::find(request.bases, shared_basis) != request.bases.end();
  const bool able = takes_shared_ridges(player.task()) && act == Act::mean;
  if (named && !able) {
    throw Error(
        ErrorCode::bad_value,
        fmt::format("shared ridges do not take task '{}' with --act {}: actions must be discrete or have bounds, "
                    "observations must not be periodic, and mean actions are played",
                    player.task().name, name(act)),
        "Use --act mean, or another basis");
  }
  constexpr std::size_t few = 4;
  return named || (able && request.bases.empty() && player.task().observation.dimensions() > few);
}

// No more episodes than time allows, in everything that was not asked for by name: those of a large task take long.
void fit_shared(const CompressRequest& request, const Player& player, const Policy& teacher, CompressOptions& options,
                const Progress& progress) {
  const auto given = [&](const char* name) { return request.given.contains(name); };
  constexpr double usual_seconds = 40 * 60, share = 0.02, least = 32, most = 400;
  // Processes that search together keep no common time; a player outside the library has its usual one already.
  if (!given("budget") && player.parallel()) options.seconds = team().size > 1 ? 0 : usual_seconds;
  const double each = episode_seconds(player, teacher, Act::mean, progress);
  const double time = options.seconds > 0 ? options.seconds : usual_seconds;
  const auto fit = static_cast<std::size_t>(std::clamp(share * time / each, least, most));
  if (!given("select-episodes")) options.judge.select_episodes = fit;
  options.judge.glance = 16;
  options.visit_episodes = std::min<std::size_t>(options.visit_episodes, 16);
  if (!given("certify-episodes")) options.judge.certify_seconds = options.seconds / 4;
  if (!given("route")) options.lattice = false;
}

CompressOptions search_options(const CompressRequest& request, const Player& player, const Policy& teacher,
                               const Progress& progress) {
  CompressOptions options = usual_or_given(request, player, teacher, progress);
  SelectionOptions& judge = options.judge;
  // A budget in return, asked for alone, replaces the usual one in percent.
  if (request.given.contains("max-loss-return") && !request.given.contains("max-loss")) judge.max_loss = std::nullopt;
  judge.act = request.task.act.value_or(judge.act);
  judge.seed = request.seed;
  judge.keeps = request.keep.keeps();
  options.continuous = request.route != CompressRequest::Routes::lattice;
  options.lattice = request.route != CompressRequest::Routes::continuous;
  if (!player.parallel() && !request.given.contains("route")) options.lattice = usual_options(player).lattice;
  options.shared_ridges = asks_for_shared(request, player, judge.act);
  if (options.shared_ridges) fit_shared(request, player, teacher, options, progress);
  for (const std::string& basis : request.bases) {
    if (basis != shared_basis) options.dictionaries.emplace_back().basis = basis;
  }
  if (options.dictionaries.empty() && !options.shared_ridges) options.dictionaries = default_dictionaries();
  for (DictionaryOptions& dictionary : options.dictionaries) {
    dictionary.degree = request.degree;
    dictionary.lower_degree = !request.given.contains("degree");
  }
  if (!request.formats.empty()) options.formats = request.formats;
  return options;
}

// How each point of a grid is certified: on episodes that chose nothing, as many as `certify` plays unless asked
// otherwise. There may be hundreds of points.
CertifyOptions grid_options(const SelectionOptions& judge) {
  CertifyOptions options;
  options.episodes = std::min(judge.certify_episodes, options.episodes);
  options.seed = judge.seed;
  options.confidence = judge.confidence;
  options.method = judge.method;
  options.act = judge.act;
  return options;
}

Compressed search_on_states(const CompressRequest& request, const Policy& teacher, const CompressOptions& options,
                            const CandidateSink& sink, const Progress& progress) {
  if (options.judge.max_loss_return) {
    throw Error(ErrorCode::bad_value, "--max-loss-return does not go with --states: no return is played there",
                "Give --max-loss, which is then a share of the action's range");
  }
  StatesOptions of;
  if (options.judge.max_loss) of.max_error = *options.judge.max_loss;
  of.max_bytes = options.judge.max_bytes;
  of.confidence = options.judge.confidence;
  of.most_terms = options.most_terms;
  of.attempts = options.judge.attempts;
  of.dictionaries = options.dictionaries;
  if (!request.formats.empty()) of.formats = options.formats;
  of.seed = options.judge.seed;
  const LoggedStates log =
      request.logged_states ? *request.logged_states : logged_states(read_rollouts(request.states));
  return compress_states(teacher, log, of, sink, progress);
}

// Whether the same search would continue from what is stored.
bool is_kept(const CompressOptions::Resume& resume) {
  if (resume.file.empty()) return false;
  try {
    learn::read_checkpoint(resume.file, resume.hash);
    return true;
  } catch (const Error&) {
    return false;
  }
}

Compressed search_in_task(const Player& player, const Policy& teacher, const CompressOptions& options,
                          const CandidateSink& sink, const Progress& progress) {
  try {
    return compress(player, teacher, options, sink, progress);
  } catch (const Error& error) {
    if (error.code() != ErrorCode::interrupted || !is_kept(options.resume)) throw;
    throw Error(
        error.code(),
        fmt::format("interrupted before the work was done; '{}' keeps the search", options.resume.file.string()),
        "Run the same command to continue it");
  }
}

void add_critics(const PolicyRequest& request, const Policy& teacher, CompressOptions& options,
                 const Progress& progress) {
  if (teacher.action_space().is_discrete() || named_file(request.policy).empty()) return;
  std::string why;
  if (auto critics = read_dense_critics(request.policy, teacher.contract(), request.settings, &why)) {
    options.critics = std::make_shared<const DenseCritics>(std::move(*critics));
  } else if (progress.note) {
    progress.note(fmt::format("the search learns critics of its own: {}", why));
  }
}

// Grows by one whenever the same settings search in another way.
constexpr int search_revision = 5;

// Of all that decides what a search finds.
std::string search_hash(const CompressRequest& request, const Policy& teacher) {
  nlohmann::ordered_json all = settings_of(request);
  for (const char* unimportant : {"threads", "budget", "out", "sign"}) all.erase(unimportant);
  all["version"] = version();
  all["revision"] = search_revision;
  all["task"] = request.task.env;
  all["teacher"] = teacher.name();
  const std::string file = named_file(request.teacher.policy);
  std::error_code none;
  if (fs::is_regular_file(file, none)) all["sha256"] = sha256_file(file);
  return sha256(all.dump());
}

// The embeddings of the Pareto front and a list of all candidates, for 'mercer report' and 'mercer serve'.
void write_results(const fs::path& folder, CompressResult& result, const std::optional<SigningKey>& key) {
  nlohmann::ordered_json tried = nlohmann::ordered_json::array();
  const Compressed& found = result.found;
  EmbeddingOrigin origin = result.origin;
  origin.folder = folder_seen_from(folder / "tried.json");
  for (std::size_t i = 0; i < found.tried.size(); ++i) {
    const Candidate& one = found.tried[i];
    nlohmann::ordered_json entry = document(one, played(found));
    const bool chosen = i == found.chosen;
    if (chosen || std::ranges::find(found.front, i) != found.front.end()) {
      const std::string file = fmt::format("{:05}-{}-{}.mercer", one.payload_bytes(), name(one.embedding.route()), i);
      write_embedding(folder / file, one.embedding, origin, chosen ? found.certificate : std::nullopt, key);
      entry["file"] = file;
      if (chosen) entry["chosen"] = true;
      if (chosen) result.chosen = (folder / file).string();
    }
    tried.push_back(std::move(entry));
  }
  write_atomically(folder / "tried.json", [&](std::ostream& stream) { stream << tried.dump(1) << '\n'; });
}

}  // namespace

CompressResult compress(const CompressRequest& request, const CandidateSink& sink, const Progress& progress) {
  check(request);
  const bool logged = on_states(request);
  if (logged && !request.perturb.empty()) {
    throw Error(ErrorCode::bad_value, "--perturb does not go with --states: nothing is played there", "Leave it out");
  }
  if (logged && (request.keep.max_roughness || request.keep.max_failures || request.keep.max_distance)) {
    throw Error(ErrorCode::bad_value,
                "--max-roughness, --max-failures and --max-distance do not go with --states: "
                "nothing is played there",
                "Leave them out; --max-loss is the largest error of the action");
  }
  const TaskRequest task = perturbed(request.task, request.perturb, request.seed);
  const auto named = resolve_player(task, request.seed);
  const auto teacher = resolve_policy(request.teacher, named->task(), progress);
  const auto player = with_spread_of(named, task, request.seed, *teacher, without_bar(progress));
  refuse_failures(request.keep, player->task());
  CompressOptions options = search_options(request, *player, *teacher, without_bar(progress));
  options.judge.points = grid_players(*player, request.grid);
  if (options.shared_ridges) add_critics(request.teacher, *teacher, options, progress);
  if (options.shared_ridges && !request.results.empty()) {
    options.resume.file = fs::path(request.results) / "search.state";
    options.resume.hash = search_hash(request, *teacher);
  }
  // The search knows its phases. What a grid takes beside it is a guess until its first point is certified.
  constexpr double share_of_grid = 0.5;
  const bool has_grid = !logged && grid_points(*player, request.grid) > 0;
  Phases bar(progress, {{"", 1}, {"grid", has_grid ? share_of_grid : 0}});
  bar.begin(0);
  CompressResult result;
  result.found = logged ? search_on_states(request, *teacher, options, sink, bar.inner())
                        : search_in_task(*player, *teacher, options, sink, bar.inner());
  if (result.found.certificate) {
    result.found.certificate->env = task.env;
    if (!logged) {
      bar.begin(1);
      add_grid(*result.found.certificate, *player, *teacher, result.found.winner().embedding.policy(), request.grid,
               grid_options(options.judge), bar.inner());
    }
  }
  result.origin = make_origin(task, request.teacher, *teacher, request.seed, settings_of(request), request.out);
  result.origin.settings["act"] = std::string(name(options.judge.act));
  const bool kept = result.found.certificate && result.found.certificate->within_budget;
  (kept || !keeps_promise(request.out) ? result.out : result.spared) = request.out;
  if (!result.out.empty()) {
    write_embedding(request.out, result.found.winner().embedding, result.origin, result.found.certificate,
                    request.sign);
    result.bytes = fs::file_size(request.out);
  }
  if (!request.results.empty()) write_results(request.results, result, request.sign);
  return result;
}

}  // namespace mercer
