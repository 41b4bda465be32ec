#include "binary/device_code.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "base/text.h"
#include "unit/binary/make_elf.h"
#include "unit/catch.h"
#include "unit/source_tree_path.h"

namespace pinwheel::binary {
namespace {

const std::filesystem::path kFixtures = in_source_tree("tests/data/device_code");

std::string bytes_of(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  REQUIRE(in);
  return {std::istreambuf_iterator<char>(in), {}};
}

/// "cubin sm_80 none", sorted: what a file holds, without sizes.
std::vector<std::string> summary(const std::string& bytes) {
  const auto codes = read_device_code(ports::MemorySource(bytes));
  REQUIRE(codes);
  std::vector<std::string> lines;
  for (const DeviceCode& code : *codes) {
    CHECK(code.size > 0);
    CHECK(code.stored_size <= bytes.size());
    lines.push_back(std::string(to_string(code.kind)) + " " + code.architecture + " " +
                    std::string(to_string(code.compression)));
  }
  std::sort(lines.begin(), lines.end());
  return lines;
}

bool has_program(const std::string& name) {
  return std::system(("command -v " + name + " > /dev/null 2>&1").c_str()) == 0;
}

using Lines = std::vector<std::string>;

/// The output of `make.sh`, by fixture.
void check_cuda(const std::filesystem::path& directory) {
  const Lines usual = {"cubin sm_80 none", "cubin sm_90a none", "ptx compute_90 zstd"};
  CHECK(summary(bytes_of(directory / "plain.o")) == usual);
  CHECK(summary(bytes_of(directory / "plain.so")) == usual);
  CHECK(summary(bytes_of(directory / "size.o")) ==
        Lines{"cubin sm_80 zstd", "cubin sm_90a zstd", "ptx compute_90 zstd"});
  CHECK(summary(bytes_of(directory / "speed.o")) ==
        Lines{"cubin sm_80 none", "cubin sm_90a none", "ptx compute_90 lz4"});
  CHECK(summary(bytes_of(directory / "kinds.o")) ==
        Lines{"cubin sm_100f none", "ltoir lto_90 none"});
}

void check_hip(const std::filesystem::path& directory) {
  CHECK(summary(bytes_of(directory / "hip.o")) ==
        Lines{"code-object gfx1030 none", "code-object gfx90a:xnack+ none"});
}

TEST_CASE("the CUDA code of what nvcc built is listed with its architectures") {
  check_cuda(kFixtures);
}

TEST_CASE("the HIP code of what hipcc built is listed with its targets") {
  check_hip(kFixtures);
}

TEST_CASE("a compressed entry has both its sizes") {
  const auto plain = read_device_code(ports::MemorySource(bytes_of(kFixtures / "plain.o")));
  const auto packed = read_device_code(ports::MemorySource(bytes_of(kFixtures / "size.o")));
  REQUIRE(plain);
  REQUIRE(packed);
  REQUIRE(plain->size() == packed->size());
  for (const DeviceCode& small : *packed) {
    INFO(small.architecture);
    const auto same = std::find_if(plain->begin(), plain->end(), [&](const DeviceCode& code) {
      return code.architecture == small.architecture;
    });
    REQUIRE(same != plain->end());
    CHECK(small.stored_size < small.size);
    if (small.kind == CodeKind::cubin) {
      CHECK(same->stored_size == same->size);
      // An uncompressed payload is padded to 8 bytes.
      CHECK((small.size + 7) / 8 == (same->size + 7) / 8);
    }
  }
}

TEST_CASE("without a section table the segments are searched") {
  std::string bytes = bytes_of(kFixtures / "plain.so");
  const Lines wanted = summary(bytes);
  bytes.replace(60, 4, std::string(4, '\0'));  // e_shnum, e_shstrndx
  CHECK(summary(bytes) == wanted);
  bytes.replace(40, 8, std::string(8, '\0'));  // e_shoff
  CHECK(summary(bytes) == wanted);
}

TEST_CASE("a section table too long for the header's counts is read whole") {
  constexpr size_t kSections = 65300;
  constexpr size_t kEach = 64;
  std::string bytes = bytes_of(kFixtures / "kinds.o");
  const auto put = [&](size_t at, auto value) {
    std::string field;
    append_le(field, value);
    bytes.replace(at, field.size(), field);
  };
  const uint64_t table = *load_le<uint64_t>(bytes, 40);
  const uint16_t count = *load_le<uint16_t>(bytes, 60);
  const uint32_t names = *load_le<uint16_t>(bytes, 62);
  const uint64_t moved = bytes.size();
  bytes += bytes.substr(table, kEach * count);
  bytes.resize(moved + kEach * kSections, '\0');
  put(40, moved);
  put(60, uint16_t{0});
  put(62, uint16_t{0xffff});
  put(moved + 32, uint64_t{kSections});
  put(moved + 40, names);
  CHECK(summary(bytes) == summary(bytes_of(kFixtures / "kinds.o")));
  // A longer table than the file, one that needed no such form, and none.
  put(moved + 32, uint64_t{kSections + 1});
  CHECK_FALSE(read_device_code(ports::MemorySource(bytes)));
  put(moved + 32, uint64_t{count});
  CHECK(summary(bytes).empty());
  put(40, uint64_t{bytes.size() - 10});
  CHECK(summary(bytes).empty());
}

TEST_CASE("a library without device code has an empty list, and other files are rejected") {
  CHECK(summary(make_elf(".text", "code")).empty());
  CHECK(summary(make_elf(".nv_fatbin", "")).empty());
  CHECK(summary(make_elf(".nv_fatbin", std::string(64, '\0'))).empty());
  for (const std::string& bad : {std::string(), std::string("text"), std::string(200, 'x')}) {
    const auto codes = read_device_code(ports::MemorySource(bad));
    REQUIRE_FALSE(codes);
    CHECK(codes.error().kind == ErrorKind::check);
  }
}

TEST_CASE("sections of device code that share their bytes are refused") {
  std::string bytes = make_elf(".nv_fatbin", std::string(4096, '\0'));
  const uint64_t table = *load_le<uint64_t>(bytes, 40);
  bytes.replace(table, 64, bytes.substr(table + 64, 64));
  const auto codes = read_device_code(ports::MemorySource(bytes));
  REQUIRE_FALSE(codes);
  CHECK(codes.error().message == "the ELF file is corrupt: its sections of device code overlap");
}

TEST_CASE("fixtures truncated anywhere give an error or a list, never a crash") {
  for (const std::string name : {"plain.so", "size.o", "hip.o"}) {
    const std::string bytes = bytes_of(kFixtures / name);
    for (size_t length = 0; length < bytes.size(); length += 97) {
      const auto codes = read_device_code(ports::MemorySource(bytes.substr(0, length)));
      if (!codes) CHECK(codes.error().kind == ErrorKind::check);
    }
  }
}

// If the compilers are installed, today's output must read like the committed one.
TEST_CASE("fixtures rebuilt by the local compilers read the same") {
  std::string name = (std::filesystem::temp_directory_path() / "pinwheel-XXXXXX").string();
  REQUIRE(mkdtemp(name.data()) != nullptr);
  const std::filesystem::path scratch = name;
  for (const std::string what : {"cuda", "hip"}) {
    const bool cuda = what == "cuda";
    const bool here = has_program(cuda ? "nvcc" : "hipcc");
    const std::filesystem::path from = here ? scratch : kFixtures;
    if (here) {
      const std::string command = shell_join({(kFixtures / "make.sh").string(), name, what});
      REQUIRE(std::system((command + " > /dev/null 2>&1").c_str()) == 0);
    }
    cuda ? check_cuda(from) : check_hip(from);
  }
  std::filesystem::remove_all(scratch);
}

}  // namespace
}  // namespace pinwheel::binary
