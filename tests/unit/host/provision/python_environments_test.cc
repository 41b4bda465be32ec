#include "host/provision/python_environments.h"

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include "base/digest.h"
#include "env/commands.h"
#include "env/environment_marker.h"
#include "env/gpu_packages.h"
#include "host/provision/env_overlay.h"
#include "host/provision/env_resolve.h"
#include "host/provision/environment_list.h"
#include "host/provision/interpreters.h"
#include "host/system/files.h"
#include "unit/catch.h"
#include "unit/host/wheel_machine.h"

using namespace pinwheel;
namespace fs = std::filesystem;

namespace {

/// One digest over the names, types, times and contents of everything under a directory.
std::string tree_digest(const fs::path& root) {
  std::vector<std::string> lines;
  for (const fs::directory_entry& file : fs::recursive_directory_iterator(root)) {
    std::string line = file.path().string();
    if (file.is_regular_file() && !file.is_symlink()) {
      host::LocalFiles files;
      line += *files.read(file.path());
      line += std::to_string(file.last_write_time().time_since_epoch().count());
    }
    lines.push_back(sha256_hex(line));
  }
  std::sort(lines.begin(), lines.end());
  std::string all;
  for (const std::string& line : lines) all += line;
  return sha256_hex(all);
}

}  // namespace

TEST_CASE("an environment is resolved, created once, and not changed by an overlay", "[pip]") {
  Machine m;
  m.add_wheel("tiny_base", "1.0", "");
  m.add_wheel("tiny_tool", "2.0", "tiny_base>=1");
  const env::Request request{.python = "3.11", .requirements = {"tiny_tool"}};

  const host::Resolved resolved = value_of(host::resolve(m.machine, request));
  REQUIRE(resolved.resolution.packages.size() == 2);
  CHECK(resolved.resolution.packages[0].name == "tiny-base");
  CHECK(resolved.resolution.packages[0].file == "tiny_base-1.0-py3-none-any.whl");
  CHECK(resolved.resolution.packages[1].version == "2.0");
  CHECK(resolved.warnings.empty());

  // A newer file changes nothing until a refresh.
  m.add_wheel("tiny_base", "1.1", "");
  CHECK(value_of(host::resolve(m.machine, request)).resolution == resolved.resolution);
  CHECK(value_of(host::load_resolution(m.machine, env::digest(request))) == resolved.resolution);

  const host::BaseEnvironment base =
      value_of(host::create_environment(m.machine, request, resolved.resolution));
  CHECK(m.run({base.python, "-c", "import tiny_tool, tiny_base; print(tiny_base.version)"}) ==
        "1.0\n");
  const std::string before = tree_digest(base.directory);
  const host::BaseEnvironment again =
      value_of(host::create_environment(m.machine, request, resolved.resolution));
  CHECK(again.directory == base.directory);

  const fs::path scratch = m.place.path / "overlay";
  m.add_wheel("tiny_wheel", "3.0", "tiny_base");
  m.add_wheel("tiny_greedy", "1.0", "tiny_base>=1.1");
  {
    const host::Overlay overlay = value_of(host::Overlay::create(m.machine, base, scratch));
    REQUIRE(overlay.install(
        {(m.place.path / "links/tiny_wheel-3.0-py3-none-any.whl").string(), "tiny_tool"}));
    CHECK(m.run({overlay.python(), "-B", "-c",
                 "import tiny_wheel, tiny_base; print(tiny_wheel.version, tiny_base.version)"}) ==
          "3.0 1.0\n");
    CHECK_FALSE(
        fs::exists(fs::path(env::site_packages(scratch.string(), m.interpreter)) / "tiny_base.py"));

    const Done greedy = overlay.install({"tiny_greedy"});
    REQUIRE_FALSE(greedy.has_value());
    CHECK(greedy.error().kind == ErrorKind::config);
  }
  CHECK_FALSE(fs::exists(scratch));
  CHECK(tree_digest(base.directory) == before);

  const host::Resolved fresh = value_of(host::resolve(m.machine, request, host::Refresh::yes));
  CHECK(fresh.resolution.packages[0].version == "1.1");
  CHECK(fresh.resolution.digest() != resolved.resolution.digest());
}

TEST_CASE("an environment without its marker is recreated, and removed by its id", "[pip]") {
  Machine m;
  m.add_wheel("tiny_base", "1.0", "");
  const env::Request request{.python = "3.11", .requirements = {"tiny_base"}};
  const env::Resolution resolution = value_of(host::resolve(m.machine, request)).resolution;
  const std::string id = env::environment_id(resolution, m.interpreter, env::Purpose::build);
  const fs::path directory = m.machine.cache / "environments" / id;
  fs::create_directories(directory / "lib");
  REQUIRE(m.files.write(directory / "remains", "of an interrupted creation"));

  std::vector<host::EnvironmentEntry> rows = value_of(host::list_environments(m.machine));
  REQUIRE(rows.size() == 1);
  CHECK(rows[0].completeness == host::Completeness::partial);

  REQUIRE(value_of(host::create_environment(m.machine, request, resolution)).id == id);
  CHECK_FALSE(fs::exists(directory / "remains"));
  rows = value_of(host::list_environments(m.machine));
  REQUIRE(rows.size() == 1);
  CHECK(rows[0].completeness == host::Completeness::complete);
  CHECK(rows[0].python == m.interpreter.version);
  CHECK(rows[0].bytes > 1000);

  const Done unknown = host::remove_environment(m.machine, "zz");
  REQUIRE_FALSE(unknown.has_value());
  CHECK(unknown.error().kind == ErrorKind::usage);
  REQUIRE(host::remove_environment(m.machine, id.substr(0, 6)));
  CHECK_FALSE(fs::exists(directory));
  CHECK(value_of(host::list_environments(m.machine)).empty());
}

TEST_CASE("errors name a requirement that nothing satisfies and a missing Python", "[pip]") {
  Machine m;
  const auto missing =
      host::resolve(m.machine, {.python = "3.11", .requirements = {"tiny_missing==9"}});
  REQUIRE_FALSE(missing.has_value());
  CHECK(missing.error().kind == ErrorKind::config);
  CHECK(missing.error().message.find("tiny_missing==9") != std::string::npos);

  m.add_wheel("tiny_base", "1.0", "");
  m.add_wheel("tiny_tool", "2.0", "tiny_base>=2");
  const auto conflict =
      host::resolve(m.machine, {.python = "3.11", .requirements = {"tiny_base<2", "tiny_tool"}});
  REQUIRE_FALSE(conflict.has_value());
  CHECK(conflict.error().kind == ErrorKind::config);
  CHECK(conflict.error().message.find("dependencies: The user requested tiny_base<2; tiny") !=
        std::string::npos);

  const auto python = host::resolve(m.machine, {.python = "3.99"});
  REQUIRE_FALSE(python.has_value());
  CHECK(python.error().kind == ErrorKind::environment);
  CHECK(python.error().message.find("no Python `3.99`") != std::string::npos);
  CHECK(python.error().message.find(m.interpreter.path) != std::string::npos);
}

TEST_CASE("an environment without NVIDIA's packages does not get them through an overlay",
          "[pip]") {
  Machine m;
  m.add_wheel("torch", "2.13.0", "nvidia_fake==1.0");
  m.add_wheel("nvidia_fake", "1.0", "");
  m.add_wheel("operators", "0.1", "torch>=2");
  env::Request request{.python = "3.11"};
  request.torch.spec = "torch";
  const env::Resolution full = value_of(host::resolve(m.machine, request)).resolution;
  REQUIRE(full.packages.size() == 2);
  const env::Resolution lean = env::without_gpu_packages(full, request);
  const host::BaseEnvironment base = value_of(host::create_environment(m.machine, request, lean));
  CHECK(fs::exists(fs::path(base.site_packages) / "torch.py"));
  CHECK_FALSE(fs::exists(fs::path(base.site_packages) / "nvidia_fake.py"));

  const host::Overlay overlay =
      value_of(host::Overlay::create(m.machine, base, m.place.path / "overlay"));
  REQUIRE(overlay.install({"operators"}));
  m.run({overlay.python(), "-c", "import torch, operators"});
  m.run({overlay.python(), "-c",
         "import importlib.util as u; assert u.find_spec('nvidia_fake') is None"});
  const host::BaseEnvironment whole = value_of(host::create_environment(m.machine, request, full));
  CHECK(whole.id != base.id);
  CHECK(fs::exists(fs::path(whole.site_packages) / "nvidia_fake.py"));
}

TEST_CASE("an environment that needs more than the disk has free is refused before it is installed",
          "[pip]") {
  Machine m;
  m.add_wheel("torch", "2.13.0", "nvidia_fake==1.0");
  m.add_wheel("nvidia_fake", "1.0", "");
  env::Request request{.python = "3.11"};
  request.torch.spec = "torch";
  const env::Resolution full = value_of(host::resolve(m.machine, request)).resolution;
  m.files.free = 2'800'000'000;
  const auto made = host::create_environment(m.machine, request, full);
  REQUIRE_FALSE(made.has_value());
  CHECK(made.error().kind == ErrorKind::environment);
  CHECK(made.error().message.find("has 2.8 GB free, the environment needs 9.0 GB") !=
        std::string::npos);
  m.files.free = env::bytes_needed(full);
  value_of(host::create_environment(m.machine, request, full));
}
