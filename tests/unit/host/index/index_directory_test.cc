#include "host/index/index_directory.h"

#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <regex>
#include <thread>

#include "base/digest.h"
#include "base/url.h"
#include "fakes/fake_clock.h"
#include "host/system/files.h"
#include "publish/simple_page.h"
#include "unit/catch.h"
#include "unit/host/scratch.h"

using namespace pinwheel;
using host::IndexEntry;
using publish::InRoot;
using publish::Outcome;

namespace fs = std::filesystem;

namespace {

struct Bench {
  IndexEntry entry(const std::string& filename, const std::string& label,
                   InRoot in_root = InRoot::no, const std::string& salt = "") const {
    const std::string bytes = filename + salt + std::string(50'000, '.');
    publish::Artifact file;
    file.path = scratch.write("dist/" + salt + filename, bytes);
    file.filename = filename;
    file.size = bytes.size();
    file.sha256 = sha256_hex(bytes);
    file.name = "Demo.Ops";
    file.version = "1.0" + filename.substr(0, filename.find("-py3")).substr(12);
    file.metadata = "Metadata-Version: 2.1\nName: Demo.Ops\n";
    file.fields = {{"requires_python", ">=3.10"}};
    return {file, label, in_root};
  }
  IndexEntry cpu() const { return entry("demo_ops-1.0+cpu-py3-none-any.whl", "cpu", InRoot::yes); }
  IndexEntry cuda() const { return entry("demo_ops-1.0+cu130-py3-none-any.whl", "cu130"); }

  IndexEntry night(int number) const {
    return entry("demo_ops-1.0.dev" + std::to_string(number) + "-py3-none-any.whl", "");
  }

  Result<std::vector<host::FileOutcome>> publish(const std::vector<IndexEntry>& entries) const {
    host::LocalFiles files;
    TRY(host::IndexPublication publication,
        host::publish_to_directory(index(), entries, {}, files, clock));
    return publication.files;
  }
  /// Publishes a night, and keeps `nightlies`.
  Result<host::IndexPublication> publish_night(int number, size_t nightlies) const {
    host::LocalFiles files;
    return host::publish_to_directory(index(), {night(number)}, {nightlies}, files, clock);
  }
  fs::path index() const { return scratch.path() / "index"; }

  /// Yanks all files of 1.0, or undoes that.
  Result<publish::Yanking> yank(const std::optional<std::string>& reason,
                                publish::YankChange change = publish::YankChange::yank) const {
    host::LocalFiles files;
    return host::yank_in_directory(
        index(), {*publish::parse_pinned_version("demo-ops==1.0"), change, reason}, files);
  }

  Scratch scratch;
  fakes::FakeClock clock;
};

std::vector<publish::IndexFile> page(const fs::path& directory) {
  std::ifstream in(directory / "index.json");
  std::ostringstream out;
  out << in.rdbuf();
  const auto files = publish::parse_simple_page("application/vnd.pypi.simple.v1+json", out.str());
  REQUIRE(files);
  return *files;
}

std::string bytes_of(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  std::ostringstream out;
  out << in.rdbuf();
  return out.str();
}

/// Whether every file of a project's page exists with its digests.
bool is_whole(const fs::path& directory) {
  for (const publish::IndexFile& file : page(directory)) {
    const fs::path place = directory / decode_percent(file.url);
    if (sha256_hex(bytes_of(place)) != file.hashes.at("sha256")) return false;
    if (sha256_hex(bytes_of(place.string() + ".metadata")) != file.metadata_sha256) return false;
  }
  return true;
}

}  // namespace

TEST_CASE("more sub-indexes and the root list a file that is stored once") {
  const Bench bench;
  IndexEntry shared = bench.cpu();
  shared.also_listed = {"cu130", "cu126"};
  REQUIRE(bench.publish({shared, bench.cuda()}));
  const std::string name = shared.file.filename;
  CHECK(fs::exists(bench.index() / "cpu/demo-ops" / name));
  CHECK(fs::exists(bench.index() / "cpu/demo-ops" / (name + ".metadata")));
  for (const std::string label : {"cu130", "cu126"}) {
    CAPTURE(label);
    CHECK_FALSE(fs::exists(bench.index() / label / "demo-ops" / name));
    const auto files = page(bench.index() / label / "demo-ops");
    const auto listed = std::ranges::find(files, name, &publish::IndexFile::filename);
    REQUIRE(listed != files.end());
    CHECK(listed->url == "../../cpu/demo-ops/demo_ops-1.0%2Bcpu-py3-none-any.whl");
    CHECK(listed->hashes.at("sha256") == shared.file.sha256);
    CHECK(fs::exists(bench.index() / label / "index.html"));
  }
  CHECK(page(bench.index() / "cu126/demo-ops").size() == 1);
  CHECK(page(bench.index() / "demo-ops").size() == 1);
  const auto again = bench.publish({shared, bench.cuda()});
  REQUIRE(again);
  CHECK(again->front().outcome == Outcome::identical);
  // A later publication may list it in one more.
  shared.also_listed = {"cu128"};
  REQUIRE(bench.publish({shared}));
  CHECK(page(bench.index() / "cu128/demo-ops").size() == 1);
  CHECK(page(bench.index() / "cu126/demo-ops").size() == 1);
  shared.also_listed = {"../x"};
  const auto outside = bench.publish({shared});
  REQUIRE_FALSE(outside);
  CHECK(outside.error().kind == ErrorKind::config);
}

TEST_CASE("each label has its own index, and the default is also in the root") {
  const Bench bench;
  REQUIRE(bench.publish({bench.cpu(), bench.cuda()}));
  CHECK(publish::parse_root_json(bench.scratch.read("index/index.json")) ==
        std::vector<std::string>{"demo-ops"});
  const auto root = page(bench.index() / "demo-ops");
  REQUIRE(root.size() == 1);
  CHECK(root[0].url == "../cpu/demo-ops/demo_ops-1.0%2Bcpu-py3-none-any.whl");
  CHECK(root[0].requires_python == ">=3.10");
  const auto cuda = page(bench.index() / "cu130/demo-ops");
  REQUIRE(cuda.size() == 1);
  CHECK(cuda[0].url == "demo_ops-1.0%2Bcu130-py3-none-any.whl");
  for (const char* directory : {"demo-ops", "cpu/demo-ops", "cu130/demo-ops"}) {
    CHECK(is_whole(bench.index() / directory));
    CHECK(fs::exists(bench.index() / directory / "index.html"));
  }
}

TEST_CASE("the pages link to files that are stored elsewhere, also in later generations") {
  const Bench bench;
  IndexEntry linked = bench.cuda();
  linked.url =
      "https://github.com/acme/ops/releases/download/v1/demo_ops-1.0%2Bcu130-py3-none-any.whl";
  REQUIRE(bench.publish({linked}));
  REQUIRE(bench.publish({bench.cpu()}));
  const auto cuda = page(bench.index() / "cu130/demo-ops");
  REQUIRE(cuda.size() == 1);
  CHECK(cuda[0].url == linked.url);
  CHECK(cuda[0].hashes.at("sha256") == linked.file.sha256);
  CHECK(cuda[0].metadata_sha256.empty());
  std::set<std::string> names;
  for (const auto& each : fs::directory_iterator(bench.index() / "cu130/demo-ops")) {
    names.insert(each.path().filename().string());
  }
  CHECK(names == std::set<std::string>{"index.html", "index.json"});
  CHECK(is_whole(bench.index() / "cpu/demo-ops"));
  const auto again = bench.publish({linked});
  REQUIRE(again);
  CHECK(again->front().outcome == Outcome::identical);
  REQUIRE(bench.yank("broken"));
  CHECK(page(bench.index() / "cu130/demo-ops")[0].yanked == "broken");
}

TEST_CASE("the digests of files lie beside them") {
  const Bench bench;
  REQUIRE(bench.publish({bench.cpu(), bench.cuda()}));
  REQUIRE(bench.publish({bench.entry("demo_ops-1.0+cu130-py3-none-linux_x86_64.whl", "cu130")}));
  const auto listed = page(bench.index() / "cu130/demo-ops");
  REQUIRE(listed.size() == 2);
  CHECK(bench.scratch.read("index/cu130/demo-ops/SHA256SUMS") ==
        listed[0].hashes.at("sha256") + "  demo_ops-1.0+cu130-py3-none-any.whl\n" +
            listed[1].hashes.at("sha256") + "  demo_ops-1.0+cu130-py3-none-linux_x86_64.whl\n");
  // The root lists a file of `cpu/` and holds none.
  CHECK_FALSE(fs::exists(bench.index() / "demo-ops/SHA256SUMS"));
}

TEST_CASE("the same files again are success and write nothing") {
  const Bench bench;
  REQUIRE(bench.publish({bench.cpu()}));
  const fs::path before = fs::read_symlink(bench.index());
  const auto again = bench.publish({bench.cpu()});
  REQUIRE(again);
  CHECK(again->front().outcome == Outcome::identical);
  CHECK(fs::read_symlink(bench.index()) == before);
}

TEST_CASE("a file has the time of its first publication in every page and ever after") {
  Bench bench;
  REQUIRE(bench.publish({bench.cpu()}));
  const std::string first = "2026-01-02T03:04:05.000000Z";
  bench.clock.move_to(std::chrono::steady_clock::time_point(std::chrono::hours(24)));
  REQUIRE(bench.publish({bench.cpu(), bench.cuda()}));
  bench.clock.move_to(std::chrono::steady_clock::time_point(std::chrono::hours(48)));
  // The file is now listed in another sub-index, too.
  IndexEntry elsewhere = bench.cpu();
  elsewhere.label = "xpu";
  REQUIRE(bench.publish({elsewhere}));
  for (const char* directory : {"demo-ops", "cpu/demo-ops", "xpu/demo-ops"}) {
    CHECK(page(bench.index() / directory).at(0).upload_time == first);
    CHECK(bench.scratch.read(std::string("index/") + directory + "/index.html")
              .find("data-upload-time=\"" + first + "\"") != std::string::npos);
  }
  CHECK(page(bench.index() / "cu130/demo-ops").at(0).upload_time == "2026-01-03T03:04:05.000000Z");
}

TEST_CASE("a file whose page has no upload time gets none later") {
  const Bench bench;
  REQUIRE(bench.publish({bench.cpu()}));
  for (const char* directory : {"demo-ops", "cpu/demo-ops"}) {
    const std::string path = std::string("index/") + directory + "/index.json";
    bench.scratch.write(path,
                        std::regex_replace(bench.scratch.read(path),
                                           std::regex(",\\s*\"upload-time\": \"[^\"]*\""), ""));
  }
  REQUIRE(bench.publish({bench.cpu(), bench.cuda()}));
  CHECK(page(bench.index() / "demo-ops").at(0).upload_time.empty());
  CHECK(bench.scratch.read("index/cpu/demo-ops/index.html").find("upload-time") ==
        std::string::npos);
  CHECK_FALSE(page(bench.index() / "cu130/demo-ops").at(0).upload_time.empty());
}

TEST_CASE("a version is yanked in a new generation, once, and the mark can be removed") {
  const Bench bench;
  REQUIRE(bench.publish({bench.cpu(), bench.cuda()}));
  const std::string before = bench.scratch.read("index/cpu/demo-ops/index.json");
  const auto yanked = bench.yank("wrong sums");
  REQUIRE(yanked);
  CHECK(yanked->files.size() == 2);
  for (const char* directory : {"demo-ops", "cpu/demo-ops", "cu130/demo-ops"}) {
    CHECK(page(bench.index() / directory).at(0).yanked == "wrong sums");
    CHECK(is_whole(bench.index() / directory));
  }
  const fs::path settled = fs::read_symlink(bench.index());
  REQUIRE(bench.yank("wrong sums"));
  REQUIRE(bench.yank(std::nullopt));
  CHECK(fs::read_symlink(bench.index()) == settled);
  REQUIRE(bench.publish({bench.entry("demo_ops-1.0-py3-none-any.whl", "")}));
  CHECK(page(bench.index() / "cpu/demo-ops").at(0).yanked == "wrong sums");
  REQUIRE(bench.yank(std::nullopt, publish::YankChange::undo));
  CHECK(bench.scratch.read("index/cpu/demo-ops/index.json") == before);
  CHECK(is_whole(bench.index() / "demo-ops"));
}

TEST_CASE("what is no index is not yanked from, and nothing is created there") {
  const Bench bench;
  for (const char* state : {"missing", "another directory"}) {
    INFO(state);
    const auto result = bench.yank("wrong sums");
    REQUIRE_FALSE(result);
    CHECK(result.error().kind == ErrorKind::config);
    CHECK_FALSE(fs::exists(bench.scratch.path() / ".index.generations"));
    bench.scratch.write("index/precious", "x");
  }
}

TEST_CASE("if yanking is killed at any point, every page is whole and agrees with the others") {
  const Bench bench;
  REQUIRE(bench.publish({bench.cpu(), bench.cuda()}));
  for (int round = 1; round <= 20; ++round) {
    const std::string reason = "round " + std::to_string(round);
    const pid_t child = fork();
    REQUIRE(child >= 0);
    if (child == 0) _exit(bench.yank(reason) ? 0 : 1);
    usleep(static_cast<useconds_t>(round) * 300);
    kill(child, SIGKILL);
    REQUIRE(waitpid(child, nullptr, 0) == child);
    const auto status = page(bench.index() / "cpu/demo-ops").at(0).yanked;
    CHECK(page(bench.index() / "demo-ops").at(0).yanked == status);
    CHECK(page(bench.index() / "cu130/demo-ops").at(0).yanked == status);
    CHECK(is_whole(bench.index() / "demo-ops"));
    REQUIRE(bench.yank(reason));
    CHECK(page(bench.index() / "cu130/demo-ops").at(0).yanked == reason);
  }
}

TEST_CASE("later files are added to existing ones, and old generations are removed") {
  const Bench bench;
  REQUIRE(bench.publish({bench.cpu()}));
  REQUIRE(bench.publish({bench.cuda()}));
  const auto outcomes =
      bench.publish({bench.cpu(), bench.entry("demo_ops-1.0-py3-none-any.whl", "")});
  REQUIRE(outcomes);
  CHECK((*outcomes)[0].outcome == Outcome::identical);
  CHECK((*outcomes)[1].outcome == Outcome::uploaded);
  CHECK(page(bench.index() / "demo-ops").size() == 2);
  CHECK(is_whole(bench.index() / "demo-ops"));
  CHECK(is_whole(bench.index() / "cu130/demo-ops"));
  size_t generations = 0;
  for (const auto& entry : fs::directory_iterator(bench.scratch.path() / ".index.generations")) {
    generations += entry.is_directory() ? 1 : 0;
  }
  CHECK(generations == 2);
}

TEST_CASE("an old nightly leaves the pages first, and with the next publication its file") {
  const Bench bench;
  REQUIRE(bench.publish({bench.cpu()}));
  REQUIRE(bench.publish_night(1, 2));
  REQUIRE(bench.publish_night(2, 2));
  const fs::path project = bench.index() / "demo-ops";
  const fs::path first = project / bench.night(1).file.filename;

  const auto third = bench.publish_night(3, 2);
  REQUIRE(third);
  CHECK(third->retired == std::vector<std::string>{first.filename()});
  CHECK(page(project).size() == 3);
  CHECK(is_whole(project));
  CHECK(bench.scratch.read("index/demo-ops/SHA256SUMS").find(first.filename()) ==
        std::string::npos);
  // Clients with the previous page still find its files.
  CHECK(sha256_hex(bytes_of(first)) == bench.night(1).file.sha256);
  CHECK(fs::exists(first.string() + ".metadata"));

  REQUIRE(bench.publish_night(4, 2));
  CHECK_FALSE(fs::exists(first));
  CHECK_FALSE(fs::exists(first.string() + ".metadata"));
  CHECK(is_whole(project));
  CHECK(is_whole(bench.index() / "cpu/demo-ops"));
}

TEST_CASE("a nightly that was retired can be published again") {
  const Bench bench;
  for (const int night : {1, 2, 3}) REQUIRE(bench.publish_night(night, 1));
  const auto again = bench.publish_night(1, 1);
  REQUIRE(again);
  CHECK(again->files.front().outcome == Outcome::uploaded);
  CHECK(page(bench.index() / "demo-ops").size() == 2);
  CHECK(is_whole(bench.index() / "demo-ops"));
}

TEST_CASE("fewer nightlies are kept at once, without anything new to publish") {
  const Bench bench;
  for (const int night : {1, 2, 3}) REQUIRE(bench.publish_night(night, 3));
  const auto fewer = bench.publish_night(3, 1);
  REQUIRE(fewer);
  CHECK(fewer->files.front().outcome == Outcome::identical);
  CHECK(fewer->retired.size() == 2);
  CHECK(page(bench.index() / "demo-ops").size() == 1);
  const fs::path settled = fs::read_symlink(bench.index());
  REQUIRE(bench.publish_night(3, 1));
  CHECK(fs::read_symlink(bench.index()) == settled);
}

TEST_CASE("what is no file of a release stays where its owner put it") {
  const Bench bench;
  REQUIRE(bench.publish_night(1, 1));
  bench.scratch.write("index/robots.txt", "User-agent: *\n");
  for (const int night : {2, 3}) REQUIRE(bench.publish_night(night, 1));
  CHECK(bench.scratch.read("index/robots.txt") == "User-agent: *\n");
}

TEST_CASE("the pages do not depend on the order of publishing") {
  const Bench one;
  const Bench other;
  REQUIRE(one.publish({one.cpu(), one.cuda()}));
  REQUIRE(other.publish({other.cuda()}));
  REQUIRE(other.publish({other.cpu()}));
  for (const char* path : {"index/index.html", "index/cpu/index.json",
                           "index/cu130/demo-ops/index.html", "index/demo-ops/index.json"}) {
    CHECK(one.scratch.read(path) == other.scratch.read(path));
  }
}

TEST_CASE(
    "different bytes with the same name are a conflict with both hashes, and the index is "
    "unchanged") {
  const Bench bench;
  REQUIRE(bench.publish({bench.cpu()}));
  const IndexEntry other =
      bench.entry("demo_ops-1.0+cpu-py3-none-any.whl", "cu130", InRoot::no, "x");
  const auto result = bench.publish({bench.cuda(), other});
  REQUIRE_FALSE(result);
  CHECK(result.error().kind == ErrorKind::publish);
  REQUIRE(result.error().causes.size() == 1);
  const std::string message = result.error().causes.front().message;
  CHECK(message.find(other.file.sha256) != std::string::npos);
  CHECK(message.find(bench.cpu().file.sha256) != std::string::npos);
  CHECK_FALSE(fs::exists(bench.index() / "cu130"));
}

TEST_CASE("everybody can read an index whatever the umask") {
  const mode_t before = ::umask(077);
  const Bench bench;
  const auto published = bench.publish({bench.cpu(), bench.cuda()});
  ::umask(before);
  REQUIRE(published);
  const fs::path generations = bench.scratch.path() / ".index.generations";
  std::vector<fs::path> all = {generations};
  for (const auto& entry : fs::recursive_directory_iterator(generations)) {
    if (!entry.is_symlink() && entry.path().filename() != "lock") all.push_back(entry.path());
  }
  for (const fs::path& path : all) {
    INFO(path);
    const auto wanted = fs::is_directory(path) ? fs::perms(0755) : fs::perms(0644);
    CHECK((fs::status(path).permissions() & fs::perms::mask) == wanted);
  }
}

TEST_CASE("a file that changes while it is being published is an error and leaves nothing") {
  const Bench bench;
  const IndexEntry entry = bench.cpu();
  bench.scratch.write("dist/" + entry.file.filename, "something else");
  const auto result = bench.publish({entry});
  REQUIRE_FALSE(result);
  CHECK(result.error().kind == ErrorKind::publish);
  CHECK_FALSE(fs::exists(bench.index()));
  CHECK_FALSE(fs::exists(bench.scratch.path() / ".index.generations/1"));
}

TEST_CASE("pruned versions leave the pages first, and with the next change their files") {
  Bench bench;
  host::LocalFiles files;
  for (int night = 1; night <= 5; ++night) {
    bench.clock.move_to(std::chrono::steady_clock::time_point(std::chrono::hours(24 * night)));
    REQUIRE(bench.publish({bench.night(night)}));
  }
  const fs::path project = bench.index() / "demo-ops";
  const fs::path first = project / bench.night(1).file.filename;
  bench.clock.move_to(std::chrono::steady_clock::time_point(std::chrono::hours(24 * 30)));
  const publish::PruneRules rules{.keep_last = 3};
  const auto pruning = host::prune_directory(bench.index(), rules, files, bench.clock);
  REQUIRE(pruning);
  CHECK(pruning->retired.size() == 2);
  CHECK(page(project).size() == 3);
  CHECK(is_whole(project));
  CHECK(sha256_hex(bytes_of(first)) == bench.night(1).file.sha256);

  const fs::path settled = fs::read_symlink(bench.index());
  REQUIRE(host::prune_directory(bench.index(), rules, files, bench.clock));
  CHECK(fs::read_symlink(bench.index()) == settled);
  REQUIRE(bench.publish({bench.cpu()}));
  CHECK_FALSE(fs::exists(first));
  CHECK(is_whole(project));
}

TEST_CASE("if pruning is killed at any point, every page is whole and the next call continues") {
  for (int round = 1; round <= 20; ++round) {
    Bench bench;
    host::LocalFiles files;
    for (int night = 1; night <= 5; ++night) REQUIRE(bench.publish({bench.night(night)}));
    bench.clock.move_to(std::chrono::steady_clock::time_point(std::chrono::hours(24 * 30)));
    const publish::PruneRules rules{.keep_last = 3};
    const pid_t child = fork();
    REQUIRE(child >= 0);
    if (child == 0) {
      _exit(host::prune_directory(bench.index(), rules, files, bench.clock) ? 0 : 1);
    }
    usleep(static_cast<useconds_t>(round) * 300);
    kill(child, SIGKILL);
    REQUIRE(waitpid(child, nullptr, 0) == child);
    const size_t listed = page(bench.index() / "demo-ops").size();
    CHECK((listed == 5 || listed == 3));
    CHECK(is_whole(bench.index() / "demo-ops"));
    REQUIRE(host::prune_directory(bench.index(), rules, files, bench.clock));
    CHECK(page(bench.index() / "demo-ops").size() == 3);
    CHECK(is_whole(bench.index() / "demo-ops"));
  }
}

TEST_CASE("a plain copy of an index becomes an index again, and keeps its files and times") {
  Bench bench;
  REQUIRE(bench.publish({bench.cpu()}));
  const auto before = page(bench.index() / "cpu/demo-ops");
  fs::copy(fs::canonical(bench.index()), bench.scratch.path() / "copy",
           fs::copy_options::recursive);
  const host::IndexPaths paths(bench.index());
  fs::remove_all(paths.generations);
  fs::remove(paths.link);
  SECTION("at once") {
    fs::rename(bench.scratch.path() / "copy", paths.link);
  }
  SECTION("after a kill between the two renames") {
    fs::create_directories(paths.generations);
    fs::rename(bench.scratch.path() / "copy", paths.replaced());
  }
  bench.clock.move_to(std::chrono::steady_clock::time_point(std::chrono::hours(24)));
  REQUIRE(bench.publish({bench.cuda()}));
  CHECK(fs::is_symlink(bench.index()));
  CHECK_FALSE(fs::exists(paths.replaced()));
  CHECK(page(bench.index() / "cpu/demo-ops") == before);
  for (const char* directory : {"demo-ops", "cpu/demo-ops", "cu130/demo-ops"}) {
    CHECK(is_whole(bench.index() / directory));
  }
}

TEST_CASE("a copy of an index that lacks files is left alone") {
  const Bench bench;
  REQUIRE(bench.publish({bench.cpu()}));
  fs::copy(fs::canonical(bench.index()), bench.scratch.path() / "copy",
           fs::copy_options::recursive);
  fs::remove(bench.index());
  fs::rename(bench.scratch.path() / "copy", bench.index());
  fs::remove(bench.index() / "cpu/demo-ops/demo_ops-1.0+cpu-py3-none-any.whl");
  const auto refused = bench.publish({bench.cuda()});
  REQUIRE_FALSE(refused);
  CHECK(refused.error().kind == ErrorKind::config);
  CHECK(refused.error().message.find("lacks its file `cpu/demo-ops/demo_ops-1.0+cpu-") !=
        std::string::npos);
  CHECK_FALSE(fs::is_symlink(bench.index()));
}

TEST_CASE("only a pinwheel index or an empty directory is replaced") {
  const Bench bench;
  bench.scratch.write("index/precious", "x");
  const auto result = bench.publish({bench.cpu()});
  REQUIRE_FALSE(result);
  CHECK(result.error().kind == ErrorKind::config);
  CHECK(bench.scratch.read("index/precious") == "x");
  fs::remove(bench.index() / "precious");
  CHECK(bench.publish({bench.cpu()}));
}

TEST_CASE("an index inside another one is refused, because the other would lose it") {
  const Bench bench;
  REQUIRE(bench.publish({bench.cpu()}));
  host::LocalFiles files;
  const fs::path inner = bench.index() / "nightly" / "deep";
  const auto refused = host::publish_to_directory(inner, {bench.cuda()}, {}, files, bench.clock);
  REQUIRE_FALSE(refused);
  CHECK(refused.error().kind == ErrorKind::config);
  const std::string outer = (fs::canonical(bench.scratch.path()) / "index").string();
  CHECK(refused.error().message == "`" + inner.string() + "` is inside another index, `" + outer +
                                       "`, whose next change would remove it");
  CHECK_FALSE(fs::exists(bench.index() / "nightly"));
  // Next to it, and in a directory with such a name, there is room.
  for (const char* const name : {"nightly", ".any.generations/index"}) {
    CHECK(host::publish_to_directory(bench.scratch.path() / name, {bench.cuda()}, {}, files,
                                     bench.clock));
  }
}

TEST_CASE("a label must not be a project's name or a path outside the index") {
  const Bench bench;
  IndexEntry entry = bench.cpu();
  for (const char* label : {"demo-ops", "../up", ".hidden", "CPU"}) {
    entry.label = label;
    const auto result = bench.publish({entry});
    REQUIRE_FALSE(result);
    CHECK(result.error().kind == ErrorKind::config);
  }
  CHECK_FALSE(fs::exists(bench.index()));
}

TEST_CASE("conflicting names are detected before anything is written") {
  const Bench bench;
  IndexEntry entry = bench.cpu();
  entry.file.version = "2.0";
  const auto result = bench.publish({entry});
  REQUIRE_FALSE(result);
  CHECK(result.error().kind == ErrorKind::check);
  CHECK_FALSE(fs::exists(bench.index()));
}

TEST_CASE("two concurrent publishers both succeed") {
  const Bench bench;
  const IndexEntry cpu = bench.cpu();
  const IndexEntry cuda = bench.cuda();
  std::atomic<int> done = 0;
  {
    const std::jthread one([&] { done += bench.publish({cpu}) ? 1 : 0; });
    const std::jthread other([&] { done += bench.publish({cuda}) ? 1 : 0; });
  }
  CHECK(done == 2);
  CHECK(page(bench.index() / "cpu/demo-ops").size() == 1);
  CHECK(page(bench.index() / "cu130/demo-ops").size() == 1);
}

TEST_CASE("a reader sees complete generations while others publish") {
  const Bench bench;
  REQUIRE(bench.publish({bench.cpu()}));
  std::vector<IndexEntry> entries;
  for (int build = 1; build <= 10; ++build) {
    entries.push_back(
        bench.entry("demo_ops-1.0+cu13." + std::to_string(build) + "-py3-none-any.whl", "cu130"));
  }
  std::atomic<bool> failed = false;
  {
    const std::jthread writer([&] {
      for (const IndexEntry& entry : entries) failed = failed || !bench.publish({entry});
    });
    size_t seen = 0;
    while (seen < entries.size() && !failed) {
      // Follows the link once, like one request to a server.
      const fs::path tree = fs::canonical(bench.index());
      const std::string html = bytes_of(tree / "cu130/demo-ops/index.html");
      if (html.empty()) continue;
      const auto listed = publish::parse_simple_page("text/html", html);
      REQUIRE(listed);
      CHECK(listed->size() >= seen);
      seen = listed->size();
      for (const publish::IndexFile& file : *listed) {
        CHECK(fs::exists(bench.index() / "cu130/demo-ops" / decode_percent(file.url)));
      }
    }
  }
  CHECK_FALSE(failed);
}

TEST_CASE(
    "if publishing is killed at any point, the index is complete and the next publisher "
    "continues") {
  const Bench bench;
  REQUIRE(bench.publish({bench.cpu()}));
  for (int round = 1; round <= 20; ++round) {
    const IndexEntry entry =
        bench.entry("demo_ops-1.0+cu13." + std::to_string(round) + "-py3-none-any.whl", "cu130");
    const pid_t child = fork();
    REQUIRE(child >= 0);
    if (child == 0) {
      const bool done = bench.publish({entry}).has_value();
      _exit(done ? 0 : 1);
    }
    usleep(static_cast<useconds_t>(round) * 400);
    kill(child, SIGKILL);
    REQUIRE(waitpid(child, nullptr, 0) == child);
    CHECK(is_whole(bench.index() / "demo-ops"));
    if (fs::exists(bench.index() / "cu130")) CHECK(is_whole(bench.index() / "cu130/demo-ops"));
    REQUIRE(bench.publish({entry}));
    CHECK(page(bench.index() / "cu130/demo-ops").size() == static_cast<size_t>(round));
  }
}

TEST_CASE(
    "if retiring is killed at any point, every page is whole and the next publisher continues") {
  const Bench bench;
  for (const int night : {1, 2}) REQUIRE(bench.publish_night(night, 2));
  for (int round = 3; round <= 20; ++round) {
    const pid_t child = fork();
    REQUIRE(child >= 0);
    if (child == 0) _exit(bench.publish_night(round, 2) ? 0 : 1);
    usleep(static_cast<useconds_t>(round) * 300);
    kill(child, SIGKILL);
    REQUIRE(waitpid(child, nullptr, 0) == child);
    CHECK(page(bench.index() / "demo-ops").size() == 2);
    CHECK(is_whole(bench.index() / "demo-ops"));
    REQUIRE(bench.publish_night(round, 2));
    CHECK(page(bench.index() / "demo-ops").size() == 2);
    CHECK(is_whole(bench.index() / "demo-ops"));
  }
}
