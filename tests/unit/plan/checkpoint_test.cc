#include "plan/checkpoint.h"

#include <cstdint>
#include <nlohmann/json.hpp>

#include "unit/catch.h"

using namespace pinwheel;
using namespace pinwheel::plan;

namespace {

constexpr int64_t kNinjaStart = 1'700'000'000'000'000'000;  ///< of ninja
constexpr int64_t kNinjaMilli = 1'000'000;
const std::string kObjectDigest(64, 'a');

Checkpoint example_checkpoint() {
  Checkpoint checkpoint{1, kObjectDigest, "/made/tree"};
  checkpoint.files = {{"src/b", SavedKind::directory, 0755, kNinjaStart},
                      {"src/b/a.o", SavedKind::file, 0644, kNinjaStart + 5, 12, kObjectDigest},
                      {"src/b/l", SavedKind::link, 0777, kNinjaStart + 2, 0, {}, "a.o"}};
  checkpoint.inputs = {{"/usr/include/x.h", kObjectDigest}, {"/none", ""}};
  checkpoint.spent = std::chrono::hours(5);
  return checkpoint;
}

std::string with_value(const std::string& pointer, const nlohmann::json& value) {
  nlohmann::json json = nlohmann::json::parse(to_json(example_checkpoint()));
  json[nlohmann::json::json_pointer(pointer)] = value;
  return json.dump();
}

const std::string kNinjaText = "build a.o: cc a.c\nbuild c.o: cc c.c\n";

NinjaManifest manifest_of(const std::string& text) {
  const Result<NinjaManifest> manifest = parse_ninja_manifest(
      text, [](const std::string&) -> Result<std::string> { return "build included.o: cc i.c\n"; });
  REQUIRE(manifest);
  return *manifest;
}

/// A directory of a ninja that started at `kNinjaStart` and has finished `a.o` after 400 ms.
NinjaDirectory ninja_directory(const std::string& more = {}) {
  NinjaDirectory made{"src/b"};
  made.log = "# ninja log v6\n100\t400\t" + std::to_string(kNinjaStart + 100 * kNinjaMilli) +
             "\ta.o\t1\n" + more;
  made.manifest = manifest_of(kNinjaText);
  made.log_mtime = kNinjaStart + 401 * kNinjaMilli;
  made.manifest_mtime = kNinjaStart - 50 * kNinjaMilli;
  return made;
}

/// A line of its log: when a command started and ended, and the recorded time, in milliseconds.
std::string log_line(int64_t start, int64_t end, int64_t recorded, const std::string& output) {
  return std::to_string(start) + "\t" + std::to_string(end) + "\t" +
         std::to_string(kNinjaStart + recorded * kNinjaMilli) + "\t" + output + "\t2\n";
}

std::vector<std::string> chosen(const std::vector<MadeFile>& made,
                                const std::vector<NinjaDirectory>& directories,
                                const std::vector<std::string>& caches = {}) {
  const Result<CompleteFiles> complete = complete_files(made, {"/made/tree", directories, caches});
  REQUIRE(complete);
  std::vector<std::string> paths;
  for (const size_t i : complete->files) paths.push_back(made[i].path);
  return paths;
}

MadeFile made_at(const std::string& path, int64_t milliseconds, bool compiled = false) {
  return {path, SavedKind::file, kNinjaStart + milliseconds * kNinjaMilli, compiled};
}

using Paths = std::vector<std::string>;

}  // namespace

TEST_CASE("a checkpoint is read as it was written") {
  const Result<Checkpoint> read = parse_checkpoint(to_json(example_checkpoint()));
  REQUIRE(read);
  CHECK(*read == example_checkpoint());
}

TEST_CASE("a checkpoint with an invalid build time is rejected") {
  CHECK(parse_checkpoint(with_value("/spent-ms", 0)));
  CHECK_FALSE(parse_checkpoint(with_value("/spent-ms", -1)));
  CHECK_FALSE(parse_checkpoint(with_value("/spent-ms", INT64_MAX)));
  CHECK_FALSE(parse_checkpoint(with_value("/spent-ms", "an hour")));
  CHECK_FALSE(parse_checkpoint(with_value("/spent-ms", nullptr)));
}

TEST_CASE("a checkpoint that could write elsewhere is rejected") {
  for (const char* const path :
       {"src/../x", "/etc/x", "x", "src", "src/b/", "src//b", "src/./b", "tmp/x"}) {
    CHECK_FALSE(parse_checkpoint(with_value("/files/0/path", path)));
  }
  // In a link, or in a directory that is not listed.
  CHECK_FALSE(parse_checkpoint(with_value("/files/1/path", "src/c/a.o")));
  CHECK_FALSE(parse_checkpoint(with_value("/files/0/kind", "link")));
  CHECK_FALSE(parse_checkpoint(with_value("/files/2/path", "src/b/a.o")));
  CHECK_FALSE(parse_checkpoint(with_value("/files/1/sha256", "../x")));
  CHECK_FALSE(parse_checkpoint(with_value("/schema", "pinwheel-checkpoint/1")));
  CHECK_FALSE(parse_checkpoint("{}"));
  CHECK_FALSE(parse_checkpoint(to_json(example_checkpoint()).substr(0, 100)));
}

TEST_CASE("outputs of finished commands are complete, and those of others are not") {
  CHECK(chosen({made_at("src/b/a.o", 399), made_at("src/b/c.o", 390)}, {ninja_directory()}) ==
        Paths{"src/b/a.o"});
}

TEST_CASE("an output that changed after its command ended is not complete") {
  // The command runs again, or another one changes the file.
  CHECK(chosen({made_at("src/b/a.o", 399), made_at("src/b/d.o", 700)},
               {ninja_directory(log_line(150, 400, 150, "d.o"))}) == Paths{"src/b/a.o"});
  NinjaDirectory early = ninja_directory();
  early.log = "# ninja log v5\n" + log_line(100, 400, 399, "a.o") + log_line(150, 400, 390, "d.o");
  CHECK(chosen({made_at("src/b/a.o", 399), made_at("src/b/d.o", 600)}, {early}) ==
        Paths{"src/b/a.o"});
}

TEST_CASE("an output that was restored is complete until its command runs again") {
  // Its command took an hour.
  NinjaDirectory restored = ninja_directory(log_line(0, 3'600'000, -90, "d.o"));
  const auto complete = [&restored](int64_t time) {
    const Result<CompleteFiles> found =
        complete_files({made_at("src/b/a.o", 399), made_at("src/b/d.o", time)},
                       {"/made/tree", {restored}, {}, kNinjaStart - 80 * kNinjaMilli});
    REQUIRE(found);
    return found->commands;
  };
  CHECK(complete(-89) == 2);
  CHECK(complete(300) == 1);
}

TEST_CASE("nothing is saved before a command has finished") {
  const auto why = [](const NinjaDirectory& ninja, int64_t restored) {
    const Result<CompleteFiles> found =
        complete_files({made_at("src/b/a.o", 399), made_at("src/b/new.txt", 300)},
                       {"/made/tree", {ninja}, {}, restored});
    REQUIRE_FALSE(found);
    return found.error().message;
  };
  NinjaDirectory begun = ninja_directory();
  begun.log = "# ninja log v6\n";
  CHECK(why(begun, 0) == "no command of ninja has finished");
  CHECK(why(ninja_directory(), kNinjaStart + 100 * kNinjaMilli) ==
        "no command of ninja has finished");
  CHECK(why(ninja_directory(), kNinjaStart) != "no command of ninja has finished");
}

TEST_CASE("a rule that records the time of its output does not hide when ninja started") {
  // The output of `d.o` is newer than its command's start by 250 ms.
  const NinjaDirectory later = ninja_directory(log_line(100, 400, 350, "d.o"));
  CHECK_FALSE(complete_files({made_at("src/b/a.o", 399), made_at("src/b/gen.h", 200)},
                             {"/made/tree", {later}}));
}

TEST_CASE("files of the backend from before ninja started are complete") {
  CHECK(chosen({made_at("src/b/a.o", 399), made_at("src/b/config.h", -60),
                made_at("src/b/reply.json", -4), made_at("src/version.py", -5),
                made_at("src/later.py", 450)},
               {ninja_directory()}) ==
        Paths{"src/b/a.o", "src/b/config.h", "src/b/reply.json", "src/version.py"});
}

TEST_CASE("files of the backend from between two runs of ninja are complete") {
  NinjaDirectory two = ninja_directory();
  two.log = "# ninja log v7\n0\t350\t" + std::to_string(kNinjaStart - 9000 * kNinjaMilli) +
            "\tz.o\t1\n" + two.log.substr(two.log.find('\n') + 1);
  CHECK(chosen({made_at("src/b/a.o", 399), made_at("src/b/reply.json", -5)}, {two}) ==
        Paths{"src/b/a.o", "src/b/reply.json"});
}

TEST_CASE("a program or library outside of ninja's directory is never complete") {
  CHECK(chosen({made_at("src/b/a.o", 399), made_at("src/lib/m.so", -60, true)},
               {ninja_directory()}) == Paths{"src/b/a.o"});
}

TEST_CASE("what ninja and compilers remove is no reason to refuse") {
  CHECK(chosen({made_at("src/b/a.o", 399), made_at("src/b/c.o.d", 300),
                made_at("src/b/.ninja_lock", 300), made_at("src/b/x-1.tmp", 300)},
               {ninja_directory()}) == Paths{"src/b/a.o"});
}

TEST_CASE("a build whose commands make files that ninja does not know has no checkpoint") {
  const Result<CompleteFiles> complete =
      complete_files({made_at("src/b/a.o", 399), made_at("src/b/gen.h", 300)},
                     {"/made/tree", {ninja_directory()}});
  REQUIRE_FALSE(complete);
  CHECK(complete.error().message ==
        "a command of ninja made `src/b/gen.h`, but ninja does not know the file");
  // The command that is running makes it again.
  CHECK(chosen({made_at("src/b/a.o", 399), made_at("src/b/gen.h", 402)}, {ninja_directory()}) ==
        Paths{"src/b/a.o"});
}

TEST_CASE("a build whose commands make files outside of ninja's directory has no checkpoint") {
  const auto has_checkpoint = [](const MadeFile& other) {
    return complete_files({made_at("src/b/a.o", 399), other}, {"/made/tree", {ninja_directory()}})
        .has_value();
  };
  CHECK_FALSE(has_checkpoint(made_at("src/pkg/m.so", 300, true)));
  CHECK_FALSE(has_checkpoint(made_at("src/pkg/generated.py", 300)));
  MadeFile copy = made_at("src/pkg/m.so", -9000, true);
  CHECK(has_checkpoint(copy));
  copy.changed = kNinjaStart + 300 * kNinjaMilli;
  CHECK_FALSE(has_checkpoint(copy));
  // The backend made it before or after ninja ran.
  CHECK(has_checkpoint(made_at("src/pkg/m.so", -60, true)));
  CHECK(has_checkpoint(made_at("src/pkg/m.so", 450, true)));
  CHECK(has_checkpoint(made_at("src/pkg/x.tmp", 300)));
  CHECK(has_checkpoint(made_at("home/.cache/x", 300)));
}

TEST_CASE("an output outside of ninja's directory is made again") {
  NinjaDirectory outside = ninja_directory(log_line(100, 350, 100, "../pkg/m.so"));
  outside.manifest = manifest_of(kNinjaText + "build ../pkg/n.so: link c.o\n");
  CHECK(chosen({made_at("src/b/a.o", 399), made_at("src/pkg/m.so", 340, true),
                made_at("src/pkg/n.so", 390, true)},
               {outside}) == Paths{"src/b/a.o"});
}

TEST_CASE("ninja makes the outputs that an included file declares") {
  NinjaDirectory including = ninja_directory();
  const std::vector<MadeFile> made = {made_at("src/b/a.o", 399), made_at("src/b/included.o", 390)};
  CHECK_FALSE(complete_files(made, {"/made/tree", {including}}));
  including.manifest = manifest_of(kNinjaText + "include rules.ninja\n");
  CHECK(chosen(made, {including}) == Paths{"src/b/a.o"});
}

TEST_CASE("a library that the backend made between two runs of ninja is no reason to refuse") {
  // The first ninja ran for 350 ms, nine seconds before the second.
  NinjaDirectory two = ninja_directory();
  two.log = "# ninja log v7\n0\t350\t" + std::to_string(kNinjaStart - 9000 * kNinjaMilli) +
            "\tz.o\t1\n" + two.log.substr(two.log.find('\n') + 1);
  CHECK(chosen({made_at("src/b/a.o", 399), made_at("src/lib/m.so", -8000, true)}, {two}) ==
        Paths{"src/b/a.o"});
  CHECK_FALSE(complete_files({made_at("src/b/a.o", 399), made_at("src/lib/m.so", -8800, true)},
                             {"/made/tree", {two}}));
}

TEST_CASE("what finished commands read outside the root is listed") {
  NinjaDirectory linked = ninja_directory(log_line(100, 350, 100, "m.so"));
  linked.manifest = manifest_of(
      kNinjaText +
      "build m.so: link a.o ../../../../opt/up.a /made/tree/env/lib/libtorch.so | /usr/lib/libz.a\n"
      "  LIBS = -lm -L/opt/lib -L../lib\n"
      "build n.so: link c.o /usr/lib/unfinished.a\n"
      "include inside.ninja\ninclude /opt/outside.ninja\n");
  const Result<CompleteFiles> complete =
      complete_files({made_at("src/b/a.o", 399)}, {"/made/tree", {linked}});
  REQUIRE(complete);
  CHECK(complete->declared ==
        NinjaReads{{"/opt/outside.ninja", "/opt/up.a", "/usr/lib/libz.a"}, {"m"}, {"/opt/lib"}});
}

TEST_CASE("a path that ninja names is relative to the root, or absolute outside of it") {
  NinjaDirectory directory;
  directory.path = "src/b";
  const auto path = [&](const std::string& name) {
    return below_root(directory, name, "/made/tree");
  };
  CHECK(path("x/../a.o") == "src/b/a.o");
  CHECK(path("../../../made/tree/a") == "/made/made/tree/a");
  CHECK(path("/made/tree/src/a") == "src/a");
  CHECK(path("/made/tree/src/../../other") == "/made/other");
  CHECK(path("/made/treeless/a") == "/made/treeless/a");
}

TEST_CASE("a build without ninja has no checkpoint") {
  CHECK_FALSE(complete_files({made_at("src/a.o", 1)}, {"/made/tree"}));
}

TEST_CASE("a build that ran while the backend configured is complete") {
  NinjaDirectory fetched{"src/b/_deps/sub"};
  fetched.log = "# ninja log v5\n0\t10\t0\tdone\t1\n";
  fetched.log_mtime = kNinjaStart - 100 * kNinjaMilli;
  fetched.manifest_mtime = kNinjaStart - 300 * kNinjaMilli;
  CHECK(chosen({made_at("src/b/a.o", 399), made_at("src/b/_deps/sub/done", -105),
                made_at("src/b/_deps/sub/info.txt", -108)},
               {ninja_directory(), fetched}) ==
        Paths{"src/b/a.o", "src/b/_deps/sub/done", "src/b/_deps/sub/info.txt"});
}

TEST_CASE("a build that a command of ninja runs is judged by its own log") {
  NinjaDirectory nested{"src/b/ext"};
  nested.log = "# ninja log v5\n0\t10\t0\tx.o\t1\n";
  nested.manifest = manifest_of("build x.o y.o: cc x.c\n");
  nested.log_mtime = kNinjaStart + 350 * kNinjaMilli;
  nested.manifest_mtime = kNinjaStart + 300 * kNinjaMilli;
  CHECK(chosen({made_at("src/b/a.o", 399), made_at("src/b/ext/x.o", 340),
                made_at("src/b/ext/y.o", 345), made_at("src/b/ext/config.h", 290),
                made_at("src/b/ext/log.txt", 360)},
               {ninja_directory(), nested}) ==
        Paths{"src/b/a.o", "src/b/ext/x.o", "src/b/ext/config.h"});
  CHECK_FALSE(complete_files({made_at("src/b/ext/stamp", 345)},
                             {"/made/tree", {ninja_directory(), nested}}));
}

TEST_CASE("the files of a compiler cache are complete, except its temporary ones") {
  CHECK(
      chosen({made_at("src/b/a.o", 399), made_at("home/.cache/ccache/a/1", 500, true),
              made_at("home/.cache/ccache/tmp/x", 500), made_at("home/.cache/ccache/a/2.tmp.1", 1),
              made_at("home/.cache/other", -90), made_at("src/cc/x", 500)},
             {ninja_directory()}, {"home/.cache/ccache", "src/cc"}) ==
      Paths{"src/b/a.o", "home/.cache/ccache/a/1", "src/cc/x"});
}

TEST_CASE("ninja's own logs are in the checkpoint, and absolute outputs are found") {
  NinjaDirectory torch = ninja_directory("2\t390\t0\t/made/tree/src/b/d.o\t2\n");
  CHECK(chosen({made_at("src/b/.ninja_log", 400), made_at("src/b/a.o", 399),
                made_at("src/b/d.o", 389), made_at("src/b/build.ninja", -50)},
               {torch}) ==
        Paths{"src/b/.ninja_log", "src/b/a.o", "src/b/d.o", "src/b/build.ninja"});
}

TEST_CASE("times keep their order, and are new") {
  const Checkpoint checkpoint = example_checkpoint();
  NinjaDirectory logged = ninja_directory();
  const OrderedTimes times(checkpoint, {logged}, 5000);
  CHECK(times(kNinjaStart) == 5000);
  CHECK(times(kNinjaStart + 2) == 6000);
  CHECK(times(kNinjaStart + 5) == 7000);
  CHECK(times(kNinjaStart + 100 * kNinjaMilli) == 8000);
  CHECK(times(kNinjaStart + 3) == 6000);
  CHECK(times(1) == 5000);
  CHECK(times.last() == 9000);
}
