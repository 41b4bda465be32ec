#include "env/resolution.h"

#include "unit/catch.h"

using namespace pinwheel;
using namespace pinwheel::env;

namespace {

Resolution example_resolution() {
  Resolution resolution;
  resolution.request = "abc";
  resolution.python = "3.11.7";
  resolution.packages = {{"ninja", "1.13.2", "ninja-1.13.2-py3-none-any.whl", "aa"},
                         {"torch", "2.13.0+cpu", "torch-2.13.0+cpu-cp311.whl", "bb"}};
  resolution.torch_index = "https://download.pytorch.org/whl/cpu";
  resolution.pip = "25.3";
  resolution.at = std::chrono::sys_seconds(std::chrono::seconds(1790000000));
  return resolution;
}

}  // namespace

TEST_CASE("a resolution round-trips through its file, and a damaged or foreign file is an error") {
  const auto back = parse_resolution(to_json(example_resolution()));
  REQUIRE(back.has_value());
  CHECK(*back == example_resolution());
  CHECK(to_json(example_resolution()).find("\"at\": \"2026-09-21T14:13:20Z\"") !=
        std::string::npos);
  for (const char* text : {"", "{}", "[1]", R"({"format": 99})"}) {
    const auto bad = parse_resolution(text);
    REQUIRE_FALSE(bad.has_value());
    CHECK(bad.error().kind == ErrorKind::environment);
  }
}

TEST_CASE("a resolution that nests without end is an error, not the end of the stack") {
  const std::string deep = std::string(400'000, '[') + std::string(400'000, ']');
  const auto read = parse_resolution(R"({"format": 1, "absent": )" + deep + "}");
  REQUIRE_FALSE(read);
  CHECK(read.error().message == "the resolution has more than 100 levels");
}

TEST_CASE("the digest covers packages and Python, not time, location or pip") {
  const std::string digest = example_resolution().digest();
  Resolution other = example_resolution();
  other.at += std::chrono::hours(5);
  other.pip = "26.0";
  other.torch_index.clear();
  other.request = "def";
  CHECK(other.digest() == digest);
  other = example_resolution();
  other.packages[0].sha256 = "ac";
  CHECK(other.digest() != digest);
  other = example_resolution();
  other.packages[1].version = "2.13.0+cu130";
  CHECK(other.digest() != digest);
  other = example_resolution();
  other.python = "3.11.8";
  CHECK(other.digest() != digest);
}

TEST_CASE("pip's report yields normalized names, file names without directories, and hashes") {
  const auto report = parse_pip_report(R"({"version": "1", "pip_version": "25.3", "install": [
    {"metadata": {"name": "Torch", "version": "2.13.0+cpu"}, "download_info": {
      "url": "https://user:****@host/whl/torch-2.13.0%2Bcpu-cp311-cp311-linux_x86_64.whl#sha256=ab",
      "archive_info": {"hash": "sha256=ab"}}},
    {"metadata": {"name": "Jinja2.Ext", "version": "3"}, "download_info": {
      "url": "file:///links/jinja.whl", "archive_info": {"hashes": {"sha256": "cd"}}}}]})");
  REQUIRE(report.has_value());
  CHECK(report->pip == "25.3");
  REQUIRE(report->packages.size() == 2);
  CHECK(report->packages[0].name == "jinja2-ext");
  CHECK(report->packages[0].sha256 == "cd");
  CHECK(report->packages[1].file == "torch-2.13.0+cpu-cp311-cp311-linux_x86_64.whl");
  CHECK(report->packages[1].sha256 == "ab");
}

TEST_CASE("a source tree cannot be part of an exact environment") {
  const auto report = parse_pip_report(R"({"pip_version": "25.3", "install": [
    {"metadata": {"name": "x", "version": "1"},
     "download_info": {"url": "file:///x", "dir_info": {}}}]})");
  REQUIRE_FALSE(report.has_value());
  CHECK(report.error().kind == ErrorKind::environment);
}

TEST_CASE("torch can be installed separately") {
  CHECK(requirements_text(example_resolution(), TorchPart::only) ==
        "torch==2.13.0+cpu --hash=sha256:bb\n");
  CHECK(requirements_text(example_resolution(), TorchPart::without) ==
        "ninja==1.13.2 --hash=sha256:aa\n");
  CHECK(requirements_text(example_resolution(), TorchPart::with) ==
        "ninja==1.13.2 --hash=sha256:aa\ntorch==2.13.0+cpu --hash=sha256:bb\n");
  CHECK(constraints_text(example_resolution(), Purpose::build) ==
        "ninja==1.13.2\ntorch==2.13.0+cpu\n");
  CHECK(constraints_text(example_resolution(), Purpose::test) == "torch==2.13.0+cpu\n");
  // Torch has a pin of its own.
  const auto upgrading = [](const char* text) {
    return std::vector{*pep::parse_requirement(text)};
  };
  CHECK(constraints_text(example_resolution(), upgrading("other")) == "ninja==1.13.2\n");
  CHECK(constraints_text(example_resolution(), upgrading("Ninja")).empty());
  CHECK(constraints_text(example_resolution(), upgrading("Ninja<2")) == "Ninja<2\n");
}

TEST_CASE("a request with `--pre` uses nightly builds") {
  CHECK(is_nightly({.python = "3.12", .torch = {.spec = "--pre torch"}}));
  CHECK(is_nightly({.python = "3.12", .requirements = {"--pre numpy"}}));
  CHECK_FALSE(is_nightly({.python = "3.12", .requirements = {"pre-commit"}}));
  CHECK(parse_spec("--pre torch >=2").requirement == "torch >=2");
}

TEST_CASE("requests that differ in a package have different digests, the toolkit does not count") {
  const Request base{.python = "3.11", .requirements = {"a"}, .torch = {.spec = "torch"}};
  CHECK(digest(base) == digest(Request(base)));
  Request other = base;
  other.python = "3.12";
  CHECK(digest(other) != digest(base));
  other = base;
  other.torch.index = "https://download.pytorch.org/whl/cpu";
  CHECK(digest(other) != digest(base));
  other = base;
  other.toolkit = "cuda/13.0";
  CHECK(digest(other) == digest(base));
}

TEST_CASE("conda packages are recorded and part of the digest, their locations are not") {
  Resolution resolution;
  resolution.request = "r";
  resolution.python = "3.11.7";
  const std::string without = resolution.digest();
  resolution.conda = {{"ninja", "1.12", "h1_0", "linux-64", "https://a/linux-64/ninja.conda",
                       std::string(64, 'a'), "", 7}};
  CHECK(resolution.digest() != without);
  const Result<Resolution> back = parse_resolution(to_json(resolution));
  REQUIRE(back);
  CHECK(*back == resolution);
  Resolution elsewhere = resolution;
  elsewhere.conda[0].url = "https://mirror/linux-64/ninja.conda";
  CHECK(elsewhere.digest() == resolution.digest());
  elsewhere.conda[0].sha256 = std::string(64, 'b');
  CHECK(elsewhere.digest() != resolution.digest());
}
