#pragma once

#include "mercer/pipeline.hpp"

namespace mercer {

/// The file that the text of a task or policy names, as in "tabular:x.json" or "actor.onnx:temperature=0.2"; empty
/// where it names none.
std::string named_file(const std::string& spec);

/// The task of a request. Throws `missing_option` when none was named.
std::shared_ptr<const Env> resolve_task(const TaskRequest& request, std::uint64_t seed);
/// What plays in the task of a request: its own player, or the task's.
std::shared_ptr<const Player> resolve_player(const TaskRequest& request, std::uint64_t seed);
/// The policy of a request. How a network's file was understood becomes a note.
std::shared_ptr<const Policy> resolve_policy(const PolicyRequest& request, const Task& task, const Progress& progress,
                                             std::string* reading = nullptr);
/// `rollout`, with its speed as a note.
Rollouts play(const Env& env, const Policy& policy, const RolloutOptions& options, const Progress& progress);

/// How episodes are played: the request's settings, with the start states of `starts` read.
RolloutOptions playing_options(const TaskRequest& request, const Env& env, std::size_t episodes, std::uint64_t seed);
/// Throws `bad_value` when start states were given: a certificate needs the task's own.
void refuse_starts(const TaskRequest& request);

/// What a file stores about where it comes from: every setting that shaped it, from whatever source, with the settings
/// of the teacher's network resolved. `out` is the file that will be written.
EmbeddingOrigin make_origin(const TaskRequest& task, const PolicyRequest& teacher, const Policy& made,
                            std::uint64_t seed, std::map<std::string, std::string> settings,
                            const std::filesystem::path& out);

/// The task that an embedding names, as seen from here: its file is looked for from the stored folder, then from here.
std::string stored_task(const EmbeddingFile& file, const std::filesystem::path& path);
/// The teacher of an embedding, or the one that is asked for; the stored file keeps the settings that shaped it, unless
/// others are asked for.
PolicyRequest stored_teacher(const EmbeddingFile& file, const std::filesystem::path& path, PolicyRequest asked);
/// Whether this is the teacher that the embedding was made from: the same file with the same settings, as far as can be
/// known. Throws `bad_value` with what differs where it is not, unless `accept_other`.
bool check_teacher(const EmbeddingFile& file, const PolicyRequest& asked, bool accept_other);

/// Throws `bad_value`: a key was given, and no file is written.
[[noreturn]] void refuse_sign();

/// Throws `missing_option` or `bad_value` unless `out` can be the file of an embedding, and `cannot_write`.
void check_embedding_path(const std::string& out);

}  // namespace mercer
