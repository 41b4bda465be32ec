#include <fmt/format.h>
#include <isa-l/igzip_lib.h>
#include <libdeflate.h>

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

#include "host/system/file_source.h"
#include "wheel/zip_format.h"
#include "wheel/zip_reader.h"

// What one thread needs at least for the largest member of a wheel: inflates it, by ISA-L in pieces
// or by libdeflate into memory that holds it, and does nothing with the bytes.
//   inflate_largest isal|libdeflate WHEEL
namespace {

using namespace pinwheel;

constexpr uint64_t kPiece = uint64_t{1} << 20U;

uint64_t inflate_in_pieces(const ports::ByteSource& source, const wheel::ZipMember& member,
                           uint64_t start) {
  const auto state = std::make_unique<inflate_state>();
  isal_inflate_init(state.get());
  std::vector<uint8_t> out(kPiece);
  uint64_t made = 0;
  for (uint64_t at = 0; at < member.compressed_size;) {
    const uint64_t length = std::min(kPiece, member.compressed_size - at);
    auto data = source.read(start + at, length);
    if (!data) std::exit(1);
    at += length;
    state->next_in = reinterpret_cast<uint8_t*>(data->data());
    state->avail_in = static_cast<uint32_t>(length);
    do {
      state->next_out = out.data();
      state->avail_out = static_cast<uint32_t>(out.size());
      if (isal_inflate(state.get()) != ISAL_DECOMP_OK) std::exit(1);
      made += out.size() - state->avail_out;
    } while (state->avail_out == 0);
  }
  return made;
}

uint64_t inflate_whole(const ports::ByteSource& source, const wheel::ZipMember& member,
                       uint64_t start) {
  const auto data = source.read(start, member.compressed_size);
  if (!data) std::exit(1);
  // Uninitialized: clearing a gigabyte takes a while.
  const std::unique_ptr<char[]> contents(new char[member.size]);
  libdeflate_decompressor* const decompressor = libdeflate_alloc_decompressor();
  if (libdeflate_deflate_decompress(decompressor, data->data(), data->size(), contents.get(),
                                    member.size, nullptr) != LIBDEFLATE_SUCCESS) {
    std::exit(1);
  }
  libdeflate_free_decompressor(decompressor);
  return member.size;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  const auto source = host::FileSource::open(argv[2]);
  if (!source) return 1;
  const auto zip = wheel::ZipReader::open(**source);
  if (!zip || zip->members().empty()) return 1;
  const auto& members = zip->members();
  const wheel::ZipMember& largest =
      *std::max_element(members.begin(), members.end(),
                        [](const auto& left, const auto& right) { return left.size < right.size; });
  const auto start = zip->data_offset(largest);
  if (!start || largest.method != wheel::zip::kDeflated) return 1;
  const bool whole = std::string(argv[1]) == "libdeflate";
  const uint64_t made = whole ? inflate_whole(zip->source(), largest, *start)
                              : inflate_in_pieces(zip->source(), largest, *start);
  if (made != largest.size) return 1;
  fmt::print("{} {}\n", largest.name, made);
  return 0;
}
