#include "prepare/python_use.h"

#include <string>
#include <vector>

#include "base/text.h"
#include "unit/host/scratch.h"
#include "unit/prepare/matrix_world.h"

namespace pinwheel::prepare {
namespace {

using Users = std::vector<std::string>;

constexpr const char* kTwoPythons = R"(
schema: pinwheel/1
package: {name: demo, source: .}
axes:
  python: ["3.12", "3.9"]
  flavor: [plain, loud]
abi: {python: version}
)";

const std::string kAutomatic = std::string(kTwoPythons) + "environment: {python: auto}\n";

/// A run on a machine whose uv prints nothing.
struct PythonWorld {
  Scratch scratch = {};
  fakes::FakeHost fake;
  host::Workplace workplace = {};
  std::vector<std::string> by_uv = {};  ///< the requests to it
  bool canceled = false;

  PythonWorld() {
    const std::filesystem::path uv = scratch.write("bin/uv", "#!/bin/sh\n");
    std::filesystem::permissions(uv, std::filesystem::perms::owner_all);
    fake.host.variables["PATH"] = (scratch.path() / "bin").string() + ":/usr/bin";
    fake.host.variables["PINWHEEL_CACHE_DIR"] = "/cache";
    workplace.variables = fake.host.variables;
    workplace.cache = "/cache";
    fake.process.run = [this, uv](const ports::Command& command) -> Result<ports::Captured> {
      if (command.argv.front() != uv.string()) return fail(ErrorKind::environment, "no program");
      by_uv.push_back(command.argv.back());
      ports::Exit exit;
      exit.canceled = canceled;
      return ports::Captured{exit, "", ""};
    };
  }
  Done fetch(const std::string& yaml, const LevelOptions& levels = {}) {
    return fetch_missing_pythons(fake.host, whole_scope(fake, yaml, levels), workplace,
                                 fake.notices);
  }
  void warn(const std::string& yaml) {
    warn_of_missing_pythons(fake.host, whole_scope(fake, yaml), fake.notices);
  }
};

TEST_CASE("a run needs each Python once, ascending, for its builds and then its tests") {
  fakes::FakeHost fake;
  const auto uses = python_uses(whole_scope(fake, kTwoPythons));
  REQUIRE(uses);
  REQUIRE(uses->size() == 2);
  CHECK(uses->at(0).version == "3.9");
  CHECK(uses->at(0).users ==
        Users{"build:cp39-plain", "build:cp39-loud", "test:cp39-plain", "test:cp39-loud"});
  CHECK(uses->at(1).version == "3.12");
  CHECK(uses->at(1).from == matrix::PythonFrom::found);
}

TEST_CASE("the Pythons of a matrix are those of its variants, in its order") {
  fakes::FakeHost fake;
  const auto uses = python_uses(loaded_from(fake, kTwoPythons));
  REQUIRE(uses);
  REQUIRE(uses->size() == 2);
  CHECK(uses->at(0).version == "3.12");
  CHECK(uses->at(0).users == Users{"cp312-plain", "cp312-loud"});
}

TEST_CASE("images and conda bring Pythons of their own") {
  fakes::FakeHost fake;
  LevelOptions conda;
  conda.python = env::PythonSource::conda;
  CHECK(python_uses(whole_scope(fake, kTwoPythons, conda))->empty());
  LevelOptions contained;
  contained.engine = container::Engine::docker;
  CHECK(python_uses(whole_scope(fake, kTwoPythons, contained))->empty());
}

TEST_CASE("a Python that is not to be fetched is not looked for before a run") {
  PythonWorld world;
  CHECK(world.fetch(kTwoPythons));
  CHECK(world.fake.process.started.empty());
  CHECK(world.fake.notices.notes.empty());
}

TEST_CASE("a Python that is here is not fetched") {
  PythonWorld world;
  add_python(world.fake, "3.9.2");
  add_python(world.fake, "3.12.1");
  CHECK(world.fetch(kAutomatic));
  CHECK(world.by_uv.empty());
  CHECK(world.fake.notices.notes.empty());
}

TEST_CASE("fetching that is interrupted ends with that, and the next Python is not tried") {
  PythonWorld world;
  world.canceled = true;
  const Done fetched = world.fetch(kAutomatic);
  REQUIRE_FALSE(fetched);
  CHECK(fetched.error().kind == ErrorKind::interrupted);
  CHECK(world.by_uv.size() == 1);
  CHECK(world.fake.notices.notes == Users{"fetching Python 3.9 by uv\n"});
}

TEST_CASE("a place for Pythons that cannot be made is an error before uv runs") {
  PythonWorld world;
  world.fake.files.refused = "make /cache/pythons";
  CHECK_FALSE(world.fetch(kAutomatic));
  CHECK(world.by_uv.empty());
}

TEST_CASE("missing Pythons are warned of once, with the steps that stop") {
  PythonWorld world;
  add_python(world.fake, "3.12.1");
  world.warn(kTwoPythons);
  REQUIRE(world.fake.notices.warnings.size() == 1);
  CHECK(world.fake.notices.warnings.front().find("3.9") != std::string::npos);
  CHECK(world.fake.notices.warnings.front().ends_with(
      "; `build:cp39-plain`, `build:cp39-loud`, `test:cp39-plain`, `test:cp39-loud` stop without "
      "it"));
  world.warn(replace_all(kTwoPythons, "[plain, loud]", "[plain, loud, odd]"));
  CHECK(world.fake.notices.warnings.back().ends_with(
      "; `build:cp39-plain`, `build:cp39-loud`, `build:cp39-odd`, `test:cp39-plain` and 2 more "
      "steps stop without it"));
  CHECK(world.fake.files.changes.empty());
}

TEST_CASE("a Python that a run fetches is a note") {
  PythonWorld world;
  add_python(world.fake, "3.12.1");
  world.warn(kAutomatic);
  CHECK(world.fake.notices.warnings.empty());
  CHECK(world.fake.notices.notes == Users{"Python 3.9 is not here yet: a run fetches it by uv\n"});
  CHECK(world.by_uv.empty());
}

TEST_CASE("a Python for another C library than the variants' is a warning") {
  PythonWorld world;
  add_python(world.fake, "3.11.2", "cpython-311-x86_64-linux-gnu");
  world.warn(
      "schema: pinwheel/1\npackage: {name: demo, source: .}\n"
      "axes: {python: [\"3.11\"], libc: [musl]}\nabi: {python: version}\n");
  REQUIRE(world.fake.notices.warnings.size() == 1);
  CHECK(world.fake.notices.warnings.front().find("musl") != std::string::npos);
}

TEST_CASE("without a home directory there is no cache to look in for Pythons") {
  PythonWorld world;
  world.fake.host.variables.clear();
  world.warn(kTwoPythons);
  CHECK(world.fake.notices.warnings == Users{"there is no home directory for the cache"});
  CHECK(world.fake.process.started.empty());
}

}  // namespace
}  // namespace pinwheel::prepare
