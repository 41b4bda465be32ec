#include "binary/hip_bundle.h"

#include <algorithm>
#include <iterator>
#include <string_view>

#include "base/bytes.h"
#include "binary/compressed_bundle.h"

namespace pinwheel::binary {
namespace {

constexpr std::string_view kBundleMagic = "__CLANG_OFFLOAD_BUNDLE__";
constexpr uint64_t kMaxHeader = uint64_t{1} << 20U;  // far more targets than there are GPUs

tl::unexpected<Error> broken_bundle(const std::string& why) {
  return fail(ErrorKind::check, "the HIP offload bundle is corrupt: " + why);
}

// "hipv4-amdgcn-amd-amdhsa--gfx90a:xnack+": kind, triple with a possibly empty environment, target.
// Generic target names contain hyphens.
std::string target_of(std::string_view id) {
  const size_t gfx = id.find("-gfx");
  if (gfx != std::string_view::npos) return std::string(id.substr(gfx + 1));
  const size_t empty = id.find("--");
  return std::string(empty == std::string_view::npos ? id : id.substr(empty + 2));
}

struct Bundle {
  std::vector<DeviceCode> codes;
  uint64_t length = 0;
};

/// Reads a bundle's table from its first bytes; the bundle has at most `size` bytes.
Result<Bundle> read_table(std::string_view head, uint64_t size) {
  ByteCursor cursor(head);
  if (cursor.text(kBundleMagic.size()) != kBundleMagic)
    return broken_bundle("its magic is missing");
  const uint64_t count = cursor.u64();
  Bundle bundle;
  for (uint64_t i = 0; i < count && cursor.ok(); ++i) {
    const uint64_t offset = cursor.u64();
    const uint64_t length = cursor.u64();
    const std::string_view id = cursor.text(cursor.u64());
    if (!cursor.ok()) break;
    if (offset > size || length > size - offset)
      return broken_bundle("a code object lies outside it");
    bundle.length = std::max(bundle.length, offset + length);
    if (id.starts_with("host-")) continue;
    bundle.codes.push_back({CodeKind::code_object,
                            target_of(id),
                            CodeCompression::none,
                            length,
                            length,
                            {},
                            0,
                            offset});
  }
  if (!cursor.ok()) return broken_bundle("its table is truncated");
  bundle.length = std::max(bundle.length, cursor.offset());
  return bundle;
}

/// Adds the code of one bundle; returns its length.
Result<uint64_t> read_bundle(Window& section, uint64_t at, std::vector<DeviceCode>& out) {
  const uint32_t unit = out.empty() ? 0 : out.back().unit + 1;
  const uint64_t left = section.size() - at;
  TRY(const std::string_view head, section.at(at, std::min(left, kMaxHeader)));
  if (!is_compressed_bundle(head)) {
    TRY(Bundle bundle, read_table(head, left));
    for (DeviceCode& code : bundle.codes) {
      code.unit = unit;
      code.offset += section.start() + at;
    }
    std::move(bundle.codes.begin(), bundle.codes.end(), std::back_inserter(out));
    return bundle.length;
  }
  TRY(const CompressedBundle packed, read_compressed_bundle(head, left));
  TRY(const std::string_view payload,
      section.at(at + packed.payload_at, packed.length - packed.payload_at));
  TRY(const UnpackedBundle unpacked, unpack_head(packed, payload, kMaxHeader));
  TRY(Bundle bundle, read_table(unpacked.head, packed.size));
  for (DeviceCode& code : bundle.codes) {
    code.compression = packed.compression;
    code.stored_size = 0;
    code.unit = unit;
    code.offset = 0;
    out.push_back(std::move(code));
  }
  return packed.payload_at + unpacked.used;
}

}  // namespace

Done read_hip_bundles(Window& section, std::vector<DeviceCode>& out) {
  TRY(uint64_t at, section.skip_zeros(0));
  while (at < section.size()) {
    TRY(const uint64_t length, read_bundle(section, at, out));
    TRY(at, section.skip_zeros(at + length));
  }
  return {};
}

}  // namespace pinwheel::binary
