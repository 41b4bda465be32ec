#include "inspect/gather.h"

#include "base/digest.h"
#include "inspect/examined_member.h"
#include "inspect/rules.h"
#include "unit/catch.h"
#include "unit/wheel/make_wheel.h"

namespace pinwheel::inspect {
namespace {

std::vector<Finding> findings_in(const WheelFacts& facts, const std::string& rule) {
  const Result<std::vector<Finding>> found = check(facts, {}, {rule});
  REQUIRE(found);
  return *found;
}

TEST_CASE("a wheel is read once into facts") {
  const ports::MemorySource source(wheel::built_wheel());
  const Result<WheelFacts> facts = gather(wheel::kBuiltName, source);
  REQUIRE(facts);
  CHECK(facts->file_size == source.size());
  CHECK(facts->dist_info == "demo_kit-1.0.dist-info");
  CHECK(facts->name->distribution == "demo_kit");
  CHECK(facts->metadata->name() == "demo-kit");
  CHECK(facts->wheel_file->tags() == std::vector<std::string>{"py3-none-linux_x86_64"});
  CHECK(facts->members.size() == 7);
  CHECK(facts->record->size() == 7);
  CHECK(facts->libraries.empty());
  CHECK(facts->archive.empty());
  CHECK(facts->unreadable.empty());
}

TEST_CASE("members that are not there are listed, and only known by the directory") {
  const ports::MemorySource source(wheel::built_wheel());
  GatherOptions options;
  options.is_there = [](const wheel::ZipMember& member) {
    return member.name != "demo_kit/b,c.py";
  };
  const Result<WheelFacts> facts = gather(wheel::kBuiltName, source, options);
  REQUIRE(facts);
  REQUIRE(facts->partial);
  CHECK(facts->partial->unread == std::vector<std::string>{"demo_kit/b,c.py"});
  CHECK(facts->members.size() == 7);
  for (const MemberFacts& member : facts->members) {
    CHECK(member.sha256.empty() == (member.name == "demo_kit/b,c.py"));
    CHECK((member.name != "demo_kit/b,c.py" || member.size == 6));
  }
  CHECK(findings_in(*facts, "record").empty());
  CHECK(findings_in(*facts, "archive").empty());
  // Their sizes are compared nevertheless.
  WheelFacts other = *facts;
  for (MemberFacts& member : other.members) member.size += member.sha256.empty() ? 1 : 0;
  CHECK(findings_in(other, "record").size() == 1);
}

TEST_CASE("only members that facts depend on are examined") {
  for (const char* const name :
       {"demo-1.dist-info/METADATA", "demo-1.dist-info/RECORD", "demo/__init__.py", "demo.py",
        "demo/_C.cpython-312-x86_64-linux-gnu.so", "demo/lib/libz.so.1.2", "demo/bin/tool",
        "demo-1.data/scripts/run", "demo.pth", "demo/x.o", "demo/tool.exe", "demo/.hidden",
        "demo/kernels.hsaco"}) {
    INFO(name);
    CHECK(is_examined(name, ReadModules::of_top_level));
  }
  for (const char* const name :
       {"demo-1.dist-info/licenses/LICENSE", "demo-1.dist-info/sboms/RECORD", "demo/include/a.H",
        "demo/data.json", "demo/weights.pth", "demo/py.typed", "demo/LICENSE", "demo/libx.a"}) {
    INFO(name);
    CHECK_FALSE(is_examined(name, ReadModules::all));
  }
  CHECK_FALSE(is_examined("demo/sub/a.py", ReadModules::of_top_level));
  CHECK(is_examined("demo/sub/a.py", ReadModules::all));
}

TEST_CASE("missing and malformed parts are reported under the rule that checks them") {
  const ports::MemorySource source(wheel::make_zip(
      {{"demo_kit-1.0.dist-info/METADATA", "Name: demo-kit\n"},
       {"demo_kit/_C.so", std::string("\x7f\x45LF\x02\x01", 6) + std::string(10, '\0') + "\x03" +
                              '\0' + "\x3e" + '\0'}}));
  const Result<WheelFacts> facts = gather("demo_kit-1.0.whl", source);
  REQUIRE(facts);
  std::vector<std::pair<std::string, std::string>> seen;
  for (const Finding& finding : facts->unreadable) seen.emplace_back(finding.rule, finding.file);
  const std::vector<std::pair<std::string, std::string>> wanted = {
      {"wheel-name", "demo_kit-1.0.whl"},
      {"metadata", "demo_kit-1.0.dist-info/METADATA"},
      {"platform-tag", "demo_kit/_C.so"},
      {"wheel-name", "demo_kit-1.0.dist-info/WHEEL"},
      {"record", "demo_kit-1.0.dist-info/RECORD"}};
  CHECK(seen == wanted);
}

TEST_CASE("longer digests of RECORD and editable wheels are read with the wheel") {
  const std::string info = "demo_kit-1.0.dist-info/";
  LongHash hash(LongSha::sha512);
  hash.update("x = 1\n");
  const std::string record = "demo_kit/a.py,sha512=" + base64url(hash.finish()) + ",6\n" +
                             "__editable__.demo.pth,sha384=wrong,10\n" + info + "RECORD,,\n";
  const ports::MemorySource source(wheel::make_zip({{"demo_kit/a.py", "x = 1\n"},
                                                    {"__editable__.demo.pth", "/home/demo"},
                                                    {info + "RECORD", record}}));
  const Result<WheelFacts> facts = gather("demo_kit-1.0-py3-none-any.whl", source);
  REQUIRE(facts);
  CHECK(facts->editable_paths == std::vector<std::string>{"__editable__.demo.pth"});
  const Result<std::vector<Finding>> found = check(*facts, {}, {"record"});
  REQUIRE(found);
  REQUIRE(found->size() == 1);
  CHECK(found->front().file == "__editable__.demo.pth");
  CHECK(found->front().message == "does not match its sha384 in RECORD");
}

TEST_CASE("binaries that are not judged are listed with their form") {
  std::string windows = "MZ" + std::string(0x3a, '\0') + std::string("\x40\0\0\0PE\0\0", 8);
  const std::string riscv = std::string("\x7f\x45LF\x02\x01", 6) + std::string(10, '\0') + "\x03" +
                            '\0' + "\xf3" + '\0' + std::string(44, '\0');
  const ports::MemorySource source(wheel::make_zip({{"demo_kit-1.0.dist-info/METADATA",
                                                     "Metadata-Version: 2.1\nName: demo-kit\n"
                                                     "Version: 1.0\n"},
                                                    {"demo_kit/a.pyd", windows},
                                                    {"demo_kit/b.so", riscv}}));
  const Result<WheelFacts> facts = gather("demo_kit-1.0-cp312-cp312-win_amd64.whl", source);
  REQUIRE(facts);
  CHECK(facts->foreign ==
        std::vector<ForeignBinary>{{"demo_kit/a.pyd", "PE"}, {"demo_kit/b.so", "ELF for riscv64"}});
  CHECK(facts->libraries.empty());
  CHECK(findings_in(*facts, "platform-tag").empty());
}

TEST_CASE("a corrupt member is a finding and the others are read") {
  std::string bytes = wheel::built_wheel();
  bytes[bytes.find("x = 1")] = 'y';
  const ports::MemorySource source(bytes);
  const Result<WheelFacts> facts = gather(wheel::kBuiltName, source);
  REQUIRE(facts);
  REQUIRE(facts->unreadable.size() == 1);
  CHECK(facts->unreadable[0].rule == "archive");
  CHECK(facts->unreadable[0].file == "demo_kit/b,c.py");
  CHECK(facts->members.size() == 6);
}

TEST_CASE("a file that is not a wheel at all is an error") {
  const ports::MemorySource text("no zip");
  CHECK(gather(wheel::kBuiltName, text).error().kind == ErrorKind::check);
  const ports::MemorySource other(wheel::make_zip({{"a.txt", "a"}}));
  CHECK(gather(wheel::kBuiltName, other).error().kind == ErrorKind::check);
}

}  // namespace
}  // namespace pinwheel::inspect
