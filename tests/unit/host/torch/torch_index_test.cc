#include "host/torch/torch_index.h"

#include "unit/catch.h"
#include "unit/host/scripted_http.h"

using namespace pinwheel;
using Names = std::vector<std::string>;

namespace {

constexpr const char* kIndex = "https://index.example/simple/";

std::vector<host::TorchFile> listed(const Names& filenames) {
  std::string page;
  for (const std::string& name : filenames) {
    page += "<a href=\"../../files/" + name + "\">" + name + "</a>\n";
  }
  ScriptedHttp http;
  http.replies[std::string(kIndex) + "torch/"] = {200, "OK", {{"content-type", "text/html"}}, page};
  auto files = host::list_torch_wheels({http}, kIndex);
  REQUIRE(files);
  return *std::move(files);
}

std::string wheel(const std::string& version, const std::string& python,
                  const std::string& platform = "manylinux_2_28_x86_64") {
  return "torch-" + version + "-" + python + "-" + python + "-" + platform + ".whl";
}

std::vector<host::TorchFile> some_releases() {
  return listed({wheel("2.10.0", "cp310"), wheel("2.9.0", "cp310"), wheel("2.9.0", "cp39"),
                 wheel("2.9.0", "cp310", "manylinux2014_aarch64"),
                 wheel("2.9.0", "cp310", "win_amd64"),
                 wheel("1.12.1", "cp310", "manylinux1_x86_64"), wheel("2.11.0rc1", "cp310"),
                 "torch-2.9.0.tar.gz", "torchvision-0.1-cp310-cp310-linux_x86_64.whl"});
}

Names shown(const std::vector<host::BuildToRead>& builds) {
  Names out;
  for (const host::BuildToRead& build : builds) {
    std::string text = build.build.version + " " + build.build.arch;
    for (const host::TorchFile& file : build.wheels) text += " " + file.wheel.python;
    if (build.first == host::TorchLibraries::of_python) text += " of python";
    out.push_back(text);
  }
  return out;
}

}  // namespace

TEST_CASE("an index is a URL or pypi, and credentials are removed from the URL") {
  CHECK(host::parse_index("pypi")->url == "https://pypi.org/simple/");
  const auto signed_in = host::parse_index("https://us%40er:s3cret@index.example/simple");
  REQUIRE(signed_in);
  CHECK(signed_in->url == kIndex);
  CHECK(signed_in->credentials->user == "us@er");
  CHECK(signed_in->credentials->password.reveal() == "s3cret");
  CHECK(host::parse_index("/a/directory").error().kind == ErrorKind::usage);
}

TEST_CASE("the page of an index has the wheels for Linux, with the highest build tag") {
  const auto files = listed({"torch-2.0.0-1-cp310-cp310-manylinux2014_aarch64.whl",
                             "torch-2.0.0-cp310-cp310-manylinux2014_aarch64.whl",
                             "torch-2.0.0-2-cp310-cp310-win_amd64.whl"});
  REQUIRE(files.size() == 1);
  CHECK(files[0].filename == "torch-2.0.0-1-cp310-cp310-manylinux2014_aarch64.whl");
  CHECK(files[0].url == "https://index.example/files/" + files[0].filename);
  CHECK(files[0].wheel.build == exports::Build{"2.0.0", "aarch64"});
  CHECK(files[0].wheel.python == "cp310");
}

TEST_CASE("a version is read for the requested architectures and Pythons") {
  const auto files = some_releases();
  CHECK(shown(host::choose_wheels(files, {"2.9.0"}).value()) ==
        Names{"2.9.0 aarch64 cp310", "2.9.0 x86_64 cp39 cp310"});
  CHECK(shown(host::choose_wheels(files, {"2.9", "x86_64", {"3.10"}}).value()) ==
        Names{"2.9.0 x86_64 cp310"});
  const auto none = host::choose_wheels(files, {"2.9.1", "x86_64", {"3.10"}});
  REQUIRE_FALSE(none);
  CHECK(none.error().message == "the index has no wheel of torch 2.9.1 for x86_64 3.10");
  const auto nothing_like_it = host::choose_wheels(files, {"40"});
  REQUIRE_FALSE(nothing_like_it);
  CHECK(nothing_like_it.error().hint == "expected one of `2.11.0rc1`, `2.10.0`, `2.9.0`, `1.12.1`");
}

TEST_CASE("missing builds are new enough, final, and not yet in the table") {
  const auto files = some_releases();
  CHECK(shown(host::missing_builds(files, {}, "1.13.0")) ==
        Names{"2.9.0 aarch64 cp310", "2.9.0 x86_64 cp39 cp310", "2.10.0 x86_64 cp310"});
  exports::Library python{"libtorch_python.so", "cp310"};
  exports::Table table = exports::Table::of({{"2.9.0", "x86_64"}, {python}});
  table = merge(table, exports::Snapshot{{"2.10.0", "x86_64"}, {python}});
  CHECK(shown(host::missing_builds(files, table, "1.13.0")) ==
        Names{"2.9.0 aarch64 cp310", "2.9.0 x86_64 cp39 of python"});
}

TEST_CASE("the error for an index without torch names it") {
  ScriptedHttp http;
  const auto none = host::list_torch_wheels({http}, kIndex);
  REQUIRE_FALSE(none);
  CHECK(none.error().kind == ErrorKind::config);
}
