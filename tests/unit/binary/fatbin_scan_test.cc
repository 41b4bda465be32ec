#include "binary/fatbin.h"

#include <filesystem>
#include <fstream>
#include <iterator>

#include "base/bytes.h"
#include "base/limits.h"
#include "unit/binary/make_elf.h"
#include "unit/binary/make_fatbin.h"
#include "unit/catch.h"
#include "unit/source_tree_path.h"

namespace pinwheel::binary {
namespace {

std::string fixture(const std::string& name) {
  std::ifstream in(in_source_tree("tests/data/device_code") / name, std::ios::binary);
  REQUIRE(in);
  return {std::istreambuf_iterator<char>(in), {}};
}

FatbinScanner scan(const std::string& bytes, size_t piece) {
  FatbinScanner scanner(bytes.size());
  for (size_t at = 0; at < bytes.size(); at += piece) {
    scanner.feed(std::string_view(bytes).substr(at, piece));
  }
  return scanner;
}

/// The containers found in a file that is streamed in pieces.
Result<std::vector<DeviceCode>> passing(const std::string& bytes, size_t piece) {
  return read_device_code(ports::MemorySource(bytes), scan(bytes, piece));
}

void check_alike(const std::string& bytes) {
  const Result<std::vector<DeviceCode>> held = read_device_code(ports::MemorySource(bytes));
  for (const size_t piece : {size_t{8}, size_t{64}, size_t{1000}, size_t{1} << 20U}) {
    INFO(piece);
    const Result<std::vector<DeviceCode>> passed = passing(bytes, piece);
    REQUIRE(passed.has_value() == held.has_value());
    if (held) CHECK(*passed == *held);
  }
}

/// One entry of a container, its payload filled with `p`.
std::string plain_entry(uint32_t payload = 16, uint32_t header = 64) {
  std::string out;
  append_le<uint16_t>(out, 2);
  append_le<uint16_t>(out, 0x0101);
  append_le<uint32_t>(out, header);
  append_le<uint64_t>(out, payload);
  out.append(12, '\0');
  append_le<uint32_t>(out, 90);
  out.append(32, '\0');
  return out.substr(0, 64) + std::string(16, 'p');
}

TEST_CASE("a streamed file has the same result as the file in memory") {
  for (const std::string name : {"plain.so", "plain.o", "size.o", "speed.o", "kinds.o", "hip.o"}) {
    INFO(name);
    check_alike(fixture(name));
  }
  check_alike(make_elf(".text", "code"));
}

TEST_CASE("without a section table the loaded containers count") {
  std::string bytes = fixture("plain.so");
  bytes.replace(40, 8, std::string(8, '\0'));  // e_shoff
  bytes.replace(60, 4, std::string(4, '\0'));  // e_shnum, e_shstrndx
  check_alike(bytes);
}

TEST_CASE("a section of containers has no other contents") {
  const std::string one = container(plain_entry());
  check_alike(make_elf(".nv_fatbin", one + one + std::string(40, '\0') + container("") + one));
  check_alike(make_elf(".nv_fatbin", std::string(24, '\0') + one));
  check_alike(make_elf(".nv_fatbin", one + "12345678" + one));
  check_alike(make_elf(".nv_fatbin", "12345678" + one));
  check_alike(make_elf(".nv_fatbin", one + "12345678"));
  check_alike(make_elf(".nv_fatbin", ""));
  check_alike(make_elf(".nv_fatbin", "junk in the section"));
}

TEST_CASE("containers with wrong sizes are rejected in the same way") {
  for (const std::string& bad :
       {container(plain_entry(), 5000), container(plain_entry(), UINT64_MAX),
        container(plain_entry(), 79), container(plain_entry(), 40), container(plain_entry(16, 0)),
        container(plain_entry(17)), container(plain_entry(0xffffffff)),
        container(plain_entry()).substr(0, 10)}) {
    check_alike(make_elf(".nv_fatbin", bad));
  }
}

TEST_CASE("a streamed file with more containers than the limit is refused, and not searched on") {
  std::string many;
  for (uint64_t i = 0; i <= limits::kDeviceCode.most; ++i) many += container("");
  const std::string bytes = make_elf(".nv_fatbin", many + many);
  const FatbinScanner scanner = scan(bytes, 4096);
  CHECK(scanner.is_over());
  CHECK(scanner.containers().size() == limits::kDeviceCode.most + 1);
  const auto codes = read_device_code(ports::MemorySource(bytes), scanner);
  REQUIRE_FALSE(codes);
  CHECK(codes.error().message.find("200000 pieces of GPU code") != std::string::npos);
  CHECK_FALSE(read_device_code(ports::MemorySource(bytes)));
}

TEST_CASE("look-alikes elsewhere are not device code") {
  check_alike(
      make_elf(".rodata", container(plain_entry(16, 0)) + "12345678" + container(plain_entry())));
  const FatbinScanner scanner =
      scan("12345678" + container(plain_entry(16, 0)) + container(plain_entry()), 8);
  REQUIRE(scanner.containers().size() == 2);
  CHECK(scanner.containers()[0].fault);
  CHECK(scanner.containers()[1].code.size() == 1);
  CHECK_FALSE(scanner.containers()[1].zeros_before);
}

TEST_CASE("fixtures truncated anywhere are rejected in the same way") {
  for (const std::string name : {"plain.so", "size.o"}) {
    const std::string bytes = fixture(name);
    for (size_t length = 64; length < bytes.size(); length += 97) {
      const std::string cut = bytes.substr(0, length);
      CHECK(passing(cut, 64).has_value() == read_device_code(ports::MemorySource(cut)).has_value());
    }
  }
}

}  // namespace
}  // namespace pinwheel::binary
