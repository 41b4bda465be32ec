#include "env/lock.h"

#include <filesystem>
#include <fstream>
#include <iterator>

#include "pep/pypi.h"
#include "unit/catch.h"
#include "unit/source_tree_path.h"

using namespace pinwheel;
using namespace pinwheel::env;

namespace {

const std::string kHash(64, 'a');
const std::string kOther(64, 'b');

Request asked() {
  Request request{.python = "3.13t",
                  .requirements = {"ninja", "x @ https://me:word@h.example/x.whl"}};
  request.torch = {"torch~=2.13.0", "https://me:word@download.example.org/whl/cpu"};
  return request;
}

Lock example_lock() {
  Resolution resolution;
  resolution.request = digest(asked());
  resolution.python = "3.13.0t";
  resolution.pip = "26.0";
  resolution.at = std::chrono::sys_seconds(std::chrono::seconds(1790000000));
  resolution.torch_index = asked().torch.index;
  resolution.packages = {{"ninja", "1.13.2", "ninja-1.13.2.tar.gz", kHash},
                         {"six", "1.17.0", "six-1.17.0-py3-none-any.whl", kHash,
                          pep::pypi_files_url() + "/packages/x/six-1.17.0-py3-none-any.whl"},
                         {"torch", "2.13.0+cpu", "torch-2.13.0+cpu-cp313.whl", kOther,
                          "https://download.example.org/whl/cpu/torch-2.13.0%2Bcpu-cp313.whl"}};
  Lock lock = make_lock(asked(), resolution, "x86_64");
  lock.variants = {"cp313t-cpu", "cp313t-\"odd\\\n\""};
  lock.pip_options = {"find-links", "pre=true"};
  return lock;
}

Lock full() {
  Lock lock = example_lock();
  lock.asked.container = {"docker/build.Dockerfile", "debian:12", {{"A", "b=c"}}};
  lock.asked.conda = {{"conda-forge"}, {"python=3.13"}};
  lock.asked.conda_cuda = "13.0";
  lock.resolution.absent = {{"nvidia-cudnn-cu13", "9.1", "", ""}};
  lock.image = LockedImage{"sha256:12", "34", "debian@sha256:56"};
  lock.toolkits = {{"cuda/12.4", "12.4.1", ""}, {"cuda/13.0", "", "pylock.toolkit.toml"}};
  lock.patchelf = "0.18.0";
  lock.backend = matrix::BackendAnswer{kOther, {"cffi>=1", "wheel"}};
  lock.resolution.conda = {
      {"zlib", "1.3", "h1_0", "linux-64", "https://u:p@conda.example/zlib.conda", kHash, "ff", 12}};
  return lock;
}

}  // namespace

TEST_CASE("a lock round-trips through its text, whatever its contents") {
  for (const Lock& lock : {example_lock(), full()}) {
    const std::string text = to_pylock(lock);
    const auto back = parse_pylock(text, "pylock.a.toml");
    REQUIRE(back.has_value());
    CHECK(to_pylock(*back) == text);
    CHECK(back->request == lock.request);
    CHECK(back->asked == lock.asked);
    CHECK(back->variants == lock.variants);
    CHECK(back->toolkits == lock.toolkits);
    CHECK(back->image == lock.image);
    CHECK(back->resolution.digest() == lock.resolution.digest());
    CHECK(back->resolution.packages == lock.resolution.packages);
  }
}

TEST_CASE("a lock written by an earlier version is read unchanged") {
  const std::filesystem::path seeds = in_source_tree("tests/data/fuzz/lock");
  for (const char* name : {"written.toml", "everything.toml"}) {
    CAPTURE(name);
    std::ifstream in(seeds / name);
    const std::string text{std::istreambuf_iterator<char>(in), {}};
    const auto lock = parse_pylock(text, name);
    REQUIRE(lock.has_value());
    CHECK(to_pylock(*lock) == text);
  }
}

TEST_CASE("a lock contains no credentials, time or pip version") {
  const std::string text = to_pylock(full());
  for (const char* absent : {"word", "u:p@", "2026", "26.0", "me:"}) {
    CAPTURE(absent);
    CHECK(text.find(absent) == std::string::npos);
  }
  Lock later = full();
  later.resolution.at += std::chrono::hours(9);
  later.resolution.pip = "27";
  CHECK(to_pylock(later) == text);
}

TEST_CASE("a public file has a URL, any other a path next to the lock") {
  const std::string text = to_pylock(example_lock());
  CHECK(text.find(
            "[packages.sdist]\nname = \"ninja-1.13.2.tar.gz\"\npath = \"ninja-1.13.2.tar.gz\"\n") !=
        std::string::npos);
  CHECK(text.find("name = \"six\"\nversion = \"1.17.0\"\nindex = \"https://pypi.org/simple/\"\n") !=
        std::string::npos);
  CHECK(text.find("index = \"https://download.example.org/whl/cpu\"\n") != std::string::npos);
  CHECK(text.find("requires-python = \"==3.13.*\"\n") != std::string::npos);
}

TEST_CASE("an environment without packages is a valid lock") {
  Lock lock = example_lock();
  lock.resolution.packages.clear();
  const std::string text = to_pylock(lock);
  CHECK(text.find("\npackages = []\n") != std::string::npos);
  CHECK(parse_pylock(text, "a").has_value());
}

TEST_CASE("non-ASCII text is read as it was written") {
  Lock lock = example_lock();
  lock.pip_options = {"--find-links=/home/j\u00f6rg/\u3001\ufedf"};
  const auto again = parse_pylock(to_pylock(lock), "a");
  REQUIRE(again.has_value());
  CHECK(again->pip_options == lock.pip_options);
}

TEST_CASE("text that is not a lock is drift, with the reason") {
  const std::string good = to_pylock(example_lock());
  const auto changed = [&good](const std::string& from, const std::string& to) {
    std::string text = good;
    const size_t at = text.find(from);
    REQUIRE(at != std::string::npos);
    return text.replace(at, from.size(), to);
  };
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"", "the table `tool` is missing"},
      {"lock-version = \"1.0\"\n", "the table `tool` is missing"},
      {"<<<<<<< HEAD\n" + good, "line 1: "},
      {"[\n", "line 1: "},
      {"\ufedf", "line 1: "},
      {"\xff", "not UTF-8"},
      {changed("schema = 1", "schema = 2"), "schema is 2"},
      {changed("1.17.0", "1.17.1"), "do not match its digest"},
      {changed(kHash, kOther), "do not match its digest"},
      {changed(kHash, "../x"), "`sha256` is not a SHA-256"},
      {changed("name = \"six\"", "name = 6"), "`name` is not a string"},
      {changed("schema = 1", "schema = \"one\""), "schema is 0"}};
  for (const auto& [text, reason] : cases) {
    CAPTURE(reason);
    const auto bad = parse_pylock(text, "pylock.a.toml");
    REQUIRE_FALSE(bad.has_value());
    CHECK(bad.error().kind == ErrorKind::drift);
    CHECK(bad.error().message.find("`pylock.a.toml`") != std::string::npos);
    CHECK(bad.error().message.find(reason) != std::string::npos);
  }
}

TEST_CASE("pip options that affect packages are kept, locations by name only") {
  CHECK(deciding_pip_options("global.index-url='https://u:p@mirror.example/simple'\n"
                             ":env:.find-links='/opt/wheels'\n"
                             "global.find-links='/other'\n"
                             "install.pre='true'\n"
                             ":env:.no-binary='numpy'\n"
                             "global.timeout='60'\n"
                             "no such line\n") ==
        std::vector<std::string>{"find-links", "index-url", "no-binary=numpy", "pre=true"});
  CHECK(deciding_pip_options("global.index-url='https://pypi.org/simple'\n").empty());
  CHECK(deciding_pip_options("").empty());
}

TEST_CASE("each change to the request is named") {
  const Lock lock = example_lock();
  CHECK(request_differences(lock, asked()).empty());
  Request now = asked();
  now.requirements[0] = "ninja<2";
  now.torch.spec = "torch~=2.14.0";
  now.conda.packages = {"python"};
  std::vector<std::string> texts;
  for (const LockDifference& each : request_differences(lock, now)) texts.push_back(to_text(each));
  CHECK(texts == std::vector<std::string>{
                     "`torch`: torch~=2.13.0 -> torch~=2.14.0", "`requirement` ninja is gone",
                     "`requirement` ninja<2 is new", "`conda package` python is new"});
}

TEST_CASE("changed credentials are a difference whose values are not shown") {
  Request now = asked();
  now.torch.index = "https://me:other@download.example.org/whl/cpu";
  const std::vector<LockDifference> differences = request_differences(example_lock(), now);
  REQUIRE(differences.size() == 1);
  CHECK(differences[0].what == "request");
  CHECK(to_text(differences[0]).find("other") == std::string::npos);
}

TEST_CASE("packages differ by version, file, hash or presence") {
  const Resolution locked = full().resolution;
  CHECK(package_differences(locked, locked).empty());
  Resolution now = locked;
  now.packages[0].version = "1.14";
  now.packages[1].sha256 = kOther;
  now.packages.pop_back();
  now.packages.push_back({"zoo", "1", "zoo-1.tar.gz", kHash});
  now.conda[0].build = "h2_0";
  now.python = "3.13.1t";
  std::vector<std::string> texts;
  for (const LockDifference& each : package_differences(locked, now))
    texts.push_back(to_text(each));
  CHECK(texts == std::vector<std::string>{"`python`: 3.13.0t -> 3.13.1t",
                                          "`conda:zlib`: h1_0 -> h2_0", "`ninja`: 1.13.2 -> 1.14",
                                          "`six`: " + kHash + " -> " + kOther,
                                          "`torch` 2.13.0+cpu is gone", "`zoo` 1 is new"});
}
