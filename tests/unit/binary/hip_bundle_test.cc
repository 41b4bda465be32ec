#include "binary/hip_bundle.h"

#include "unit/binary/make_bundle.h"
#include "unit/catch.h"

namespace pinwheel::binary {
namespace {

const std::string kHost = "host-x86_64-unknown-linux";
const std::string kTriple = "hipv4-amdgcn-amd-amdhsa--";

std::string two_targets() {
  return make_bundle({{kHost, ""},
                      {kTriple + "gfx90a:sramecc+:xnack-", std::string(5000, 'a')},
                      {kTriple + "gfx10-3-generic", std::string(300, 'b')}});
}

Result<std::vector<DeviceCode>> bundled_codes(const std::string& bytes) {
  const ports::MemorySource source(bytes);
  Window window(source, 0, bytes.size());
  CodeList out;
  TRY_DONE(read_hip_bundles(window, out));
  return out.take();
}

void check_bundle_refused(const std::string& bytes) {
  const auto codes = bundled_codes(bytes);
  REQUIRE_FALSE(codes);
  CHECK(codes.error().kind == ErrorKind::check);
}

TEST_CASE("a bundle's code objects are listed by target, without the host's") {
  const auto codes = bundled_codes(two_targets() + two_targets());
  REQUIRE(codes);
  REQUIRE(codes->size() == 4);
  CHECK(codes->at(0) == DeviceCode{CodeKind::code_object,
                                   "gfx90a:sramecc+:xnack-",
                                   CodeCompression::none,
                                   5000,
                                   5000,
                                   {},
                                   0,
                                   4096});
  CHECK(codes->at(1).architecture == "gfx10-3-generic");
  CHECK(codes->at(1).size == 300);
}

TEST_CASE("other spellings of an entry's id are accepted") {
  const auto codes = bundled_codes(make_bundle({{"hip-amdgcn-amd-amdhsa-gfx906", "x"},
                                                {"hip-amdgcn-amd-amdhsa-unknown-gfx942", "x"},
                                                {"hip-spirv64-amd-amdhsa--amdgcnspirv", "x"},
                                                {"odd", "x"}}));
  REQUIRE(codes);
  CHECK(codes->at(0).architecture == "gfx906");
  CHECK(codes->at(1).architecture == "gfx942");
  CHECK(codes->at(2).architecture == "amdgcnspirv");
  CHECK(codes->at(3).architecture == "odd");
}

TEST_CASE("compressed bundles of each version and method are read, one after another") {
  const std::string plain = two_targets();
  const std::string gap(13, '\0');
  for (const uint16_t version : {1, 2, 3}) {
    for (const uint16_t method : {0, 1}) {
      INFO(version << " " << method);
      const std::string payload = method == 0 ? zlib_of(plain) : zstd_of(plain);
      const std::string one = make_ccob(version, method, payload, plain.size());
      const auto codes = bundled_codes(one + gap + one + plain);
      REQUIRE(codes);
      REQUIRE(codes->size() == 6);
      CHECK(codes->at(2) == DeviceCode{CodeKind::code_object,
                                       "gfx90a:sramecc+:xnack-",
                                       method == 0 ? CodeCompression::zlib : CodeCompression::zstd,
                                       0,
                                       5000,
                                       {},
                                       1});
      CHECK(codes->at(4).compression == CodeCompression::none);
    }
  }
}

TEST_CASE("only the beginning of a large zstd bundle is read") {
  const std::string plain = make_bundle({{kTriple + "gfx1100", std::string(9000000, 'z')}});
  const auto codes = bundled_codes(make_ccob(3, 1, zstd_of(plain), plain.size()));
  REQUIRE(codes);
  CHECK(codes->at(0).size == 9000000);
}

/// A bundle of a table and nothing else; `rows` are (id, how often).
std::string table_of(uint64_t rows, const std::string& id) {
  std::string table = "__CLANG_OFFLOAD_BUNDLE__";
  append_le<uint64_t>(table, rows);
  for (uint64_t i = 0; i < rows; ++i) {
    append_le<uint64_t>(table, 0);
    append_le<uint64_t>(table, 0);
    append_le<uint64_t>(table, id.size());
    table += id;
  }
  return table;
}

std::string refusal_of(const std::string& bytes) {
  const auto codes = bundled_codes(bytes);
  REQUIRE_FALSE(codes);
  return codes.error().message;
}

TEST_CASE("what is over a limit is refused, and the limit is named") {
  std::string many;
  for (int i = 0; i < 10; ++i) many += table_of(20'000, "host-");
  CHECK(refusal_of(many) ==
        "the ELF file has more than 200000 pieces of GPU code, the limit for an ELF file");
  CHECK(refusal_of(table_of(1, std::string(1001, 'x'))) ==
        "an id in the HIP bundle is larger than the limit of 1.0 KB for the name of a GPU target");
  CHECK(
      refusal_of(table_of(50'000, "gfx1100")) ==
      "the table of a HIP bundle is larger than the limit of 1.0 MB for the table of a HIP bundle");
}

TEST_CASE("a table longer than the first bytes is read whole, compressed or not") {
  const std::string plain = table_of(1000, kTriple + "gfx1100");
  CHECK(bundled_codes(plain + plain)->size() == 2000);
  CHECK(bundled_codes(make_ccob(3, 0, zlib_of(plain), plain.size()))->size() == 1000);
  CHECK(bundled_codes(make_ccob(3, 1, zstd_of(plain), plain.size()))->size() == 1000);
}

TEST_CASE("of a zlib bundle that unpacks to a gigabyte only the beginning is unpacked") {
  const std::string plain = make_bundle({{kTriple + "gfx1100", std::string(100'000'000, '\0')}});
  // The declared size is ten times that, which only the end of the data would disprove.
  std::string code = plain.substr(0, 4096);
  const uint64_t size = 10 * plain.size();
  std::string length;
  append_le<uint64_t>(length, size - 4096);
  code.replace(40, 8, length);
  const auto codes =
      bundled_codes(make_ccob(3, 0, zlib_of(code + plain) + std::string(900'000, 'x'), size));
  REQUIRE(codes);
  CHECK(codes->at(0).size == size - 4096);
}

TEST_CASE("bundles with wrong headers are rejected") {
  check_bundle_refused("junk");
  check_bundle_refused("__CLANG_OFFLOAD_BUNDLE__");
  check_bundle_refused("__CLANG_OFFLOAD_BUNDLE__" + std::string(8, '\xff'));
  for (const size_t length : {size_t{30}, size_t{60}, size_t{100}, size_t{5000}}) {
    check_bundle_refused(two_targets().substr(0, length));
  }
  for (const size_t at : {size_t{32}, size_t{40}, size_t{48}}) {
    std::string bad = two_targets();
    bad.replace(at + 6, 2, "\xff\xff");
    check_bundle_refused(bad);
  }
}

TEST_CASE("compressed bundles with wrong headers are rejected before they are decompressed") {
  const std::string plain = two_targets();
  const std::string zlib = zlib_of(plain);
  const std::string zstd = zstd_of(plain);
  check_bundle_refused("CCOB");
  check_bundle_refused(make_ccob(4, 1, zstd, plain.size()));
  check_bundle_refused(make_ccob(2, 7, zstd, plain.size()));
  check_bundle_refused(make_ccob(3, 1, zstd, plain.size()).substr(0, 60));
  for (const uint64_t size : {uint64_t{0}, uint64_t{10}, uint64_t{1} << 40U, UINT64_MAX}) {
    INFO(size);
    check_bundle_refused(make_ccob(3, 0, zlib, size));
    check_bundle_refused(make_ccob(3, 1, zstd, size));
  }
  check_bundle_refused(make_ccob(3, 0, zstd, plain.size()));
  check_bundle_refused(make_ccob(3, 1, zlib, plain.size()));
  check_bundle_refused(make_ccob(1, 1, "", 0));
  // A code object that lies beyond what the bundle unpacks to.
  const std::string far = two_targets().substr(0, 5000);
  check_bundle_refused(make_ccob(3, 1, zstd_of(far), far.size()));
}

}  // namespace
}  // namespace pinwheel::binary
