#include "exports/table_bytes.h"

#include <zstd.h>

#include <map>
#include <memory>
#include <span>

#include "base/bytes.h"
#include "pep/version.h"

namespace pinwheel::exports {
namespace {

/// Appends a number in LEB128: seven bits per byte, lowest first.
void append_number(std::string& out, uint64_t number) {
  for (; number >= 0x80; number >>= 7U) out.push_back(static_cast<char>((number & 0x7fU) | 0x80U));
  out.push_back(static_cast<char>(number));
}

/// Reads consecutive numbers and strings. After a read past the end, or of a number that overflows
/// 64 bits, `ok()` is false and every read returns zero.
class NumberReader {
 public:
  explicit NumberReader(std::string_view bytes) : bytes_(bytes) {}

  uint64_t number() {
    uint64_t value = 0;
    for (unsigned shift = 0; shift < 64; shift += 7) {
      const std::string_view byte = text(1);
      if (!ok_) return 0;
      const uint64_t bits = static_cast<unsigned char>(byte[0]) & 0x7fU;
      if (shift == 63 && bits > 1) break;
      value |= bits << shift;
      if ((static_cast<unsigned char>(byte[0]) & 0x80U) == 0) return value;
    }
    stop();
    return 0;
  }
  /// The number of items that follow, each at least `least` bytes long; fails when they cannot fit
  /// the remaining bytes.
  uint64_t count(uint64_t least) {
    const uint64_t value = number();
    if (value > left() / least) stop();
    return ok_ ? value : 0;
  }
  std::string_view text(uint64_t length) {
    if (!ok_ || length > bytes_.size()) {
      stop();
      return {};
    }
    const std::string_view part = bytes_.substr(0, length);
    bytes_.remove_prefix(length);
    return part;
  }
  void stop() { ok_ = false; }

  bool ok() const { return ok_; }
  uint64_t left() const { return bytes_.size(); }

 private:
  std::string_view bytes_;
  bool ok_ = true;
};

constexpr std::string_view kMagic = "PWEXPORT";
constexpr uint16_t kVersion = 1;
constexpr int kLevel = 12;
constexpr uint64_t kMostBody = uint64_t{128} << 20U;
constexpr size_t kMostMembers = size_t{32} << 20U;
constexpr unsigned kHashPlanes = 8;
constexpr unsigned kSetPlanes = 4;

tl::unexpected<Error> broken(const std::string& why) {
  return fail(ErrorKind::check, "the table of exports is corrupt: " + why);
}

struct Head {
  std::vector<Build> builds;
  uint64_t check = 0;  ///< hash of their bytes
  uint64_t body_size = 0;
  std::string_view frame;
};

Result<Head> read_head(std::string_view bytes) {
  if (!bytes.starts_with(kMagic)) {
    return fail(ErrorKind::check, "the file is not a table of exports");
  }
  ByteCursor cursor(bytes, kMagic.size());
  const uint16_t version = cursor.u16();
  if (cursor.ok() && version > kVersion) {
    return fail(ErrorKind::config,
                "the table of exports has format " + std::to_string(version) + ", which is too new",
                "update pinwheel");
  }
  const uint16_t count = cursor.u16();
  const uint32_t length = cursor.u32();
  const std::string_view text_of_builds = cursor.text(length);
  ByteCursor builds(text_of_builds);
  Head head;
  head.check = symbol_hash(text_of_builds);
  for (uint16_t i = 0; i < count && builds.ok(); ++i) {
    const std::string_view text = builds.text(builds.u8());
    const std::string_view arch = builds.text(builds.u8());
    if (!pep::parse_version(text)) return broken("a build has no version");
    head.builds.push_back({std::string(text), std::string(arch)});
    const size_t last = head.builds.size() - 1;
    if (i > 0 && !before(head.builds[last - 1], head.builds[last])) {
      return broken("its builds are not sorted");
    }
  }
  if (!builds.ok() || builds.left() != 0) return broken("its builds are truncated");
  head.body_size = cursor.u64();
  const uint64_t packed = cursor.u64();
  head.frame = cursor.text(packed);
  if (!cursor.ok() || cursor.left() != 0) return broken("its length does not match its header");
  return head;
}

Result<std::string> unpack(const Head& head) {
  if (head.body_size > kMostBody) return broken("its declared size is too large");
  if (ZSTD_getFrameContentSize(head.frame.data(), head.frame.size()) != head.body_size) {
    return broken("its body does not have its declared size");
  }
  std::string body(head.body_size, '\0');
  const size_t size =
      ZSTD_decompress(body.data(), body.size(), head.frame.data(), head.frame.size());
  if (ZSTD_isError(size) != 0 || size != body.size()) return broken("its body does not decompress");
  return body;
}

std::string pack(const std::string& body) {
  struct FreeContext {
    void operator()(ZSTD_CCtx* context) const { ZSTD_freeCCtx(context); }
  };
  const std::unique_ptr<ZSTD_CCtx, FreeContext> context(ZSTD_createCCtx());
  ZSTD_CCtx_setParameter(context.get(), ZSTD_c_compressionLevel, kLevel);
  ZSTD_CCtx_setParameter(context.get(), ZSTD_c_checksumFlag, 1);
  std::string out(ZSTD_compressBound(body.size()), '\0');
  out.resize(ZSTD_compress2(context.get(), out.data(), out.size(), body.data(), body.size()));
  return out;
}

/// Numbers strings in the order of their first use.
class Texts {
 public:
  uint64_t number(const std::string& text) {
    const auto [found, added] = numbers_.try_emplace(text, list_.size());
    if (added) list_.push_back(text);
    return found->second;
  }
  const std::vector<std::string>& list() const { return list_; }

 private:
  std::map<std::string, uint64_t> numbers_;
  std::vector<std::string> list_;
};

std::string records_bytes(const std::vector<Record>& records) {
  Texts texts;
  std::string rows;
  append_number(rows, records.size());
  for (const Record& record : records) {
    append_number(rows, record.build);
    append_number(rows, texts.number(record.soname));
    append_number(rows, texts.number(record.python));
    append_number(rows, record.needed.size());
    for (const std::string& soname : record.needed) append_number(rows, texts.number(soname));
  }
  std::string out;
  append_number(out, texts.list().size());
  for (const std::string& text : texts.list()) {
    append_number(out, text.size());
    out += text;
  }
  return out + rows;
}

void append_set(std::string& out, std::span<const uint32_t> members) {
  std::string runs;
  uint64_t count = 0;
  uint64_t next = 0;
  for (size_t i = 0; i < members.size();) {
    size_t end = i + 1;
    while (end < members.size() && members[end] == members[end - 1] + 1) ++end;
    append_number(runs, members[i] - next);
    append_number(runs, end - i - 1);
    next = members[end - 1] + uint64_t{1};
    i = end;
    ++count;
  }
  append_number(out, count);
  out += runs;
}

template <class Number>
void append_planes(std::string& out, const std::vector<Number>& numbers, unsigned planes) {
  for (unsigned plane = 0; plane < planes; ++plane) {
    for (const Number number : numbers) {
      out.push_back(static_cast<char>((number >> (8 * plane)) & 0xffU));
    }
  }
}

template <class Number>
std::vector<Number> read_planes(NumberReader& in, size_t count, unsigned planes) {
  std::vector<Number> numbers(count, 0);
  for (unsigned plane = 0; plane < planes; ++plane) {
    const std::string_view bytes = in.text(count);
    for (size_t i = 0; i < bytes.size(); ++i) {
      numbers[i] |= Number{static_cast<unsigned char>(bytes[i])} << (8 * plane);
    }
  }
  return numbers;
}

/// Reads a body into a table's parts; each step returns whether it succeeded.
class BodyReader {
 public:
  BodyReader(std::string_view body, std::vector<Build> builds) : in_(body) {
    parts_.builds = std::move(builds);
  }

  Result<Parts> run(uint64_t check) {
    if (in_.number() != check) return broken("its builds");
    if (!texts() || !records()) return broken("its libraries");
    if (!sets()) return broken("its sets of libraries");
    if (!symbols() || in_.left() != 0) return broken("its symbols");
    return std::move(parts_);
  }

 private:
  bool texts() {
    const uint64_t count = in_.count(1);
    for (uint64_t i = 0; i < count && in_.ok(); ++i) texts_.emplace_back(in_.text(in_.number()));
    return in_.ok();
  }

  std::string text() {
    const uint64_t index = in_.number();
    if (index >= texts_.size()) return in_.stop(), std::string();
    return texts_[index];
  }

  bool records() {
    const uint64_t count = in_.count(4);
    for (uint64_t i = 0; i < count && in_.ok(); ++i) {
      Record record;
      const uint64_t build = in_.number();
      if (build >= parts_.builds.size()) return false;
      record.build = static_cast<uint32_t>(build);
      record.soname = text();
      record.python = text();
      const uint64_t needed = in_.count(1);
      for (uint64_t k = 0; k < needed && in_.ok(); ++k) record.needed.push_back(text());
      if (i > 0 && !before(parts_.records.back(), record, parts_.builds)) return false;
      parts_.records.push_back(std::move(record));
    }
    return in_.ok();
  }

  bool sets() {
    const uint64_t count = in_.count(1);
    for (uint64_t i = 0; i < count && in_.ok(); ++i) {
      std::vector<uint32_t> members;
      uint64_t next = 0;
      const uint64_t runs = in_.count(2);
      for (uint64_t run = 0; run < runs; ++run) {
        const uint64_t gap = in_.number();
        const uint64_t length = in_.number() + 1;
        const uint64_t records = parts_.records.size();
        if (!in_.ok() || next > records || gap > records - next) return false;
        const uint64_t first = next + gap;
        if (length == 0 || length > records - first) return false;
        next = first + length;
        for (uint64_t k = first; k < next; ++k) members.push_back(static_cast<uint32_t>(k));
      }
      if (parts_.sets.total() + members.size() > kMostMembers) return false;
      parts_.sets.add(members);
    }
    return in_.ok();
  }

  bool symbols() {
    const uint64_t count = in_.count(kHashPlanes + kSetPlanes);
    if (!in_.ok()) return false;
    parts_.hashes = read_planes<uint64_t>(in_, count, kHashPlanes);
    parts_.set_of = read_planes<uint32_t>(in_, count, kSetPlanes);
    if (!in_.ok()) return false;
    for (uint64_t i = 1; i < count; ++i) {
      parts_.hashes[i] += parts_.hashes[i - 1];
      if (parts_.hashes[i] <= parts_.hashes[i - 1]) return false;
    }
    for (const uint32_t set : parts_.set_of) {
      if (set >= parts_.sets.size()) return false;
    }
    return true;
  }

  NumberReader in_;
  std::vector<std::string> texts_;
  Parts parts_;
};

}  // namespace

std::string serialize(const Table& table) {
  const Parts& parts = table.parts();
  std::string builds;
  for (const Build& build : parts.builds) {
    for (const std::string& text : {build.version, build.arch}) {
      builds.push_back(static_cast<char>(text.size()));
      builds += text;
    }
  }
  std::string body;
  append_number(body, symbol_hash(builds));
  body += records_bytes(parts.records);
  append_number(body, parts.sets.size());
  for (uint32_t set = 0; set < parts.sets.size(); ++set) append_set(body, parts.sets[set]);
  std::vector<uint64_t> differences(parts.hashes);
  for (size_t i = differences.size(); i-- > 1;) differences[i] -= differences[i - 1];
  append_number(body, differences.size());
  append_planes(body, differences, kHashPlanes);
  append_planes(body, parts.set_of, kSetPlanes);

  const std::string frame = pack(body);
  std::string out(kMagic);
  append_le<uint16_t>(out, kVersion);
  append_le<uint16_t>(out, static_cast<uint16_t>(parts.builds.size()));
  append_le<uint32_t>(out, static_cast<uint32_t>(builds.size()));
  out += builds;
  append_le<uint64_t>(out, body.size());
  append_le<uint64_t>(out, frame.size());
  return out + frame;
}

Result<Table> parse_table(std::string_view bytes) {
  TRY(Head head, read_head(bytes));
  TRY(const std::string body, unpack(head));
  TRY(Parts parts, BodyReader(body, std::move(head.builds)).run(head.check));
  return Table(std::move(parts));
}

}  // namespace pinwheel::exports
