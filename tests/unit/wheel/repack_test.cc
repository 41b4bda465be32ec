#include "wheel/repack.h"

#include <map>

#include "unit/catch.h"
#include "unit/wheel/make_wheel.h"
#include "wheel/deflate.h"
#include "wheel/metadata.h"
#include "wheel/wheel_file.h"

namespace pinwheel::wheel {
namespace {

std::map<std::string, std::string> digests_of(const std::string& bytes) {
  const ports::MemorySource source(bytes);
  const Result<ZipReader> zip = ZipReader::open(source);
  REQUIRE(zip);
  std::map<std::string, std::string> out;
  for (const ZipMember& member : zip->members()) {
    out[member.name] = new_member(member.name, *zip->read(member)).sha256;
  }
  return out;
}

struct Repacked {
  FinishedWheel wheel;
  std::string bytes;
};

Result<Repacked> run_repack(const std::string& bytes, RepackSpec spec) {
  spec.source_date_epoch = 1700000000;
  if (spec.digests.empty()) spec.digests = digests_of(bytes);
  const ports::MemorySource source(bytes);
  TRY(const WheelArchive archive, open_wheel(kBuiltName, source));
  Repacked out;
  TRY(out.wheel, repack(archive, std::move(spec), [&](std::string_view part) -> Done {
        out.bytes += part;
        return {};
      }));
  return out;
}

RepackSpec with_graft() {
  RepackSpec spec;
  spec.platform_tags = {"manylinux_2_28_x86_64"};
  spec.requirements = {"nvidia-cublas-cu12"};
  spec.license_files = {"demo.libs/x/copyright"};
  spec.members = {new_member("demo_kit.libs/libx.so", "library", 0755),
                  new_member("demo_kit/b,c.py", "x = 2\n")};
  return spec;
}

TEST_CASE("a repacked wheel has its changes, and RECORD, METADATA and WHEEL follow") {
  const Result<Repacked> done = run_repack(built_wheel(), with_graft());
  REQUIRE(done);
  CHECK(done->wheel.file_name == "demo_kit-1.0-py3-none-manylinux_2_28_x86_64.whl");
  CHECK(done->wheel.sha256 == sha256_hex(done->bytes));
  CHECK(done->wheel.size == done->bytes.size());
  const ports::MemorySource source(done->bytes);
  const Result<WheelArchive> archive = open_wheel(done->wheel.file_name, source);
  REQUIRE(archive);
  CHECK(archive->zip.members().front().name == "demo_kit-1.0.data/scripts/run");
  CHECK(archive->zip.members().back().name == "demo_kit-1.0.dist-info/RECORD");
  CHECK(*archive->zip.read(*archive->zip.find("demo_kit/b,c.py")) == "x = 2\n");
  CHECK((archive->zip.find("demo_kit.libs/libx.so")->mode & 0777U) == 0755);
  const Metadata metadata = *parse_metadata(*archive->read_info("METADATA"));
  CHECK(metadata.license_files() == std::vector<std::string>{"LICENSE", "demo.libs/x/copyright"});
  CHECK(metadata.requires_dist().size() == 4);
  CHECK(parse_wheel_file(*archive->read_info("WHEEL"))->tags() ==
        std::vector<std::string>{"py3-none-manylinux_2_28_x86_64"});
  std::vector<MemberDigest> members;
  for (const auto& [name, sha256] : digests_of(done->bytes)) {
    members.push_back({name, sha256, archive->zip.find(name)->size});
  }
  CHECK(record_faults(*parse_record(*archive->read_info("RECORD")), members,
                      archive->info_path("RECORD"))
            .empty());
}

TEST_CASE("unchanged members are copied as they were compressed") {
  const std::string text(1000, 'x');
  const PackedMember stored{"demo_kit/stored.txt", 0644, 0, crc32(text), text.size(), text};
  Contents members = built_members();
  members.emplace_back(stored.name, text);
  std::string bytes;
  ZipWriter writer(
      [&](std::string_view part) -> Done {
        bytes += part;
        return {};
      },
      1700000000);
  for (const auto& [name, contents] : with_record(members, "demo_kit-1.0.dist-info/RECORD")) {
    REQUIRE((name == stored.name ? writer.add(stored) : writer.add(name, contents)));
  }
  REQUIRE(writer.finish());
  const Result<Repacked> same = run_repack(bytes, {});
  REQUIRE(same);
  const ports::MemorySource source(same->bytes);
  const Result<ZipReader> zip = ZipReader::open(source);
  REQUIRE(zip);
  const ZipMember* const member = zip->find(stored.name);
  REQUIRE(member != nullptr);
  CHECK(member->compressed_size == text.size());
  CHECK(*zip->read(*member) == text);
}

TEST_CASE("METADATA that knows no license files gets none") {
  Contents members = built_members();
  members[0].second = "Metadata-Version: 2.1\nName: demo-kit\nVersion: 1.0\n";
  const Result<Repacked> done =
      run_repack(make_zip(with_record(members, "demo_kit-1.0.dist-info/RECORD")), with_graft());
  REQUIRE(done);
  const ports::MemorySource source(done->bytes);
  CHECK(open_wheel(done->wheel.file_name, source)->read_info("METADATA")->find("License-File") ==
        std::string::npos);
}

TEST_CASE("a wheel that contradicts its RECORD is not repacked") {
  const std::string wheel = built_wheel();
  RepackSpec spec = with_graft();
  spec.digests = digests_of(wheel);
  spec.digests["demo_kit/b,c.py"] = "other";
  const Result<Repacked> done = run_repack(wheel, std::move(spec));
  REQUIRE_FALSE(done);
  CHECK(done.error().kind == ErrorKind::check);
  CHECK(done.error().message.find("`demo_kit/b,c.py`") != std::string::npos);
}

TEST_CASE("only wheels are repacked") {
  CHECK_FALSE(repacked_name("demo.zip", {}));
  CHECK(*repacked_name(kBuiltName, {}) == kBuiltName);
}

}  // namespace
}  // namespace pinwheel::wheel
