#include "env/box2d/tasks.hpp"
#include "mercer/error.hpp"

// Takes the place of the tasks in a build without Box2D.
namespace mercer {
namespace {

[[noreturn]] void refuse(const std::string& task) {
  throw Error(ErrorCode::missing_option, "task '" + task + "' needs Box2D, which this build of Mercer does not have",
              "Install libbox2d-dev and build again with -DMERCER_BOX2D=ON");
}

}  // namespace

std::unique_ptr<Env> make_lunar_lander(Params&, bool continuous) {
  refuse(continuous ? "lunar-lander-continuous" : "lunar-lander");
}

std::unique_ptr<Env> make_bipedal_walker(Params&) { refuse("bipedal-walker"); }

}  // namespace mercer
