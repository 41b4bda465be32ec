#include "wheel/finish.h"

#include <algorithm>

#include "unit/catch.h"
#include "unit/wheel/make_wheel.h"
#include "unit/wheel/plain_memories.h"
#include "wheel/metadata.h"
#include "wheel/wheel_file.h"
#include "wheel/zip_writer.h"

namespace pinwheel::wheel {
namespace {

FinishSpec spec() {
  FinishSpec out;
  out.naming = {"demo-kit-cpu", "1.0+cu130", {}};
  out.platform_tags = {"manylinux_2_28_x86_64"};
  out.source_date_epoch = 1700000000;
  out.requirement = "torch>=2.10";
  out.record_json = "{}\n";
  return out;
}

struct Finished {
  FinishedWheel wheel;
  std::string bytes;
  int memories = 0;
};

Result<Finished> run(const std::string& built, const FinishSpec& what) {
  const ports::MemorySource source(built);
  TRY(const WheelArchive archive, open_wheel(kBuiltName, source));
  Finished out;
  testing::PlainMemories memories;
  const ZipOutput output = [&](std::string_view part) -> Done {
    out.bytes += part;
    return {};
  };
  TRY(out.wheel, finish(archive, what, output, memories));
  out.memories = memories.made;
  return out;
}

TEST_CASE("a wheel variant has its label in the name and its metadata in RECORD") {
  FinishSpec what = spec();
  what.naming.version = "1.0";
  what.variant = "cu130";
  what.variant_json = "{}\n";
  const Result<Finished> done = run(built_wheel(), what);
  REQUIRE(done);
  CHECK(done->wheel.file_name == "demo_kit_cpu-1.0-py3-none-manylinux_2_28_x86_64-cu130.whl");
  CHECK(run(built_wheel(), what)->bytes == done->bytes);
  const ports::MemorySource source(done->bytes);
  const Result<WheelArchive> wheel = open_wheel(done->wheel.file_name, source);
  REQUIRE(wheel);
  CHECK(*wheel->read_info("variant.json") == "{}\n");
  CHECK(wheel->read_info("RECORD")->find(wheel->dist_info + "/variant.json,sha256=") !=
        std::string::npos);
  what.variant = "cu126";
  CHECK(finished_name(done->wheel.file_name, what).error().message ==
        "`demo_kit_cpu-1.0-py3-none-manylinux_2_28_x86_64-cu130.whl` is the variant `cu130` "
        "already");
}

TEST_CASE("a finished wheel has its new name everywhere and a correct RECORD") {
  const Result<Finished> done = run(built_wheel(), spec());
  REQUIRE(done);
  CHECK(done->wheel.file_name == "demo_kit_cpu-1.0+cu130-py3-none-manylinux_2_28_x86_64.whl");
  CHECK(done->wheel.sha256 == sha256_hex(done->bytes));
  CHECK(done->wheel.size == done->bytes.size());
  const ports::MemorySource source(done->bytes);
  const Result<WheelArchive> wheel = open_wheel(done->wheel.file_name, source);
  REQUIRE(wheel);
  CHECK(wheel->dist_info == "demo_kit_cpu-1.0+cu130.dist-info");
  std::vector<std::string> names;
  std::vector<MemberDigest> digests;
  for (const ZipMember& member : wheel->zip.members()) {
    names.push_back(member.name);
    const std::string contents = *wheel->zip.read(member);
    Sha256 hash;
    hash.update(contents);
    digests.push_back({member.name, base64url(hash.finish()), contents.size()});
  }
  const std::string info = wheel->dist_info;
  CHECK(names == std::vector<std::string>{
                     "demo_kit/__init__.py", "demo_kit/b,c.py",
                     "demo_kit_cpu-1.0+cu130.data/scripts/run", info + "/METADATA", info + "/WHEEL",
                     info + "/licenses/LICENSE", info + "/pinwheel.json", info + "/RECORD"});
  const std::vector<RecordRow> rows = *parse_record(*wheel->read_info("RECORD"));
  CHECK(record_faults(rows, digests, info + "/RECORD").empty());
  const Metadata metadata = *parse_metadata(*wheel->read_info("METADATA"));
  CHECK(metadata.name() == "demo-kit-cpu");
  CHECK(metadata.version() == "1.0+cu130");
  CHECK(metadata.description() == "Long text.\n");
  CHECK(metadata.requires_dist() ==
        std::vector<std::string>{"numpy", "torch>=2.10", "torch; extra == \"x\""});
  CHECK(wheel->read_info("WHEEL")->find("Tag: py3-none-manylinux_2_28_x86_64\n") !=
        std::string::npos);
}

TEST_CASE(
    "a finished wheel requires the exact version of each sibling, and its RECORD is correct") {
  FinishSpec pinned = spec();
  pinned.naming.pins = {{"numpy", "numpy-cu130==2.0"}, {"demo-core", "demo-core==1.0+cu130"}};
  const Result<Finished> done = run(built_wheel(), pinned);
  REQUIRE(done);
  const ports::MemorySource source(done->bytes);
  const Result<WheelArchive> wheel = open_wheel(done->wheel.file_name, source);
  REQUIRE(wheel);
  const std::string text = *wheel->read_info("METADATA");
  CHECK(parse_metadata(text)->requires_dist() ==
        std::vector<std::string>{"numpy-cu130==2.0", "torch>=2.10", "torch; extra == \"x\"",
                                 "demo-core==1.0+cu130"});
  Sha256 hash;
  hash.update(text);
  const std::string digest = base64url(hash.finish());
  const std::vector<RecordRow> rows = *parse_record(*wheel->read_info("RECORD"));
  const auto row = std::ranges::find(rows, wheel->info_path("METADATA"), &RecordRow::path);
  REQUIRE(row != rows.end());
  CHECK(row->digest == digest);
  pinned.naming.pins = {{"torch", "torch==1.0"}};
  const Result<Finished> excluded = run(built_wheel(), pinned);
  REQUIRE_FALSE(excluded);
  CHECK(excluded.error().kind == ErrorKind::check);
}

TEST_CASE("a build number is in the file name and in WHEEL") {
  FinishSpec what = spec();
  what.naming.build = 3;
  const Result<Finished> done = run(built_wheel(), what);
  REQUIRE(done);
  CHECK(done->wheel.file_name == "demo_kit_cpu-1.0+cu130-3-py3-none-manylinux_2_28_x86_64.whl");
  CHECK(*finished_name(kBuiltName, what) == done->wheel.file_name);
  const ports::MemorySource source(done->bytes);
  const Result<WheelArchive> wheel = open_wheel(done->wheel.file_name, source);
  REQUIRE(wheel);
  CHECK(parse_wheel_file(*wheel->read_info("WHEEL"))->build() == "3");
  // Without one, the build tag of the backend is kept.
  CHECK(*finished_name("a-1.0-2x-py3-none-any.whl", spec()) ==
        "demo_kit_cpu-1.0+cu130-2x-py3-none-manylinux_2_28_x86_64.whl");
}

TEST_CASE("the finished wheel does not depend on the order and times of the built one") {
  Contents members = with_record(built_members(), "demo_kit-1.0.dist-info/RECORD");
  const Result<Finished> first = run(make_zip(members, 1700000000), spec());
  std::reverse(members.begin(), members.end());
  const Result<Finished> second = run(make_zip(members, 1600000000), spec());
  REQUIRE(first);
  REQUIRE(second);
  CHECK(first->bytes == second->bytes);
}

TEST_CASE("finishing a finished wheel again changes nothing") {
  const Result<Finished> once = run(built_wheel(), spec());
  REQUIRE(once);
  const ports::MemorySource source(once->bytes);
  const Result<WheelArchive> archive = open_wheel(once->wheel.file_name, source);
  REQUIRE(archive);
  std::string again;
  testing::PlainMemories memories;
  const ZipOutput output = [&](std::string_view part) -> Done {
    again += part;
    return {};
  };
  REQUIRE(finish(*archive, spec(), output, memories));
  CHECK(again == once->bytes);
}

/// Bytes that deflate can compress, or cannot.
std::string filled(uint64_t size, bool compressible) {
  std::string out;
  out.reserve(size);
  uint64_t state = 1;
  while (out.size() < size) {
    state = state * 6364136223846793005ULL + 1442695040888963407ULL;
    out += compressible ? static_cast<char>('a' + (state >> 62U)) : static_cast<char>(state >> 56U);
  }
  return out;
}

TEST_CASE("a large member is finished outside of memory, to the same bytes") {
  constexpr uint64_t kLarge = (uint64_t{16} << 20U) + 12345;
  Contents members = built_members();
  members.emplace_back("demo_kit/large.bin", filled(kLarge, true));
  members.emplace_back("demo_kit/random.bin", filled(kLarge, false));
  const Result<Finished> done =
      run(make_zip(with_record(members, "demo_kit-1.0.dist-info/RECORD")), spec());
  REQUIRE(done);
  CHECK(done->memories == 4);
  const ports::MemorySource source(done->bytes);
  const Result<WheelArchive> wheel = open_wheel(done->wheel.file_name, source);
  REQUIRE(wheel);
  for (const auto& [name, contents] : {members.end()[-2], members.end()[-1]}) {
    const ZipMember* const member = wheel->zip.find(name);
    REQUIRE(member != nullptr);
    const PackedMember whole = pack_member(name, contents);
    CHECK(member->method == whole.method);
    const std::string packed =
        *source.read(*wheel->zip.data_offset(*member), member->compressed_size);
    CHECK(packed == whole.packed);
  }
}

TEST_CASE("a built wheel that contradicts its RECORD or METADATA is not finished") {
  Contents members = with_record(built_members(), "demo_kit-1.0.dist-info/RECORD");
  SECTION("a changed file") {
    members[4].second += "# more";
  }
  SECTION("a file that RECORD does not know") {
    members.insert(members.begin(), {"new.py", ""});
  }
  SECTION("a missing file") {
    members.erase(members.begin() + 4);
  }
  SECTION("METADATA of another version") {
    Contents other = built_members();
    other[0].second = "Metadata-Version: 2.4\nName: demo-kit\nVersion: 2.0\n";
    members = with_record(other, "demo_kit-1.0.dist-info/RECORD");
  }
  const Result<Finished> done = run(make_zip(members), spec());
  REQUIRE_FALSE(done);
  CHECK(done.error().kind == ErrorKind::check);
}

TEST_CASE("a usual wheel is not too large to be finished") {
  const std::string built = built_wheel();
  const ports::MemorySource source(built);
  const WheelArchive archive = *open_wheel(kBuiltName, source);
  CHECK(check_finishable(archive));
}

TEST_CASE("a member is packed within a bound, or refused") {
  std::string noise;
  for (uint32_t i = 0, word = 1; i < 5000; ++i, word = word * 1664525 + 1013904223) {
    noise.push_back(static_cast<char>(word >> 24U));
  }
  const Result<PackedMember> packed = pack_member_within("a", noise, 0644, 2 * noise.size());
  REQUIRE(packed);
  CHECK(packed->packed == pack_member("a", noise).packed);
  const Result<PackedMember> refused = pack_member_within("a", noise, 0644, 1000);
  REQUIRE_FALSE(refused);
  CHECK(refused.error().kind == ErrorKind::check);
}

}  // namespace
}  // namespace pinwheel::wheel
