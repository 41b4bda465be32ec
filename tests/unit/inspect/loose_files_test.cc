#include <random>

#include "inspect/gather.h"
#include "inspect/report.h"
#include "inspect/rules.h"
#include "unit/binary/make_elf.h"
#include "unit/catch.h"
#include "unit/wheel/make_wheel.h"

namespace pinwheel::inspect {
namespace {

LooseFile loose(const std::string& name, const std::string& bytes) {
  return {name, [bytes]() -> Result<std::unique_ptr<ports::ByteSource>> {
            return std::make_unique<ports::MemorySource>(bytes);
          }};
}

TEST_CASE("libraries by themselves have facts and rules of libraries") {
  const Result<WheelFacts> facts = gather_files(
      "build", {loose("b.so", binary::make_elf(".text", "code")),
                loose("a/c.so", binary::make_elf(".debug_info", std::string(2000, 'd')))});
  REQUIRE(facts);
  REQUIRE(facts->libraries.size() == 2);
  CHECK(facts->members[1].name == "a/c.so");
  const Result<std::vector<Finding>> found = check(*facts, {}, rule_ids());
  REQUIRE(found);
  REQUIRE(found->size() == 1);
  CHECK(found->front().rule == "debug-info");
  CHECK(summary(*facts, {}, *found).starts_with("build\n  platform "));
}

TEST_CASE("a file that cannot be opened is the error") {
  const LooseFile missing{"x.so", []() -> Result<std::unique_ptr<ports::ByteSource>> {
                            return fail(ErrorKind::environment, "no such file");
                          }};
  CHECK(gather_files("x.so", {missing}).error().message == "no such file");
}

TEST_CASE("a large library passes by and tells what a small one tells") {
  // More than is held at once, with device code in the middle of it.
  std::mt19937 random(3);
  std::string noise;
  while (noise.size() < 1 << 20U) noise += static_cast<char>(random());
  std::string contents;
  while (contents.size() < 60 << 20U) contents += noise;
  const std::string elf = binary::make_elf(".data", contents);
  wheel::Contents members = wheel::built_members();
  members.emplace_back("demo_kit/_C.so", elf);
  const ports::MemorySource source(
      wheel::make_zip(wheel::with_record(members, "demo_kit-1.0.dist-info/RECORD")));
  const Result<WheelFacts> facts =
      gather(wheel::kBuiltName, source, {{2, uint64_t{1} << 26U}, Measure::packing});
  REQUIRE(facts);
  REQUIRE(facts->libraries.size() == 1);
  CHECK(facts->libraries[0].elf.section(".data")->size == contents.size());
  CHECK(check(*facts, {}, {"record", "archive"})->empty());
  const PackedMap& map = facts->packing.at("demo_kit/_C.so");
  CHECK(map.packed(0, elf.size()) <= facts->members.back().compressed_size + elf.size());
  CHECK(map.packed(0, elf.size()) > 0);
}

}  // namespace
}  // namespace pinwheel::inspect
