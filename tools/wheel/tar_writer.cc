#include <algorithm>

#include "wheel/tar.h"
#include "wheel/tar_format.h"

namespace pinwheel::wheel {
namespace {

constexpr int64_t kLastTime = 077777777777;  // eleven octal digits
constexpr std::string_view kPaxName = "././@PaxHeader";

std::string octal(uint64_t value, uint64_t digits) {
  std::string out(digits, '0');
  for (uint64_t i = digits; i > 0 && value != 0; --i, value /= 8) {
    out[i - 1] = static_cast<char>('0' + value % 8);
  }
  return out;
}

void put_text(std::string& header, tar::Field field, std::string_view text) {
  const std::string_view part = text.substr(0, field.length);
  header.replace(field.offset, part.size(), part);
}

void put_number(std::string& header, tar::Field field, uint64_t value) {
  put_text(header, field, octal(value, field.length - 1));
}

struct Path {
  std::string_view prefix;
  std::string_view name;
  bool fits = false;
};

// ustar has 155 bytes for the directories and 100 for the rest; takes the shortest sufficient
// prefix.
Path split_path(std::string_view path) {
  if (path.size() <= tar::kName.length) return {{}, path, true};
  for (size_t slash = path.find('/');
       slash != std::string_view::npos && slash <= tar::kPrefix.length;
       slash = path.find('/', slash + 1)) {
    const std::string_view name = path.substr(slash + 1);
    if (slash > 0 && !name.empty() && name.size() <= tar::kName.length) {
      return {path.substr(0, slash), name, true};
    }
  }
  return {{}, path, false};
}

bool is_ascii(std::string_view text) {
  return std::all_of(text.begin(), text.end(),
                     [](char c) { return static_cast<unsigned char>(c) < 0x80U; });
}

// The length includes its own digits, so it is a fixed point.
std::string pax_record(std::string_view key, std::string_view value) {
  const size_t rest = key.size() + value.size() + 3;
  size_t length = rest;
  while (length != rest + std::to_string(length).size()) {
    length = rest + std::to_string(length).size();
  }
  return std::to_string(length) + " " + std::string(key) + "=" + std::string(value) + "\n";
}

struct HeaderFields {
  Path path;
  std::string_view target;
  char type = tar::kFile;
  uint32_t mode = 0644;
  uint64_t size = 0;
};

std::string header_block(const HeaderFields& fields, uint64_t time) {
  std::string header(tar::kBlock, '\0');
  put_text(header, tar::kName, fields.path.name);
  put_text(header, tar::kPrefix, fields.path.prefix);
  put_text(header, tar::kTarget, fields.target);
  put_text(header, tar::kMagic, tar::kUstar);
  header[tar::kType] = fields.type;
  put_number(header, tar::kMode, fields.mode);
  put_number(header, tar::kSize, fields.size);
  put_number(header, tar::kTime, time);
  for (const tar::Field field : {tar::kUid, tar::kGid, tar::kDeviceMajor, tar::kDeviceMinor}) {
    put_number(header, field, 0);
  }
  put_text(header, tar::kSum, octal(tar::sum_of(header), 6) + std::string("\0 ", 2));
  return header;
}

void append_padded(std::string& out, std::string_view contents) {
  out += contents;
  out.resize((out.size() + tar::kBlock - 1) / tar::kBlock * tar::kBlock, '\0');
}

void append_member(std::string& out, const TarMember& member, uint64_t time) {
  const bool directory = member.kind == TarKind::directory;
  const std::string name = directory ? member.name + "/" : member.name;
  const Path path = split_path(name);
  std::string pax;
  if (!path.fits || !is_ascii(name)) pax += pax_record("path", name);
  if (member.target.size() > tar::kTarget.length || !is_ascii(member.target)) {
    pax += pax_record("linkpath", member.target);
  }
  if (!pax.empty()) {
    out += header_block({{{}, kPaxName, true}, {}, tar::kPax, 0644, pax.size()}, time);
    append_padded(out, pax);
  }
  const bool file = member.kind == TarKind::file;
  const uint32_t mode = !file || (member.mode & 0111U) != 0 ? 0755 : 0644;
  const char other = directory ? tar::kDirectory : tar::kSymlink;
  const std::string_view contents = file ? member.contents : std::string_view{};
  out +=
      header_block({path, member.target, file ? tar::kFile : other, mode, contents.size()}, time);
  append_padded(out, contents);
}

}  // namespace

std::string write_tar(std::vector<TarMember> members, int64_t epoch) {
  std::sort(members.begin(), members.end(),
            [](const TarMember& left, const TarMember& right) { return left.name < right.name; });
  const auto time = static_cast<uint64_t>(std::clamp<int64_t>(epoch, 0, kLastTime));
  uint64_t size = 0;
  for (const TarMember& member : members) size += 2 * tar::kBlock + member.contents.size();
  std::string out;
  out.reserve(size + 2 * tar::kBlock);
  for (const TarMember& member : members) append_member(out, member, time);
  out.append(2 * tar::kBlock, '\0');
  return out;
}

}  // namespace pinwheel::wheel
