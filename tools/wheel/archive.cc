#include "wheel/archive.h"

#include <set>

#include "base/text.h"

namespace pinwheel::wheel {
namespace {

constexpr std::string_view kSuffix = ".dist-info";

Result<std::string> find_dist_info(const std::vector<ZipMember>& members) {
  std::set<std::string> found;
  for (const ZipMember& member : members) {
    const size_t slash = member.name.find('/');
    if (slash == std::string::npos) continue;
    const std::string top = member.name.substr(0, slash);
    if (top.size() > kSuffix.size() && top.ends_with(kSuffix)) found.insert(top);
  }
  if (found.empty()) {
    return fail(ErrorKind::check, "the wheel has no `*.dist-info` directory",
                "is the file a wheel?");
  }
  if (found.size() > 1) {
    return fail(ErrorKind::check, "the wheel has several `*.dist-info` directories: " +
                                      quoted_list({found.begin(), found.end()}));
  }
  return *found.begin();
}

}  // namespace

Result<std::string> WheelArchive::read_info(const std::string& name) const {
  const ZipMember* member = zip.find(info_path(name));
  if (member == nullptr) {
    return fail(ErrorKind::check, "the wheel has no " + quoted(info_path(name)));
  }
  TRY_DONE(check_size(quoted(member->name), member->size, info_limit(name)));
  return zip.read(*member);
}

const ByteLimit& info_limit(std::string_view name) {
  if (last_part(name) == "variant.json") return limits::kVariantMetadata;
  return last_part(name) == "RECORD" ? limits::kRecord : limits::kMetadata;
}

Result<WheelArchive> open_wheel(std::string file_name, const ports::ByteSource& source) {
  TRY(ZipReader zip, ZipReader::open(source));
  std::set<std::string_view> names;
  for (const ZipMember& member : zip.members()) {
    if (!names.insert(member.name).second) {
      return fail(ErrorKind::check, "the archive contains " + quoted(member.name) + " twice");
    }
  }
  TRY(std::string dist_info, find_dist_info(zip.members()));
  return WheelArchive{std::move(file_name), std::move(zip), std::move(dist_info)};
}

}  // namespace pinwheel::wheel
