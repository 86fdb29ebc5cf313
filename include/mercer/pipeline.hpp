#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "mercer/certify.hpp"
#include "mercer/chip.hpp"
#include "mercer/compress.hpp"
#include "mercer/embed.hpp"
#include "mercer/export.hpp"
#include "mercer/file.hpp"
#include "mercer/perturb.hpp"
#include "mercer/rollout.hpp"
#include "mercer/statistics.hpp"
#include "mercer/train.hpp"

/// @file
/// Whole verbs as functions of one request each. A request says what to do; everything else is decided here: which
/// seeds play which part, what is stored about how a file was made, and when it is written. The command line, the
/// Python package, sweeps and the page fill requests and show results.
///
///     mercer::CompressRequest request;
///     request.task.env = "pendulum";
///     request.teacher.policy = "actor.onnx";
///     request.options.judge.max_loss = 0.01;
///     request.out = "small.mercer";
///     const mercer::CompressResult result = mercer::compress(request);

namespace mercer {

/// What every request holds.
struct Request {
  std::uint64_t seed = 0;
  std::set<std::string> given = {};  ///< options that were filled by name; a program that fills fields leaves it empty
};

/// A task and how it is played.
struct TaskRequest {
  std::string env;                            ///< such as "pendulum", "chain:n=20" or "mdp.json"
  std::shared_ptr<const Env> object = {};     ///< the task itself; `env` is then what files call it
  std::shared_ptr<const Player> player = {};  ///< plays in its place: a simulator outside the library
  std::optional<Act> act = {};                ///< unset: what the verb usually plays
  std::optional<double> gamma = {};           ///< discount, 0 to 1; unset: the task's
  std::optional<std::uint32_t> horizon = {};  ///< steps until an episode is cut off; unset: the task's
  std::string starts = {};                    ///< rollouts whose start states are used
  std::vector<double> start_states = {};  ///< the same, in memory: rows; episode e starts in row e modulo their number
  std::size_t batch = 0;                  ///< episodes in lockstep, 0: chosen; changes no result
};

/// A policy and how its file is read.
struct PolicyRequest {
  std::string policy;                         ///< "uniform", "actor.onnx", "small.mercer", "tabular:pi.json"
  std::vector<PolicySetting> settings = {};   ///< of a network
  std::shared_ptr<const Policy> object = {};  ///< the policy itself; `policy` is then what files call it
};

/// What must be kept besides the return: a set of limits, and single ones in their place.
struct KeepRequest {
  Keep keep = Keep::returned;
  std::optional<double> max_roughness = {};  ///< largest mean roughness, share of the action's range
  std::optional<double> max_failures = {};   ///< largest share of episodes that fail
  std::optional<double> max_distance = {};   ///< largest mean distance of actions, share of their range
  Keeps keeps() const;
};

/// Plays a policy and keeps every step.
struct RolloutRequest : Request {
  TaskRequest task;
  PolicyRequest policy;
  std::size_t episodes = RolloutOptions{}.episodes;
  bool keep_steps = true;  ///< false: the outcome of each episode alone, in little memory
  std::string out;         ///< .npz or .csv; empty: nothing is written
};
struct RolloutResult {
  std::string env, policy;
  Rollouts rollouts;
  std::string out;
};
/// Plays and writes. Over several processes only process 0 holds all steps and writes them.
RolloutResult rollout(const RolloutRequest& request, const Progress& progress = {});

/// Plays a policy and measures its return, or compares two on the same episodes.
struct EvaluateRequest : Request {
  TaskRequest task;
  PolicyRequest policy;
  std::size_t episodes = RolloutOptions{}.episodes;
  PolicyRequest against = {};  ///< optional: what `policy` loses against it
  std::string rollouts;        ///< a file of rollouts to measure, in place of playing
  bool behaviour = false;      ///< also measure how actions move, failures, and the distance from `against`
};
struct EvaluateResult {
  struct Against {
    std::string policy;
    ReturnSummary returns;
    PairedLoss loss;
    std::optional<Behaviour> behaviour = {};
  };
  std::string env, policy, file;  ///< `file`: where the rollouts were read
  bool deterministic = false;     ///< the policy draws nothing, however it is played
  std::uint64_t seed = 0;
  Rollouts played;  ///< without steps
  ReturnSummary returns, discounted;
  std::optional<Range> std_interval;  ///< 95%, of the standard deviation, by bootstrap
  std::optional<Behaviour> behaviour;
  std::optional<Against> against;
};
EvaluateResult evaluate(const EvaluateRequest& request, const Progress& progress = {});

/// Settings of a lattice: a preset, and what differs from it.
struct LatticeRequest {
  enum class Preset {
    paper,    ///< what the publication means
    best,     ///< what works better
    printed,  ///< the published pseudocode, defects included
  };
  enum class Unvisited { uniform, nearest, teacher };
  Preset preset = Preset::best;
  std::optional<std::vector<std::size_t>> state_bins, action_bins;
  std::optional<std::string> state_edges, action_edges;
  std::optional<RowOrder> order;
  std::optional<SimplexRule> simplex;
  std::optional<TableRule> table;
  std::optional<Unvisited> unvisited;
  std::optional<bool> noise, reach_bounds, conditional_actions;
  std::optional<double> prune, energy;
  std::optional<std::string> scratch;  ///< folder for a table that is not held in memory
  std::optional<std::size_t> sketch;   ///< with `scratch`: size of the sketches that edges come from

  LatticeOptions lattice() const;
  TruncationOptions truncation(std::size_t k) const;
};

/// Turns a policy into few numbers of a chosen basis.
struct EmbedRequest : Request {
  EmbedRequest();  ///< ridges move by default, as they do not in `ContinuousOptions`
  TaskRequest task;
  PolicyRequest teacher;
  Route route = Route::lattice;
  std::optional<std::string> basis = {};        ///< unset: `usual_basis`
  std::size_t k = 0;                            ///< 0: by energy, or `continuous.k` on the continuous route
  std::optional<std::size_t> rollouts = {};     ///< episodes it is made from; unset: `usual_rollouts`
  std::string from;                             ///< lattice: a file of rollouts in place of playing
  std::shared_ptr<const Rollouts> logged = {};  ///< the same, in memory; without a task nothing is played or measured
  std::size_t episodes = 1000;                  ///< that measure the result
  LatticeRequest lattice = {};
  ContinuousOptions continuous = {};
  std::optional<double> max_loss = {}, max_loss_return = {};  ///< lattice: choose the smallest k that keeps these
  std::optional<KRule> choose_k =
      {};  ///< lattice: by what k is chosen; unset: episodes with a largest loss, else energy
  std::size_t certify_episodes = CertifyOptions{}.episodes;
  double confidence = CertifyOptions{}.confidence;
  std::string out;                      ///< ends in .mercer; empty: nothing is written
  std::optional<SigningKey> sign = {};  ///< signs the file

  std::string usual_basis() const;     ///< of the route and the preset
  std::size_t usual_rollouts() const;  ///< of the route and the preset
};
struct EmbedResult {
  std::optional<EmbeddingFile> file;  ///< as it was written, certificate included; none in processes other than 0
  std::string out;                    ///< empty: nothing was written
  std::string spared;  ///< the file of `EmbedRequest::out` where it keeps its promise and this does not: it stays
  ReturnSummary teacher, embedding;      ///< on episodes that nothing else here plays
  std::optional<ReturnSummary> lattice;  ///< of the table before truncation
  std::optional<PairedLoss> loss;        ///< continuous: on the same episodes
  std::optional<double> w1, tv;          ///< between the distributions of actions, where they are known
  std::optional<W1Kind> w1_kind;         ///< what `w1` is
  std::size_t cells = 0;                 ///< lattice: of the table
  double all_cells = 0;                  ///< lattice: visited or not
  std::size_t collapsed_bins = 0, own_action_edges = 0, empty_rows = 0;  ///< lattice
  std::optional<std::size_t> table_bytes;                                ///< lattice with `scratch`: of the whole table
  std::optional<double> objective;                                       ///< continuous: of the fit
  std::optional<KChoice> choice;                                         ///< where a budget chose k
  double pruned_percent() const;
};
/// Embeds, certifies where a budget was given, writes the file once, and measures what was written. Check
/// `file->certificate` for a budget that is not kept, or call `require_budget`.
EmbedResult embed(const EmbedRequest& request, const Progress& progress = {});

/// Searches for the smallest embedding that keeps a promise.
struct CompressRequest : Request {
  enum class Routes { both, continuous, lattice };
  TaskRequest task;
  PolicyRequest teacher;
  Routes route = Routes::both;
  KeepRequest keep = {.keep = Keep::behaviour};
  std::string perturb;                  ///< such as "m=0.8..1.2; delay=0..1": search and promise over this box
  std::size_t grid = usual_grid;        ///< with `perturb`: values of each parameter that are certified one by one
  CompressOptions options = {};         ///< budgets, episodes, polish; its dictionaries and formats come from below
  std::vector<std::string> bases = {};  ///< dictionaries, or shared for shared ridges; empty: by the observations
  std::size_t degree = DictionaryOptions{}.degree;
  std::vector<NumberFormat> formats = {};  ///< of coefficients; empty: those of the options
  std::string states;                      ///< rollouts whose states alone are used: promises actions, no return
  std::optional<LoggedStates> logged_states = {};  ///< the same, in memory
  std::string out;                                 ///< ends in .mercer; empty: nothing is written
  std::string results;                             ///< folder for the front, all candidates and the state of a search
  std::optional<SigningKey> sign = {};             ///< signs every file
};
struct CompressResult {
  Compressed found;
  EmbeddingOrigin origin;
  std::string out;     ///< empty: nothing was written
  std::string spared;  ///< the file of `CompressRequest::out` where it keeps its promise and this does not: it stays
  std::string chosen;  ///< the file of the chosen candidate in the folder of results
  std::uintmax_t bytes = 0;  ///< of the file
};
CompressResult compress(const CompressRequest& request, const CandidateSink& sink = {}, const Progress& progress = {});

/// Certifies an embedding, or any policy that stands in for a teacher.
struct CertifyRequest : Request {
  TaskRequest task;       ///< unset: the task the embedding was made in
  PolicyRequest teacher;  ///< unset: the teacher it was made from
  std::string file;
  std::shared_ptr<const EmbeddingFile> embedding = {};  ///< in memory, in place of `file`; nothing is written
  std::shared_ptr<const Policy> student = {};           ///< any policy, in place of both
  std::size_t episodes = CertifyOptions{}.episodes, coupled = CertifyOptions{}.coupled,
              attempt = CertifyOptions{}.attempt;
  double confidence = CertifyOptions{}.confidence;
  LossMethod method = CertifyOptions{}.method;
  std::set<Level> levels = CertifyOptions{}.levels;
  std::optional<double> max_loss = {}, max_loss_return = {};
  KeepRequest keep = {};
  std::string lipschitz;                ///< of a lattice: "estimate", or the slope of the teacher's Q in the action
  std::string perturb;                  ///< such as "m=0.8..1.2; delay=0..1": certify over this box and at points of it
  std::size_t grid = usual_grid;        ///< with `perturb`: values of each parameter
  bool accept_other_teacher = false;    ///< certify against a teacher whose file has another SHA-256, and say so
  bool dry_run = false;                 ///< leave the file as it is
  bool all_episodes = false;            ///< play all episodes, even where fewer decide the budget
  std::optional<SigningKey> sign = {};  ///< signs the file; without it a signature of before is dropped with a warning
};
struct CertifyResult {
  Certificate certificate;
  bool stored = false;                    ///< in the file
  std::optional<Certificate> replaced{};  ///< what the file held before
};
CertifyResult certify(const CertifyRequest& request, const Progress& progress = {});

/// Writes an embedding as code.
struct ExportRequest : Request {
  enum class Format { c, st, json, rust, js, onnx };
  std::optional<Format> format = {};
  std::string file;
  COptions options = {};
  std::vector<PolicySetting> naming = {};  ///< names, units and period that the file does not know
  std::string check;                       ///< test vectors (.json) to check the export with
  std::string out;                         ///< folder
  std::optional<Core> core = {};           ///< of C: what it costs there is measured
  bool kit = false;                        ///< of C: a library for CMake, Arduino, PlatformIO and Zephyr, with tests
  std::string url;                         ///< of a kit: the home page that Arduino asks for
  bool force = false;                      ///< replaces files that hold something else
};
struct ExportResult {
  struct Cost {  ///< of one way to lay a lattice down, or why there is no such way
    std::string mode;
    std::size_t flash_bytes = 0, operations = 0;
    std::string refused;
  };
  ExportRequest::Format format = ExportRequest::Format::c;
  std::vector<std::string> files;
  std::optional<CExport> c;
  std::optional<StExport> st;
  std::optional<CodeExport> code;        ///< Rust, JavaScript or ONNX
  std::shared_ptr<const ChipCost> chip;  ///< where a core was named
  std::size_t json_bytes = 0;
  std::vector<Cost> modes;  ///< of a lattice
};
ExportResult export_code(const ExportRequest& request);

/// Looks into the file of a policy or an embedding.
struct InspectRequest : Request {
  PolicyRequest policy;    ///< a file of any kind that `make_policy` reads
  std::string env;         ///< the task; unset: the spaces come from the file
  std::string public_key;  ///< refuses an embedding that is not signed with it
  Notation notation = Notation::text;
  std::size_t test_vectors = 0;  ///< so many are written
  std::string out;               ///< their name without an ending; empty: FILE.vectors in the current folder
};
/// What a file holds, as far as it can be known. Text from the file is printable ASCII.
struct InspectResult {
  struct Port {
    std::string name;
    std::size_t size;
  };
  struct Layer {
    std::string name;
    std::size_t inputs, outputs;
  };
  std::string file;
  std::string kind;  ///< "agent", "network", "snapshot", "tensors", "table" or "embedding"
  std::uintmax_t bytes = 0;
  std::string sha256;
  std::string algorithm;  ///< of an agent or a snapshot: "SAC"; of tensors the trainer: "PPO of CleanRL"
  std::vector<std::pair<std::string, std::string>> made_by;  ///< programs with their versions
  std::vector<Port> inputs, outputs;                         ///< of a network
  std::vector<Layer> layers;
  std::vector<Port> critics;                       ///< values that an agent's file holds beside its policy
  std::string activation;                          ///< between layers; empty where `operators` show it
  std::vector<std::string> operators;              ///< of .onnx
  std::string normaliser;                          ///< the file of its statistics, "inside", "given" or empty: none
  std::shared_ptr<const Policy> policy;            ///< none where the file alone does not suffice
  std::string plays;                               ///< what the policy is, in words
  std::string missing;                             ///< why there is no policy, and what to do
  std::vector<std::string> warnings;               ///< what is unusual, a sentence each
  std::shared_ptr<const EmbeddingFile> embedding;  ///< of an embedding
  Notation notation = Notation::text;
  std::vector<std::string> written;  ///< files of test vectors
};
/// Reads the file; nothing in it is executed. Throws `bad_value` for a file of another kind.
InspectResult inspect(const InspectRequest& request);

/// Trains a policy by a recipe, and measures its snapshots.
struct TrainRequest : Request {
  std::string env;
  std::optional<Algorithm> algorithm = {};  ///< unset: `usual_algorithm`
  std::optional<std::uint64_t> steps = {};  ///< unset: the recipe's
  std::vector<std::uint64_t> snapshots = {};
  std::size_t eval_episodes = 100;
  double checkpoint_seconds = TrainOptions{}.checkpoint_seconds;
  bool force = false;
  std::string out;
  std::optional<std::vector<std::size_t>> hidden = {};
  std::optional<double> learning_rate = {}, gamma = {}, tau = {}, initial_alpha = {}, target_entropy = {},
                        noise_correlation = {}, epsilon_start = {}, epsilon_end = {}, epsilon_run = {},
                        max_gradient_norm = {}, step_size = {}, search_noise = {}, reward_shift = {};
  std::optional<std::size_t> decay_updates = {}, batch_size = {}, buffer = {}, warmup = {}, train_every = {},
                             updates = {}, epsilon_steps = {}, target_every = {}, directions = {}, best = {};
  std::optional<bool> scale_observations = {}, tune_alpha = {}, double_q = {};
};
/// What a request comes to: the recipe with the options of the request.
struct TrainPlan {
  std::shared_ptr<const Env> env;
  Recipe recipe;
  TrainOptions options;
};
TrainPlan plan_training(const TrainRequest& request);
struct TrainOutcome {
  TrainPlan plan;
  TrainResult result;
  std::vector<ReturnSummary> returns;  ///< of each snapshot
};
TrainOutcome train(const TrainRequest& request, const Progress& progress = {});

/// Throws `not_met`, with the bound and the budget, where a certificate is missing or does not keep its budget.
void require_budget(const Certificate& certificate);
void require_budget(const EmbedResult& result);  ///< of a k that was chosen
void require_budget(const CompressResult& result);

/// The task and the teacher that an embedding was made from.
struct Origin {
  std::shared_ptr<const Player> player;
  std::shared_ptr<const Policy> teacher;
  std::string env_name, teacher_name;
  std::string reading;         ///< how the file of a network was understood
  bool other_teacher = false;  ///< its SHA-256 is not the stored one, and that was accepted
};
/// Rebuilds what `file` (read from `path`) was made from, with every setting that shaped it. `task` and `teacher` take
/// the place of what is stored where they name anything. Throws `bad_value` for a teacher whose file has another
/// SHA-256 than the stored one, unless `accept_other`.
Origin resolve_origin(const EmbeddingFile& file, const std::filesystem::path& path, const TaskRequest& task = {},
                      const PolicyRequest& teacher = {}, bool accept_other = false, std::uint64_t seed = 0,
                      const Progress& progress = {});

}  // namespace mercer
