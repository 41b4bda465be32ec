#include <algorithm>
#include <charconv>
#include <map>
#include <optional>
#include <utility>

#include "base/limits.h"
#include "base/parse_integer.h"
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
    extended.size = parse_unsigned(value);
    if (!extended.size) {
      return broken_tar("a pax header has the size " + quoted(value.substr(0, 40)));
    }
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

/// Takes bytes from a stream in pieces of any length.
class TarInput {
 public:
  explicit TarInput(ByteStream& stream) : stream_(stream) {}

  /// Exactly `length` bytes, or fewer at the end, valid until the next call.
  Result<std::string_view> take(uint64_t length) {
    TRY_DONE(fill());
    if (chunk_.size() >= length) return take_some(length);
    joined_ = chunk_;
    while (joined_.size() < length) {
      TRY(chunk_, stream_.next());
      if (chunk_.empty()) break;
      const uint64_t wanted = length - joined_.size();
      joined_ += take_some(wanted);
    }
    return std::string_view(joined_);
  }

  /// As many bytes as there are at hand, at most `length`; empty at the end.
  Result<std::string_view> take_some_of(uint64_t length) {
    TRY_DONE(fill());
    return take_some(length);
  }

 private:
  Done fill() {
    if (!chunk_.empty()) return {};
    TRY(chunk_, stream_.next());
    return {};
  }
  std::string_view take_some(uint64_t length) {
    const std::string_view piece = chunk_.substr(0, length);
    chunk_.remove_prefix(piece.size());
    return piece;
  }

  ByteStream& stream_;
  std::string_view chunk_;
  std::string joined_;
};

class TarReader {
 public:
  TarReader(ByteStream& tar, TarVisitor& visitor) : input_(tar), visitor_(visitor) {}

  Done read() {
    while (true) {
      TRY(const std::string_view block, input_.take(tar::kBlock));
      if (block.size() < tar::kBlock) return broken_tar("it ends without an end mark");
      if (block.find_first_not_of('\0') == std::string_view::npos) break;
      const std::string header(block);
      TRY_DONE(read_entry(header));
    }
    TRY_DONE(check_rest());
    if (pending_) return broken_tar("it ends after an extended header");
    return check_places();
  }

 private:
  /// The remembered facts of a member.
  struct Place {
    TarKind kind = TarKind::file;
    uint32_t mode = 0;
  };

  Done check_rest() {
    while (true) {
      TRY(const std::string_view piece, input_.take_some_of(UINT64_MAX));
      if (piece.empty()) return {};
      if (piece.find_first_not_of('\0') != std::string_view::npos) {
        return broken_tar("it has data after its end");
      }
    }
  }

  Done read_entry(std::string_view header) {
    if (octal_field(header, tar::kSum) != tar::sum_of(header)) {
      return broken_tar("a header checksum is wrong");
    }
    const char type = header[tar::kType];
    const bool is_member = type != tar::kPax && type != tar::kPaxGlobal &&
                           type != tar::kGnuLongName && type != tar::kGnuLongTarget;
    std::optional<uint64_t> size = octal_field(header, tar::kSize);
    if (is_member && extended_.size) size = extended_.size;
    if (!size) return broken_tar("a member is longer than the archive");
    if (is_member) return add_member(header, type, *size);
    return add_extended(type, *size);
  }

  Done add_extended(char type, uint64_t size) {
    TRY_DONE(check_size("a header of the tar archive", size, limits::kTarHeader));
    TRY(const std::string_view taken, input_.take(size));
    if (taken.size() < size) return broken_tar("a member is longer than the archive");
    const std::string contents(taken);
    TRY_DONE(skip_padding(size));
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

  enum class Contents { visited, skipped };
  Done pass(uint64_t size, Contents what) {
    for (uint64_t left = size; left > 0;) {
      TRY(const std::string_view piece, input_.take_some_of(left));
      if (piece.empty()) return broken_tar("a member is longer than the archive");
      left -= piece.size();
      if (what == Contents::visited) TRY_DONE(visitor_.contents(piece));
    }
    return skip_padding(size);
  }

  Done skip_padding(uint64_t size) {
    const uint64_t padding = (tar::kBlock - size % tar::kBlock) % tar::kBlock;
    TRY(const std::string_view taken, input_.take(padding));
    if (taken.size() < padding) return broken_tar("a member is longer than the archive");
    return {};
  }

  Done add_member(std::string_view header, char type, uint64_t size) {
    TarMember member{path_of(header, extended_), TarKind::file};
    member.target = extended_.target.value_or(std::string(text_field(header, tar::kTarget)));
    member.mode = static_cast<uint32_t>(octal_field(header, tar::kMode).value_or(0) & 0777U);
    extended_ = {};
    pending_ = false;
    if (places_.size() == limits::kMembers.most) {
      return fail(too_many("the tar archive", limits::kMembers));
    }
    if (member.name.size() > kMaxPath || !is_safe_member_name(member.name)) {
      return fail(ErrorKind::check,
                  "the tar archive contains the unsafe name " + quoted(member.name.substr(0, 200)));
    }
    const bool slash = member.name.back() == '/';
    if (slash) member.name.pop_back();
    const char kind = type == tar::kOldFile && slash ? tar::kDirectory : type;
    TRY_DONE(set_kind(member, kind, size));
    if (slash && member.kind != TarKind::directory) {
      return broken_tar(quoted(member.name) + " is not a directory but its name ends in a slash");
    }
    if (!places_.emplace(member.name, Place{member.kind, member.mode}).second) {
      return fail(ErrorKind::check, "the tar archive contains " + quoted(member.name) + " twice");
    }
    if (kind != tar::kHardLink) {
      TRY_DONE(visitor_.member(member, size));
      return pass(size, Contents::visited);
    }
    const std::string first = std::exchange(member.target, std::string());
    TRY_DONE(visitor_.same(member, first));
    return pass(size, Contents::skipped);
  }

  Done set_kind(TarMember& member, char type, uint64_t size) const {
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
        if (size != 0) return broken_tar(quoted(member.name) + " has contents");
        if (type == tar::kDirectory) member.target.clear();
        return {};
      default:
        return fail(ErrorKind::check,
                    quoted(member.name) + " in the tar archive is not a file, directory or link");
    }
  }

  Done resolve_hard_link(TarMember& member) const {
    const auto place = places_.find(member.target);
    if (place == places_.end() || place->second.kind != TarKind::file) {
      return fail(ErrorKind::check, quoted(member.name) + " is a hard link to " +
                                        quoted(member.target.substr(0, 200)) +
                                        ", which is not an earlier file in the tar archive");
    }
    member.mode = place->second.mode;
    return {};
  }

  // Extracting below a file fails; below a link it would write elsewhere.
  Done check_places() const {
    for (const auto& [name, place] : places_) {
      if (place.kind == TarKind::directory) continue;
      const std::string below = name + "/";
      const auto next = places_.lower_bound(below);
      if (next != places_.end() && next->first.starts_with(below)) {
        return fail(ErrorKind::check, "the tar archive contains " + quoted(next->first) +
                                          " below " + quoted(name) + ", which is not a directory");
      }
    }
    return {};
  }

  TarInput input_;
  TarVisitor& visitor_;
  Extended extended_;
  bool pending_ = false;
  std::map<std::string, Place> places_;
};

/// Keeps views of all members; the whole archive is one piece.
class TarCollector final : public TarVisitor {
 public:
  Done member(const TarMember& member, uint64_t /*size*/) override {
    places_.emplace(member.name, members.size());
    members.push_back(member);
    return {};
  }
  Done contents(std::string_view piece) override {
    members.back().contents = piece;
    return {};
  }
  Done same(const TarMember& member, const std::string& first) override {
    const std::string_view contents = members[places_.at(first)].contents;
    TRY_DONE(this->member(member, contents.size()));
    return this->contents(contents);
  }

  std::vector<TarMember> members;

 private:
  std::map<std::string, size_t> places_;
};

}  // namespace

Done visit_tar(ByteStream& tar, TarVisitor& visitor) {
  return TarReader(tar, visitor).read();
}

Result<std::vector<TarMember>> read_tar(std::string_view tar) {
  TextStream stream(tar);
  TarCollector collector;
  TRY_DONE(visit_tar(stream, collector));
  return std::move(collector.members);
}

}  // namespace pinwheel::wheel
