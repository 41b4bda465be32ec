#include <filesystem>
#include <fstream>
#include <random>

#include "inspect/gather.h"
#include "inspect/rules.h"
#include "unit/binary/make_elf.h"
#include "unit/catch.h"
#include "unit/source_tree_path.h"
#include "unit/wheel/make_wheel.h"

namespace pinwheel::inspect {
namespace {

LooseFile loose(const std::string& name, const std::string& bytes) {
  return {name, [bytes]() -> Result<std::unique_ptr<ports::ByteSource>> {
            return std::make_unique<ports::MemorySource>(bytes);
          }};
}

TEST_CASE("loose libraries have the facts and rules of libraries") {
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
}

/// An object that a compiler made, of `tests/data/device_code`.
std::string made_object(const std::string& name) {
  const auto path = in_source_tree("tests/data/device_code") / (name + ".o");
  std::ifstream in(path, std::ios::binary);
  REQUIRE(in);
  return {std::istreambuf_iterator<char>(in), {}};
}

/// An ELF file that the linker is to read, or another type.
std::string as_object(std::string elf, char type = 1) {
  elf[16] = type;
  return elf;
}

std::vector<std::string> targets_in(const DeviceCodeMember& member) {
  std::vector<std::string> out;
  for (const binary::DeviceCode& code : member.code) out.push_back(code.architecture);
  return out;
}

TEST_CASE("a loose object has its device code, and no library rule applies to it") {
  const Result<WheelFacts> facts =
      gather_files("plain.o", {loose("plain.o", made_object("plain"))});
  REQUIRE(facts);
  CHECK(facts->libraries.empty());
  CHECK(facts->other_elf == std::vector<std::string>{"plain.o"});
  REQUIRE(facts->device_code.size() == 1);
  CHECK(facts->device_code[0].form == CodeForm::object);
  CHECK(targets_in(facts->device_code[0]) ==
        std::vector<std::string>{"sm_80", "sm_90a", "compute_90"});
  CHECK(check(*facts, {}, rule_ids())->empty());
  Expectations expected;
  expected.arch_list = {"8.0"};
  CHECK(check(*facts, expected, rule_ids())->size() == 1);
}

TEST_CASE(
    "objects without device code, for a GPU or of 32 bits have no facts; corruption is reported") {
  std::string narrow = as_object(binary::make_elf(".nv_fatbin", "junk"));
  narrow[4] = 1;
  std::string cubin = as_object(binary::make_elf(".nv_fatbin", "junk"));
  cubin[18] = static_cast<char>(190);
  const std::vector<LooseFile> files = {
      loose("a.o", as_object(binary::make_elf(".text", "code"))), loose("b.o", narrow),
      loose("c.cubin", cubin), loose("d", as_object(binary::make_elf(".nv_fatbin", "junk"), 4))};
  const Result<WheelFacts> facts = gather_files("build", files);
  REQUIRE(facts);
  CHECK(facts->other_elf == std::vector<std::string>{"a.o", "b.o", "c.cubin", "d"});
  CHECK(facts->device_code.empty());
  CHECK(facts->unreadable.empty());
  const Result<WheelFacts> bad =
      gather_files("e.o", {loose("e.o", as_object(binary::make_elf(".nv_fatbin", "junk")))});
  REQUIRE(bad);
  REQUIRE(bad->unreadable.size() == 1);
  CHECK(bad->unreadable[0].rule == "device-code");
  CHECK(gather_files("f.o", {loose("f.o", as_object(binary::make_elf("", "")).substr(0, 4))}));
}

TEST_CASE("a file that cannot be opened is an error") {
  const LooseFile missing{"x.so", []() -> Result<std::unique_ptr<ports::ByteSource>> {
                            return fail(ErrorKind::environment, "no such file");
                          }};
  CHECK(gather_files("x.so", {missing}).error().message == "no such file");
}

/// More than is held at once, with device code in the middle of it.
std::string large_library() {
  std::mt19937 random(3);
  std::string noise;
  while (noise.size() < 1 << 20U) noise += static_cast<char>(random());
  std::string contents;
  while (contents.size() < 60 << 20U) contents += noise;
  return binary::make_elf(".data", contents);
}

/// A wheel with the large library, whose contents are the same wherever it is asked for.
const std::string& large_wheel() {
  static const std::string kBytes = [] {
    wheel::Contents members = wheel::built_members();
    members.emplace_back("demo_kit/_C.so", large_library());
    return wheel::make_zip(wheel::with_record(members, "demo_kit-1.0.dist-info/RECORD"));
  }();
  return kBytes;
}

TEST_CASE("a large library is streamed and has the same facts as a small one, on any threads") {
  const unsigned threads = GENERATE(1U, 2U, 5U);
  const ports::MemorySource source(large_wheel());
  const Result<WheelFacts> facts =
      gather(wheel::kBuiltName, source, {{threads, uint64_t{1} << 26U}, Measure::packing});
  REQUIRE(facts);
  REQUIRE(facts->libraries.size() == 1);
  CHECK(facts->libraries[0].elf.section(".data")->size >= uint64_t{60} << 20U);
  CHECK(check(*facts, {}, {"record", "archive"})->empty());
  const MemberFacts& library = facts->members[facts->members.size() - 2];
  const PackedMap& map = facts->packing.at(library.name);
  CHECK(map.packed(0, library.size) <= library.compressed_size);
  CHECK(map.packed(0, library.size) > 0);
}

TEST_CASE("a corrupt large library is a finding, and the other members are read") {
  const unsigned threads = GENERATE(1U, 2U, 5U);
  std::string bytes = large_wheel();
  bytes[bytes.size() / 2] = static_cast<char>(bytes[bytes.size() / 2] ^ 1);
  const ports::MemorySource source(bytes);
  const Result<WheelFacts> facts =
      gather(wheel::kBuiltName, source, {{threads, uint64_t{1} << 26U}, Measure::nothing});
  REQUIRE(facts);
  REQUIRE(facts->unreadable.size() == 1);
  CHECK(facts->unreadable[0].rule == "archive");
  CHECK(facts->unreadable[0].file == "demo_kit/_C.so");
  CHECK(facts->members.size() == 7);
  CHECK(facts->libraries.empty());
}

TEST_CASE("objects in a wheel are listed, small ones and a streamed one") {
  const std::string plain = made_object("plain");
  const binary::Section code = *binary::read_elf(ports::MemorySource(plain))->section(".nv_fatbin");
  std::string large = plain.substr(code.offset, code.size);
  large.resize(50 << 20U, '\0');
  wheel::Contents members = wheel::built_members();
  members.emplace_back("demo_kit/small.o", made_object("hip"));
  members.emplace_back("demo_kit/large.o", as_object(binary::make_elf(".nv_fatbin", large)));
  const ports::MemorySource source(
      wheel::make_zip(wheel::with_record(members, "demo_kit-1.0.dist-info/RECORD")));
  const Result<WheelFacts> facts =
      gather(wheel::kBuiltName, source, {{2, uint64_t{1} << 26U}, Measure::packing});
  REQUIRE(facts);
  REQUIRE(facts->device_code.size() == 2);
  CHECK(targets_in(facts->device_code[0]) == std::vector<std::string>{"gfx1030", "gfx90a:xnack+"});
  CHECK(targets_in(facts->device_code[1]) ==
        std::vector<std::string>{"sm_80", "sm_90a", "compute_90"});
  CHECK(facts->packing.contains("demo_kit/large.o"));
  CHECK(facts->unreadable.empty());
}

}  // namespace
}  // namespace pinwheel::inspect
