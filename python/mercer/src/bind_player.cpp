#include <cmath>

#include "bind.hpp"
#include "certify/grid.hpp"
#include "env_batch.hpp"
#include "fields.hpp"
#include "mercer/rollout.hpp"
#include "python_policy.hpp"

namespace py = pybind11;
using mercer::Policy;

namespace {

// A policy of the search in Python's hands for one call. Whoever keeps it longer, as a traceback does, keeps something
// that no longer acts.
class Lent {
 public:
  explicit Lent(const Policy& policy) : policy_(policy) {
    const auto* python = dynamic_cast<const PythonPolicy*>(&policy);
    if (python != nullptr && python->given() && !python->given().is_none()) {
      object = python->given();  // may remember an episode, which a function of the observation cannot
      return;
    }
    object = py::cast(PolicyHandle{std::shared_ptr<const Policy>(std::shared_ptr<void>(), &policy)});
    handle_ = object.cast<PolicyHandle*>();
  }
  ~Lent() {
    if (handle_ == nullptr) return;
    handle_->policy = std::make_shared<PythonPolicy>(policy_.name(), policy_.contract(),
                                                     PolicyFunctions{py::none(), py::none(), py::none()});
  }
  Lent(const Lent&) = delete;
  Lent& operator=(const Lent&) = delete;

  py::object object;

 private:
  const Policy& policy_;
  PolicyHandle* handle_ = nullptr;
};

// Episodes that `play_foreign` of playing.py plays: one policy at a time, on the thread that called the library.
class ForeignPlayer : public mercer::BoxPlayer {
 public:
  using Box = std::vector<mercer::Perturbation>;
  ForeignPlayer(mercer::Task task, py::object play, std::optional<mercer::Range> returns, Box box, py::object at)
      : task_(std::move(task)), play_(std::move(play)), returns_(returns), box_(std::move(box)), at_(std::move(at)) {}

  const mercer::Task& task() const override { return task_; }
  std::vector<mercer::Outcome> play(const Policy& policy, const mercer::Episodes& episodes,
                                    const mercer::Progress& progress) const override {
    const bool measures = episodes.motion || episodes.compared != nullptr;
    mercer::Rollouts rollouts = played(policy, episodes, measures, progress);
    if (episodes.motion) rollouts.motions = mercer::motions_of(rollouts, task_);
    if (episodes.compared != nullptr) rollouts.distances = mercer::distances_of(rollouts, policy, *episodes.compared);
    return mercer::outcomes_of(rollouts);
  }
  mercer::Rollouts roll_out(const Policy& policy, const mercer::Episodes& episodes,
                            const mercer::Progress& progress) const override {
    return played(policy, episodes, true, progress);
  }
  // What the caller declares is about whole episodes without discount.
  std::optional<mercer::Range> return_range(std::uint32_t horizon, double gamma) const override {
    return gamma == 1 && horizon >= task_.time_limit ? returns_ : std::nullopt;
  }
  bool parallel() const override { return false; }
  std::span<const mercer::Perturbation> box() const override { return box_; }
  std::shared_ptr<const mercer::Player> at(std::span<const double> values) const override {
    const py::gil_scoped_acquire python;
    auto made = at_(std::vector<double>(values.begin(), values.end())).cast<PlayerHandle>().player;
    const mercer::Player* const player = made.get();
    return {player, [made = std::move(made)](const mercer::Player*) mutable {
              const py::gil_scoped_acquire again;  // it holds objects of Python's, and the library lets go of it
              made.reset();
            }};
  }

 private:
  mercer::Rollouts played(const Policy& policy, const mercer::Episodes& episodes, bool keep_steps,
                          const mercer::Progress& progress) const {
    mercer::check_fits(policy, task_);
    const py::gil_scoped_acquire python;
    const py::cpp_function report([&progress](const std::string& stage, double fraction) {
      progress.check();
      if (progress.report) progress.report(stage, fraction);
    });
    const Lent lent(policy);
    const py::object made =
        play_(lent.object, episodes.count, episodes.seed, episodes.act == mercer::Act::mean ? "mean" : "sample",
              episodes.gamma.value_or(task_.gamma), episodes.horizon, keep_steps, report, episodes.first);
    return std::move(made.cast<mercer::Rollouts&>());
  }

  mercer::Task task_;
  py::object play_;
  std::optional<mercer::Range> returns_;
  Box box_;
  py::object at_;
};

// Name, ends, nominal value and whether it is an integer, for each perturbed parameter.
using BoxRows = std::vector<std::tuple<std::string, double, double, double, bool>>;

ForeignPlayer::Box to_box(const BoxRows& rows) {
  ForeignPlayer::Box box;
  for (const auto& [name, low, high, nominal, integer] : rows) {
    box.push_back({{name, "", nominal, {low, high}, integer}, {low, high}});
  }
  return box;
}

// Infinite bounds are unknown ones.
std::optional<mercer::Range> declared(const std::optional<std::pair<double, double>>& bounds) {
  if (!bounds) return std::nullopt;
  const auto [low, high] = *bounds;
  if (!(low <= high)) {
    throw mercer::Error(
        mercer::ErrorCode::out_of_range,
        "return_range is (" + std::to_string(low) + ", " + std::to_string(high) + "); legal: the least return first",
        "Give bounds on the return of any episode");
  }
  if (!std::isfinite(low) || !std::isfinite(high)) return std::nullopt;
  return mercer::Range{low, high};
}

}  // namespace

void bind_player(py::module_& module) {
  py::class_<PlayerHandle>(module, "Player")
      .def(py::init([](const EnvBatch& env) { return PlayerHandle{std::make_shared<mercer::EnvPlayer>(env.env())}; }),
           py::arg("env"), py::keep_alive<1, 2>())
      .def(
          py::init([](const TaskHandle& task, py::object play,
                      const std::optional<std::pair<double, double>>& return_range, const BoxRows& box, py::object at) {
            return PlayerHandle{std::make_shared<ForeignPlayer>(task.task, std::move(play), declared(return_range),
                                                                to_box(box), std::move(at))};
          }),
          py::arg("task"), py::arg("play"), py::arg("return_range") = std::nullopt, py::arg("box") = BoxRows{},
          py::arg("at") = py::none());
  module.def("reset_seed", &mercer::reset_seed, py::arg("seed"), py::arg("episode"));
}
