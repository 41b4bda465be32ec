#include "repair/target.h"

#include <algorithm>

#include "base/text.h"
#include "inspect/policy.h"
#include "pep/tag.h"

namespace pinwheel::repair {
namespace {

constexpr const char* kPlatformHint =
    "use a platform such as `manylinux_2_28_x86_64`, or `auto` for the oldest possible";

/// The text with the wheel's architecture where it has none.
std::string with_architecture(const std::string& text, const std::string& arch) {
  for (const char* const known : {"_x86_64", "_aarch64"}) {
    if (text.ends_with(known)) return text;
  }
  return text + "_" + arch;
}

bool needs_musl(const inspect::ElfMember& library) {
  const std::vector<std::string>& needed = library.elf.needed;
  return std::any_of(needed.begin(), needed.end(), [](const std::string& soname) {
    return soname.starts_with("libc.musl-") || soname == "libc.so";
  });
}

}  // namespace

std::string architecture_of(const inspect::WheelFacts& wheel) {
  if (wheel.libraries.empty()) return "";
  return binary::machine_name(wheel.libraries.front().elf.machine);
}

Result<Target> parse_target(const std::string& text, const inspect::WheelFacts& wheel) {
  if (text.empty() || text == "auto") return Target{};
  const std::string arch = architecture_of(wheel);
  const std::string whole = with_architecture(text, arch.empty() ? "x86_64" : arch);
  const std::optional<pep::LinuxPolicy> policy = pep::parse_linux_policy(whole);
  if (!policy || policy->libc != pep::Libc::glibc || policy->major != 2) {
    return fail(ErrorKind::usage, "unknown platform " + quoted(text), kPlatformHint);
  }
  if (!arch.empty() && policy->arch != arch) {
    return fail(ErrorKind::usage, "the wheel is for " + arch + ", not for " + quoted(text),
                kPlatformHint);
  }
  const std::span<const inspect::Policy> known = inspect::policies(policy->arch);
  if (known.empty() || policy->minor < known.front().minor) {
    return fail(ErrorKind::usage, "there is no policy as old as " + quoted(text), kPlatformHint);
  }
  return Target{policy->minor};
}

bool is_for_musl(const inspect::WheelFacts& wheel) {
  const auto is_musl = [](const std::string& platform) {
    return platform.starts_with("musllinux");
  };
  if (wheel.name &&
      std::any_of(wheel.name->tags.platform.begin(), wheel.name->tags.platform.end(), is_musl)) {
    return true;
  }
  return std::any_of(wheel.libraries.begin(), wheel.libraries.end(), needs_musl);
}

Done check_repairable(const inspect::WheelFacts& wheel) {
  if (!wheel.name) {
    return fail(ErrorKind::check, quoted(wheel.file_name) + " is not the name of a wheel",
                "a wheel's name has the form `NAME-VERSION-PYTHON-ABI-PLATFORM.whl`");
  }
  if (is_for_musl(wheel)) {
    return fail(ErrorKind::check,
                quoted(wheel.file_name) + " is for musl, which `repair` has no policies for",
                "build it in a manylinux image, or repair it with `auditwheel`");
  }
  const std::string arch = architecture_of(wheel);
  if (!arch.empty() && inspect::policies(arch).empty()) {
    return fail(ErrorKind::check,
                quoted(wheel.file_name) + " is for " + arch + ", which has no known policy");
  }
  for (const inspect::Finding& finding : wheel.unreadable) {
    if (finding.rule == "platform-tag" || finding.rule == "archive") {
      return fail(inspect::to_error(finding));
    }
  }
  return {};
}

}  // namespace pinwheel::repair
