#include "repair/facts.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "inspect/libc.h"
#include "inspect/musl_policy.h"
#include "inspect/policy.h"

namespace pinwheel::repair {
namespace {

constexpr const char* kPlatformHint =
    "use a platform such as `manylinux_2_28_x86_64`, or `auto` for the oldest possible";

/// The text with the wheel's architecture if it has none.
std::string with_architecture(const std::string& text, const std::string& arch) {
  for (const char* const known : {"_x86_64", "_aarch64"}) {
    if (text.ends_with(known)) return text;
  }
  return text + "_" + arch;
}

/// Whether a policy is that old, or older.
bool has_policy(const pep::LinuxPolicy& wanted) {
  if (wanted.libc == pep::Libc::musl) {
    return wanted.major == 1 && wanted.minor >= inspect::kOldestMusl;
  }
  const std::span<const inspect::Policy> known = inspect::policies(wanted.arch);
  return wanted.major == 2 && !known.empty() && wanted.minor >= known.front().minor;
}

/// For a platform with the C library that the wheel does not use.
tl::unexpected<Error> other_libc(const std::string& text, pep::Libc own) {
  const bool musl = own == pep::Libc::musl;
  return fail(ErrorKind::usage,
              fmt::format("the wheel is for {}, not for {}", musl ? "musl" : "glibc", quoted(text)),
              musl ? "use `musllinux_1_2`, or `auto`" : kPlatformHint);
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
  if (!policy) return fail(ErrorKind::usage, "unknown platform " + quoted(text), kPlatformHint);
  if (!arch.empty() && policy->arch != arch) {
    return fail(ErrorKind::usage, "the wheel is for " + arch + ", not for " + quoted(text),
                kPlatformHint);
  }
  if (!wheel.libraries.empty() && policy->libc != libc_of(wheel)) {
    return other_libc(text, libc_of(wheel));
  }
  if (!has_policy(*policy)) {
    return fail(ErrorKind::usage, "there is no policy as old as " + quoted(text), kPlatformHint);
  }
  return Target{policy->minor};
}

pep::Libc libc_of(const inspect::WheelFacts& wheel) {
  const std::optional<pep::Libc> needed = inspect::libc_of(wheel.libraries).value_or(std::nullopt);
  if (needed) return *needed;
  const auto is_musl = [](const std::string& platform) {
    return platform.starts_with("musllinux");
  };
  const bool tagged = wheel.name && std::any_of(wheel.name->tags.platform.begin(),
                                                wheel.name->tags.platform.end(), is_musl);
  return tagged ? pep::Libc::musl : pep::Libc::glibc;
}

Done check_repairable(const inspect::WheelFacts& wheel) {
  if (!wheel.name) {
    return fail(ErrorKind::check, quoted(wheel.file_name) + " is not the name of a wheel",
                "a wheel's name has the form `NAME-VERSION-PYTHON-ABI-PLATFORM.whl`");
  }
  if (const auto libc = inspect::libc_of(wheel.libraries); !libc) return fail(libc.error());
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
