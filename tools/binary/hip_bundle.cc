#include "binary/hip_bundle.h"

#include <algorithm>
#include <optional>
#include <string_view>

#include "base/bytes.h"
#include "base/limits.h"
#include "binary/compressed_bundle.h"

namespace pinwheel::binary {
namespace {

constexpr std::string_view kBundleMagic = "__CLANG_OFFLOAD_BUNDLE__";
/// Enough for the table of nearly every bundle.
constexpr uint64_t kUsualTable = 4096;

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
  uint64_t entries = 0;
  uint64_t length = 0;
};

/// Reads a bundle's table from its first bytes; the bundle has at most `size` bytes. Nothing when
/// the table does not end in them.
Result<std::optional<Bundle>> read_table(std::string_view head, uint64_t size) {
  ByteCursor cursor(head);
  if (cursor.text(kBundleMagic.size()) != kBundleMagic)
    return broken_bundle("its magic is missing");
  const uint64_t count = cursor.u64();
  Bundle bundle;
  for (; bundle.entries < count && cursor.ok(); ++bundle.entries) {
    const uint64_t offset = cursor.u64();
    const uint64_t length = cursor.u64();
    const uint64_t id_length = cursor.u64();
    if (cursor.ok()) TRY_DONE(check_size("an id in the HIP bundle", id_length, limits::kGpuTarget));
    const std::string_view id = cursor.text(id_length);
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
  if (!cursor.ok()) return std::nullopt;
  bundle.length = std::max(bundle.length, cursor.offset());
  return bundle;
}

/// Reads the table of a bundle of at most `size` bytes, whose first bytes `head` returns.
template <class Head>
Result<Bundle> read_table_of(uint64_t size, const Head& head) {
  for (const uint64_t length : {kUsualTable, limits::kBundleTable.most}) {
    TRY(const std::string bytes, head(std::min(size, length)));
    TRY(std::optional<Bundle> bundle, read_table(bytes, size));
    if (bundle) return *std::move(bundle);
    if (length >= size) return broken_bundle("its table is truncated");
  }
  return fail(too_large("the table of a HIP bundle", limits::kBundleTable));
}

/// Where the next bundle begins, at or after `at`: one of version 1 does not say where it ends. The
/// beginning of a bundle has eight bytes with few values, so that one by chance is rare.
Result<uint64_t> next_bundle(Window& section, uint64_t at) {
  constexpr uint64_t kStep = 32768;
  constexpr uint64_t kLongestHeader = 32;
  while (at < section.size()) {
    const uint64_t left = section.size() - at;
    TRY(const std::string_view bytes, section.at(at, std::min(kStep + kLongestHeader, left)));
    size_t found = bytes.find(kBundleMagic);
    for (size_t packed = bytes.find(kCompressedMagic); packed < found;
         packed = bytes.find(kCompressedMagic, packed + 1)) {
      if (has_known_form(bytes.substr(packed))) found = packed;
    }
    if (found != std::string_view::npos) return at + found;
    at += std::min(kStep, left);
  }
  return section.size();
}

struct Place {
  uint64_t at = 0;  ///< offset in the section
  uint64_t left = 0;
};

/// A bundle that is not compressed.
Result<Bundle> read_plain(Window& section, const Place& place) {
  TRY(Bundle bundle, read_table_of(place.left, [&](uint64_t length) -> Result<std::string> {
        TRY(const std::string_view bytes, section.at(place.at, length));
        return std::string(bytes);
      }));
  for (DeviceCode& code : bundle.codes) code.offset += section.start() + place.at;
  return bundle;
}

Result<Bundle> read_packed(Window& section, const Place& place, std::string_view head) {
  TRY(CompressedBundle packed, read_compressed_bundle(head, place.left));
  if (!packed.has_length) {
    TRY(const uint64_t end, next_bundle(section, place.at + packed.payload_at));
    packed.length = end - place.at;
  }
  Window payload = section.part(place.at + packed.payload_at, packed.length - packed.payload_at);
  TRY_DONE(check_declared_size(packed, payload));
  TRY(Bundle bundle, read_table_of(packed.size, [&](uint64_t length) {
        return unpack_head(packed, payload, length);
      }));
  for (DeviceCode& code : bundle.codes) {
    code.compression = packed.compression;
    code.stored_size = 0;
    code.offset = 0;
  }
  bundle.length = packed.length;
  return bundle;
}

/// Adds the code of one bundle; returns its length.
Result<uint64_t> read_bundle(Window& section, const Place& place, CodeList& out) {
  TRY(const std::string_view head, section.at(place.at, std::min(place.left, kUsualTable)));
  TRY(Bundle bundle, is_compressed_bundle(head) ? read_packed(section, place, std::string(head))
                                                : read_plain(section, place));
  TRY_DONE(out.count());
  for (uint64_t i = 0; i < bundle.entries; ++i) TRY_DONE(out.count());
  const uint32_t unit = out.next_unit();
  for (DeviceCode& code : bundle.codes) {
    code.unit = unit;
    out.add(std::move(code));
  }
  return bundle.length;
}

}  // namespace

Done read_hip_bundles(Window& section, CodeList& out) {
  TRY(uint64_t at, section.skip_zeros(0));
  while (at < section.size()) {
    TRY(const uint64_t length, read_bundle(section, {at, section.size() - at}, out));
    TRY(at, section.skip_zeros(at + length));
  }
  return {};
}

}  // namespace pinwheel::binary
