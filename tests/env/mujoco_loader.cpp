// Models of users: what cannot be loaded becomes an error with the file, the place and the legal range, and nothing
// else.
#include <csignal>
#include <filesystem>
#include <thread>

#include <gtest/gtest.h>
#include <unistd.h>

#include "env/mujoco/apart.hpp"
#include "env/mujoco/compile.hpp"
#include "env/mujoco/model.hpp"
#include "support/errors.hpp"
#include "support/files.hpp"
#include "support/temporary.hpp"

namespace mercer {
namespace {

constexpr const char* arm = R"(<mujoco>
  <worldbody>
    <body name="arm">
      <joint name="elbow" axis="0 1 0"/>
      <geom name="link" size="0.1" pos="0.5 0 0"/>
    </body>
  </worldbody>
  <actuator>
    <motor joint="elbow"/>
  </actuator>
</mujoco>
)";

std::string with(std::string text, const std::string& old, const std::string& now) {
  const std::size_t at = text.find(old);
  EXPECT_NE(at, std::string::npos) << old;
  return text.replace(at, old.size(), now);
}

class MujocoLoader : public testing::Test {
 protected:
  ModelPointer load(const std::string& text) {
    write_bytes(file, text);
    return load_model(file);
  }
  void refused(ErrorCode code, const std::string& part, const std::string& text) {
    expect_error(code, "robot.xml", [&] { load(text); });
    expect_error(code, part, [&] { load(text); });
  }

  TemporaryFolder folder;
  std::filesystem::path file = folder / "robot.xml";
};

TEST_F(MujocoLoader, loads_what_libmujoco_compiles) {
  const ModelPointer model = load(arm);
  EXPECT_EQ(model->nbody, 2);
  EXPECT_EQ(model->nu, 1);
  EXPECT_STREQ(mj_id2name(model.get(), mjOBJ_JOINT, 0), "elbow");
  EXPECT_EQ(model_bytes(*model), model_bytes(*compile_file(file.string(), lock_compiler())));
  EXPECT_EQ(names_in(folder.path()), std::vector<std::string>{"robot.xml"});
}

TEST_F(MujocoLoader, loads_from_several_threads) {
  write_bytes(file, arm);
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&] {
      for (int k = 0; k < 5; ++k) EXPECT_EQ(load_model(file)->nu, 1);
    });
  }
  for (std::thread& thread : threads) thread.join();
}

TEST_F(MujocoLoader, refuses_files_that_cannot_be_read) {
  expect_error(ErrorCode::cannot_open, "gone.xml", [&] { load_model(folder / "gone.xml"); });
  expect_error(ErrorCode::cannot_open, folder.path().filename().string(), [&] { load_model(folder.path()); });
  write_bytes(file, arm);
  std::filesystem::permissions(file, std::filesystem::perms::none);
  expect_error(ErrorCode::cannot_open, "robot.xml", [&] {
    run_apart("a user who is not root", {}, [&] {
      if (geteuid() == 0 && seteuid(65534) != 0) return std::string();
      load_model(file);
      return std::string();
    });
  });
}

TEST_F(MujocoLoader, refuses_what_is_not_mjcf) {
  refused(ErrorCode::bad_format, "robot.xml' is empty", "");
  refused(ErrorCode::bad_format, "robot.xml' is empty", "\n \n");
  refused(ErrorCode::bad_format, "XML parse error",
          "\x7f"
          "ELF\x02\x01\xff\xfe");
  refused(ErrorCode::bad_format, "XML parse error", std::string("PK\3\4\0\0\0\x80", 8));
  refused(ErrorCode::bad_format, "Line number=2", "<mujoco>\n<worldbody>\n</mujoco>");
  refused(ErrorCode::bad_format, "Element 'wheel', line 3", with(arm, "<body name=\"arm\">", "<wheel/><body>"));
  refused(ErrorCode::bad_format, "Element 'extension', line 2",
          with(arm, "  <worldbody>", "<extension><plugin plugin=\"mujoco.elasticity\"/></extension><worldbody>"));
  refused(ErrorCode::bad_format, "robot.xml' has no actuator", R"(<robot name="r"><link name="a"/><link name="b">
    <inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link>
    <joint name="j" type="continuous"><parent link="a"/><child link="b"/><axis xyz="0 0 1"/></joint></robot>)");
}

TEST_F(MujocoLoader, names_the_place_of_a_mistake) {
  refused(ErrorCode::bad_format, "line 4", with(arm, "axis=\"0 1 0\"", "axis=\"0 one 0\""));
  refused(ErrorCode::bad_format, "'elbows'", with(arm, "motor joint=\"elbow\"", "motor joint=\"elbows\""));
  refused(ErrorCode::bad_format, "Object name = arm, id = 1, line = 3",
          with(arm, "size=\"0.1\"", "mass=\"0\" size=\"1\""));
  refused(ErrorCode::bad_format, "robot.xml' has no actuator", with(arm, "<motor joint=\"elbow\"/>", ""));
}

TEST_F(MujocoLoader, refuses_files_that_miss_others_or_include_themselves) {
  refused(ErrorCode::bad_format, "gone.stl', Object name = m, id = 0, line = 2",
          with(arm, "<worldbody>", "<asset><mesh name=\"m\" file=\"gone.stl\"/></asset><worldbody>"));
  refused(ErrorCode::bad_format, "Element 'include', line 2",
          with(arm, "<worldbody>", "<include file=\"no.xml\"/><worldbody>"));
  refused(ErrorCode::bad_format, "robot.xml' already included",
          with(arm, "<worldbody>", "<include file=\"robot.xml\"/><worldbody>"));
  write_bytes(folder / "other.xml", "<mujoco><include file=\"robot.xml\"/></mujoco>");
  refused(ErrorCode::bad_format, "already included",
          with(arm, "<worldbody>", "<include file=\"other.xml\"/><worldbody>"));
}

std::string bodies(int count, const std::string& inside) {
  std::string text;
  for (int i = 0; i < count; ++i) text += "\n<body pos=\"" + std::to_string(i) + " 0 0\">" + inside + "</body>";
  return text;
}

TEST_F(MujocoLoader, refuses_models_that_are_too_large) {
  refused(ErrorCode::too_large, "robot.xml', line 1003: more than 1000 bodies; legal: at most 1000",
          with(arm, "<worldbody>", "<worldbody>" + bodies(10000, "<freejoint/><geom size=\".1\"/>")));
  write_bytes(folder / "many.xml", "<mujoco><worldbody>" + bodies(1200, "") + "</worldbody></mujoco>");
  refused(ErrorCode::too_large, "robot.xml' has 1202 bodies; legal: at most 1000",
          with(arm, "<worldbody>", "<include file=\"many.xml\"/><worldbody>"));
  refused(ErrorCode::too_large, "robot.xml' has 5202 positions and velocities; legal: at most 4000",
          with(arm, "<worldbody>", "<worldbody>" + bodies(400, "<freejoint/><geom size=\".1\"/>")));
  refused(ErrorCode::too_large, "MB of simulation data; legal: at most 256",
          with(arm, "<worldbody>", "<size nstack=\"40000000\"/><worldbody>"));
  refused(ErrorCode::too_large, "could not create mjData",
          with(arm, "<worldbody>", "<size nconmax=\"100000000\"/><worldbody>"));
  refused(ErrorCode::too_large, "robot.xml", std::string(17 << 20, ' '));
}

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
TEST_F(MujocoLoader, refuses_models_that_need_too_much_memory) {
  const std::string hills = "<asset><hfield name=\"hills\" nrow=\"50000\" ncol=\"50000\" size=\"1 1 1 1\"/></asset>";
  refused(ErrorCode::too_large, "Could not allocate memory", with(arm, "<worldbody>", hills + "<worldbody>"));
  expect_error(ErrorCode::too_large, "'x' needs more than 64 MB",
               [] { run_apart("'x'", {.megabytes = 64}, [] { return std::string(std::size_t{1} << 30, 'x'); }); });
}
#endif

TEST_F(MujocoLoader, refuses_numbers_that_no_simulation_takes) {
  refused(ErrorCode::out_of_range, "mass or inertia of body 'arm' is 1e+300; legal: 0 to 10000000000",
          with(arm, "size=\"0.1\"", "size=\"0.1\" mass=\"1e300\""));
  refused(ErrorCode::not_finite, "robot.xml' contains NaN", with(arm, "size=\"0.1\"", "size=\"0.1\" mass=\"nan\""));
  refused(ErrorCode::not_finite, "contains NaN", with(arm, "<motor", "<motor gear=\"nan\""));
  refused(ErrorCode::not_finite, "contains NaN", with(arm, "<worldbody>", "<option gravity=\"0 nan 0\"/><worldbody>"));
  refused(ErrorCode::not_finite, "contains NaN", with(arm, "<worldbody>", "<option timestep=\"nan\"/><worldbody>"));
  refused(ErrorCode::not_finite, "unstable",
          with(arm, "<body name=\"arm\"", "<body name=\"arm\" pos=\"1e308 1e308 0\""));
  refused(ErrorCode::out_of_range, "timestep is 2", with(arm, "<worldbody>", "<option timestep=\"2\"/><worldbody>"));
  refused(ErrorCode::not_finite, "unstable from the start: Nan, Inf or huge value in QACC at DOF 0",
          with(arm, "<worldbody>", "<option gravity=\"0 0 1e308\"/><worldbody>"));
  refused(ErrorCode::bad_format, "Stack overflow", with(arm, "<worldbody>", "<size nstack=\"10\"/><worldbody>"));
}

TEST_F(MujocoLoader, outlives_libmujoco) {
  write_bytes(folder / "stone.obj", "v 0 0");  // a vertex of two coordinates
  refused(ErrorCode::bad_format, "robot.xml' makes MuJoCo crash: Segmentation fault",
          with(arm, "<worldbody>", "<asset><mesh name=\"m\" file=\"stone.obj\"/></asset><worldbody>"));
}

TEST_F(MujocoLoader, gives_up_in_time) {
  write_bytes(file, with(arm, "<worldbody>", "<worldbody>" + bodies(990, "<freejoint/><geom size=\".1\"/>")));
  expect_error(ErrorCode::too_large, "robot.xml' needs more than 0.01 s",
               [&] { load_model(file, {.seconds = 0.01, .megabytes = 4096}); });
}

TEST(MujocoErrors, are_thrown_where_libmujoco_would_exit) {
  install_handlers();
  expect_error(ErrorCode::bad_value, "MuJoCo: Stack overflow", [] { mju_error("Stack overflow"); });
  const ModelPointer model = built_in_model("hopper");
  mjData* const data = mj_makeData(model.get());
  expect_error(ErrorCode::bad_value, "MuJoCo: ", [&] { mj_stackAlloc(data, 1 << 30); });
  mj_deleteData(data);
}

TEST(MujocoErrors, leave_no_log) {
  install_handlers();
  mju_warning("nothing to see");
  EXPECT_FALSE(std::filesystem::exists("MUJOCO_LOG.TXT"));
}

void ends_with(ErrorCode code, const std::string& part, const std::function<std::string()>& work) {
  expect_error(code, part, [&] { run_apart("'x'", {.seconds = 1, .megabytes = 512}, work); });
}

TEST(RunApart, gives_what_the_work_gives) {
  const std::string large(5 << 20, 'x');
  EXPECT_EQ(run_apart("'x'", {}, [&] { return large; }), large);
  EXPECT_EQ(run_apart("'x'", {}, [] { return std::string(); }), "");
  int here = 1;
  run_apart("'x'", {}, [&] { return std::to_string(here = 2); });
  EXPECT_EQ(here, 1);
}

TEST(RunApart, turns_every_end_into_an_error) {
  ends_with(ErrorCode::bad_format, "'x' makes MuJoCo crash: Segmentation fault", [] {
    std::raise(SIGSEGV);
    return std::string();
  });
  ends_with(ErrorCode::bad_format, "'x' makes MuJoCo crash: Aborted", []() -> std::string { std::abort(); });
  ends_with(ErrorCode::bad_format, "'x' makes MuJoCo exit with code 7", []() -> std::string { _exit(7); });
  ends_with(ErrorCode::bad_format, "'x' makes MuJoCo exit with code 0", []() -> std::string { _exit(0); });
  ends_with(ErrorCode::bad_format, "'x' makes MuJoCo exit with code 1", []() -> std::string { throw 1; });
  ends_with(ErrorCode::too_large, "'x' needs more than 1 s", []() -> std::string {
    for (;;) pause();
  });
  ends_with(ErrorCode::too_large, "'x' needs more than 512 MB", []() -> std::string { throw std::bad_alloc(); });
  ends_with(ErrorCode::shape_mismatch, "is round",
            []() -> std::string { throw Error(ErrorCode::shape_mismatch, "the square is round", "Square it"); });
  ends_with(ErrorCode::interrupted, "", []() -> std::string {
    std::raise(SIGINT);
    return {};
  });
}

}  // namespace
}  // namespace mercer
