#include "inspect/library_lookup.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <set>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "base/text.h"
#include "inspect/installed_path.h"
#include "inspect/needed_library.h"
#include "inspect/python_abi.h"
#include "inspect/search_path.h"

namespace pinwheel::inspect {
namespace {

// A wheel can have as many modules as libraries that each module needs; the search stops at this
// limit, and the remaining libraries count as found.
constexpr size_t kMostSteps = 20'000'000;

/// A number for each directory.
class Directories {
 public:
  size_t number(const std::string& directory) {
    return numbers_.emplace(directory, numbers_.size()).first->second;
  }

 private:
  std::unordered_map<std::string, size_t> numbers_;
};

/// A library as the loader sees it.
struct Searching {
  std::vector<size_t> rpath = {};  ///< applies to the needs of its own needed libraries, too
  std::vector<size_t> runpath = {};
};

/// A named file in a directory of site-packages; nullopt outside.
struct Place {
  std::optional<size_t> directory;
  size_t library;
};

class LibraryLookup {
 public:
  LibraryLookup(const std::vector<ElfMember>& libraries, pep::Libc libc) : libraries_(libraries) {
    for (size_t i = 0; i < libraries.size(); ++i) note(i, libc);
    seen_.resize(libraries.size(), 0);
  }

  void open(size_t root) {
    loaded_ = {{root, kNobody}};
    names_.clear();
    round_ += 1;
    enter_names(root, libraries_[root].elf.soname);
    for (size_t at = 0; at < loaded_.size(); ++at) {
      for (const std::string& soname : libraries_[loaded_[at].library].elf.needed) {
        if (steps_ < kMostSteps) load(root, at, soname);
      }
    }
  }

  std::vector<LostLibrary> lost() && { return std::move(lost_); }

 private:
  static constexpr size_t kNobody = static_cast<size_t>(-1);

  struct Loaded {
    size_t library;
    size_t above;  ///< the nearest of the libraries with an RPATH that loaded it, by position in
                   ///< `loaded_`
  };

  void note(size_t index, pep::Libc libc) {
    const ElfMember& library = libraries_[index];
    const std::optional<std::string> installed = installed_path(library.name);
    const std::string file(last_part(library.name));
    Place place{std::nullopt, index};
    Searching searching;
    if (installed) {
      const size_t slash = installed->rfind('/');
      place.directory =
          directories_.number(slash == std::string::npos ? "" : installed->substr(0, slash));
      searching.rpath = numbers_of(library.elf.rpath, *installed);
      searching.runpath = numbers_of(library.elf.runpath, *installed);
    }
    if (libc == pep::Libc::musl) {
      searching.rpath.insert(searching.rpath.end(), searching.runpath.begin(),
                             searching.runpath.end());
      searching.runpath.clear();
    } else if (!library.elf.runpath.empty()) {
      searching.rpath.clear();
    }
    has_runpath_.push_back(libc == pep::Libc::glibc && !library.elf.runpath.empty());
    searching_.push_back(std::move(searching));
    files_[file].push_back(place);
    if (!library.elf.soname.empty() && library.elf.soname != file) {
      by_soname_[library.elf.soname].push_back(place);
    }
  }

  std::vector<size_t> numbers_of(const std::string& path, const std::string& installed) {
    std::vector<size_t> out;
    if (path.empty()) return out;
    for (const std::string& entry : split(path, ':')) {
      const std::optional<std::string> directory = searched_directory(entry, installed);
      if (directory) out.push_back(directories_.number(*directory));
    }
    return out;
  }

  void enter_names(size_t library, const std::string& soname) {
    if (!soname.empty()) names_.insert(soname);
    seen_[library] = round_;
  }

  void load(size_t root, size_t at, const std::string& soname) {
    if (names_.contains(soname)) return;
    steps_ += 1;
    const auto files = files_.find(soname);
    const auto named = by_soname_.find(soname);
    if (files == files_.end() && named == by_soname_.end()) return;
    if (files != files_.end()) {
      const std::optional<size_t> found = search(at, files->second);
      if (found) return enter(at, *found, soname);
    }
    // A file with exactly this name comes first, because it needs only a path.
    const std::vector<Place>& places = files != files_.end() ? files->second : named->second;
    if (std::any_of(places.begin(), places.end(),
                    [](const Place& each) { return !each.directory; }))
      return;
    lose(root, at, soname, places.front());
  }

  std::optional<size_t> search(size_t at, const std::vector<Place>& files) {
    const size_t library = loaded_[at].library;
    if (!has_runpath_[library]) {
      size_t link = searching_[library].rpath.empty() ? loaded_[at].above : at;
      for (; link != kNobody; link = loaded_[link].above) {
        const std::optional<size_t> found = in(searching_[loaded_[link].library].rpath, files);
        if (found) return found;
      }
    }
    return in(searching_[library].runpath, files);
  }

  std::optional<size_t> in(const std::vector<size_t>& directories,
                           const std::vector<Place>& files) {
    for (const size_t directory : directories) {
      steps_ += files.size();
      for (const Place& file : files) {
        if (file.directory == directory) return file.library;
      }
    }
    return std::nullopt;
  }

  void enter(size_t at, size_t library, const std::string& soname) {
    names_.insert(soname);
    if (seen_[library] == round_) return;
    enter_names(library, libraries_[library].elf.soname);
    const bool has_path = !searching_[loaded_[at].library].rpath.empty();
    loaded_.push_back({library, has_path ? at : loaded_[at].above});
  }

  void lose(size_t root, size_t at, const std::string& soname, const Place& place) {
    const size_t by = loaded_[at].library;
    lost_.push_back({root, by, soname, place.library});
    // As `repair` writes it: one RPATH, which replaces a RUNPATH.
    Searching& searching = searching_[by];
    searching.rpath.insert(searching.rpath.end(), searching.runpath.begin(),
                           searching.runpath.end());
    searching.runpath.clear();
    has_runpath_[by] = false;
    searching.rpath.push_back(*place.directory);
    enter(at, place.library, soname);
  }

  const std::vector<ElfMember>& libraries_;
  Directories directories_;
  std::vector<Searching> searching_;
  std::vector<bool> has_runpath_;
  std::unordered_map<std::string_view, std::vector<Place>> by_soname_;
  std::unordered_map<std::string, std::vector<Place>> files_;
  std::vector<Loaded> loaded_;
  std::unordered_set<std::string_view> names_;  ///< of the loaded libraries
  std::vector<size_t> seen_;                    ///< the round in which each library was loaded
  size_t round_ = 0;
  size_t steps_ = 0;
  std::vector<LostLibrary> lost_;
};

/// The names of libraries that some module needs and does find.
std::set<std::string> found_by_others(const WheelFacts& facts, const std::vector<LostLibrary>& lost,
                                      const std::vector<size_t>& modules) {
  std::set<std::pair<size_t, std::string>> lacking;
  for (const LostLibrary& each : lost) lacking.emplace(each.needed_by, each.soname);
  std::set<std::string> out;
  for (const size_t module : modules) {
    for (const std::string& soname : facts.libraries[module].elf.needed) {
      if (!lacking.contains({module, soname})) out.insert(soname);
    }
  }
  return out;
}

}  // namespace

std::vector<LostLibrary> lost_libraries(const std::vector<ElfMember>& libraries,
                                        const std::vector<size_t>& opened, pep::Libc libc) {
  LibraryLookup lookup(libraries, libc);
  for (const size_t each : opened) {
    if (installed_path(libraries[each].name)) lookup.open(each);
  }
  return std::move(lookup).lost();
}

std::vector<UnreachableLibrary> unreachable_libraries(const WheelFacts& facts,
                                                      const std::vector<std::string>& external) {
  std::vector<size_t> modules;
  for (size_t i = 0; i < facts.libraries.size(); ++i) {
    if (defines_module(facts.libraries[i].elf)) modules.push_back(i);
  }
  const LoadPlace place = load_place(facts);
  const std::vector<LostLibrary> lost = lost_libraries(facts.libraries, modules, place.libc);
  if (lost.empty()) return {};
  const std::set<std::string> others = found_by_others(facts, lost, modules);
  std::vector<UnreachableLibrary> out;
  for (const LostLibrary& each : lost) {
    if (outside_provider(place, each.soname, external) != Provider::nobody) continue;
    const bool may_be_loaded = !facts.library_openers.empty() || others.contains(each.soname);
    out.push_back({facts.libraries[each.opened].name, facts.libraries[each.needed_by].name,
                   each.soname, facts.libraries[each.library].name, may_be_loaded});
  }
  return out;
}

std::string to_words(const UnreachableLibrary& library) {
  return fmt::format("needs {}, which is in the wheel as {}, but no search path leads there",
                     quoted(library.soname), quoted(library.library));
}

}  // namespace pinwheel::inspect
