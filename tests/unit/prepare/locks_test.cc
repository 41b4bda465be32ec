#include "prepare/locks.h"

#include <algorithm>
#include <string>
#include <vector>

#include "env/patchelf.h"
#include "fakes/fake_pip.h"
#include "unit/prepare/matrix_world.h"

namespace pinwheel::prepare {
namespace {

using Texts = std::vector<std::string>;

const std::string kLockedYaml = std::string(kPlainYaml) + "environment: {pip: [numpy]}\n";

/// A run of a matrix that may have locks, on a machine with Pythons and a pip.
struct LockWorld {
  fakes::FakeHost fake;
  fakes::FakePip pip{fake};
  RunScope scope = {};
  host::Workplace workplace = {};
  plan::PlanFacts facts = {};

  explicit LockWorld(const std::string& yaml = kLockedYaml) {
    add_python(fake, "3.11.7");
    add_python(fake, "3.12.1");
    workplace.state = "/repo/.pinwheel";
    workplace.cache = "/cache";
    workplace.variables = fake.host.variables;
    scope = whole_scope(fake, yaml);
  }

  RunView view() const { return {fake.host, scope, workplace, facts}; }
  std::vector<plan::LockTarget> needed() const {
    const Loaded& loaded = scope.loaded;
    const auto needed = plan::needed_locks(
        plan::lock_targets(loaded.matrix, loaded.expansion, loaded.classes, scope.options),
        loaded.matrix, loaded.expansion, scope.outline, scope.options);
    REQUIRE(needed);
    return *needed;
  }
  /// The environments of both Pythons.
  std::vector<plan::LockTarget> targets() const {
    const std::vector<plan::LockTarget> all = needed();
    REQUIRE(all.size() == 2);
    return all;
  }
  static std::string path_of(const plan::LockTarget& target) { return "m.locks/" + target.file; }
  std::string record(const plan::LockTarget& target) const {
    return fake.files.text(".pinwheel/resolutions/" + env::digest(target.request) + ".json");
  }

  /// A lock of a target, with numpy of the version.
  static env::Lock lock(const plan::LockTarget& target, const std::string& version = "2.0.0") {
    env::Resolution resolution;
    resolution.request = env::digest(target.request);
    resolution.python = target.request.python == "3.11" ? "3.11.7" : "3.12.1";
    resolution.packages = {{"numpy", version, "numpy-" + version + "-py3-none-any.whl",
                            sha256_hex("numpy" + version)}};
    env::Lock lock = env::make_lock(target.request, resolution, "x86_64");
    lock.variants = target.variants;
    return lock;
  }
  void put(const plan::LockTarget& target, const env::Lock& lock) {
    fake.files.put(path_of(target), env::to_pylock(lock));
  }
  void lock_all(const std::string& version = "2.0.0") {
    for (const plan::LockTarget& target : targets()) put(target, lock(target, version));
  }

  Decided applied() {
    Result<Decided> decided = apply_locks(view(), Refresh::no, fake.notices);
    INFO((decided ? std::string() : render(decided.error())));
    REQUIRE(decided);
    return *std::move(decided);
  }
  Error refused(Refresh refresh = Refresh::no) {
    const Result<Decided> decided = apply_locks(view(), refresh, fake.notices);
    REQUIRE_FALSE(decided);
    return decided.error();
  }
  ForLocks asked(LockWork work) const { return {"m.locks", targets(), work}; }
  LockedPackages packages(const ForLocks& what) {
    Result<LockedPackages> packages = packages_for_locks(view(), what, fake.notices);
    INFO((packages ? std::string() : render(packages.error())));
    REQUIRE(packages);
    return *std::move(packages);
  }
  Error no_packages(const ForLocks& what) {
    const Result<LockedPackages> packages = packages_for_locks(view(), what, fake.notices);
    REQUIRE_FALSE(packages);
    return packages.error();
  }
};

std::vector<LockState> states_of(const std::vector<LockFile>& locks) {
  std::vector<LockState> states;
  for (const LockFile& lock : locks) states.push_back(lock.state);
  return states;
}

std::vector<LockState> both(LockState state) {
  return {state, state};
}

TEST_CASE("without a directory of locks nothing is decided, and a file of its name is none") {
  LockWorld world;
  CHECK(world.applied().empty());
  world.fake.files.put("m.locks", "");
  CHECK(world.applied().empty());
}

TEST_CASE("locks and a refresh contradict each other") {
  LockWorld world;
  world.lock_all();
  const Error error = world.refused(Refresh::yes);
  CHECK(error.kind == ErrorKind::usage);
  CHECK(error.message == "`--refresh` cannot change the packages in `m.locks`");
}

TEST_CASE("locks that are current are recorded here, and decide the packages") {
  LockWorld world;
  world.lock_all();
  const Decided decided = world.applied();
  CHECK(decided.size() == 2);
  for (const plan::LockTarget& target : world.targets()) {
    CHECK(decided.contains(env::digest(target.request)));
    const auto recorded = env::parse_resolution(world.record(target));
    REQUIRE(recorded);
    CHECK(recorded->find("numpy")->version == "2.0.0");
    CHECK(recorded->at.time_since_epoch() == std::chrono::seconds(1'767'323'045));
  }
  CHECK(world.pip.asked.empty());
  CHECK(world.fake.notices.warnings.empty());
}

TEST_CASE("recorded packages keep their date") {
  LockWorld world;
  world.lock_all();
  world.applied();
  world.fake.files.changes.clear();
  world.applied();
  CHECK(world.fake.files.changes.empty());
  world.lock_all("2.1.0");
  world.applied();
  CHECK(world.fake.files.changes.size() == 2);
}

TEST_CASE("a record of a lock that cannot be written ends the run") {
  LockWorld world;
  world.lock_all();
  world.fake.files.refused = "/resolutions/";
  CHECK(world.refused().message.starts_with("refused: write /repo/.pinwheel/resolutions/"));
}

TEST_CASE("another patch release of Python than the locked one is a warning") {
  LockWorld world;
  world.lock_all();
  add_python(world.fake, "3.11.9");
  world.applied();
  CHECK(world.fake.notices.warnings ==
        Texts{"`" + world.targets().front().file +
              "` was locked with Python 3.11.7, but this machine has 3.11.9"});
  CHECK(env::parse_resolution(world.record(world.targets().front()))->python == "3.11.9");
  CHECK(world.fake.files.remove_all("/usr/bin"));
  CHECK(world.refused().kind == ErrorKind::environment);
}

TEST_CASE("every lock that is not current is named before anything is recorded") {
  LockWorld world;
  const std::vector<plan::LockTarget> targets = world.targets();
  env::Lock stale = LockWorld::lock(targets[0]);
  stale.asked.requirements.push_back("six");
  stale.request = env::digest(stale.asked);
  world.put(targets[0], stale);
  const Error error = world.refused();
  CHECK(error.kind == ErrorKind::drift);
  CHECK(error.message == "the locks in `m.locks` are out of date");
  CHECK(error.hint == "update them: `pinwheel env lock m.yaml`, or ignore them: `--no-lock`");
  REQUIRE(error.causes.size() == 2);
  CHECK(error.causes[0].message.starts_with("`" + targets[0].file + "` is out of date: "));
  CHECK(error.causes[0].message.find("six") != std::string::npos);
  CHECK(error.causes[1].message ==
        "`" + targets[1].file + "` is missing; it locks `" + targets[1].variants.front() + "`");
  CHECK(world.fake.files.changes.empty());
}

TEST_CASE("a lock that cannot be read is a state with an error") {
  LockWorld world;
  world.lock_all();
  const std::string path = LockWorld::path_of(world.targets().front());
  world.fake.files.put(path, "lock-version =");
  const Error error = world.refused();
  REQUIRE(error.causes.size() == 1);
  CHECK(error.causes[0].kind == ErrorKind::drift);
  CHECK(error.causes[0].message.find(world.targets().front().file) != std::string::npos);
}

TEST_CASE("another image and another patchelf make a lock stale") {
  LockWorld world;
  const plan::LockTarget target = world.targets().front();
  world.lock_all();
  env::Lock lock = LockWorld::lock(target);
  lock.patchelf = "0.0.1";
  world.put(target, lock);
  const Error error = world.refused();
  REQUIRE(error.causes.size() == 1);
  CHECK(error.causes[0].message.find("`patchelf`: 0.0.1 -> ") != std::string::npos);
  lock.patchelf = env::kPatchelfVersion;
  lock.image = env::LockedImage{"sha256:1", "an older key"};
  world.put(target, lock);
  // On the host there is no image to compare with.
  CHECK(world.applied().size() == 2);
}

TEST_CASE("`env lock` resolves missing locks, and does not change current ones") {
  LockWorld world;
  world.put(world.targets()[0], LockWorld::lock(world.targets()[0], "1.9.0"));
  const LockedPackages made = world.packages(world.asked(LockWork::write));
  CHECK(states_of(made.locks) == std::vector<LockState>{LockState::current, LockState::missing});
  CHECK(world.pip.asked.size() == 1);
  CHECK(env::parse_resolution(world.record(world.targets()[0]))->find("numpy")->version == "1.9.0");
  CHECK(env::parse_resolution(world.record(world.targets()[1]))->find("numpy")->version == "2.0.0");
  CHECK(made.packages.resolutions.contains(env::digest(world.targets()[0].request)));
  CHECK(std::ranges::none_of(world.fake.files.changes, [](const std::string& change) {
    return change.find("m.locks") != std::string::npos;
  }));
}

TEST_CASE("`env lock --refresh` resolves everything") {
  LockWorld world;
  world.lock_all();
  ForLocks what = world.asked(LockWork::write);
  what.refresh = Refresh::yes;
  CHECK(states_of(world.packages(what).locks) == both(LockState::stale));
  CHECK(world.pip.asked.size() == 2);
}

TEST_CASE("`env lock` ends with the first index that fails") {
  LockWorld world;
  world.pip.refusal = "ERROR: No matching distribution found for numpy\n";
  CHECK(world.no_packages(world.asked(LockWork::write)).kind == ErrorKind::config);
  CHECK(world.pip.asked.size() == 1);
}

TEST_CASE("an upgrade changes the locks that have the package") {
  LockWorld world;
  world.lock_all();
  ForLocks what = world.asked(LockWork::write);
  what.upgraded = {*pep::parse_requirement("NumPy")};
  CHECK(states_of(world.packages(what).locks) == both(LockState::current));
  CHECK(world.pip.asked.size() == 2);
  world.pip.packages["numpy"] = "2.1.0";
  CHECK(states_of(world.packages(what).locks) == both(LockState::stale));
  CHECK(env::parse_resolution(world.record(world.targets()[0]))->find("numpy")->version == "2.1.0");
  world.pip.refusal = "ERROR: No matching distribution found for numpy\n";
  CHECK(world.no_packages(what).kind == ErrorKind::config);
}

TEST_CASE("a package to upgrade must be in a lock, else the error has the nearest name") {
  LockWorld world;
  world.lock_all();
  ForLocks what = world.asked(LockWork::write);
  what.upgraded = {*pep::parse_requirement("numpi")};
  const Error unknown = world.no_packages(what);
  CHECK(unknown.kind == ErrorKind::usage);
  CHECK(unknown.message == "no lock has a package `numpi`");
  CHECK(unknown.hint.find("numpy") != std::string::npos);
  env::Lock conda = LockWorld::lock(world.targets()[0]);
  conda.resolution.conda = {{"zlib", "1.3", "h1_0", "linux-64", "https://example.org/zlib.conda",
                             std::string(64, 'a'), "ff", 12}};
  world.put(world.targets()[0], conda);
  what.upgraded = {*pep::parse_requirement("zlib")};
  const Error solved = world.no_packages(what);
  CHECK(solved.kind == ErrorKind::usage);
  CHECK(solved.message == "`zlib` is a conda package, and those are solved together");
  CHECK(solved.hint == "use `--refresh`");
  CHECK(world.pip.asked.empty());
}

TEST_CASE("`env lock --check` compares requests, resolves nothing and records nothing") {
  LockWorld world;
  CHECK(states_of(world.packages(world.asked(LockWork::check)).locks) == both(LockState::missing));
  world.lock_all();
  CHECK(states_of(world.packages(world.asked(LockWork::check)).locks) == both(LockState::current));
  CHECK(world.pip.asked.empty());
  CHECK(world.fake.files.changes.empty());
}

TEST_CASE("a check against the indexes does not affect the next build") {
  LockWorld world;
  world.lock_all();
  ForLocks what = world.asked(LockWork::check);
  what.refresh = Refresh::yes;
  CHECK(states_of(world.packages(what).locks) == both(LockState::current));
  world.pip.packages = {{"numpy", "2.1.0"}, {"six", "1.17.0"}};
  const std::vector<LockFile> locks = world.packages(what).locks;
  CHECK(states_of(locks) == both(LockState::stale));
  CHECK(locks[0].differences.size() == 2);
  CHECK(to_error(locks[0]).message == "`" + world.targets()[0].file +
                                          "` is out of date: `numpy`: 2.0.0 -> 2.1.0; `six` "
                                          "1.17.0 is new");
  CHECK(world.record(world.targets()[0]).empty());
  CHECK(world.fake.files.changes.front() == "remove /repo/.pinwheel/lock-check");
  CHECK(world.fake.files.changes.back() == "remove /repo/.pinwheel/lock-check");
  CHECK(world.fake.files.resolved_type(".pinwheel/lock-check") == ports::FileType::missing);
}

TEST_CASE("a check whose place cannot be emptied asks no index") {
  LockWorld world;
  world.lock_all();
  ForLocks what = world.asked(LockWork::check);
  what.refresh = Refresh::yes;
  world.fake.files.refused = "remove /repo/.pinwheel/lock-check";
  CHECK(world.no_packages(what).message == "refused: remove /repo/.pinwheel/lock-check");
  CHECK(world.pip.asked.empty());
}

TEST_CASE("the states of locks have names, and a file of no environment is an error") {
  CHECK(to_string(LockState::current) == "current");
  CHECK(to_string(LockState::missing) == "missing");
  CHECK(to_string(LockState::stale) == "stale");
  CHECK(to_string(LockState::damaged) == "damaged");
  CHECK(to_string(LockState::orphan) == "orphan");
  CHECK(to_string(LockState::written) == "written");
  LockFile orphan;
  orphan.target.file = "pylock.old.toml";
  orphan.state = LockState::orphan;
  CHECK(to_error(orphan).kind == ErrorKind::drift);
  CHECK(to_error(orphan).message == "`pylock.old.toml` locks no environment of this matrix");
}

TEST_CASE("a lock names its image by a registry's digest, else by the id of its base") {
  container::ContainerImage image;
  image.id = "sha256:1";
  image.key = "key";
  image.base_id = "sha256:2";
  CHECK(locked_image(image) == env::LockedImage{"sha256:1", "key", "sha256:2"});
  image.base_digests = {"debian@sha256:3"};
  CHECK(locked_image(image).base == "debian@sha256:3");
}

TEST_CASE("the release of a toolkit is a fact of the run, if the machine has it") {
  LockWorld world;
  const OpenMachine local = world.fake.host.machine(world.workplace);
  env::Request build;
  build.toolkit = "cuda/13.0";
  world.facts.toolkits[env::toolkit_digest(build)] = {"13.0.88"};
  CHECK(found_release(*local, world.facts, build) == "13.0.88");
  world.facts.toolkits[env::toolkit_digest(build)].origin = plan::ToolkitOrigin::made;
  CHECK(found_release(*local, world.facts, build).empty());
  build.container.base = "debian:12";
  CHECK(found_release(*local, {}, build).empty());
}

TEST_CASE("the lock of a toolkit counts only on a machine that does not have the toolkit") {
  LockWorld world(kCudaYaml);
  const std::vector<plan::LockTarget> targets = world.needed();
  REQUIRE(targets.size() == 2);
  const auto toolkit = std::ranges::find_if(
      targets, [](const plan::LockTarget& target) { return !target.toolkit_of.empty(); });
  REQUIRE(toolkit != targets.end());
  for (const plan::LockTarget& target : targets) {
    if (target.file != toolkit->file) world.put(target, LockWorld::lock(target));
  }
  const Error error = world.refused();
  REQUIRE(error.causes.size() == 1);
  CHECK(error.causes.front().message.starts_with("`" + toolkit->file + "` is missing"));
  add_cuda(world.fake);
  world.workplace.variables = world.fake.host.variables;
  CHECK(world.applied().size() == 1);
  const ForLocks check{"m.locks", targets, LockWork::check};
  CHECK(states_of(world.packages(check).locks) == std::vector<LockState>{LockState::current});
}

TEST_CASE("`env lock` leaves out the lock of a toolkit that no index has") {
  LockWorld world(kCudaYaml);
  world.pip.refusal = "ERROR: No matching distribution found for cuda-toolkit\n";
  world.pip.refused = "cuda-toolkit";
  const LockedPackages made = world.packages({"m.locks", world.needed()});
  REQUIRE(made.locks.size() == 1);
  CHECK(made.locks.front().target.toolkit_of.empty());
  CHECK_FALSE(world.fake.notices.warnings.empty());
}

}  // namespace
}  // namespace pinwheel::prepare
