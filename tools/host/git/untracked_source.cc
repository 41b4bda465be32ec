#include "host/git/untracked_source.h"

#include <algorithm>
#include <iterator>
#include <system_error>

#include "base/text.h"
#include "host/system/files.h"
#include "host/system/open_regular.h"

namespace pinwheel::host {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kCodeEndings =
    "*.{c,cc,cpp,cxx,c++,C,h,hh,hpp,hxx,h++,inc,inl,ipp,tcc,tpp,cu,cuh,hip,cl,metal,ptx,m,mm,s,S,"
    "asm,f,for,f90,f95,f03,F,F90,py,pyi,pyx,pxd,pxi,rs,go,swift,i,l,y,proto,fbs,td,def,map,in,tmpl,"
    "j2,jinja,mako,sh,bash,cmake,mk,bzl,toml,cfg,ini,ld,lds}";

constexpr std::string_view kBuildFiles =
    "{CMakeLists.txt,CMakePresets.json,meson.build,meson_options.txt,meson.options,Makefile,"
    "makefile,GNUmakefile,configure,SConstruct,BUILD,WORKSPACE,Cargo.lock,py.typed,PKG-INFO}";

/// The top-level files that backends include by default.
constexpr std::string_view kDocuments =
    "{README*,LICENSE*,LICENCE*,COPYING*,NOTICE*,AUTHORS*,CHANGES*,CHANGELOG*,HISTORY*}";

/// Logs, and temporary files of editors and version control.
constexpr std::string_view kScratch =
    "{*.log,nohup.out,*.tmp,*.temp,*.bak,*.orig,*.rej,*.swp,*.swo,*.swx,*~,.#*,#*#,4913,"
    ".DS_Store}";

bool is_code(std::string_view name) {
  const std::string_view file = last_part(name);
  return glob_match(kCodeEndings, file) || glob_match(kBuildFiles, file);
}

bool is_scratch(std::string_view name) {
  return glob_match(kScratch, last_part(name));
}

std::string_view directory_of(std::string_view name) {
  const size_t slash = name.rfind('/');
  return slash == std::string_view::npos ? std::string_view() : name.substr(0, slash);
}

std::vector<std::string> all_names(const ports::GitFiles& files) {
  std::vector<std::string> names;
  std::merge(files.tracked.begin(), files.tracked.end(), files.untracked.begin(),
             files.untracked.end(), std::back_inserter(names));
  return names;
}

std::vector<std::vector<std::string>> manifest_lines(const fs::path& directory) {
  std::vector<std::vector<std::string>> lines;
  const Result<std::string> text = LocalFiles().read(directory / "MANIFEST.in");
  if (!text) return lines;
  for (const std::string& line : split(*text, '\n')) {
    std::vector<std::string> words;
    for (const std::string& word : split(replace_all(line, "\t", " "), ' ')) {
      if (!trim(word).empty()) words.emplace_back(trim(word));
    }
    if (words.size() > 1) lines.push_back(std::move(words));
  }
  return lines;
}

/// `MANIFEST.in`: an asterisk matches no slash.
bool matches_path(std::string_view pattern, std::string_view name) {
  return std::count(pattern.begin(), pattern.end(), '/') ==
             std::count(name.begin(), name.end(), '/') &&
         glob_match(pattern, name);
}

bool line_takes(const std::vector<std::string>& line, std::string_view name) {
  const auto any_from = [&line](size_t first, auto&& matches) {
    return std::any_of(line.begin() + static_cast<std::ptrdiff_t>(first), line.end(), matches);
  };
  const auto of_file = [name](const std::string& word) {
    return glob_match(word, last_part(name));
  };
  const std::string below = line[1] == "." ? std::string() : line[1] + "/";
  if (line[0] == "include") {
    return any_from(1, [name](const std::string& word) { return matches_path(word, name); });
  }
  if (line[0] == "global-include") return any_from(1, of_file);
  if (line[0] == "graft") return name.starts_with(below);
  return line[0] == "recursive-include" && name.starts_with(below) && any_from(2, of_file);
}

}  // namespace

UntrackedSource::UntrackedSource(const fs::path& directory, const ports::GitFiles& files)
    : directory_(directory),
      names_(all_names(files)),
      leftovers_(directory_, names_),
      manifest_(manifest_lines(directory_)) {
  for (const std::string& name : names_) {
    const bool of_package = !directory_of(name).empty() || name == "__init__.py";
    if (of_package && is_code(name) && !is_scratch(name) && !leftovers_.contains(name)) {
      code_.emplace(directory_of(name));
    }
  }
}

bool UntrackedSource::contains(const std::string& name) const {
  if (is_in_manifest(name)) return true;
  if (is_scratch(name) || leftovers_.contains(name)) return false;
  return is_code(name) || is_below_code(name) || is_named(name) || is_script(name);
}

bool UntrackedSource::is_below_code(std::string_view name) const {
  do {
    name = directory_of(name);
    if (code_.contains(name)) return true;
  } while (!name.empty());
  return false;
}

bool UntrackedSource::is_in_manifest(std::string_view name) const {
  return std::any_of(
      manifest_.begin(), manifest_.end(),
      [name](const std::vector<std::string>& line) { return line_takes(line, name); });
}

bool UntrackedSource::is_named(std::string_view name) const {
  const bool document = directory_of(name).empty() && glob_match(kDocuments, name);
  const std::string_view top = name.substr(0, name.find('/'));
  return document || leftovers_.build_files_name(name) || leftovers_.build_files_name(top);
}

bool UntrackedSource::is_script(const std::string& name) const {
  std::error_code ignored;
  const fs::file_status status = fs::symlink_status(directory_ / name, ignored);
  if (!fs::is_regular_file(status)) return false;
  if ((status.permissions() & fs::perms::owner_exec) == fs::perms::none) return false;
  return first_bytes(directory_ / name, 2) == "#!";
}

}  // namespace pinwheel::host
