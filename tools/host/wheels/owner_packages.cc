#include "host/wheels/owner_packages.h"

#include <map>
#include <string_view>
#include <utility>

#include "base/text.h"
#include "base/visible_text.h"
#include "env/pass_list.h"

namespace pinwheel::host {
namespace {

namespace fs = std::filesystem;
using Fields = std::vector<std::string>;

// Reads the paths in `$1/paths`, and writes their owners to `$1/owners` ("PACKAGE: PATH" of
// dpkg-query, "PACKAGE: PATH" for each path of rpm), the packages to `$1/packages` and their
// license files to `$1/licenses/PACKAGE`. All paths are one query to dpkg, because it reads its
// database each time.
constexpr const char* kAskOwners = R"(cd "$1" || exit 1
ID=; [ -f /etc/os-release ] && . /etc/os-release
mkdir -p licenses && : > owners && : > packages || exit 1
if command -v dpkg-query >/dev/null 2>&1; then
  tr '\n' '\0' < paths | xargs -0 dpkg-query -S > owners 2>/dev/null
  sed -e '/^diversion /d' -e 's/: \/.*//' -e 's/,.*//' owners | sort -u > names
  [ -s names ] || exit 0
  xargs dpkg-query -W -f="\${binary:Package}\tdeb\t$ID\t\${Package}\t\${Version}\t\${Architecture}\n" \
    < names > packages 2>/dev/null
  while read -r name; do
    mkdir "licenses/$name" &&
      cp "/usr/share/doc/${name%%:*}/copyright" "licenses/$name/" 2>/dev/null
  done < names
elif command -v rpm >/dev/null 2>&1; then
  while IFS= read -r path; do
    name=$(rpm -qf --qf '%{NAME}.%{ARCH}\n' "$path" 2>/dev/null | head -n 1) && [ -n "$name" ] || continue
    case $name in *' '*) continue; esac
    printf '%s: %s\n' "$name" "$path" >> owners
    mkdir "licenses/$name" 2>/dev/null || continue
    rpm -qf --qf "%{NAME}.%{ARCH}\trpm\t$ID\t%{NAME}\t%{VERSION}-%{RELEASE}\t%{ARCH}\n" "$path" |
      head -n 1 >> packages
    rpm -qf --licensefiles "$path" 2>/dev/null | while read -r file; do
      cp "$file" "licenses/$name/" 2>/dev/null
    done
  done < paths
fi
exit 0)";

/// dpkg would match a pattern against every file in its database.
bool can_be_asked(const std::string& path) {
  return path.starts_with('/') && path.find_first_of("*?[\\") == std::string::npos &&
         visible(path) == path;
}

/// Since /lib is a link to /usr/lib, dpkg may know a file by its older name.
std::string older_name(const std::string& path) {
  constexpr std::string_view kUsr = "/usr";
  return path.starts_with("/usr/") ? path.substr(kUsr.size()) : "";
}

/// "libc6:amd64: /lib/x86_64-linux-gnu/libc.so.6" as path and package; the first of several
/// packages.
std::map<std::string, std::string> owners_in(const std::string& text) {
  std::map<std::string, std::string> out;
  for (const std::string& line : split(text, '\n')) {
    const size_t colon = line.find(": /");
    if (colon == std::string::npos || line.starts_with("diversion ")) continue;
    const std::string name = line.substr(0, colon);
    out.emplace(line.substr(colon + 2), name.substr(0, name.find(',')));
  }
  return out;
}

using Packages = std::map<std::string, repair::OwnerPackage>;

Result<Packages> packages_in(const LibraryPlace& place, const std::string& text,
                             const fs::path& licenses) {
  constexpr size_t kFields = 6;
  Packages out;
  for (const std::string& line : split(text, '\n')) {
    const Fields fields = split(line, '\t');
    if (fields.size() < kFields) continue;
    repair::OwnerPackage package{fields[1], fields[2], fields[3], fields[4], fields[5], {}};
    const fs::path directory = licenses / fields[0];
    TRY(const ports::FileStatus status, place.machine.files.status(directory));
    if (status.type == ports::FileType::directory) {
      TRY(const Fields names, place.machine.files.list(directory));
      for (const std::string& name : names) {
        TRY(std::string contents, place.machine.files.read(directory / name));
        package.license_files.push_back({name, std::move(contents)});
      }
    }
    out.emplace(fields[0], std::move(package));
  }
  return out;
}

}  // namespace

Result<std::vector<repair::OwnerPackage>> owner_packages(const LibraryPlace& place,
                                                         const std::vector<std::string>& paths) {
  std::vector<repair::OwnerPackage> packages(paths.size());
  if (paths.empty()) return packages;
  const fs::path directory = place.scratch / "owners";
  TRY_DONE(place.machine.files.make_directories(directory));
  std::string lines;
  for (const std::string& path : paths) {
    if (!can_be_asked(path)) continue;
    lines += path + "\n";
    const std::string older = older_name(path);
    if (!older.empty()) lines += older + "\n";
  }
  if (lines.empty()) return packages;
  TRY_DONE(place.machine.files.write(directory / "paths", lines));
  ports::Command command{{"sh", "-c", kAskOwners, "sh", directory.string()},
                         place.scratch,
                         env::variables_for(env::Helper::system, place.machine.variables),
                         {}};
  if (place.wrap) command = place.wrap(std::move(command));
  TRY(const ports::Captured ran, place.machine.process.capture(command));
  if (ran.exit.canceled) return fail(ErrorKind::interrupted, "the repair was interrupted");
  if (!ran.exit.ok()) {
    return fail(ErrorKind::environment, "the owners of libraries cannot be asked for",
                std::string(trim(ran.err)));
  }
  TRY(const std::string owned, place.machine.files.read(directory / "owners"));
  TRY(const std::string listed, place.machine.files.read(directory / "packages"));
  const std::map<std::string, std::string> owners = owners_in(owned);
  TRY(const Packages known, packages_in(place, listed, directory / "licenses"));
  for (size_t i = 0; i < paths.size(); ++i) {
    std::string owner = value_at(owners, paths[i]);
    if (owner.empty()) owner = value_at(owners, older_name(paths[i]));
    const auto package = known.find(owner);
    if (package != known.end()) packages[i] = package->second;
  }
  return packages;
}

}  // namespace pinwheel::host
