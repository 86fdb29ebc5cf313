#include "mercer/env.hpp"
#include "pipeline/declare/parts.hpp"

namespace mercer::declare {

std::string text_of(Act act) { return std::string(name(act)); }

void add_task(OptionList& list, TaskRequest& task, std::size_t* episodes, const std::string& what_for,
              const TaskDefaults& usual) {
  std::vector<std::string> names;
  for (const EnvEntry& entry : known_envs()) names.push_back(entry.name);
  list.in(Group::task)
      .add({.name = "env",
            .value = "TASK",
            .help = "Task, such as pendulum or chain:n=20",
            .choices = names,
            .used_first = true,
            .shapes_result = false},
           task.env);
  if (episodes != nullptr) {
    list.add({.name = "episodes", .value = "N", .help = what_for, .range = episodes_range, .used_first = true},
             *episodes);
  }
  list.add_name({.name = "act", .value = "HOW", .help = "Draw actions or play the mean action", .standard = usual.act},
                task.act);
  if (episodes == nullptr) return;  // a search plays the task as it is
  list.add({.name = "gamma", .value = "G", .help = "Discount", .range = share_range, .standard = usual.gamma},
           task.gamma);
  list.add({.name = "horizon",
            .value = "N",
            .help = "Steps after which an episode is cut off",
            .range = {1, 1e9},
            .standard = "the task's"},
           task.horizon);
  list.add({.name = "starts", .value = "FILE", .help = "Take the start states from these rollouts (.npz or .csv)"},
           task.starts);
  list.add({.name = "batch",
            .value = "N",
            .help = "Episodes in lockstep; 0 chooses; changes no result",
            .range = {0, 1048576},
            .shapes_result = false},
           task.batch);
}

void add_seed(OptionList& list, Request& request) {
  list.in(Group::run)
      .add({.name = "seed",
            .value = "N",
            .help = "Seed of every random draw",
            .used_first = true,
            .shapes_result = false},
           request.seed);
}

void add_out(OptionList& list, std::string& out, const std::string& value, const std::string& help) {
  list.in(Group::output)
      .add({.name = "out", .value = value, .help = help, .used_first = true, .shapes_result = false}, out);
}

void add_sign(OptionList& list, std::optional<SigningKey>& key) {
  list.in(Group::output)
      .add_text(
          {.name = "sign",
           .value = "KEY.pem",
           .help = "Sign what is written with this private key (Ed25519, PEM); 'mercer inspect --verify' checks it",
           .shapes_result = false},
          key,
          [](std::optional<SigningKey>& field, const std::string& text, const std::string&) {
            field = read_signing_key(text);
          },
          [](const std::optional<SigningKey>& field) { return field ? std::optional(field->file) : std::nullopt; });
}

}  // namespace mercer::declare
