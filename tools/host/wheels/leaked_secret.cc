#include "host/wheels/leaked_secret.h"

#include <fmt/format.h>

#include <memory>
#include <optional>
#include <string_view>

#include "base/hidden_text.h"
#include "base/text.h"
#include "host/system/file_source.h"
#include "wheel/archive.h"
#include "wheel/member_stream.h"
#include "wheel/sdist_files.h"

namespace pinwheel::host {
namespace {

namespace fs = std::filesystem;

HiddenText hidden_values(const std::vector<std::string>& names,
                         const std::map<std::string, Secret>& values) {
  HiddenText hidden;
  for (const std::string& name : names) {
    const auto found = values.find(name);
    if (found != values.end()) hidden.add(found->second, name);
  }
  return hidden;
}

/// Fails if the stream contained a secret; `where` itself may be part of it.
Done check_found(const HidingStream& stream, const HiddenText& hidden, const fs::path& file,
                 const std::string& where) {
  if (stream.found().empty()) return {};
  return fail(
      ErrorKind::check,
      fmt::format("{} of {} contains the secret {}", quoted(hidden.mask(where)),
                  quoted(hidden.mask(file.filename().string())), quoted(*stream.found().begin())),
      "change the build so that it does not package the value; the file was discarded");
}

/// Names come first: a secret may be split between them and nothing else.
Done check_text(std::string_view text, const HiddenText& hidden, const fs::path& file,
                const std::string& where) {
  HidingStream stream(hidden);
  stream.pass(text);
  stream.end();
  return check_found(stream, hidden, file, where);
}

Done check_member(const wheel::WheelArchive& archive, const wheel::ZipMember& member,
                  const HiddenText& hidden, const fs::path& file) {
  TRY_DONE(check_text(member.name, hidden, file, member.name));
  if (member.name.ends_with('/')) return {};
  HidingStream stream(hidden);
  TRY(wheel::MemberStream contents, wheel::MemberStream::open(archive.zip, member));
  for (;;) {
    TRY(const std::string_view piece, contents.next());
    if (piece.empty()) break;
    stream.pass(piece);
    TRY_DONE(check_found(stream, hidden, file, member.name));
  }
  stream.end();
  return check_found(stream, hidden, file, member.name);
}

/// Searches the files of an sdist while they are read.
class LeakVisitor final : public wheel::SdistVisitor {
 public:
  LeakVisitor(const HiddenText& hidden, const fs::path& sdist) : hidden_(hidden), sdist_(sdist) {}

  Done file(const wheel::SdistFile& file) override {
    TRY_DONE(end());
    name_ = file.name;
    stream_.emplace(hidden_);
    TRY_DONE(check_text(file.target, hidden_, sdist_, name_));
    return check_text(name_, hidden_, sdist_, name_);
  }
  Done contents(std::string_view piece) override {
    stream_->pass(piece);
    return check_found(*stream_, hidden_, sdist_, name_);
  }
  Done same(const wheel::SdistFile& file, const std::string& /*first*/) override {
    return check_text(file.name, hidden_, sdist_, file.name);
  }
  /// The last file has ended.
  Done end() {
    if (!stream_) return {};
    stream_->end();
    return check_found(*stream_, hidden_, sdist_, name_);
  }

 private:
  const HiddenText& hidden_;
  const fs::path& sdist_;
  std::string name_;
  std::optional<HidingStream> stream_;
};

}  // namespace

Done check_wheel_for_secrets(const fs::path& wheel, const std::vector<std::string>& names,
                             const std::map<std::string, Secret>& values) {
  const HiddenText hidden = hidden_values(names, values);
  if (hidden.empty()) return {};
  const std::string file_name = wheel.filename().string();
  TRY_DONE(check_text(file_name, hidden, wheel, "the name"));
  TRY(const std::unique_ptr<FileSource> source, FileSource::open(wheel));
  TRY(const wheel::WheelArchive archive, wheel::open_wheel(file_name, *source));
  for (const wheel::ZipMember& member : archive.zip.members()) {
    TRY_DONE(check_member(archive, member, hidden, wheel));
  }
  return {};
}

Done check_sdist_for_secrets(const fs::path& sdist, const std::vector<std::string>& names,
                             const std::map<std::string, Secret>& values) {
  const HiddenText hidden = hidden_values(names, values);
  if (hidden.empty()) return {};
  const std::string file_name = sdist.filename().string();
  TRY_DONE(check_text(file_name, hidden, sdist, "the name"));
  TRY(const std::unique_ptr<FileSource> source, FileSource::open(sdist));
  LeakVisitor visitor(hidden, sdist);
  TRY_DONE(wheel::visit_sdist(file_name, *source, visitor));
  return visitor.end();
}

}  // namespace pinwheel::host
