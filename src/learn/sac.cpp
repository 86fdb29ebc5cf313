#include "learn/sac.hpp"

#include <cmath>

#include "learn/learner.hpp"

namespace mercer::learn {
namespace {

class Sac final : public Learner {
 public:
  Sac(const SacOptions& options, std::size_t observations, std::size_t actions, std::uint64_t seed)
      : options_(options),
        seed_(seed),
        observations_(observations),
        actions_(actions),
        update_(observations, actions, options, seed),
        acting_pass_(update_.actor_network(), 1),
        acting_(static_cast<Index>(actions), 1),
        input_(Matrix<float>::Zero(static_cast<Index>(observations), 1)),
        chosen_(options.batch_size) {}

  void explore(std::span<const float> observation, std::uint64_t step, bool first, std::span<float> action) override {
    draw_noise(step, first);
    if (step < options_.warmup) {  // uniform on [-1, 1] at every step, correlated or not
      for (std::size_t i = 0; i < actions_; ++i) {
        action[i] = std::erf(acting_.noise.data()[i] * std::sqrt(0.5F));
      }
      return;
    }
    std::ranges::copy(observation, input_.data());
    forward<float>(update_.actor_network(), update_.actor.data(), input_, {0, 1}, acting_pass_);
    squash(acting_pass_.output(), acting_);
    std::copy_n(acting_.action.data(), actions_, action.begin());
  }

  void update(const Replay& replay) override {
    replay.draw(seed_, update_.count, chosen_);
    for (std::size_t c = 0; c < chosen_.size(); ++c) gather(replay.record(chosen_[c]), static_cast<Index>(c));
    fill_normal(update_.next_actions.noise, 0);
    fill_normal(update_.now_actions.noise, 1);
    update_.update();
  }

  void exchange_actor(Archive& archive) override { archive.network("actor", update_.actor_network(), update_.actor); }
  void exchange(Archive& archive) override {
    exchange_actor(archive);
    exchange_moments(archive, "actor", update_.actor_network(), update_.actor_moments);
    for (std::size_t i = 0; i < 2; ++i) {
      const std::string name = i == 0 ? "q1" : "q2";
      archive.network(name, update_.critic_network(), update_.critics[i].weights);
      archive.network(name + "_target", update_.critic_network(), update_.critics[i].target);
      exchange_moments(archive, name, update_.critic_network(), update_.critics[i].moments);
    }
    archive.numbers("log_alpha", std::span(&update_.log_alpha, 1));
    archive.numbers("adam.log_alpha.m", std::span(&update_.log_alpha_first, 1));
    archive.numbers("adam.log_alpha.v", std::span(&update_.log_alpha_second, 1));
    archive.count("updates", update_.count);
    archive.numbers("explore.noise", std::span(acting_.noise.data(), actions_));
  }

 private:
  void draw_noise(std::uint64_t step, bool first) {
    Random random({seed_, Stage::explore, step >> 32, static_cast<std::uint32_t>(step)});
    const auto kept = first ? 0.0F : static_cast<float>(options_.noise_correlation);
    const float fresh = std::sqrt(1 - kept * kept);
    for (std::size_t i = 0; i < actions_; ++i) {
      float& noise = acting_.noise.data()[i];
      noise = kept * noise + fresh * static_cast<float>(random.normal());
    }
  }

  void gather(const float* record, Index column) {
    const auto actions_end = observations_ + actions_;
    std::copy_n(record, actions_end, update_.data.data() + column * update_.data.rows());
    std::copy_n(record, observations_, update_.now.data() + column * update_.now.rows());
    std::copy_n(record + actions_end, observations_, update_.next.data() + column * update_.next.rows());
    update_.reward[column] = record[actions_end + observations_];
    update_.continues[column] = record[actions_end + observations_ + 1];
  }

  void fill_normal(Matrix<float>& noise, std::uint64_t which) const {
    const std::uint64_t item = which << 32 | update_.count >> 32;
    Random random({seed_, Stage::update, item, static_cast<std::uint32_t>(update_.count)});
    for (Index i = 0; i < noise.size(); ++i) noise.data()[i] = static_cast<float>(random.normal());
  }

  static void exchange_moments(Archive& archive, const std::string& name, const Network& network,
                               Moments<float>& moments) {
    archive.network("adam." + name + ".m", network, moments.first);
    archive.network("adam." + name + ".v", network, moments.second);
  }

  SacOptions options_;
  std::uint64_t seed_;
  std::size_t observations_, actions_;
  SacUpdate<float> update_;
  Pass<float> acting_pass_;
  SquashedActions<float> acting_;
  Matrix<float> input_;
  std::vector<std::size_t> chosen_;
};

}  // namespace

std::unique_ptr<Learner> make_sac(const SacOptions& options, const Task& task, std::uint64_t seed) {
  require_bounded_actions(task, "sac");
  return std::make_unique<Sac>(options, task.observation.dimensions(), task.action.dimensions(), seed);
}

}  // namespace mercer::learn
