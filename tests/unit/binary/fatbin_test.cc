#include "binary/fatbin.h"

#include "base/bytes.h"
#include "base/limits.h"
#include "unit/binary/make_fatbin.h"
#include "unit/catch.h"

namespace pinwheel::binary {
namespace {

struct EntrySpec {
  uint16_t kind = 2;
  uint32_t number = 90;
  uint64_t flags = 0;
  uint32_t header_size = 64;
  uint64_t payload = 16;
  uint32_t compressed = 0;
};

/// An entry as it stands in a container, its payload filled with `p`.
std::string entry(const EntrySpec& spec) {
  std::string out;
  append_le<uint16_t>(out, spec.kind);
  append_le<uint16_t>(out, 0x0101);
  append_le<uint32_t>(out, spec.header_size);
  append_le<uint64_t>(out, spec.payload);
  append_le<uint32_t>(out, spec.compressed);
  append_le<uint32_t>(out, 0);
  append_le<uint32_t>(out, 0);
  append_le<uint32_t>(out, spec.number);
  append_le<uint64_t>(out, 0);
  append_le<uint64_t>(out, spec.flags);
  append_le<uint64_t>(out, 0);
  append_le<uint64_t>(out, 1000);
  return out + std::string(16, 'p');
}

using Read = Done (*)(Window&, CodeList&);

Result<std::vector<DeviceCode>> codes_of(const std::string& bytes, Read read = read_fatbins) {
  const ports::MemorySource source(bytes);
  Window window(source, 0, bytes.size());
  CodeList out;
  TRY_DONE(read(window, out));
  return out.take();
}

void check_refused(const std::string& bytes) {
  const auto codes = codes_of(bytes);
  REQUIRE_FALSE(codes);
  CHECK(codes.error().kind == ErrorKind::check);
}

TEST_CASE("an entry's flags determine architecture and compression") {
  const auto codes = codes_of(container(entry({1, 90, 0x100000 | 0x8000, 64, 16, 9}) +
                                        entry({2, 100, 0x200000 | 0x2000, 64, 16, 16}) +
                                        entry({8, 75}) + entry({0x40, 120})));
  REQUIRE(codes);
  CHECK(*codes == std::vector<DeviceCode>{
                      {CodeKind::ptx, "compute_90a", CodeCompression::zstd, 9, 1000, {}, 0, 16},
                      {CodeKind::cubin, "sm_100f", CodeCompression::lz4, 16, 1000, {}, 0, 96},
                      {CodeKind::lto_ir, "lto_75", CodeCompression::none, 16, 16, {}, 0, 176},
                      {CodeKind::other, "sm_120", CodeCompression::none, 16, 16, {}, 0, 256}});
}

TEST_CASE("containers follow each other with zeros between them") {
  const std::string one = container(entry({}));
  const std::string far(200000, '\0');
  const auto codes = codes_of(far + one + one + far + container("") + one + far);
  REQUIRE(codes);
  CHECK(codes->size() == 3);
}

TEST_CASE("containers among other data are found, and look-alikes are skipped") {
  const std::string noise(70001 * 8, 'n');
  const std::string alike = container("", UINT64_MAX);
  const auto codes =
      codes_of(noise + alike + container(entry({})) + noise + container(entry({})), find_fatbins);
  REQUIRE(codes);
  CHECK(codes->size() == 2);
  CHECK(codes_of("", find_fatbins)->empty());
  CHECK(codes_of("short", find_fatbins)->empty());
}

TEST_CASE("containers and entries with wrong sizes are rejected") {
  check_refused("junk in the section");
  check_refused(container(entry({})).substr(0, 10));
  check_refused(container(entry({}), 5000));
  check_refused(container(entry({}), UINT64_MAX));
  check_refused(container(entry({}), 79));
  check_refused(container(entry({}), 40));
  check_refused(container(entry({2, 90, 0, 0})));
  check_refused(container(entry({2, 90, 0, 63})));
  check_refused(container(entry({2, 90, 0, 0xffffffff})));
  check_refused(container(entry({2, 90, 0, 64, UINT64_MAX - 63})));
  check_refused(container(entry({2, 90, 0, 64, 17})));
  check_refused(container(entry({2, 90, 0x8000, 64, 16, 17})));
  check_refused(container(entry({})) + "x");
}

TEST_CASE("a section of more containers than the limit is refused, even of empty ones") {
  std::string many;
  for (uint64_t i = 0; i < limits::kDeviceCode.most; ++i) many += container("");
  REQUIRE(codes_of(many));
  CHECK(codes_of(many)->empty());
  for (const Read read : {read_fatbins, find_fatbins}) {
    const auto codes = codes_of(many + container(""), read);
    REQUIRE_FALSE(codes);
    CHECK(codes.error().message ==
          "the ELF file has more than 200000 pieces of GPU code, the limit for an ELF file");
  }
}

}  // namespace
}  // namespace pinwheel::binary
