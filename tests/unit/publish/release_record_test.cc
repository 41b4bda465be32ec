#include "publish/release_record.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "unit/catch.h"

using namespace pinwheel;
using publish::RecordedFile;
using publish::ReleaseRecord;

namespace {

const std::string kWheelHash(64, 'a');
const std::string kSdistHash(64, 'b');
constexpr const char* kRecordedWheel = "demo_ops-1.0+cu130-py3-none-any.whl";
constexpr const char* kRecordedSdist = "demo_ops-1.0.tar.gz";

ReleaseRecord sample_record() {
  return {"demo-ops",
          "1.0",
          "v1.0",
          std::string(40, '1'),
          {{kRecordedSdist, 20, kSdistHash}, {kRecordedWheel, 10, kWheelHash}}};
}

nlohmann::ordered_json sample_json() {
  return nlohmann::ordered_json::parse(publish::record_json(sample_record()));
}

/// The message for the sample with another value at that place.
std::string record_fault(const char* pointer, const nlohmann::ordered_json& value) {
  nlohmann::ordered_json json = sample_json();
  json[nlohmann::ordered_json::json_pointer(pointer)] = value;
  const auto record = publish::parse_release_record(json.dump());
  REQUIRE_FALSE(record);
  CHECK((record.error().kind == ErrorKind::config || record.error().kind == ErrorKind::check));
  return record.error().message;
}

constexpr const char* kNone = "this is no record of a release: ";

}  // namespace

TEST_CASE("the record of a re-cut has its build number, which its files have, too") {
  ReleaseRecord record = sample_record();
  CHECK(publish::record_json(record).find("build-number") == std::string::npos);
  record.files = {{"demo_ops-1.0+cu130-2-py3-none-any.whl", 10, kWheelHash}};
  record.build = 2;
  const std::string text = publish::record_json(record);
  CHECK(*publish::parse_release_record(text) == record);
  nlohmann::ordered_json json = nlohmann::ordered_json::parse(text);
  const auto fault = [&json](const nlohmann::ordered_json& value) {
    json["build-number"] = value;
    return publish::parse_release_record(json.dump()).error().message;
  };
  CHECK(fault(3) == kNone + std::string("`demo_ops-1.0+cu130-2-py3-none-any.whl` does not have "
                                        "the build number 3"));
  for (const nlohmann::ordered_json& value :
       {nlohmann::ordered_json(0), nlohmann::ordered_json(-1), nlohmann::ordered_json("2"),
        nlohmann::ordered_json(1.5)}) {
    CHECK(fault(value) == kNone + std::string("`build-number` is not a whole number from 1 on"));
  }
  const publish::Publication publication{"index", {{"demo-ops", record.files}}};
  const auto records = publish::records_of({publication}, {"demo-ops", "v1.0-r2", {}, 2});
  CHECK(records.at("pinwheel-release.json").build == 2);
}

TEST_CASE("a record is written sorted by file name, and read back") {
  const std::string text = publish::record_json(sample_record());
  CHECK(text == fmt::format(R"({{
  "schema": "pinwheel-release/1",
  "project": "demo-ops",
  "version": "1.0",
  "tag": "v1.0",
  "commit": "{}",
  "files": [
    {{
      "filename": "demo_ops-1.0+cu130-py3-none-any.whl",
      "size": 10,
      "sha256": "{}"
    }},
    {{
      "filename": "demo_ops-1.0.tar.gz",
      "size": 20,
      "sha256": "{}"
    }}
  ]
}}
)",
                            std::string(40, '1'), kWheelHash, kSdistHash));
  const auto again = publish::parse_release_record(text);
  REQUIRE(again);
  ReleaseRecord sorted = sample_record();
  std::swap(sorted.files[0], sorted.files[1]);
  CHECK(*again == sorted);
  CHECK(to_string(publish::release_of(*again)) == "demo-ops==1.0");
}

TEST_CASE("a record outside of a repository has no tag and no commit") {
  ReleaseRecord record = sample_record();
  record.tag.clear();
  record.commit.clear();
  const auto again = publish::parse_release_record(publish::record_json(record));
  REQUIRE(again);
  CHECK(again->commit.empty());
}

TEST_CASE("a record with wrong members is rejected") {
  CHECK(record_fault("/schema", "pinwheel-release/2") ==
        std::string(kNone) +
            "its schema is `pinwheel-release/2`; this pinwheel reads `pinwheel-release/1`");
  CHECK(record_fault("/more", 1) == std::string(kNone) + "`more` of the record is not known");
  CHECK(record_fault("/version", "1.*") ==
        std::string(kNone) + "it does not name one version of a project");
  CHECK(record_fault("/project", "demo>=1,demo") ==
        std::string(kNone) + "it does not name one version of a project");
  CHECK(record_fault("/project", 7) == std::string(kNone) + "`project` is not a text");
  CHECK(record_fault("/tag", "v1\n") == std::string(kNone) + "`tag` is not the name of a tag");
  CHECK(record_fault("/commit", "HEAD") == std::string(kNone) + "`commit` is not that of a commit");
  CHECK(record_fault("/files", nlohmann::ordered_json::array()) ==
        std::string(kNone) + "it has no files");
  nlohmann::ordered_json json = sample_json();
  json.erase("tag");
  const auto record = publish::parse_release_record(json.dump());
  REQUIRE_FALSE(record);
  CHECK(record.error().message == std::string(kNone) + "`tag` of the record is missing");
}

TEST_CASE("a record has only plain names of files of its version") {
  for (const char* name : {"../demo_ops-1.0.tar.gz", "/demo_ops-1.0.tar.gz", "demo_ops-1.0.txt",
                           "demo_ops-1.0\n.tar.gz", "x/demo_ops-1.0.tar.gz", ""}) {
    CAPTURE(name);
    CHECK(record_fault("/files/1/filename", name).ends_with("the name of a wheel or an sdist"));
  }
  CHECK(record_fault("/files/1/filename", "demo_ops-1.1.tar.gz") ==
        std::string(kNone) + "`demo_ops-1.1.tar.gz` is not a file of `demo-ops==1.0`");
  CHECK(record_fault("/files/1/filename", "other-1.0.tar.gz") ==
        std::string(kNone) + "`other-1.0.tar.gz` is not a file of `demo-ops==1.0`");
  CHECK(record_fault("/version", "1.0+cu126").ends_with("is not a file of `demo-ops==1.0+cu126`"));
  CHECK(record_fault("/files/1/filename", kRecordedWheel) ==
        std::string(kNone) + "it has `demo_ops-1.0+cu130-py3-none-any.whl` twice");
}

TEST_CASE("a record has a digest and a possible size of each file") {
  CHECK(record_fault("/files/1/sha256", std::string(64, 'B')) ==
        std::string(kNone) + "the sha256 of `demo_ops-1.0.tar.gz` is none");
  CHECK(record_fault("/files/1/sha256", std::string(63, 'b')).ends_with("is none"));
  CHECK(record_fault("/files/1/size", 0) ==
        std::string(kNone) + "the size of `demo_ops-1.0.tar.gz` is no number of bytes");
  CHECK(record_fault("/files/1/size", -1).ends_with("is no number of bytes"));
  CHECK(record_fault("/files/1/size", 1.5).ends_with("is no number of bytes"));
  CHECK(record_fault("/files/1/size", 2'000'000'000) ==
        "`demo_ops-1.0.tar.gz` is larger than the limit of 1.0 GB for an sdist");
}

TEST_CASE("a record is bounded") {
  CHECK_FALSE(publish::parse_release_record("{"));
  CHECK_FALSE(publish::parse_release_record(std::string(9'000'000, ' ')));
  nlohmann::ordered_json json = sample_json();
  for (int i = 0; i < 10'000; ++i) json["files"].push_back(json["files"][0]);
  const auto record = publish::parse_release_record(json.dump());
  REQUIRE_FALSE(record);
  CHECK(record.error().message ==
        "the record has more than 10000 files, the limit for a record of a release");
}

TEST_CASE("records are recognized by their names") {
  CHECK(publish::is_release_record("dist/pinwheel-release.json"));
  CHECK(publish::is_release_record("pinwheel-release-demo-ops.json"));
  CHECK_FALSE(publish::is_release_record("pinwheel-release.json/x.whl"));
  CHECK_FALSE(publish::is_release_record("dist/report.json"));
}

TEST_CASE("a release has one record for each project, and for each target with other files") {
  const RecordedFile plain{"demo_ops-1.0-py3-none-any.whl", 1, kWheelHash};
  const RecordedFile sdist{kRecordedSdist, 2, kSdistHash};
  const RecordedFile local{kRecordedWheel, 3, kWheelHash};
  const RecordedFile other{"demo_ops_cpu-1.0-py3-none-any.whl", 4, kWheelHash};
  const auto records =
      publish::records_of({{"testpypi", {{"demo-ops", {sdist, plain}}, {"demo-ops-cpu", {other}}}},
                           {"pypi", {{"demo-ops", {plain, sdist}}, {"demo-ops-cpu", {other}}}}},
                          {"Demo.Ops", "v1.0", "ab"});
  REQUIRE(records.size() == 2);
  CHECK(records.at("pinwheel-release.json") ==
        ReleaseRecord{"demo-ops", "1.0", "v1.0", "ab", {plain, sdist}});
  CHECK(records.at("pinwheel-release-demo-ops-cpu.json").files == std::vector{other});

  const auto apart = publish::records_of(
      {{"pypi", {{"demo-ops", {plain}}}}, {"wheels", {{"demo-ops", {local}}}}}, {"demo-ops"});
  REQUIRE(apart.size() == 2);
  CHECK(apart.at("pinwheel-release-pypi.json").files == std::vector{plain});
  CHECK(apart.at("pinwheel-release-wheels.json").version == "1.0");
  for (const auto& [name, record] : apart) {
    CHECK(publish::is_release_record(name));
    CHECK(publish::parse_release_record(publish::record_json(record)) == record);
  }
  CHECK(publish::records_of({{"pypi", {}}}, {"demo-ops"}).empty());
}

TEST_CASE("a record of very many names is read in the end") {
  std::string text = "{";
  for (int i = 0; i < 100'000; ++i) text += "\"" + std::to_string(i) + "\":1,";
  text += "\"schema\":1}";
  CHECK_FALSE(publish::parse_release_record(text));
}
