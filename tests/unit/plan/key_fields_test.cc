#include "plan/key.h"

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <type_traits>
#include <vector>

#include "unit/catch.h"

namespace pinwheel::plan {
namespace {

struct TwoFields {
  int first = 0;
  std::optional<int> second = std::nullopt;
};
static_assert(ListsEveryField<TwoFields, int, std::optional<int>>);
static_assert(!ListsEveryField<TwoFields, int>);
static_assert(!ListsEveryField<TwoFields, std::optional<int>, int>);
static_assert(!ListsEveryField<TwoFields, int, std::optional<int>, int>);

void change(matrix::EnvironmentSettings& value) {
  value.tools.emplace_back("x");
}
void change(matrix::ContainerSettings& value) {
  value.base += "x";
}
void change(matrix::CondaSettings& value) {
  value.packages.emplace_back("x");
}
void change(matrix::TorchSettings& value) {
  value.spec += "x";
}
void change(matrix::TestSettings& value) {
  value.command.emplace_back("x");
}
void change(matrix::Retry& value) {
  ++value.transient;
}
void change(matrix::TestImages& value) {
  value.names.emplace_back("x");
}
void change(matrix::PublishTarget& value) {
  value.name += "x";
}
void change(Location& value) {
  ++value.line;
}

template <typename V>
void change(V& value) {
  if constexpr (std::is_same_v<V, std::string>) {
    value += "x";
  } else if constexpr (std::is_same_v<V, bool>) {
    value = !value;
  } else if constexpr (std::is_enum_v<V>) {
    value = V{static_cast<int>(value) == 0 ? 1 : 0};
  } else if constexpr (std::is_arithmetic_v<V> || requires { value.count(); }) {
    ++value;
  } else if constexpr (requires { typename V::mapped_type; }) {
    value["x"];
  } else if constexpr (requires { value.emplace_back(); }) {
    value.emplace_back();
  } else if constexpr (requires { value.has_value(); }) {
    using Held = typename V::value_type;
    if constexpr (requires(Held held) { held + 1; }) {
      value = Held{value.value_or(0) + 1};
    } else {
      value.emplace();
    }
  } else {
    value = std::make_shared<typename V::element_type>();
  }
}

/// The struct whose fields a row lists: an element where the field holds several.
template <typename V>
V& first_of(V& value) {
  return value;
}
template <typename V>
V& first_of(std::vector<V>& values) {
  return values.front();
}
template <typename V>
V& first_of(std::map<std::string, V>& values) {
  return values.begin()->second;
}

/// Changes one field after the other. `reach` gives the struct of the rows in an action.
template <typename A, typename Reach, typename Rows>
void check_fields(const A& base, const Reach& reach, const Rows& rows);

template <typename A, typename Reach, KeyShape S, InKey I, typename T, typename F, typename Nested>
void check_field(const A& base, const Reach& reach, const KeyField<S, I, T, F, Nested>& row) {
  INFO("part `" << row.name << "`");
  if constexpr (S == KeyShape::value) {
    A changed = base;
    change(reach(changed).*row.member);
    CHECK(key_parts(changed) != key_parts(base));
  } else {
    const auto deeper = [&](A & action) -> auto& {
      return first_of(reach(action).*row.member);
    };
    check_fields(base, deeper, row.nested);
  }
}

template <typename A, typename Reach, typename T, typename F>
void check_field(const A& base, const Reach& reach, const ExcludedField<T, F>& row) {
  A changed = base;
  change(reach(changed).*row.member);
  CHECK(key_parts(changed) == key_parts(base));
}

template <typename A, typename Reach, typename Rows>
void check_fields(const A& base, const Reach& reach, const Rows& rows) {
  A copy = base;
  const void* before = nullptr;
  int number = 0;
  const auto check_row = [&](const auto& row) {
    ++number;
    INFO("field " << number << " of the struct");
    // Each field once, in the order of the struct.
    const void* const place = &(reach(copy).*row.member);
    CHECK(std::less<>()(before, place));
    before = place;
    check_field(base, reach, row);
  };
  std::apply([&](const auto&... row) { (check_row(row), ...); }, rows);
}

template <typename A, typename Rows>
void check_action(const A& base, const Rows& rows) {
  check_fields(
      base, [](A& action) -> A& { return action; }, rows);
}

env::Request full_request() {
  env::Request request;
  request.python = "3.12";
  request.requirements = {"cmake", "ninja"};
  request.torch = {"torch~=2.13.0", "https://example.org/whl"};
  request.toolkit = "cuda/13.0";
  request.toolkit_from = matrix::ToolkitFrom::pypi;
  request.toolkit_packages = {"cublas"};
  request.conda = {{"conda-forge"}, {"python=3.12", "zlib"}, {}};
  request.conda_cuda = "13.0";
  request.purpose = env::Purpose::test;
  return request;
}

CreateEnvironment full_environment() {
  return {full_request(), "resolution", "image", "cuda/13.0"};
}

MakeToolkit full_toolkit() {
  return {full_request(), "packages", "image"};
}

Source full_source() {
  return {"/src", "demo==1.0", "digest", "https://example.org/demo.tar.gz", "sha", {}, {"docs"}};
}

BuildWheel full_build() {
  BuildWheel build;
  build.class_id = "cu13";
  build.package_name = "demo";
  build.environment = full_request();
  build.source = full_source();
  build.settings.build.command = {"python", "-m", "build"};
  build.settings.build.arch_list = {"8.0"};
  build.settings.build.repair = {matrix::RepairMode::command, {"fix", "{wheel}"}};
  build.settings.build.external = {"libodbc.so.*"};
  build.settings.build.network = matrix::BuildNetwork::whole;
  build.settings.checks = {{{"header", {"cuda.h"}}}, {{"size", {"100 MB"}}, {"rpath"}}, {"relro"}};
  build.version = "1.0";
  build.compute = "cuda/13.0";
  build.torch = "2.13";
  build.torch_abi = matrix::TorchAbi::stable;
  build.torch_target = "2.10";
  build.variables = {{"CXXFLAGS", "-O2"}};
  build.namings = {{"demo", "1.0", {"pypi"}}, {"demo", "1.0+cu130", {"index"}}};
  build.tags = {"py3", "none", "x86_64", "glibc"};
  build.toolchain = "12.2.0";
  build.requires_torch = "torch>=2.10";
  build.source_date_epoch = 1'700'000'000;
  build.record_json = "{}";
  build.checked_in = full_request();
  build.secrets = {"TOKEN"};
  return build;
}

CompileDeviceCode full_device_code() {
  return {full_build(), "9.0"};
}

BuildSdist full_sdist() {
  return {full_request(), full_source(), "demo", "1.0", {{"A", "b"}}, 1'700'000'000, {"TOKEN"}};
}

TestWheel full_test() {
  TestWheel test;
  test.variant_id = "cp312-cu130";
  test.build = "build:cu13";
  test.environment = full_request();
  test.settings.pip = {"pytest"};
  test.settings.command = {"pytest"};
  test.settings.hardware = matrix::Hardware::gpu;
  test.settings.device = "/dev/accel0";
  test.settings.without_gpu = {"pytest", "-k", "cpu"};
  test.package_name = "demo";
  test.compute = "cuda/13.0";
  test.source = full_source();
  test.variables = {{"A", "b"}};
  test.operators = {"demo::add"};
  test.image = "debian:bookworm";
  test.skip = "why";
  test.secrets = {"TOKEN"};
  return test;
}

Publish full_publish() {
  Publish publish;
  publish.target.name = "index";
  publish.target.kind = matrix::TargetKind::index;
  publish.target.url = "https://example.org";
  publish.target.path = "dist";
  publish.target.keep_nightlies = 14;
  publish.target.bucket = "s3://b/p";
  publish.builds = {"build:cu13", "sdist"};
  publish.names = {{"build:cu13", {"demo", "1.0", {"index"}}}};
  publish.labels = {{"build:cu13", "cu130"}};
  publish.default_build = "build:cu13";
  publish.require_evidence = {{"test:cp312-cu130", "ran"}};
  return publish;
}

InstallWheel full_install() {
  return {"cp312-cu130",         "build:cu13",   {"demo", "1.0+cu130", {"index"}},
          full_publish().target, full_request(), "x86_64",
          "cuda/13.0",           {{"A", "b"}},   {{"demo-data", "1.0", {"index"}}}};
}

TEST_CASE("a key changes with each field that is listed as a part, and with no excluded one") {
  check_action(full_environment(), kEnvironmentFields);
  check_action(full_toolkit(), kToolkitFields);
  check_action(full_build(), kBuildWheelFields);
  check_action(full_device_code(), kCompileDeviceCodeFields);
  check_action(full_sdist(), kBuildSdistFields);
  check_action(full_test(), kTestWheelFields);
  check_action(full_install(), kInstallWheelFields);
  check_action(full_publish(), kPublishFields);
}

TEST_CASE("the key of an action is that of every pinwheel with this schema of keys") {
  CHECK(key_of(key_parts(full_environment())) ==
        "0a84bbc86a290da7dc5c0ad678a3273bc474add65a247d0319e69faad60c204f");
  CHECK(key_of(key_parts(full_toolkit())) ==
        "f8dcffa145e123bafd3531715f35a4fc47248e069c80887171e372fc2e79c22f");
  CHECK(key_of(key_parts(full_build())) ==
        "3ee5c2e24b03d05ecb06b933b8f48e71f1f5a1171e78316aeb663c926fb0d611");
  CHECK(key_of(key_parts(full_sdist())) ==
        "58ebc6ecea05db9f2cca5de6cfa7ff222f424c9f995179b4bcbb3ad673bf171d");
  CHECK(key_of(key_parts(full_test())) ==
        "418ac137d667ceac37cd0bf07dd52c2bbfeb75edee488e34416053753a5a17c8");
  CHECK(key_of(key_parts(full_publish())) ==
        "911ca69c4e68f5350bf53f427fe903f70f8267e7795625b767d1eba6fb81393d");
  CHECK(key_of(key_parts(CreateEnvironment{})) ==
        "e4101f36506b7b308588ae370fe2179fbb5e87f9c3c0f16a3561916463e98683");
  CHECK(key_of(key_parts(MakeToolkit{})) ==
        "48bddfe16b4226b9bb81cfc1dec1333cbb31adf3b0433ca5948059385bba2ef5");
  CHECK(key_of(key_parts(BuildWheel{})) ==
        "3f91396d453afd39f368bb4c27ffbebb957aed2e10f1e6b88175a7c4883ede60");
  CHECK(key_of(key_parts(BuildSdist{})) ==
        "9790675a4724d5cea09d89e24a5ade26f4320fc4810c231f8dad06392a6cb2e1");
  CHECK(key_of(key_parts(TestWheel{})) ==
        "0773b3ae99825026ceb555816dbba3b325e4868de6a4131f86536310f3fa08f3");
  CHECK(key_of(key_parts(Publish{})) ==
        "522f483fa585a84b0277b70326f3a5826c3b191b434970ece70158740689bed8");
  env::Request lists = full_request();
  lists.conda = {{"conda-forge", "pytorch"}, {"python=3.12", "zlib"}, {}};
  CHECK(key_of(key_parts(CreateEnvironment{lists, {}, {}, {}})) ==
        "84c62509f5947977168a184a89f50c1c08916ada85959cf6b60cbf442a3bfc0c");
}

}  // namespace
}  // namespace pinwheel::plan
