#include "host/steps/owner_packages.h"

#include <fmt/format.h>

#include "base/text.h"
#include "env/pass_list.h"

namespace pinwheel::host {
namespace {

namespace fs = std::filesystem;
using Fields = std::vector<std::string>;

// Prints number, type, distribution, name, version and architecture of the package that owns each
// file, and copies its license files to `<number>/`. Since /lib is a link to /usr/lib, dpkg may
// know a file by its older name.
constexpr const char* kAskOwners = R"(out=$1; shift; n=0
ID=; [ -f /etc/os-release ] && . /etc/os-release
for path; do
  n=$((n + 1))
  mkdir -p "$out/$n" || exit 1
  if command -v dpkg-query >/dev/null 2>&1; then
    owner=$(dpkg-query -S "$path" 2>/dev/null || dpkg-query -S "${path#/usr}" 2>/dev/null) || continue
    owner=${owner%%: *}
    owner=${owner%%,*}
    dpkg-query -W -f="$n\tdeb\t$ID\t\${Package}\t\${Version}\t\${Architecture}\n" "$owner"
    cp "/usr/share/doc/${owner%%:*}/copyright" "$out/$n/" 2>/dev/null
  elif command -v rpm >/dev/null 2>&1; then
    owner=$(rpm -qf --qf '%{NAME}\t%{VERSION}-%{RELEASE}\t%{ARCH}\n' "$path" 2>/dev/null) || continue
    printf '%s\trpm\t%s\t%s\n' "$n" "$ID" "$owner" | head -n 1
    rpm -qf --licensefiles "$path" 2>/dev/null | while read -r file; do
      cp "$file" "$out/$n/" 2>/dev/null
    done
  fi
done
exit 0)";

Result<repair::OwnerPackage> package_of(const LibraryPlace& place, const Fields& fields,
                                        const fs::path& licenses) {
  repair::OwnerPackage package{fields[1], fields[2], fields[3], fields[4], fields[5], {}};
  TRY(const Fields names, place.machine.files.list(licenses));
  for (const std::string& name : names) {
    TRY(std::string contents, place.machine.files.read(licenses / name));
    package.license_files.push_back({name, std::move(contents)});
  }
  return package;
}

}  // namespace

Result<std::vector<repair::OwnerPackage>> owner_packages(const LibraryPlace& place,
                                                         const std::vector<std::string>& paths) {
  std::vector<repair::OwnerPackage> packages(paths.size());
  if (paths.empty()) return packages;
  const fs::path directory = place.scratch / "owners";
  TRY_DONE(place.machine.files.make_directories(directory));
  ports::Command command{{"sh", "-c", kAskOwners, "sh", directory.string()},
                         place.scratch,
                         env::variables_for(env::Helper::system, place.machine.variables),
                         {}};
  command.argv.insert(command.argv.end(), paths.begin(), paths.end());
  if (place.wrap) command = place.wrap(std::move(command));
  TRY(const ports::Captured ran, place.machine.process.capture(command));
  if (ran.exit.canceled) return fail(ErrorKind::interrupted, "the repair was interrupted");
  constexpr size_t kFields = 6;
  for (const std::string& line : split(trim(ran.out), '\n')) {
    const Fields fields = split(line, '\t');
    if (fields.size() < kFields) continue;
    TRY(packages.at(std::stoul(fields[0]) - 1), package_of(place, fields, directory / fields[0]));
  }
  return packages;
}

}  // namespace pinwheel::host
