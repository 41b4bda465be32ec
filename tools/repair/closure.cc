#include "repair/closure.h"

#include <algorithm>

#include "base/text.h"
#include "base/visible_text.h"
#include "inspect/gpu_library.h"
#include "inspect/libc.h"
#include "inspect/platform_tag.h"
#include "inspect/policy.h"

namespace pinwheel::repair {
namespace {

using Names = std::vector<std::string>;

const inspect::Policy& manylinux_policy(const Facts& facts) {
  const std::span<const inspect::Policy> known = inspect::policies(architecture_of(facts.wheel));
  const inspect::Policy* chosen = &known.back();
  if (!facts.target.minor) return *chosen;
  for (const inspect::Policy& policy : known) {
    if (policy.minor <= *facts.target.minor) chosen = &policy;
  }
  return *chosen;
}

/// By the file's directory, and by the distribution that installed it.
bool is_toolkits(const Library& library) {
  return inspect::is_in_gpu_directory(library.path) ||
         inspect::is_gpu_distribution(library.distribution);
}

bool is_required(const Facts& facts, const std::string& distribution) {
  if (distribution.empty() || !facts.wheel.metadata) return false;
  const Names lines = facts.wheel.metadata->requires_dist();
  return std::any_of(lines.begin(), lines.end(), [&](const std::string& line) {
    return !wheel::is_of_extra(line) && wheel::requirement_project(line) == distribution;
  });
}

}  // namespace

/// The fate that a library's name and the file found for it determine.
class Fates {
 public:
  explicit Fates(const Facts& facts)
      : facts_(facts),
        policy_(manylinux_policy(facts)),
        libc_(libc_of(facts.wheel)),
        own_(inspect::own_sonames(facts.wheel.libraries)) {}

  Fate of(const std::string& soname) const {
    if (own_.count(soname) != 0) return Fate::own;
    if (is_of_system(soname)) return Fate::system;
    if (glob_match("libpython*.so*", soname)) return Fate::python;
    if (inspect::is_torch_library(soname) || inspect::is_driver_library(soname)) {
      return Fate::provided;
    }
    const auto matches = [&](const std::string& glob) { return glob_match(glob, soname); };
    if (std::any_of(facts_.exclude.begin(), facts_.exclude.end(), matches)) return Fate::provided;
    if (inspect::gpu_library(soname) != inspect::GpuLibrary::none) return Fate::gpu;
    if (!is_library_name(soname)) return Fate::unnameable;
    const auto found = facts_.libraries.find(soname);
    if (found == facts_.libraries.end()) return Fate::missing;
    if (is_required(facts_, found->second.distribution)) return Fate::requirement;
    if (is_toolkits(found->second)) return Fate::gpu;
    return is_library_name(found->second.elf.soname) ? Fate::graft : Fate::unnameable;
  }

 private:
  bool is_of_system(const std::string& soname) const {
    if (libc_ == pep::Libc::musl) return inspect::is_musl_system_library(soname);
    return inspect::is_system_library(soname, policy_);
  }

  const Facts& facts_;
  const inspect::Policy& policy_;
  pep::Libc libc_;
  std::set<std::string> own_;
};

namespace {

/// The directory of a library on the machine.
std::string directory_of(const std::string& path) {
  return path.substr(0, path.rfind('/'));
}

// A search path can have any number of entries, and every library its own path.
constexpr size_t kMostDirectories = 256;

void add_once(const std::string& directory, Names& out) {
  if (out.size() < kMostDirectories && std::find(out.begin(), out.end(), directory) == out.end()) {
    out.push_back(directory);
  }
}

void add_directories(const std::string& search_path, const std::string& origin, Names& out) {
  for (std::string entry : split(search_path, ':')) {
    const bool relative = entry.find("ORIGIN") != std::string::npos;
    // A member of the wheel has no directory on the machine.
    if (entry.empty() || (relative && origin.empty()) || visible(entry) != entry) continue;
    entry = replace_all(replace_all(std::move(entry), "${ORIGIN}", origin), "$ORIGIN", origin);
    add_once(entry, out);
  }
}

}  // namespace

bool is_library_name(std::string_view soname) {
  constexpr size_t kMost = 200;  // with a digest and a directory it is a valid file name everywhere
  return soname.size() <= kMost && visible(soname) == soname &&
         soname.find('\\') == std::string_view::npos;
}

std::map<std::string, NeededEntry> closure_of(const Facts& facts) {
  std::map<std::string, NeededEntry> found;
  if (facts.wheel.libraries.empty()) return found;
  const Fates fates(facts);
  std::deque<const Library*> waiting;
  const auto visit = [&](const binary::Elf& elf, const std::string& name) {
    for (const std::string& soname : elf.needed) {
      const auto [entry, is_new] = found.try_emplace(soname, NeededEntry{Fate::system, name});
      if (!is_new) continue;
      entry->second.fate = fates.of(soname);
      if (entry->second.fate == Fate::graft) waiting.push_back(&facts.libraries.at(soname));
    }
  };
  for (const inspect::ElfMember& library : facts.wheel.libraries) visit(library.elf, library.name);
  for (; !waiting.empty(); waiting.pop_front()) {
    visit(waiting.front()->elf, waiting.front()->path);
  }
  return found;
}

ClosureSearch::ClosureSearch(const Facts& facts) : facts_(facts) {
  if (facts.wheel.libraries.empty()) return;
  rules_ = std::make_shared<const Fates>(facts);
  for (const inspect::ElfMember& library : facts.wheel.libraries) {
    Names inherited;
    add_directories(library.elf.rpath, "", inherited);
    for (const std::string& directory : inherited) add_once(directory, of_wheel_);
    waiting_.push_back({&library.elf, "", std::make_shared<const Names>(std::move(inherited))});
  }
}

std::vector<Wanted> ClosureSearch::next() {
  std::map<std::string, std::vector<Visited>> asked;
  asked.swap(open_);
  for (const auto& [soname, needed_by] : asked) enter(soname, needed_by.front());
  for (; !waiting_.empty(); waiting_.pop_front()) visit(waiting_.front());
  std::vector<Wanted> out;
  out.reserve(open_.size());
  for (const auto& [soname, needed_by] : open_) out.push_back(wanted(soname, needed_by));
  return out;
}

void ClosureSearch::visit(const Visited& visited) {
  for (const std::string& soname : visited.elf->needed) {
    const auto open = open_.find(soname);
    if (open != open_.end()) {
      open->second.push_back(visited);
    } else if (seen_.insert(soname).second) {
      ask(soname, visited);
    }
  }
}

void ClosureSearch::ask(const std::string& soname, const Visited& by) {
  const Fate fate = rules_->of(soname);
  if (fate == Fate::graft) return enter(soname, by);
  if (fate == Fate::missing && facts_.missing.count(soname) == 0) open_[soname].push_back(by);
}

/// Its needs are visited if it was found and will be grafted.
void ClosureSearch::enter(const std::string& soname, const Visited& by) {
  if (rules_->of(soname) != Fate::graft) return;
  const Library& library = facts_.libraries.at(soname);
  const std::string origin = directory_of(library.path);
  Names own;
  if (library.elf.runpath.empty()) add_directories(library.elf.rpath, origin, own);
  const Names& above = *by.inherited;
  const bool adds = std::any_of(own.begin(), own.end(), [&](const std::string& directory) {
    return std::find(above.begin(), above.end(), directory) == above.end();
  });
  std::shared_ptr<const Names> inherited = by.inherited;
  if (adds) {
    for (const std::string& directory : above) add_once(directory, own);
    inherited = std::make_shared<const Names>(std::move(own));
  }
  waiting_.push_back({&library.elf, origin, std::move(inherited)});
}

Wanted ClosureSearch::wanted(const std::string& soname,
                             const std::vector<Visited>& needed_by) const {
  Wanted out{soname, facts_.wheel.libraries.front().elf.machine};
  for (const Visited& each : needed_by) {
    if (out.directories.size() >= kMostDirectories) break;
    add_directories(each.elf->rpath + ":" + each.elf->runpath, each.origin, out.directories);
    for (const std::string& directory : *each.inherited) add_once(directory, out.directories);
  }
  for (const std::string& directory : of_wheel_) add_once(directory, out.directories);
  return out;
}

std::vector<Wanted> wanted(const Facts& facts) {
  return ClosureSearch(facts).next();
}

}  // namespace pinwheel::repair
