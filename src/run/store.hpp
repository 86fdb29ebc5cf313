#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "io/sha256.hpp"
#include "mercer/parallel.hpp"

namespace mercer {

/// Work whose result is kept: what it is called and all that the result depends on.
struct Job {
  std::string kind;                  ///< such as "teacher": small letters, digits and '-', 1 to 40 of them
  std::string configuration = "{}";  ///< a JSON document: every setting that changes the result
  std::vector<std::string> inputs;   ///< `Entry::digest` of the entries that it reads
  bool resumes = false;  ///< the work goes on from files that a killed process left; otherwise it begins with none
};

/// A finished result in a store: a folder of files that never change.
struct Entry {
  std::string key;
  std::string kind;
  std::string configuration;     ///< canonical
  std::filesystem::path folder;  ///< where its files are
  std::string digest;            ///< SHA-256 over names and contents of the files
  std::uintmax_t bytes = 0;      ///< of the files
};

/// What is in a store, finished or not.
struct Listed {
  enum class State { done, unfinished, damaged };
  State state = State::done;
  Entry entry;  ///< of what is not done: key and folder alone
};

/// What to do about a job that another process is working on.
enum class Busy { wait, refuse };

/// Results by what they follow from. The same job is done once, by the process that comes first. Killed at any moment
/// it leaves nothing that looks finished; the next process does it again or goes on, to the same bytes.
///
///     Store store("results/store", library_digest());
///     const Entry made = store.require({"squares", R"({"n": 10})"}, [](const std::filesystem::path& folder) {
///       write_squares(folder / "squares.csv", 10);
///     });
///     read_squares(made.folder / "squares.csv");
///
/// In the folder: KEY/ with the files and entry.json, which names them with sizes and SHA-256; KEY.work/ where work is
/// under way; KEY.lock, held by the process that works (flock: it goes with the process, however that ends). KEY is the
/// kind and 32 digits of the SHA-256 of build, kind, configuration and inputs. A result appears by renaming its folder,
/// after all of it is on the disk.
class Store {
 public:
  /// Makes the folder if need be. `build` identifies programs that may compute differently. Throws `cannot_write`.
  Store(std::filesystem::path folder, std::string build);

  const std::filesystem::path& folder() const { return folder_; }

  /// The key of a job. Throws `bad_value` for an illegal kind, and what `canonical_json` throws.
  std::string key(const Job& job) const;

  /// Whether a whole result is there: all its files are read and checked.
  bool has(const Job& job) const;

  /// The result of a job. Where there is none, or it is damaged, `make` is called with a folder to write files into
  /// (no subfolders). Throws what `make` throws, leaving its files only if the job resumes; `cannot_write` where
  /// another process is on it and `busy` is `refuse`; `interrupted` while waiting; `bad_value` for a `make` that wrote
  /// nothing.
  Entry require(const Job& job, const std::function<void(const std::filesystem::path& folder)>& make,
                const Progress& progress = {}, Busy busy = Busy::wait) const;

  /// Everything in the folder, by key. Reads and checks all files.
  std::vector<Listed> list() const;

  /// Removes a result, so that it is made again.
  void remove(const Job& job) const;

 private:
  std::filesystem::path folder_;
  std::string build_;
};

/// Holds a lock file as long as it lives: other processes and other stores of this one wait. The lock ends
/// with the process, however that ends; the file stays, since removing it would race with the next process to open it.
class FileLock {
 public:
  /// Throws `cannot_write` for a file that cannot be opened, or that is held when `busy` is `refuse`; `interrupted`
  /// when a stop is requested while waiting.
  FileLock(const std::filesystem::path& file, Busy busy, const Progress& progress);
  ~FileLock();
  FileLock(const FileLock&) = delete;
  FileLock& operator=(const FileLock&) = delete;

 private:
  int file_ = -1;
};

/// What a JSON document says, in one spelling: keys sorted, no spaces, integers without a point. Two documents
/// that mean the same have the same text. Throws `bad_format` for what is not JSON, `not_finite` for numbers beyond
/// doubles.
std::string canonical_json(std::string_view text);

/// SHA-256 of the program or library file that holds the code at `address`: another build has another one, whatever it
/// calls itself. Throws `cannot_open` where the file cannot be found.
std::string code_digest(const void* address);
/// The same of this library.
std::string library_digest();

}  // namespace mercer
