#include "publish/prune.h"

#include <fmt/format.h>

#include "unit/catch.h"

using namespace pinwheel;
using publish::Catalog;
using publish::PruneRules;
using publish::PruneScope;
using publish::PruneVerdict;

namespace {

const std::chrono::system_clock::time_point kPruneTime =
    *publish::parse_upload_time("2026-06-30T12:00:00Z");

/// An index of one project.
struct Shelf {
  /// Lists a version in a place, and in the root, uploaded so many days ago.
  void add(const std::string& version, int days, const std::string& place = "cpu") {
    const std::string name = "demo_ops-" + version + "-py3-none-any.whl";
    publish::CatalogFile file{place + "/demo-ops/" + name, "00", 1000};
    file.upload_time = publish::to_upload_time(kPruneTime - std::chrono::days(days));
    catalog.places[place]["demo-ops"][name] = file;
    catalog.places[""]["demo-ops"][name] = file;
  }
  /// Nightlies `1.0.dev1` to `1.0.dev<count>`, one a day, the last one today.
  void add_nights(int count) {
    for (int night = 1; night <= count; ++night) {
      add(fmt::format("1.0.dev{}", night), count - night);
    }
  }
  publish::CatalogFile& file(const std::string& version, const std::string& place) {
    return catalog.places.at(place).at("demo-ops").at("demo_ops-" + version + "-py3-none-any.whl");
  }
  void yank(const std::string& version) {
    for (const char* place : {"", "cpu"}) file(version, place).yanked = "broken";
  }
  void lose_time(const std::string& version) {
    for (const char* place : {"", "cpu"}) file(version, place).upload_time.clear();
  }

  Catalog catalog;
};

publish::Pruning pruning_of(const Catalog& catalog, const PruneRules& rules) {
  auto pruning = publish::prune(catalog, rules, kPruneTime);
  REQUIRE(pruning);
  return *std::move(pruning);
}

/// "1.0.dev3 newest", newest first.
std::vector<std::string> verdicts(const publish::Pruning& pruning) {
  std::vector<std::string> out;
  for (const publish::PrunedVersion& version : pruning.versions) {
    out.push_back(pep::to_string(version.version) + " " +
                  std::string(publish::to_string(version.verdict)));
  }
  return out;
}

std::vector<std::string> removed_versions(const publish::Pruning& pruning) {
  std::vector<std::string> out;
  for (const publish::PrunedVersion& version : pruning.versions) {
    if (version.verdict == PruneVerdict::removed) out.push_back(pep::to_string(version.version));
  }
  return out;
}

PruneRules newest_only(size_t count) {
  return {.keep_last = count};
}

PruneRules newer_than(int days) {
  return {.keep = std::chrono::days(days)};
}

publish::LockedVersion locked_by_uv(const char* pinned) {
  return {*publish::parse_pinned_version(pinned), "uv.lock"};
}

}  // namespace

TEST_CASE("a nightly stays if it is new or among the newest") {
  Shelf shelf;
  shelf.add_nights(20);
  PruneRules rules = newer_than(10);
  rules.keep_last = 12;
  const auto pruning = pruning_of(shelf.catalog, rules);
  CHECK(verdicts(pruning)[9] == "1.0.dev11 recent");
  CHECK(verdicts(pruning)[10] == "1.0.dev10 newest");
  CHECK(verdicts(pruning)[11] == "1.0.dev9 newest");
  CHECK(removed_versions(pruning).size() == 8);
  CHECK(pruning.retired.size() == 8);
  for (const char* place : {"", "cpu"}) {
    CHECK(pruning.catalog.places.at(place).at("demo-ops").size() == 12);
  }
}

TEST_CASE("two versions older than the usual cooldown stay, the newest of them") {
  Shelf shelf;
  shelf.add_nights(20);
  const auto pruning = pruning_of(shelf.catalog, newest_only(3));
  std::vector<std::string> settled;
  for (const auto& version : pruning.versions) {
    if (version.verdict == PruneVerdict::settled)
      settled.push_back(pep::to_string(version.version));
  }
  CHECK(settled == std::vector<std::string>{"1.0.dev13", "1.0.dev12"});
  CHECK(removed_versions(pruning).size() == 15);
}

TEST_CASE("each sub-index has its own two settled versions") {
  Shelf shelf;
  shelf.add_nights(3);
  for (const int night : {1, 2, 3, 4}) shelf.add(fmt::format("0.9.dev{}", night), 90 - night);
  for (const int night : {1, 2, 3}) shelf.add(fmt::format("0.8.dev{}", night), 99 - night, "cu130");
  const auto pruning = pruning_of(shelf.catalog, newer_than(5));
  CHECK(removed_versions(pruning) == std::vector<std::string>{"0.9.dev2", "0.9.dev1", "0.8.dev1"});
  CHECK(pruning.versions[5].verdict == PruneVerdict::removed);
  CHECK(pruning.versions.back().verdict == PruneVerdict::removed);
  CHECK(pruning.versions[7].detail == "cu130");
  CHECK(pruning.versions[7].verdict == PruneVerdict::settled);
}

TEST_CASE("versions that are yanked or have no upload time do not count as settled") {
  Shelf shelf;
  for (const int night : {1, 2, 3, 4, 5}) shelf.add(fmt::format("1.0.dev{}", night), 60 - night);
  shelf.yank("1.0.dev4");
  shelf.lose_time("1.0.dev3");
  const auto pruning = pruning_of(shelf.catalog, newest_only(1));
  CHECK(verdicts(pruning) == std::vector<std::string>{"1.0.dev5 newest", "1.0.dev4 removed",
                                                      "1.0.dev3 removed", "1.0.dev2 settled",
                                                      "1.0.dev1 removed"});
}

TEST_CASE("a version that stays for another reason does not take the place of a settled one") {
  Shelf shelf;
  for (const int night : {1, 2, 3, 4}) shelf.add(fmt::format("1.0.dev{}", night), 60 - night);
  PruneRules rules = newest_only(1);
  rules.locked = {locked_by_uv("demo-ops==1.0.dev1")};
  CHECK(verdicts(pruning_of(shelf.catalog, rules)) ==
        std::vector<std::string>{"1.0.dev4 newest", "1.0.dev3 settled", "1.0.dev2 removed",
                                 "1.0.dev1 locked"});
}

TEST_CASE("a version without an upload time has no age, and stays if the age decides") {
  Shelf shelf;
  for (const int night : {1, 2, 3, 4}) shelf.add(fmt::format("1.0.dev{}", night), 60 - night);
  shelf.lose_time("1.0.dev1");
  CHECK(verdicts(pruning_of(shelf.catalog, newer_than(30))).back() == "1.0.dev1 undated");
}

TEST_CASE("yanked versions are removed before all others") {
  Shelf shelf;
  for (const int night : {1, 2, 3, 4, 5}) shelf.add(fmt::format("1.0.dev{}", night), 60 - night);
  shelf.yank("1.0.dev5");
  shelf.yank("1.0.dev4");
  CHECK(removed_versions(pruning_of(shelf.catalog, newest_only(3))) ==
        std::vector<std::string>{"1.0.dev5", "1.0.dev4"});
  CHECK(removed_versions(pruning_of(shelf.catalog, newest_only(4))) ==
        std::vector<std::string>{"1.0.dev4"});
  CHECK(removed_versions(pruning_of(shelf.catalog, newest_only(5))).empty());
}

TEST_CASE("a version that a lock names stays, with its lock") {
  Shelf shelf;
  shelf.add_nights(20);
  shelf.add("1.0.dev2+cu130", 18, "cu130");
  PruneRules rules = newest_only(10);
  rules.locked = {locked_by_uv("demo-ops==1.0.dev1"), locked_by_uv("demo-ops==1.0.dev2+cu130"),
                  locked_by_uv("other==1.0.dev3"), locked_by_uv("demo-ops==1.0.dev20")};
  const auto pruning = pruning_of(shelf.catalog, rules);
  CHECK(verdicts(pruning).front() == "1.0.dev20 locked");
  CHECK(verdicts(pruning).back() == "1.0.dev1 locked");
  CHECK(verdicts(pruning)[18] == "1.0.dev2 locked");
  CHECK(pruning.versions.back().detail == "uv.lock");
  CHECK(removed_versions(pruning).size() == 8);
  CHECK(publish::prune_reason(pruning.versions.back(), rules, "") == "`uv.lock` names it");
}

TEST_CASE("releases are judged only on request, and apart from nightlies") {
  Shelf shelf;
  shelf.add_nights(20);
  for (const char* version : {"0.1", "0.2", "0.3rc1", "0.3", "0.4"}) shelf.add(version, 300);
  const auto nightlies = pruning_of(shelf.catalog, newest_only(8));
  for (const auto& version : nightlies.versions) {
    if (!version.version.dev) CHECK(version.verdict == PruneVerdict::release);
  }
  PruneRules rules = newest_only(3);
  rules.scope = PruneScope::all_versions;
  const auto all = removed_versions(pruning_of(shelf.catalog, rules));
  CHECK(all.size() == 15 + 2);
  CHECK(std::vector<std::string>(all.end() - 2, all.end()) ==
        std::vector<std::string>{"0.2", "0.1"});
}

TEST_CASE("one project may be pruned alone, and must be in the index") {
  Shelf shelf;
  shelf.add_nights(20);
  shelf.catalog.places[""]["other"]["other-1.0.dev1-py3-none-any.whl"] = {};
  PruneRules rules = newest_only(10);
  rules.project = "demo-ops";
  const auto pruning = pruning_of(shelf.catalog, rules);
  CHECK(pruning.versions.size() == 20);
  CHECK(pruning.catalog.places.at("").at("other").size() == 1);
  rules.project = "missing";
  const auto missing = publish::prune(shelf.catalog, rules, kPruneTime);
  REQUIRE_FALSE(missing);
  CHECK(missing.error().kind == ErrorKind::nothing_selected);
}

TEST_CASE("a version is counted once, with the files of all its places") {
  Shelf shelf;
  shelf.add("1.0.dev1+cpu", 3);
  shelf.add("1.0.dev1+cu130", 2, "cu130");
  const auto pruning = pruning_of(shelf.catalog, newest_only(1));
  REQUIRE(pruning.versions.size() == 1);
  const publish::PrunedVersion& only = pruning.versions.front();
  CHECK(only.files == 2);
  CHECK(only.bytes == 2000);
  CHECK(only.uploaded == kPruneTime - std::chrono::days(2));
}

TEST_CASE("whatever the rules, nothing else is removed and enough versions stay") {
  for (int seed = 0; seed < 200; ++seed) {
    Shelf shelf;
    shelf.add_nights(1 + seed % 30);
    for (int i = 0; i < seed % 5; ++i) {
      const std::string version = fmt::format("1.0.dev{}", 1 + (seed * 7 + i) % (1 + seed % 30));
      if (i % 2 == 0) shelf.yank(version);
    }
    PruneRules rules = newest_only(static_cast<size_t>(1 + seed % 4));
    if (seed % 3 == 0) rules.keep = std::chrono::days(seed % 11);
    const auto pruning = pruning_of(shelf.catalog, rules);
    const auto settled = [](const Catalog& catalog) {
      size_t count = 0;
      for (const auto& [name, file] : catalog.places.at("cpu").at("demo-ops")) {
        const bool old =
            kPruneTime - *publish::parse_upload_time(file.upload_time) >= publish::kUsualCooldown;
        count += old && !file.yanked ? 1 : 0;
      }
      return count;
    };
    INFO(seed);
    CHECK(settled(pruning.catalog) >= std::min<size_t>(settled(shelf.catalog), 2));
    CHECK(pruning.retired.size() + pruning.catalog.places.at("cpu").at("demo-ops").size() ==
          shelf.catalog.places.at("cpu").at("demo-ops").size());
    // What stays is what a second call keeps.
    CHECK(publish::prune(pruning.catalog, rules, kPruneTime)->retired.empty());
  }
}

TEST_CASE("the reason of each verdict can be read") {
  PruneRules rules = newer_than(30);
  rules.keep_last = 60;
  publish::PrunedVersion version;
  const auto reason = [&](PruneVerdict verdict) {
    version.verdict = verdict;
    return publish::prune_reason(version, rules, "30d");
  };
  CHECK(reason(PruneVerdict::removed) == "older than 30d, not among the newest 60");
  CHECK(reason(PruneVerdict::recent) == "newer than 30d");
  CHECK(reason(PruneVerdict::newest) == "among the newest 60");
  CHECK(reason(PruneVerdict::settled) == "one of 2 versions older than 7 days in the root");
  version.yanked = true;
  version.detail = "cu130";
  CHECK(reason(PruneVerdict::removed) == "yanked, older than 30d, not among the newest 60");
  CHECK(reason(PruneVerdict::settled) == "one of 2 versions older than 7 days in `cu130`");
  CHECK(reason(PruneVerdict::undated) == "has no upload time");
  CHECK(reason(PruneVerdict::release) == "not a nightly");
}
