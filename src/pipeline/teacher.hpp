#pragma once

#include "mercer/pipeline.hpp"

namespace mercer {

/// The file that the text of a task or policy names, as in "tabular:x.json" or "actor.onnx:temperature=0.2"; empty
/// where it names none.
std::string named_file(const std::string& spec);

/// The task of a request. Throws `missing_option` when none was named.
std::shared_ptr<const Env> resolve_task(const TaskRequest& request, std::uint64_t seed);
/// The policy of a request. How a network's file was understood becomes a note.
std::shared_ptr<const Policy> resolve_policy(const PolicyRequest& request, const Task& task, const Progress& progress,
                                             std::string* reading = nullptr);

/// The spread of each observation without bounds, and 0 of the others: the standard deviation over 100 episodes of the
/// policy's mean actions, from a fixed seed, in the task without any perturbation, so that all perturbations of a task
/// share it.
std::vector<double> spread_of(const std::string& spec, const Space& observation, std::uint64_t seed,
                              const Policy& policy, const Progress& progress);
/// The task, with that spread where its noise or levels need it.
std::shared_ptr<const Env> with_spread_of(std::shared_ptr<const Env> env, const std::string& spec, std::uint64_t seed,
                                          const Policy& policy, const Progress& progress);

/// The folder where relative paths start, as seen from the file `out` that stores them: a tree that moves as a whole
/// still fits.
std::string folder_seen_from(const std::filesystem::path& out);

/// What a file stores about where it comes from: every setting that shaped it, from whatever source, with the settings
/// of the teacher's network resolved. `out` is the file that will be written.
EmbeddingOrigin make_origin(const TaskRequest& task, const PolicyRequest& teacher, const Policy& made,
                            std::uint64_t seed, std::map<std::string, std::string> settings,
                            const std::filesystem::path& out);

/// The task that an embedding names, as seen from here: its file is looked for from the stored folder, then from here.
std::string stored_task(const EmbeddingFile& file, const std::filesystem::path& path);
/// How an embedding was made to be played.
Act stored_act(const EmbeddingFile& file);
/// The teacher of an embedding, or the one that is asked for; the stored file keeps the settings that shaped it, unless
/// others are asked for.
PolicyRequest stored_teacher(const EmbeddingFile& file, const std::filesystem::path& path, PolicyRequest asked);
/// A file whose SHA-256 an embedding stores: its teacher, or where the normaliser of that may be.
struct KnownFile {
  std::filesystem::path path;
  std::string sha256;
};
std::vector<KnownFile> known_files(const EmbeddingFile& file, const std::filesystem::path& path);
/// Whether this is the teacher that the embedding was made from: the same file with the same settings, as far as can be
/// known. Throws `bad_value` with what differs where it is not, unless `accept_other`.
bool check_teacher(const EmbeddingFile& file, const PolicyRequest& asked, bool accept_other);

/// How many rollouts decided which cells of a lattice are kept, as its file says; 0 where it does not.
std::size_t pruning_rollouts(const EmbeddingFile& file);

/// Throws `bad_value`: a key was given, and no file is written.
[[noreturn]] void refuse_sign();

/// Throws `missing_option` or `bad_value` unless `out` can be the file of an embedding, and `cannot_write`.
void check_embedding_path(const std::string& out);

/// Whether the file is an embedding whose certificate keeps a limit that was asked for.
bool keeps_promise(const std::filesystem::path& path);

}  // namespace mercer
