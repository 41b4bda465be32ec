#include "host/wheels/library_search.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <memory>
#include <system_error>
#include <utility>

#include "base/limits.h"
#include "base/parse_integer.h"
#include "base/text.h"
#include "env/pass_list.h"
#include "host/system/digest_file.h"
#include "host/system/file_source.h"
#include "host/system/files.h"
#include "inspect/libc.h"
#include "pep/name.h"
#include "repair/closure.h"
#include "repair/loader_cache.h"

namespace pinwheel::host {
namespace {

namespace fs = std::filesystem;
using Lines = std::vector<std::string>;

constexpr const char* kReadCache = "ldconfig -p 2>/dev/null || /sbin/ldconfig -p";
/// musl's loader has no cache; it reads this list, separated by colons or line breaks.
constexpr const char* kReadMuslPath = "cat /etc/ld-musl-$1.path";

// Copies the candidates that exist, and prints number, real path and, for a file of a Python
// environment, the directory of metadata that lists it.
constexpr const char* kCopyFiles = R"(out=$1; shift; n=0
for path; do
  n=$((n + 1))
  [ -f "$path" ] || continue
  real=$(readlink -f "$path") || continue
  cp "$path" "$out/$n" || exit 1
  owner=
  case $real in */site-packages/*)
    site=${real%%/site-packages/*}/site-packages
    owner=$(grep -lF -- "${real#"$site"/}," "$site"/*.dist-info/RECORD 2>/dev/null | head -n 1)
  esac
  printf '%s\t%s\t%s\n' "$n" "$real" "$owner"
done)";

constexpr std::array<const char*, 4> kUsualDirectories = {"/lib64", "/usr/lib64", "/lib",
                                                          "/usr/lib"};
constexpr std::array<const char*, 3> kMuslDirectories = {"/lib", "/usr/local/lib", "/usr/lib"};

/// A possible path of a library.
struct Candidate {
  std::string soname;
  std::string path;
};

/// An existing candidate.
struct CopiedFile {
  std::string real;
  std::string owner;  ///< RECORD of the Python distribution that contains it
  fs::path copy;
};

/// The distribution in "/env/site-packages/tbb-2021.1.dist-info/RECORD".
std::string distribution_in(const std::string& record) {
  const std::string directory = fs::path(record).parent_path().filename().string();
  return pep::normalize_name(directory.substr(0, directory.find('-')));
}

/// A directory below site-packages, relative to it.
std::string installed_in(const std::string& path) {
  constexpr std::string_view kSite = "/site-packages/";
  const size_t at = path.find(kSite);
  return fs::path(path.substr(at + kSite.size())).parent_path().string();
}

/// The Python distributions of this machine that have files, read once per site-packages.
class Distributions {
 public:
  /// The directory of metadata that lists the file; empty: none does.
  std::string owner(const std::string& real) {
    constexpr std::string_view kSite = "/site-packages/";
    const size_t at = real.find(kSite);
    if (at == std::string::npos) return "";
    const size_t end = at + kSite.size();
    const auto [files, is_new] = sites_.try_emplace(real.substr(0, end));
    if (is_new) files->second = files_of(files->first);
    return value_at(files->second, real.substr(end));
  }

 private:
  using Owners = std::map<std::string, std::string>;

  static Owners files_of(const fs::path& site) {
    Owners out;
    LocalFiles files;
    for (const std::string& name : files.list(site).value_or(Lines{})) {
      if (!name.ends_with(".dist-info")) continue;
      const fs::path record = site / name / "RECORD";
      const Result<std::string> text = files.read(record, limits::kRecord);
      for (const std::string& line : split(text.value_or(""), '\n')) {
        const std::string file = line.substr(0, line.find(','));
        if (file.find(".so") != std::string::npos) out.emplace(file, record.string());
      }
    }
    return out;
  }

  std::map<std::string, Owners> sites_;
};

class LibrarySearch {
 public:
  LibrarySearch(const LibraryPlace& place, repair::Facts facts)
      : place_(place), facts_(std::move(facts)), libc_(repair::libc_of(facts_.wheel)) {}

  Result<FoundLibraries> run() {
    repair::ClosureSearch search(facts_);
    for (Wanteds wanted = search.next(); !wanted.empty(); wanted = search.next()) {
      TRY_DONE(read_loader_settings());
      TRY_DONE(look_for(wanted));
    }
    found_.libraries = std::move(facts_.libraries);
    found_.missing = std::move(facts_.missing);
    return std::move(found_);
  }

 private:
  using Wanteds = std::vector<repair::Wanted>;

  Result<std::string> ask(Lines argv) const {
    ports::Command command{std::move(argv),
                           place_.scratch,
                           env::variables_for(env::Helper::system, place_.machine.variables),
                           {}};
    if (place_.wrap) command = place_.wrap(std::move(command));
    TRY(const ports::Captured ran, place_.machine.process.capture(command));
    if (ran.exit.canceled) return fail(ErrorKind::interrupted, "the repair was interrupted");
    if (ran.exit.ok()) return ran.out;
    return fail(ErrorKind::environment, "libraries could not be looked for",
                std::string(trim(ran.err)));
  }

  Done read_loader_settings() {
    if (!usual_.empty()) return {};
    const bool musl = libc_ == pep::Libc::musl;
    const std::string arch = repair::architecture_of(facts_.wheel);
    // An image may lack a cache or list; the usual directories are searched anyway.
    const Result<std::string> text =
        ask({"sh", "-c", musl ? kReadMuslPath : kReadCache, "sh", arch});
    if (!text && text.error().kind == ErrorKind::interrupted) return fail(text.error());
    if (!musl) {
      usual_.assign(kUsualDirectories.begin(), kUsualDirectories.end());
      cache_ = repair::parse_loader_cache(text.value_or(""), arch);
      return {};
    }
    usual_ = split(replace_all(text.value_or(""), "\n", ":"), ':');
    std::erase(usual_, "");
    if (usual_.empty()) usual_.assign(kMuslDirectories.begin(), kMuslDirectories.end());
    return {};
  }

  std::vector<Candidate> candidates(const repair::Wanted& wanted) const {
    Lines directories = wanted.directories;
    directories.insert(directories.end(), place_.directories.begin(), place_.directories.end());
    std::vector<Candidate> out;
    for (const std::string& directory : directories) {
      out.push_back({wanted.soname, directory + "/" + wanted.soname});
    }
    const auto cached = cache_.find(wanted.soname);
    if (cached != cache_.end()) out.push_back({wanted.soname, cached->second});
    for (const std::string& directory : usual_) {
      out.push_back({wanted.soname, directory + "/" + wanted.soname});
    }
    return out;
  }

  Done look_for(const Wanteds& wanted) {
    // Candidates visible to this process are checked without a child process; otherwise a chain
    // would start one per library.
    const bool here = !place_.wrap && place_.machine.host == nullptr;
    TRY_DONE(here ? look_here(wanted) : look_there(wanted));
    for (const repair::Wanted& each : wanted) {
      if (facts_.libraries.count(each.soname) == 0) facts_.missing.insert(each.soname);
    }
    return {};
  }

  Done look_here(const Wanteds& wanted) {
    for (const repair::Wanted& each : wanted) {
      for (const Candidate& candidate : candidates(each)) {
        std::error_code error;
        const fs::path real = fs::canonical(candidate.path, error);
        if (error || !fs::is_regular_file(real, error)) continue;
        TRY_DONE(take(each.soname, {real.string(), distributions_.owner(real.string()), real}));
        if (facts_.libraries.count(each.soname) != 0) break;
      }
    }
    return {};
  }

  Done look_there(const Wanteds& wanted) {
    std::vector<Candidate> all;
    for (const repair::Wanted& each : wanted) {
      for (Candidate& candidate : candidates(each)) all.push_back(std::move(candidate));
    }
    const fs::path directory = place_.scratch / fmt::format("found-{}", rounds_++);
    TRY_DONE(place_.machine.files.make_directories(directory));
    Lines argv = {"sh", "-c", kCopyFiles, "sh", directory.string()};
    for (const Candidate& candidate : all) argv.push_back(candidate.path);
    TRY(const std::string text, ask(std::move(argv)));
    for (const std::string& line : split(trim(text), '\n')) {
      const Lines fields = split(line, '\t');
      if (fields.size() < 2) continue;
      const std::optional<uint64_t> number = parse_unsigned(fields[0]);
      if (!number || *number == 0 || *number > all.size()) continue;
      const CopiedFile file{fields[1], fields.size() > 2 ? fields[2] : "", directory / fields[0]};
      TRY_DONE(take(all[*number - 1].soname, file));
    }
    return {};
  }

  /// The first match counts.
  Done take(const std::string& soname, const CopiedFile& file) {
    if (facts_.libraries.count(soname) != 0) return {};
    TRY(const std::unique_ptr<FileSource> source, FileSource::open(file.copy));
    Result<binary::Elf> elf = binary::read_elf(*source);
    // Linker scripts and libraries for another machine or C library have the same names.
    if (!elf || elf->machine != facts_.wheel.libraries.front().elf.machine) return {};
    const pep::Libc other = libc_ == pep::Libc::musl ? pep::Libc::glibc : pep::Libc::musl;
    if (!inspect::sign_of_libc(*elf, other).empty()) return {};
    TRY(const FileDigest digest, digest_file(file.copy));
    repair::Library library{file.real, digest.sha256, *std::move(elf)};
    if (!file.owner.empty()) {
      library.distribution = distribution_in(file.owner);
      library.installed = installed_in(file.real);
    }
    found_.copies.emplace(file.real, file.copy);
    facts_.libraries.emplace(soname, std::move(library));
    return {};
  }

  const LibraryPlace& place_;
  repair::Facts facts_;
  FoundLibraries found_;
  pep::Libc libc_;
  std::map<std::string, std::string> cache_;
  Lines usual_;  ///< directories, after those of the cache; empty: not read yet
  int rounds_ = 0;
  Distributions distributions_;
};

}  // namespace

std::vector<std::string> loader_directories(std::string_view value,
                                            const fs::path& working_directory) {
  std::vector<std::string> directories;
  if (value.empty()) return directories;
  for (const std::string& entry : split(replace_all(std::string(value), ";", ":"), ':')) {
    directories.push_back((working_directory / entry).lexically_normal().string());
  }
  return directories;
}

Result<FoundLibraries> find_libraries(const LibraryPlace& place, repair::Facts facts) {
  return LibrarySearch(place, std::move(facts)).run();
}

}  // namespace pinwheel::host
