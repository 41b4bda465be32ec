#include "host/provision/collect_cache.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <string>

#include "env/environment_marker.h"
#include "host/machine/local_machine.h"
#include "host/provision/cache_use.h"
#include "host/provision/complete_directory.h"
#include "host/provision/environment_list.h"
#include "unit/catch.h"
#include "unit/host/wheel_machine.h"

using namespace pinwheel;
namespace fs = std::filesystem;
using std::chrono::hours;
using std::chrono::sys_seconds;

namespace {

using host::CacheEntry;
using host::CacheKind;

sys_seconds now() {
  return std::chrono::floor<std::chrono::seconds>(std::chrono::system_clock::now());
}

/// A cache with directories that `make_once` has made, and the machines of two processes.
struct Cache {
  Place place;
  host::LocalMachine mine{{}, place.path, place.path / "state"};

  fs::path make(const host::EnvMachine& machine, const std::string& where) {
    const fs::path directory = place.path / where;
    REQUIRE(host::make_once(machine, directory, [&]() -> Result<env::EnvironmentMarker> {
      TRY_DONE(machine.files.write(directory / "file", std::string(1000, 'x')));
      return env::EnvironmentMarker{"/usr/bin/python3.11", {}, 0, {}};
    }));
    return directory;
  }
  host::CacheCollection collect(sys_seconds before, host::Removal removal = host::Removal::real) {
    return value_of(host::collect_cache(mine.machine, before, removal));
  }
};

std::vector<std::string> ids(const std::vector<CacheEntry>& entries) {
  std::vector<std::string> all;
  for (const CacheEntry& entry : entries) all.push_back(entry.id);
  std::sort(all.begin(), all.end());
  return all;
}

}  // namespace

TEST_CASE("what was not used since a time goes, and a prefix stays while an environment needs it") {
  const sys_seconds time(hours(1000));
  const auto entry = [&](CacheKind kind, const std::string& id, int age) {
    return CacheEntry{kind, id, "conda/" + id, time - hours(age)};
  };
  std::vector<CacheEntry> all = {
      entry(CacheKind::environment, "young", 1), entry(CacheKind::environment, "old", 30),
      entry(CacheKind::conda, "needed", 30), entry(CacheKind::conda, "needless", 30),
      entry(CacheKind::scratch, "half", 1)};
  all[0].interpreter = "/cache/conda/needed/bin/python3.11";
  all[1].interpreter = "/cache/conda/needless/bin/python3.11";
  all[4].partial = true;
  CHECK(ids(host::unused(all, time - hours(10), "/cache")) ==
        std::vector<std::string>{"half", "needless", "old"});
}

TEST_CASE("what a process uses stays, whatever its age, and is recorded with its user") {
  Cache cache;
  host::LocalMachine other({}, cache.place.path, cache.place.path / "state");
  other.machine.user = {"/srv/ops/matrix", "build:cpu"};
  const fs::path used = cache.make(other.machine, "environments/aaaa");
  const fs::path toolkit = cache.make(other.machine, "images/1234/toolkits/bbbb");
  const sys_seconds later = now() + hours(1);

  host::CacheCollection found = cache.collect(later);
  CHECK(found.removed.empty());
  CHECK(ids(found.in_use) == std::vector<std::string>{"aaaa", "bbbb"});
  const Done refused = host::remove_environment(cache.mine.machine, "aaaa");
  REQUIRE_FALSE(refused.has_value());
  CHECK(refused.error().kind == ErrorKind::environment);

  const std::vector<host::CacheUse> uses = host::uses_of(cache.mine.files, used);
  REQUIRE(uses.size() == 1);
  CHECK(uses[0].user == host::CacheUser{"/srv/ops/matrix", "build:cpu"});
  CHECK(uses[0].at + hours(1) > now());

  other.machine.leases.reset();
  CHECK(cache.collect(now() - hours(1)).removed.empty());
  CHECK(ids(cache.collect(later, host::Removal::pretended).removed) ==
        std::vector<std::string>{"aaaa", "bbbb"});
  CHECK(fs::exists(used / "file"));
  found = cache.collect(later);
  CHECK(ids(found.removed) == std::vector<std::string>{"aaaa", "bbbb"});
  CHECK(found.removed_bytes > 2000);
  CHECK(found.retained_bytes == 0);
  CHECK_FALSE(fs::exists(used));
  CHECK_FALSE(fs::exists(used.string() + ".uses"));
  CHECK_FALSE(fs::exists(toolkit));
}

TEST_CASE("an environment that was removed is made again, also by the process that used it") {
  Cache cache;
  const fs::path directory = cache.make(cache.mine.machine, "environments/aaaa");
  fs::remove_all(directory);
  cache.make(cache.mine.machine, "environments/aaaa");
  CHECK(fs::exists(directory / "file"));
}

TEST_CASE("sources and scratch go when they are old, incomplete environments at once") {
  Cache cache;
  ports::Files& files = cache.mine.files;
  const std::string mine = "resolve-1-" + std::to_string(::getpid());
  for (const std::string& path :
       std::vector<std::string>{"sdists/source/setup.py", "scratch/" + mine + "/report",
                                "scratch/resolve-1-999999999/report", "scratch/odd/file",
                                "environments/half/lib/file", "store/ac/result"}) {
    REQUIRE(files.write(cache.place.path / path, "text"));
  }
  host::CacheCollection found = cache.collect(now() - hours(1));
  CHECK(ids(found.removed) == std::vector<std::string>{"half"});
  found = cache.collect(now() + hours(1));
  CHECK(ids(found.removed) == std::vector<std::string>{"odd", "resolve-1-999999999", "source"});
  CHECK(fs::exists(cache.place.path / "scratch" / mine));
  CHECK(fs::exists(cache.place.path / "store/ac/result"));
}

TEST_CASE("bytes that directories share are counted once") {
  Place place;
  host::LocalFiles files;
  for (const char* const path : {"one/own", "one/shared", "two/own"}) {
    REQUIRE(files.write(place.path / path, std::string(1000, 'x')));
  }
  fs::create_hard_link(place.path / "one/shared", place.path / "two/shared");
  fs::create_hard_link(place.path / "one/own", place.path / "one/again");
  fs::create_symlink("nowhere", place.path / "two/link");
  const host::DiskUses disk({place.path / "one", place.path / "two", place.path / "missing"});
  CHECK(disk.of(0).own == 1000);
  CHECK(disk.of(0).shared == 1000);
  CHECK(disk.of(1).own == 1007);
  CHECK(disk.of(1).shared == 1000);
  CHECK(disk.of(2).own == 0);
  CHECK(disk.total() == 3007);
  CHECK(disk.freed_by({0}) == 1000);
  CHECK(disk.freed_by({0, 1}) == 3007);
}
