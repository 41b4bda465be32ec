#include "repair/closure.h"

#include <algorithm>
#include <deque>

#include "base/text.h"
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

/// By where the file is, and by who installed it.
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

class Closure {
 public:
  explicit Closure(const Facts& facts)
      : facts_(facts),
        policy_(manylinux_policy(facts)),
        libc_(libc_of(facts.wheel)),
        own_(inspect::own_sonames(facts.wheel.libraries)) {}

  std::map<std::string, NeededEntry> run() {
    for (const inspect::ElfMember& library : facts_.wheel.libraries) {
      visit(library.elf, library.name);
    }
    while (!waiting_.empty()) {
      const Library* const library = waiting_.front();
      waiting_.pop_front();
      visit(library->elf, library->path);
    }
    return std::move(found_);
  }

 private:
  void visit(const binary::Elf& elf, const std::string& name) {
    for (const std::string& soname : elf.needed) {
      const auto [entry, is_new] = found_.try_emplace(soname, NeededEntry{fate_of(soname), name});
      if (!is_new || entry->second.fate != Fate::graft) continue;
      waiting_.push_back(&facts_.libraries.at(soname));
    }
  }

  bool is_of_system(const std::string& soname) const {
    if (libc_ == pep::Libc::musl) return inspect::is_musl_system_library(soname);
    return inspect::is_system_library(soname, policy_);
  }

  Fate fate_of(const std::string& soname) const {
    if (own_.count(soname) != 0) return Fate::own;
    if (is_of_system(soname)) return Fate::system;
    if (glob_match("libpython*.so*", soname)) return Fate::python;
    if (inspect::is_torch_library(soname) || inspect::is_driver_library(soname)) {
      return Fate::provided;
    }
    const auto matches = [&](const std::string& glob) { return glob_match(glob, soname); };
    if (std::any_of(facts_.exclude.begin(), facts_.exclude.end(), matches)) return Fate::provided;
    if (inspect::gpu_library(soname) != inspect::GpuLibrary::none) return Fate::gpu;
    const auto found = facts_.libraries.find(soname);
    if (found == facts_.libraries.end()) return Fate::missing;
    if (is_required(facts_, found->second.distribution)) return Fate::requirement;
    return is_toolkits(found->second) ? Fate::gpu : Fate::graft;
  }

  const Facts& facts_;
  const inspect::Policy& policy_;
  pep::Libc libc_;
  std::set<std::string> own_;
  std::map<std::string, NeededEntry> found_;
  std::deque<const Library*> waiting_;
};

/// The directory of a library on the machine.
std::string directory_of(const std::string& path) {
  return path.substr(0, path.rfind('/'));
}

void add_directories(const std::string& search_path, const std::string& origin, Names& out) {
  for (std::string entry : split(search_path, ':')) {
    const bool relative = entry.find("ORIGIN") != std::string::npos;
    // A member of the wheel has no place on the machine.
    if (entry.empty() || (relative && origin.empty())) continue;
    entry = replace_all(replace_all(std::move(entry), "${ORIGIN}", origin), "$ORIGIN", origin);
    if (std::find(out.begin(), out.end(), entry) == out.end()) out.push_back(std::move(entry));
  }
}

bool needs(const binary::Elf& elf, const std::string& soname) {
  return std::find(elf.needed.begin(), elf.needed.end(), soname) != elf.needed.end();
}

/// As the loader: first those who need it, then whoever loads those, whose RPATH holds as well.
Names directories_for(const Facts& facts, const std::string& soname) {
  Names out;
  for (const inspect::ElfMember& library : facts.wheel.libraries) {
    if (needs(library.elf, soname)) {
      add_directories(library.elf.rpath + ":" + library.elf.runpath, "", out);
    }
  }
  for (const auto& [name, library] : facts.libraries) {
    if (!needs(library.elf, soname)) continue;
    add_directories(library.elf.rpath + ":" + library.elf.runpath, directory_of(library.path), out);
  }
  for (const inspect::ElfMember& library : facts.wheel.libraries) {
    add_directories(library.elf.rpath, "", out);
  }
  return out;
}

}  // namespace

std::map<std::string, NeededEntry> closure_of(const Facts& facts) {
  if (facts.wheel.libraries.empty()) return {};
  return Closure(facts).run();
}

std::vector<Wanted> wanted(const Facts& facts) {
  std::vector<Wanted> out;
  for (const auto& [soname, entry] : closure_of(facts)) {
    if (entry.fate != Fate::missing || facts.missing.count(soname) != 0) continue;
    out.push_back(
        {soname, facts.wheel.libraries.front().elf.machine, directories_for(facts, soname)});
  }
  return out;
}

}  // namespace pinwheel::repair
