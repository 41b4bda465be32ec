#include "publish/promotion.h"

#include "publish/endpoints.h"
#include "unit/catch.h"

using namespace pinwheel;
using publish::IndexFile;
using publish::SourceKind;

namespace {

const std::string kOne(64, '1');
const std::string kTwo(64, '2');
constexpr const char* kWheelName = "demo_ops-1.0+cpu-py3-none-any.whl";
constexpr const char* kSdistName = "demo_ops-1.0.tar.gz";

publish::ReleaseRecord promoted_record() {
  return {"demo-ops", "1.0", {}, {}, {{kWheelName, 10, kOne}, {kSdistName, 20, kTwo}}};
}

std::vector<IndexFile> promoted_page() {
  return {{.filename = kSdistName, .url = "s", .hashes = {{"sha256", kTwo}}, .size = 20},
          {.filename = kWheelName, .url = "w", .hashes = {{"sha256", kOne}}},
          {.filename = "demo_ops-0.9.tar.gz", .url = "old"},
          {.filename = "demo_ops-1.0.exe", .url = "other"}};
}

/// The differences between the record and the page.
std::vector<std::string> page_differences(const std::vector<IndexFile>& page) {
  const auto selected = publish::select_recorded(promoted_record(), page, "`here`");
  REQUIRE_FALSE(selected);
  CHECK(selected.error().kind == ErrorKind::check);
  CHECK(selected.error().message ==
        "`here` does not have `demo-ops==1.0` as it was released, nothing was sent");
  std::vector<std::string> messages;
  for (const Error& cause : selected.error().causes) messages.push_back(cause.message);
  return messages;
}

}  // namespace

TEST_CASE("a source is a name, an address or a directory") {
  const auto kind_and_place = [](const char* text) {
    const publish::ReleaseSource source = publish::release_source(text);
    return std::pair(source.kind, source.place);
  };
  CHECK(kind_and_place("store").first == SourceKind::store);
  CHECK(kind_and_place("testpypi") == std::pair(SourceKind::index, publish::testpypi().simple_url));
  CHECK(kind_and_place("pypi").first == SourceKind::index);
  CHECK(kind_and_place("other") == std::pair(SourceKind::directory, std::string("other")));
  CHECK(kind_and_place("dist") == std::pair(SourceKind::directory, std::string("dist")));
  CHECK(kind_and_place("file:///a%20b") == std::pair(SourceKind::directory, std::string("/a b")));
  const auto source = publish::release_source("https://me:secret@a.example/simple/");
  CHECK(source.kind == SourceKind::index);
  CHECK(source.place == "https://me:secret@a.example/simple/");
  CHECK(source.name.find("secret") == std::string::npos);
}

TEST_CASE("the recorded files of a page are selected, in the order of the record") {
  const auto selected = publish::select_recorded(promoted_record(), promoted_page(), "`here`");
  REQUIRE(selected);
  REQUIRE(selected->size() == 2);
  CHECK(selected->at(0).url == "w");
  CHECK(selected->at(1).recorded.filename == kSdistName);
}

TEST_CASE("other cuts of a version are releases of their own") {
  std::vector<IndexFile> page = promoted_page();
  const char* const recut = "demo_ops-1.0+cpu-1-py3-none-any.whl";
  page.push_back({.filename = recut, .url = "r", .hashes = {{"sha256", kTwo}}, .size = 5});
  CHECK(publish::select_recorded(promoted_record(), page, "`here`"));
  const publish::ReleaseRecord record{"demo-ops", "1.0", {}, {}, {{recut, 5, kTwo}}, 1};
  const auto selected = publish::select_recorded(record, page, "`here`");
  REQUIRE(selected);
  REQUIRE(selected->size() == 1);
  CHECK(selected->at(0).url == "r");
  page.push_back({.filename = "demo_ops-1.0+cpu-1-py2-none-any.whl", .url = "x"});
  CHECK_FALSE(publish::select_recorded(record, page, "`here`"));
}

TEST_CASE("a page without hashes and sizes is compared by names") {
  std::vector<IndexFile> page = promoted_page();
  for (IndexFile& file : page) {
    file.hashes = {{"md5", "x"}};
    file.size.reset();
  }
  CHECK(publish::select_recorded(promoted_record(), page, "`here`"));
}

TEST_CASE("all differences between a record and a page are named") {
  std::vector<IndexFile> page = promoted_page();
  page[0].size = 21;
  page[1].hashes["sha256"] = kTwo;
  page.push_back({.filename = "demo_ops-1.0+cu130-py3-none-any.whl", .url = "x"});
  page.push_back({.filename = "demo_ops-1.0+cu130-py3-none-any.whl", .url = "in a sub-index"});
  CHECK(page_differences(page) ==
        std::vector<std::string>{
            "`demo_ops-1.0+cpu-py3-none-any.whl` has the sha256 `" + kTwo +
                "` in `here`, but the record says " + kOne,
            "`demo_ops-1.0.tar.gz` has 21 bytes in `here`, but the record says 20",
            "`demo_ops-1.0+cu130-py3-none-any.whl` is in `here`, but not in the record"});
  CHECK(page_differences({}) ==
        std::vector<std::string>{"`demo_ops-1.0+cpu-py3-none-any.whl` is not in `here`",
                                 "`demo_ops-1.0.tar.gz` is not in `here`"});
}

TEST_CASE("a record is only used for its own version") {
  const auto wanted = [](const char* text) { return *publish::parse_pinned_version(text); };
  CHECK(publish::check_record(promoted_record(), wanted("Demo.Ops==1.0.0")));
  const Done other = publish::check_record(promoted_record(), wanted("demo-ops==1.1"));
  REQUIRE_FALSE(other);
  CHECK(other.error().kind == ErrorKind::usage);
  CHECK(other.error().message == "the record is of `demo-ops==1.0`, not of `demo-ops==1.1`");
  CHECK_FALSE(publish::check_record(promoted_record(), wanted("other==1.0")));
}

TEST_CASE("the files to publish are compared with the record") {
  publish::Artifact wheel{.filename = kWheelName, .size = 10, .sha256 = kOne};
  publish::Artifact sdist{.filename = kSdistName, .size = 20, .sha256 = kTwo};
  CHECK(publish::check_promoted(promoted_record(), {sdist, wheel}, "`here`"));
  sdist.sha256 = kOne;
  const Done done = publish::check_promoted(promoted_record(), {sdist}, "`here`");
  REQUIRE_FALSE(done);
  REQUIRE(done.error().causes.size() == 2);
  CHECK(done.error().causes[0].message == "`demo_ops-1.0+cpu-py3-none-any.whl` is not in `here`");
}

TEST_CASE("the projects of a release are installed by hash, and only the others from elsewhere") {
  const publish::ReleaseRecord own = promoted_record();
  publish::ReleaseRecord sibling{
      "demo-core", "1.0", {}, {}, {{"demo_core-1.0-py3-none-any.whl", 5, kTwo}}};
  publish::InstallLines lines = publish::install_lines(own, "1.0+cpu");
  const std::vector<publish::ReleaseRecord> records = {own, sibling};
  REQUIRE(publish::add_requirements(
      lines, records, own.project,
      {"numpy>=2; python_version<'3.13'", "Demo_Core ==1.0; sys_platform=='linux'",
       "demo-ops[extra]", "pytest; extra == 'test'", "torch>=2.10"}));
  // The sdist would run code of the release before it is tested.
  CHECK(lines.release() == "demo-ops==1.0+cpu --hash=sha256:" + kOne +
                               "\ndemo-core==1.0 ; sys_platform=='linux' --hash=sha256:" + kTwo +
                               "\n");
  CHECK(lines.others == std::vector<std::string>{"numpy>=2; python_version<'3.13'", "torch>=2.10"});
  REQUIRE(lines.siblings.size() == 1);
  CHECK(lines.siblings[0].project == "demo-core");
  CHECK(lines.siblings[0].unmet.empty());
  // Those of the sibling's own wheel, which may require the first in turn.
  REQUIRE(publish::add_requirements(lines, records, own.project,
                                    {"demo-ops==1.0", "torch>=2.10", "numpy>=1"}));
  CHECK(lines.others.back() == "numpy>=1");
  CHECK(lines.others.size() == 3);
  CHECK(lines.siblings.size() == 1);
}

TEST_CASE("the siblings of a plan come from the release, each in its own version") {
  const publish::ReleaseRecord own = promoted_record();
  const publish::ReleaseRecord core{
      "demo-core",
      "1.0",
      {},
      {},
      {{"demo_core-1.0+cpu-py3-none-any.whl", 5, kTwo}, {"demo_core-1.0.tar.gz", 6, kOne}}};
  const std::vector<publish::ReleaseRecord> records = {own, core};
  publish::InstallLines lines = publish::install_lines(own, "1.0+cpu");
  REQUIRE(publish::add_siblings(lines, records,
                                {*publish::parse_pinned_version("Demo_Core==1.0+cpu")}));
  REQUIRE(publish::add_siblings(lines, records,
                                {*publish::parse_pinned_version("demo-core==1.0+cpu")}));
  CHECK(lines.of_siblings() == "demo-core==1.0+cpu --hash=sha256:" + kTwo + "\n");
  CHECK(lines.siblings[0].unmet.empty());
  // A line of a requirement stays, with its marker.
  lines = publish::install_lines(own, "1.0+cpu");
  REQUIRE(publish::add_requirements(lines, records, own.project,
                                    {"demo-core==1.0+cpu; python_version < '4'"}));
  REQUIRE(publish::add_siblings(lines, records,
                                {*publish::parse_pinned_version("demo-core==1.0+cpu")}));
  REQUIRE(lines.siblings.size() == 1);
  CHECK(lines.siblings[0].line.find("python_version") != std::string::npos);
}

TEST_CASE("a sibling without a recorded wheel is an error: no other index is asked for it") {
  const publish::ReleaseRecord own = promoted_record();
  publish::InstallLines lines = publish::install_lines(own, "1.0+cpu");
  for (const char* const sibling : {"demo-kit==1.0", "demo-ops==1.0", "demo-ops==1.0+cu130"}) {
    const Done done =
        publish::add_siblings(lines, {own}, {*publish::parse_pinned_version(sibling)});
    REQUIRE_FALSE(done);
    CHECK(done.error().kind == ErrorKind::check);
    CHECK(done.error().message ==
          "no record of the release has a wheel of `" + std::string(sibling) + "`");
  }
  CHECK(lines.siblings.empty());
}

TEST_CASE("a requirement on another version of a project of the release is not met") {
  const publish::ReleaseRecord own = promoted_record();
  const publish::ReleaseRecord sibling{
      "demo-core", "1.0", {}, {}, {{"demo_core-1.0+cpu-py3-none-any.whl", 5, kTwo}}};
  const auto sibling_for = [&](const std::string& requirement) {
    publish::InstallLines lines = publish::install_lines(own, "1.0");
    REQUIRE(publish::add_requirements(lines, {own, sibling}, own.project, {requirement}));
    REQUIRE(lines.siblings.size() == 1);
    return lines.siblings[0];
  };
  CHECK(sibling_for("demo-core>=0.9,<2").unmet.empty());
  CHECK(sibling_for("demo-core>=0.9,<2").line.starts_with("demo-core==1.0 --hash"));
  CHECK(sibling_for("demo-core==1.0+cpu").unmet.empty());
  CHECK(sibling_for("demo-core==1.0+cpu").line.starts_with("demo-core==1.0+cpu --hash"));
  CHECK(sibling_for("demo-core==0.9").unmet == "demo-core==0.9");
  CHECK(sibling_for("demo-core>1").unmet == "demo-core>1");
  publish::InstallLines lines = publish::install_lines(own, "1.0");
  const Done wrong =
      publish::add_requirements(lines, {own, sibling}, own.project, {"demo-core =1"});
  REQUIRE_FALSE(wrong);
  CHECK(wrong.error().kind == ErrorKind::check);
}
