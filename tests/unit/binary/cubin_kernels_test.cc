#include "binary/cubin_kernels.h"

#include <fstream>
#include <iterator>

#include "unit/binary/make_cubin.h"
#include "unit/catch.h"
#include "unit/source_tree_path.h"

namespace pinwheel::binary {
namespace {

// Attributes, by number.
constexpr uint8_t kThreads = 0x05;
constexpr uint8_t kFrame = 0x11;
constexpr uint8_t kStack = 0x12;
constexpr uint8_t kRegisters = 0x2f;
constexpr uint8_t kBarriers = 0x4c;
constexpr uint8_t kMarks = 0x55;

Result<std::vector<CubinKernel>> kernels_of(const std::string& cubin) {
  return read_cubin_kernels(ports::MemorySource(cubin));
}

/// The kernels of the cubins in a fixture, with their architectures.
std::vector<std::pair<std::string, CubinKernel>> kernels_in(const std::string& fixture) {
  std::ifstream in(in_source_tree("tests/data/device_code") / fixture, std::ios::binary);
  const ports::MemorySource file(std::string(std::istreambuf_iterator<char>(in), {}));
  std::vector<std::pair<std::string, CubinKernel>> found;
  const auto codes = read_device_code(file);
  REQUIRE(codes);
  for (const DeviceCode& code : *codes) {
    if (code.kind != CodeKind::cubin) continue;
    const auto cubin = read_cubin(file, code);
    REQUIRE(cubin);
    CHECK(cubin->size() == code.size);
    const auto kernels = kernels_of(*cubin);
    REQUIRE(kernels);
    for (const CubinKernel& kernel : *kernels) found.emplace_back(code.architecture, kernel);
  }
  return found;
}

/// A cubin with the kernels `one` and `two` and these attributes of both, and own ones of `one`.
std::string two_kernels(const std::string& common, const std::string& own) {
  return make_cubin({{"one"}, {"helper", false}, {"two"}},
                    {{".text.one", 1, std::string(256, 'c')},
                     {".text.two", 1, std::string(128, 'c')},
                     {".text.helper", 1, std::string(64, 'c')},
                     {".nv.info", 0x70000000, common},
                     {".nv.info.one", 0x70000000, own},
                     {".nv.shared.one", 8, "", 4096},
                     {".nv.constant0.one", 1, std::string(380, 'p')}});
}

TEST_CASE("the kernels of compiled code are the same in every compression", "[binary]") {
  const auto plain = kernels_in("plain.o");
  REQUIRE(plain.size() == 2);
  CHECK(plain[0].first == "sm_80");
  CHECK(plain[1].first == "sm_90a");
  const CubinKernel& kernel = plain[1].second;
  CHECK(kernel.name == "_Z5scalePffi");
  // As `cuobjdump -res-usage` lists them.
  CHECK(kernel.registers == 8);
  CHECK(kernel.stack == 0U);
  CHECK(kernel.spills == 0U);
  CHECK(kernel.shared == 0);
  CHECK(kernel.constant == 544);
  CHECK(kernel.code_size > 0);
  CHECK(!kernel.threads);
  for (const char* const fixture : {"size.o", "speed.o", "plain.so"}) {
    CAPTURE(fixture);
    CHECK(kernels_in(fixture) == plain);
  }
  CHECK(kernels_in("kinds.o").size() == 1);
}

TEST_CASE("what a kernel needs is in the tables of its cubin", "[binary]") {
  const auto kernels = kernels_of(two_kernels(
      attribute(kRegisters, {1, 40}) + attribute(kRegisters, {3, 24}) + attribute(kFrame, {1, 8}) +
          attribute(kStack, {1, 96}) + attribute(kFrame, {3, 16}) + attribute(kRegisters, {2, 99}),
      attribute(kThreads, {32, 8, 1}) + short_attribute(kBarriers, 0x0002) +
          attribute(kMarks, {1, 16, 1, 64})));
  REQUIRE(kernels);
  REQUIRE(kernels->size() == 2);
  CHECK((*kernels)[0] == CubinKernel{"one", 256, 40, 96, 2, 4096, 380, 2, 256});
  // The cubin marks spills, so a kernel without marks has none.
  CHECK((*kernels)[1] == CubinKernel{"two", 128, 24, 16, 0, 0, 0, 0, std::nullopt});
}

TEST_CASE("a stack without any mark may have spilled registers", "[binary]") {
  const auto kernels =
      kernels_of(two_kernels(attribute(kFrame, {1, 8}) + attribute(kStack, {3, UINT32_MAX}), ""));
  REQUIRE(kernels);
  CHECK((*kernels)[0].stack == 8U);
  CHECK(!(*kernels)[0].spills);
  // Recursion: the stack has no bound.
  CHECK(!(*kernels)[1].stack);
  CHECK(!(*kernels)[1].spills);
}

TEST_CASE("annotations of an unknown kind leave the number of spills open", "[binary]") {
  const auto kernels =
      kernels_of(two_kernels(attribute(kStack, {1, 8}), attribute(kMarks, {1, 16, 7, 1, 1})));
  REQUIRE(kernels);
  CHECK(!(*kernels)[0].spills);
}

TEST_CASE("older cubins have registers and barriers in the header of the code", "[binary]") {
  const auto kernels = kernels_of(make_cubin(
      {{"old"}}, {{".text.old", 1, "code", 0, (21U << 24U) | 1U, (uint64_t{3} << 20U) | 6U}}));
  REQUIRE(kernels);
  REQUIRE(kernels->size() == 1);
  CHECK((*kernels)[0].registers == 21);
  CHECK((*kernels)[0].barriers == 3);
}

TEST_CASE("blocks larger than any GPU's have no number of threads", "[binary]") {
  const auto kernels =
      kernels_of(two_kernels("", attribute(kThreads, {UINT32_MAX, UINT32_MAX, UINT32_MAX})));
  REQUIRE(kernels);
  CHECK(!(*kernels)[0].threads);
}

TEST_CASE("only cubins have kernels", "[binary]") {
  const auto host = kernels_of(make_cubin({{"one"}}, {}, 62));
  REQUIRE(!host);
  CHECK(host.error().kind == ErrorKind::check);
  CHECK(!kernels_of("not an ELF file"));
  const auto none = kernels_of(make_cubin({}, {}));
  REQUIRE(none);
  CHECK(none->empty());
}

TEST_CASE("attributes that do not fit their section are an error", "[binary]") {
  const std::string cut = attribute(kRegisters, {1, 40}).substr(0, 9);
  const auto kernels = kernels_of(two_kernels(cut, ""));
  REQUIRE(!kernels);
  CHECK(kernels.error().message ==
        "the ELF file is corrupt: an attribute of its kernels does not fit its section");
}

TEST_CASE("no prefix of a cubin is read beyond its end", "[binary]") {
  const std::string cubin = two_kernels(attribute(kRegisters, {1, 40}), attribute(kMarks, {1, 8}));
  for (size_t length = 0; length < cubin.size(); ++length) {
    const auto kernels = kernels_of(cubin.substr(0, length));
    if (!kernels) CHECK(kernels.error().kind == ErrorKind::check);
  }
}

TEST_CASE("a cubin must decompress to its declared size", "[binary]") {
  DeviceCode code;
  code.kind = CodeKind::cubin;
  code.compression = CodeCompression::zstd;
  code.stored_size = 16;
  code.size = 1'000'000;
  const ports::MemorySource file(std::string(64, '\x40') + std::string(16, 'x'));
  CHECK(!read_cubin(file, code));
  code.compression = CodeCompression::none;
  code.size = 200'000'000;
  const auto large = read_cubin(file, code);
  REQUIRE(!large);
  CHECK(large.error().message == "a cubin is larger than the limit of 96 MB for a cubin");
  code.kind = CodeKind::ptx;
  CHECK(!read_cubin(file, code));
}

}  // namespace
}  // namespace pinwheel::binary
