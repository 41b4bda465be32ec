#include <algorithm>
#include <charconv>
#include <map>
#include <optional>

#include "base/text.h"
#include "wheel/tar.h"
#include "wheel/tar_format.h"
#include "wheel/zip_reader.h"

namespace pinwheel::wheel {
namespace {

constexpr uint64_t kMaxPath = 4096;  // PATH_MAX: nothing longer could be extracted

tl::unexpected<Error> broken_tar(const std::string& why) {
  return fail(ErrorKind::check, "the tar archive is corrupt: " + why, "build it again");
}

std::string_view raw_field(std::string_view header, tar::Field field) {
  return header.substr(field.offset, field.length);
}

std::string_view until_nul(std::string_view bytes) {
  return bytes.substr(0, std::min(bytes.find('\0'), bytes.size()));
}

std::string_view text_field(std::string_view header, tar::Field field) {
  return until_nul(raw_field(header, field));
}

std::optional<uint64_t> octal_field(std::string_view header, tar::Field field) {
  const std::string_view text = trim(text_field(header, field));
  uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, 8);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

/// The values of extended headers for the next member.
struct Extended {
  std::optional<std::string> path = std::nullopt;
  std::optional<std::string> target = std::nullopt;
  std::optional<uint64_t> size = std::nullopt;
};

Done apply_pax_record(std::string_view key, std::string_view value, Extended& extended) {
  if (key == "path") extended.path = std::string(value);
  if (key == "linkpath") extended.target = std::string(value);
  if (key == "size") {
    uint64_t size = 0;
    const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), size);
    if (error != std::errc() || end != value.data() + value.size()) {
      return broken_tar("a pax header has the size " + quoted(value.substr(0, 40)));
    }
    extended.size = size;
  }
  if (key.starts_with("GNU.sparse.")) {
    return fail(ErrorKind::check, "the tar archive contains a sparse file",
                "archive it without `--sparse`");
  }
  return {};
}

// Records are "<length> <key>=<value>\n"; the length includes its own digits.
Result<Extended> read_pax(std::string_view records, Extended extended) {
  while (!records.empty()) {
    uint64_t length = 0;
    const char* begin = records.data();
    const auto [end, error] = std::from_chars(begin, begin + records.size(), length);
    const auto digits = static_cast<uint64_t>(end - begin);
    if (error != std::errc() || length > records.size() || length < digits + 3 ||
        records[digits] != ' ' || records[length - 1] != '\n') {
      return broken_tar("a pax header is malformed");
    }
    const std::string_view record = records.substr(digits + 1, length - digits - 2);
    const size_t equals = record.find('=');
    if (equals == std::string_view::npos) return broken_tar("a pax header is malformed");
    TRY_DONE(apply_pax_record(record.substr(0, equals), record.substr(equals + 1), extended));
    records.remove_prefix(length);
  }
  return extended;
}

// A global header could rename every member after it; only keys that do not affect members are
// accepted.
Done check_global_pax(std::string_view records) {
  TRY(const Extended extended, read_pax(records, {}));
  if (extended.path || extended.target || extended.size) {
    return broken_tar("a global header sets a path or a size");
  }
  return {};
}

std::string path_of(std::string_view header, const Extended& extended) {
  if (extended.path) return *extended.path;
  const std::string name(text_field(header, tar::kName));
  // The GNU format has "ustar " here and uses the prefix field for other data.
  const bool ustar = raw_field(header, tar::kMagic).starts_with(std::string_view("ustar\0", 6));
  const std::string prefix(ustar ? text_field(header, tar::kPrefix) : std::string_view{});
  return prefix.empty() ? name : prefix + "/" + name;
}

class TarReader {
 public:
  explicit TarReader(std::string_view tar) : tar_(tar) {}

  Result<std::vector<TarMember>> read() {
    while (true) {
      if (tar_.size() - at_ < tar::kBlock) return broken_tar("it ends without an end mark");
      const std::string_view header = tar_.substr(at_, tar::kBlock);
      if (header.find_first_not_of('\0') == std::string_view::npos) break;
      at_ += tar::kBlock;
      TRY_DONE(read_entry(header));
    }
    if (tar_.find_first_not_of('\0', at_) != std::string_view::npos) {
      return broken_tar("it has data after its end");
    }
    if (pending_) return broken_tar("it ends after an extended header");
    TRY_DONE(check_places());
    return std::move(members_);
  }

 private:
  Done read_entry(std::string_view header) {
    if (octal_field(header, tar::kSum) != tar::sum_of(header)) {
      return broken_tar("a header checksum is wrong");
    }
    const char type = header[tar::kType];
    const bool is_member = type != tar::kPax && type != tar::kPaxGlobal &&
                           type != tar::kGnuLongName && type != tar::kGnuLongTarget;
    std::optional<uint64_t> size = octal_field(header, tar::kSize);
    if (is_member && extended_.size) size = extended_.size;
    if (!size || *size > tar_.size() - at_)
      return broken_tar("a member is longer than the archive");
    const std::string_view contents = tar_.substr(at_, *size);
    const uint64_t padded = (*size + tar::kBlock - 1) / tar::kBlock * tar::kBlock;
    if (padded > tar_.size() - at_) return broken_tar("a member is longer than the archive");
    at_ += padded;
    if (is_member) return add_member(header, type, contents);
    if (type == tar::kPaxGlobal) return check_global_pax(contents);
    pending_ = true;
    if (type == tar::kPax) {
      TRY(extended_, read_pax(contents, std::move(extended_)));
    } else {
      (type == tar::kGnuLongName ? extended_.path : extended_.target) =
          std::string(until_nul(contents));
    }
    return {};
  }

  Done add_member(std::string_view header, char type, std::string_view contents) {
    TarMember member{path_of(header, extended_), TarKind::file, contents};
    member.target = extended_.target.value_or(std::string(text_field(header, tar::kTarget)));
    member.mode = static_cast<uint32_t>(octal_field(header, tar::kMode).value_or(0) & 0777U);
    extended_ = {};
    pending_ = false;
    if (member.name.size() > kMaxPath || !is_safe_member_name(member.name)) {
      return fail(ErrorKind::check,
                  "the tar archive contains the unsafe name " + quoted(member.name.substr(0, 200)));
    }
    const bool slash = member.name.back() == '/';
    if (slash) member.name.pop_back();
    TRY_DONE(set_kind(member, type == tar::kOldFile && slash ? tar::kDirectory : type));
    if (slash && member.kind != TarKind::directory) {
      return broken_tar(quoted(member.name) + " is not a directory but its name ends in a slash");
    }
    if (!places_.emplace(member.name, members_.size()).second) {
      return fail(ErrorKind::check, "the tar archive contains " + quoted(member.name) + " twice");
    }
    members_.push_back(std::move(member));
    return {};
  }

  Done set_kind(TarMember& member, char type) const {
    switch (type) {
      case tar::kFile:
      case tar::kOldFile:
      case tar::kContiguous:
        member.target.clear();
        return {};
      case tar::kHardLink:
        return resolve_hard_link(member);
      case tar::kSymlink:
      case tar::kDirectory:
        member.kind = type == tar::kSymlink ? TarKind::symlink : TarKind::directory;
        if (!member.contents.empty()) return broken_tar(quoted(member.name) + " has contents");
        if (type == tar::kDirectory) member.target.clear();
        return {};
      default:
        return fail(ErrorKind::check,
                    quoted(member.name) + " in the tar archive is not a file, directory or link");
    }
  }

  Done resolve_hard_link(TarMember& member) const {
    const auto place = places_.find(member.target);
    if (place == places_.end() || members_[place->second].kind != TarKind::file) {
      return fail(ErrorKind::check, quoted(member.name) + " is a hard link to " +
                                        quoted(member.target.substr(0, 200)) +
                                        ", which is not an earlier file in the tar archive");
    }
    member.contents = members_[place->second].contents;
    member.mode = members_[place->second].mode;
    member.target.clear();
    return {};
  }

  // Extracting below a file fails; below a link it would write elsewhere.
  Done check_places() const {
    for (const auto& [name, index] : places_) {
      if (members_[index].kind == TarKind::directory) continue;
      const std::string below = name + "/";
      const auto next = places_.lower_bound(below);
      if (next != places_.end() && next->first.starts_with(below)) {
        return fail(ErrorKind::check, "the tar archive contains " + quoted(next->first) +
                                          " below " + quoted(name) + ", which is not a directory");
      }
    }
    return {};
  }

  std::string_view tar_;
  uint64_t at_ = 0;
  Extended extended_;
  bool pending_ = false;
  std::vector<TarMember> members_;
  std::map<std::string, size_t> places_;
};

}  // namespace

Result<std::vector<TarMember>> read_tar(std::string_view tar) {
  return TarReader(tar).read();
}

}  // namespace pinwheel::wheel
