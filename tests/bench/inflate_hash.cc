#include <fmt/format.h>
#include <libdeflate.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <string>
#include <thread>
#include <vector>

#include "base/digest.h"
#include "host/system/file_source.h"
#include "wheel/zip_format.h"
#include "wheel/zip_reader.h"

// The least that any inspection of a wheel must do, by the fastest libraries: inflate each member
// with libdeflate into memory that holds it, and hash it with SHA-256. Nothing is compared.
//   inflate_hash WHEEL [THREADS]
namespace {

using namespace pinwheel;

uint64_t work(const wheel::ZipReader& zip, const std::vector<const wheel::ZipMember*>& members,
              std::atomic<size_t>& next) {
  libdeflate_decompressor* const decompressor = libdeflate_alloc_decompressor();
  std::vector<char> contents;
  uint64_t total = 0;
  for (size_t i = next++; i < members.size(); i = next++) {
    const wheel::ZipMember& member = *members[i];
    const auto start = zip.data_offset(member);
    if (!start) std::exit(1);
    const auto data = zip.source().read(*start, member.compressed_size);
    if (!data) std::exit(1);
    std::string_view bytes = *data;
    if (member.method == wheel::zip::kDeflated) {
      if (contents.size() < member.size) contents.resize(member.size);
      if (libdeflate_deflate_decompress(decompressor, data->data(), data->size(), contents.data(),
                                        member.size, nullptr) != LIBDEFLATE_SUCCESS) {
        std::exit(1);
      }
      bytes = {contents.data(), member.size};
    }
    Sha256 hash;
    hash.update(bytes);
    hash.finish();
    total += bytes.size();
  }
  libdeflate_free_decompressor(decompressor);
  return total;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) return 2;
  const auto source = host::FileSource::open(argv[1]);
  if (!source) return 1;
  const auto zip = wheel::ZipReader::open(**source);
  if (!zip) return 1;
  std::vector<const wheel::ZipMember*> members;
  for (const wheel::ZipMember& member : zip->members()) members.push_back(&member);
  std::stable_sort(members.begin(), members.end(),
                   [](const auto* left, const auto* right) { return left->size > right->size; });
  const unsigned threads = argc > 2 ? static_cast<unsigned>(std::atoi(argv[2]))
                                    : std::max(1U, std::thread::hardware_concurrency());
  std::atomic<size_t> next = 0;
  std::atomic<uint64_t> total = 0;
  std::vector<std::thread> pool;
  for (unsigned i = 0; i < threads; ++i) {
    pool.emplace_back([&] { total += work(*zip, members, next); });
  }
  for (std::thread& thread : pool) thread.join();
  fmt::print("{}\n", total.load());
  return 0;
}
