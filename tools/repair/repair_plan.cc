#include "repair/repair_plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <string>

#include "base/text.h"
#include "inspect/gpu_library.h"
#include "inspect/installed_path.h"
#include "inspect/needed_library.h"
#include "inspect/platform_tag.h"
#include "inspect/policy.h"
#include "inspect/python_abi.h"
#include "inspect/required_libraries.h"
#include "inspect/requirements.h"
#include "inspect/search_path.h"
#include "pep/tag.h"
#include "repair/closure.h"
#include "repair/gpu_requirement.h"

namespace pinwheel::repair {

std::string graft_name(const Library& library, const std::string& needed_as) {
  constexpr size_t kDigits = 8;
  const std::string name(last_part(library.elf.soname.empty() ? needed_as : library.elf.soname));
  const std::string mark = "-" + library.sha256.substr(0, kDigits);
  const size_t suffix = name.find(".so");
  if (suffix == std::string::npos) return name + mark;
  return name.substr(0, suffix) + mark + name.substr(suffix);
}

namespace {

std::vector<size_t> opened(const Facts& facts, const std::vector<inspect::ElfMember>& edited) {
  const std::set<std::string> needed = inspect::needed_names(edited);
  std::vector<size_t> out;
  for (size_t i = 0; i < facts.wheel.libraries.size(); ++i) {
    const std::set<std::string> names = inspect::own_sonames({edited[i]});
    const bool drawn_in = std::any_of(names.begin(), names.end(), [&](const std::string& name) {
      return needed.count(name) != 0;
    });
    if (!drawn_in || inspect::defines_module(facts.wheel.libraries[i].elf)) out.push_back(i);
  }
  return out;
}

/// The libraries of the wheel that are not found after the edits of a repair: by Python modules,
/// and by libraries that no other library needs. `edited` are the wheel's libraries in its order,
/// then the grafts. Libraries that others also provide do not count.
std::vector<inspect::LostLibrary> lost_in(const Facts& facts,
                                          const std::vector<inspect::ElfMember>& edited) {
  const inspect::LoadPlace place{architecture_of(facts.wheel), libc_of(facts.wheel)};
  std::vector<inspect::LostLibrary> lost =
      inspect::lost_libraries(edited, opened(facts, edited), place.libc);
  std::erase_if(lost, [&](const inspect::LostLibrary& each) {
    return inspect::outside_provider(place, each.soname, facts.exclude) !=
           inspect::Provider::nobody;
  });
  return lost;
}

/// Debian Policy 8.1: the name and the number, with a hyphen where the name ends in a digit.
std::string debian_package(const std::string& soname) {
  const size_t suffix = soname.find(".so");
  if (suffix == std::string::npos) return to_lower(soname);
  std::string name = replace_all(to_lower(soname.substr(0, suffix)), "_", "-");
  if (suffix + 4 >= soname.size()) return name;
  if (is_digit(name.back())) name += "-";
  return name + soname.substr(suffix + 4);
}

}  // namespace

std::string package_hint(const std::string& soname) {
  return fmt::format(
      "install it (Debian calls the package {} or similar, {} finds it), name its directory in "
      "LD_LIBRARY_PATH, or leave it to others with {}",
      quoted(debian_package(soname)), quoted(fmt::format("dnf install '{}()(64bit)'", soname)),
      quoted(fmt::format("--exclude {}", soname)));
}

namespace {

using Lines = std::vector<std::string>;

bool has(const Lines& lines, const std::string& line) {
  return std::find(lines.begin(), lines.end(), line) != lines.end();
}

}  // namespace

SearchPath search_path(const PathOwner& owner, const Places& places) {
  SearchPath out;
  Lines entries;
  Lines searched;
  if (!owner.old_path.empty()) {
    for (const std::string& entry : split(owner.old_path, ':')) {
      const std::optional<std::string> directory =
          inspect::searched_directory(entry, owner.installed);
      if (!directory) {
        out.dropped.push_back(entry);
        continue;
      }
      entries.push_back(entry);
      searched.push_back(*directory);
    }
  }
  const auto add = [&](const Lines& directories) {
    for (const std::string& directory : directories) {
      if (has(searched, directory)) continue;
      entries.push_back(inspect::search_path_entry(directory, owner.installed));
      searched.push_back(directory);
    }
  };
  add(places.required);
  if (!out.dropped.empty()) add(places.own);
  out.text = join(entries, ":");
  return out;
}

namespace {

void add_once(Lines& lines, const std::string& line) {
  if (std::find(lines.begin(), lines.end(), line) == lines.end()) lines.push_back(line);
}

std::string parent_of(const std::string& path) {
  const size_t slash = path.rfind('/');
  return slash == std::string::npos ? "" : path.substr(0, slash);
}

/// The loader ignores RPATH if there is a RUNPATH, but the rule `rpath` judges both.
std::string old_path(const binary::Elf& elf) {
  if (elf.rpath.empty() || elf.runpath.empty()) return elf.rpath + elf.runpath;
  return elf.runpath + ":" + elf.rpath;
}

class Planner {
 public:
  explicit Planner(const Facts& facts)
      : facts_(facts), closure_(closure_of(facts)), grafts_in_(grafts_directory()) {}

  RepairPlan run() {
    note_own();
    note_gpu();
    for (const auto& [soname, entry] : closure_) decide(soname, entry);
    for (auto& [path, graft] : grafts_) plan_.grafts.push_back(graft);
    std::sort(plan_.grafts.begin(), plan_.grafts.end(),
              [](const Graft& left, const Graft& right) { return left.member < right.member; });
    for (const inspect::ElfMember& library : facts_.wheel.libraries) edit_member(library);
    for (const Graft& graft : plan_.grafts) edit_graft(graft);
    for (const inspect::LostLibrary& lost : lost_in(facts_, result_)) lead(lost);
    for (Edit& edit : edits_) {
      if (has_effect(edit)) plan_.edits.push_back(std::move(edit));
    }
    decide_platform();
    return std::move(plan_);
  }

 private:
  std::string grafts_directory() const {
    return facts_.wheel.name ? facts_.wheel.name->distribution + ".libs" : "";
  }

  void note_own() {
    for (const inspect::ElfMember& library : facts_.wheel.libraries) {
      const std::optional<std::string> installed = inspect::installed_path(library.name);
      if (!installed) continue;
      for (const std::string& name : inspect::own_sonames({library})) {
        own_[name] = parent_of(*installed);
      }
    }
  }

  void note_gpu() {
    const auto is_torch = [](const auto& each) { return inspect::is_torch_library(each.first); };
    uses_torch_ = std::any_of(closure_.begin(), closure_.end(), is_torch) ||
                  !inspect::torch_requirements(facts_.wheel).empty();
    std::set<std::string> needed;
    for (const auto& [name, entry] : closure_) needed.insert(name);
    cuda_ = cuda_major(facts_.wheel, needed);
  }

  void decide(const std::string& soname, const NeededEntry& entry) {
    switch (entry.fate) {
      case Fate::system:
      case Fate::own:
        return;
      case Fate::provided:
        if (inspect::gpu_library(soname) != inspect::GpuLibrary::loader) return;
        plan_.notes.push_back(quoted(soname) +
                              " is left to the system, because it opens the GPU drivers there");
        return;
      case Fate::python:
        plan_.notes.push_back(quoted(soname) +
                              " is no longer needed: the interpreter that loads a module has it");
        return;
      case Fate::requirement:
        places_[soname] = facts_.libraries.at(soname).installed;
        external_.push_back(soname);
        return;
      case Fate::gpu:
        external_.push_back(soname);
        return decide_gpu(soname);
      case Fate::graft:
        return decide_graft(soname);
      case Fate::unnameable:
        return decide_unnameable(soname, entry);
      case Fate::missing:
        plan_.problems.push_back(Error{
            ErrorKind::check,
            quoted(entry.needed_by) + " needs " + quoted(soname) + ", which is not on this machine"}
                                     .with_hint(package_hint(soname)));
    }
  }

  void decide_unnameable(const std::string& soname, const NeededEntry& entry) {
    const bool by_need = !is_library_name(soname);
    const std::string name = by_need ? soname : facts_.libraries.at(soname).elf.soname;
    plan_.problems.push_back(
        Error{ErrorKind::check,
              fmt::format("{} needs {}, which cannot be put into a wheel{}: a file's name must be "
                          "short and have characters that are shown, no backslash",
                          quoted(entry.needed_by), quoted(soname),
                          by_need ? "" : fmt::format(" under its SONAME {}", quoted(name)))}
            .with_hint("build the library under another name"));
  }

  void decide_graft(const std::string& soname) {
    const Library& library = facts_.libraries.at(soname);
    Graft& graft = grafts_[library.path];
    if (graft.member.empty()) {
      const std::string name = graft_name(library, soname);
      graft = {grafts_in_ + "/" + name, name, {}, library.path, library.sha256};
    }
    graft.needed_as.push_back(soname);
    renamed_[soname] = graft.soname;
    places_[soname] = grafts_in_;
  }

  void decide_gpu(const std::string& soname) {
    // torch requires the toolkit's distributions and loads them before any extension.
    if (uses_torch_) return;
    std::optional<GpuRequirement> wanted = gpu_requirement(soname, cuda_);
    const auto found = facts_.libraries.find(soname);
    if (!wanted && found != facts_.libraries.end() && !found->second.distribution.empty()) {
      wanted = GpuRequirement{found->second.distribution, found->second.installed};
    }
    if (!wanted) {
      plan_.notes.push_back(
          quoted(soname) +
          " of a GPU toolkit must come from the system: no requirement provides it");
      return;
    }
    places_[soname] = wanted->directory;
    if (inspect::is_required_library(facts_.wheel, soname)) return;
    add_once(plan_.requirements, wanted->requirement);
  }

  enum class Kind { member, graft };

  Places places_of(const binary::Elf& elf, Kind kind) const {
    Places places;
    for (const std::string& soname : elf.needed) {
      const auto place = places_.find(soname);
      if (place != places_.end()) add_once(places.required, place->second);
      const auto own = own_.find(soname);
      if (own == own_.end()) continue;
      // A graft finds libraries of the wheel only through its own path.
      add_once(kind == Kind::graft ? places.required : places.own, own->second);
    }
    return places;
  }

  Edit renames_of(const std::string& member, const binary::Elf& elf) const {
    Edit edit{member};
    for (const std::string& soname : elf.needed) {
      const auto renamed = renamed_.find(soname);
      if (renamed != renamed_.end()) edit.replace_needed.emplace_back(soname, renamed->second);
      const auto entry = closure_.find(soname);
      if (entry != closure_.end() && entry->second.fate == Fate::python) {
        edit.remove_needed.push_back(soname);
      }
    }
    return edit;
  }

  void edit_member(const inspect::ElfMember& library) {
    Edit edit = renames_of(library.name, library.elf);
    const Places places = places_of(library.elf, Kind::member);
    const std::optional<std::string> installed = inspect::installed_path(library.name);
    const std::string old = old_path(library.elf);
    const SearchPath path =
        search_path({library.name, installed.value_or(library.name), old}, places);
    const bool leads_inside =
        !places.required.empty() || ((old.empty() || !path.dropped.empty()) && !places.own.empty());
    if (!installed && leads_inside) {
      const std::optional<MovedProgram> moved =
          moved_program(library.name, facts_.wheel.name ? facts_.wheel.name->distribution : "");
      if (moved) return move_program(*moved, library.elf);
      if (!places.required.empty()) report_scattered(library.name);
    }
    if (path.text != old) edit.rpath = path.text;
    for (const std::string& entry : path.dropped) note_dropped(library.name, entry);
    add_edit(std::move(edit), library.elf);
  }

  /// The entries of its old path were relative to another directory, or directories of the machine.
  void move_program(const MovedProgram& moved, const binary::Elf& elf) {
    Edit edit = renames_of(moved.program, elf);
    edit.moved_from = moved.script;
    edit.rpath = search_path({moved.program, moved.program, ""}, places_of(elf, Kind::graft)).text;
    const std::string old = old_path(elf);
    for (const std::string& entry : old.empty() ? Lines{} : split(old, ':')) {
      note_dropped(moved.script, entry);
    }
    plan_.programs.push_back(moved);
    add_edit(std::move(edit), elf);
  }

  void note_dropped(const std::string& member, const std::string& entry) {
    plan_.notes.push_back(
        fmt::format("{}: the search path entry {} is dropped, because it does not hold after "
                    "installation",
                    quoted(member), quoted(entry)));
  }

  /// The old path of a graft referred to the machine, so dropping it is not worth a note.
  void edit_graft(const Graft& graft) {
    const Library& library = facts_.libraries.at(graft.needed_as.front());
    Edit edit = renames_of(graft.member, library.elf);
    edit.soname = graft.soname;
    const std::string path =
        search_path({graft.member, graft.member, ""}, places_of(library.elf, Kind::graft)).text;
    if (path != old_path(library.elf)) edit.rpath = path;
    add_edit(std::move(edit), library.elf);
  }

  void report_scattered(const std::string& member) {
    plan_.problems.push_back(
        Error{ErrorKind::check,
              quoted(member) + " needs grafted libraries, but is installed outside site-packages"}
            .with_hint("install it inside the package, or a program among the scripts, or link it "
                       "statically"));
  }

  void add_edit(Edit edit, const binary::Elf& elf) {
    binary::Elf before;
    before.machine = elf.machine;
    before.soname = elf.soname;
    before.needed = elf.needed;
    before.rpath = elf.rpath;
    before.runpath = elf.runpath;
    before.version_needs = elf.version_needs;
    result_.push_back({edit.member, edited(std::move(before), edit)});
    edits_.push_back(std::move(edit));
  }

  /// Adds the path by which a library of the wheel finds another.
  void lead(const inspect::LostLibrary& lost) {
    inspect::ElfMember& user = result_[lost.needed_by];
    const std::string& file = result_[lost.library].name;
    const std::string installed = inspect::installed_path(user.name).value_or(user.name);
    const std::string directory = parent_of(inspect::installed_path(file).value_or(file));
    if (directory.find_first_of(":$") != std::string::npos) {
      plan_.problems.push_back(
          Error{ErrorKind::check,
                fmt::format("no search path can lead {} to {}", quoted(user.name), quoted(file))}
              .with_hint("use a directory without `:` and `$`"));
      return;
    }
    Edit& edit = edits_[lost.needed_by];
    std::string path = edit.rpath ? *edit.rpath : old_path(user.elf);
    if (!path.empty()) path += ":";
    edit.rpath = path + inspect::search_path_entry(directory, installed);
    const std::string name(last_part(file));
    if (name != lost.soname) edit.replace_needed.emplace_back(lost.soname, name);
    user.elf = edited(std::move(user.elf), edit);
  }

  void decide_platform() {
    plan_.platforms = current_platforms();
    // A missing library is already a problem and would be reported twice.
    if (result_.empty() || !plan_.problems.empty()) return;
    Lines external = facts_.exclude;
    external.insert(external.end(), external_.begin(), external_.end());
    const Result<inspect::PlatformTag> oldest = inspect::platform_tag(result_, external);
    if (!oldest) {
      plan_.problems.push_back(oldest.error());
    } else if (oldest->tag.starts_with("linux_")) {
      const bool musl = libc_of(facts_.wheel) == pep::Libc::musl;
      report_too_new(musl ? "every musllinux policy" : "every manylinux policy", oldest->reasons,
                     "");
    } else if (facts_.target.minor) {
      decide_target(*oldest, external);
    } else if (plan_.changes() || !holds(plan_.platforms, oldest->tag)) {
      set_platform(oldest->tag);
    }
  }

  Lines current_platforms() const {
    return facts_.wheel.name ? facts_.wheel.name->tags.platform : Lines{};
  }

  void set_platform(const std::string& tag) {
    plan_.platforms = {tag};
    plan_.retagged = plan_.platforms != current_platforms();
  }

  /// Whether the tags claim no more than the oldest justified tag.
  static bool holds(const Lines& platforms, const std::string& oldest) {
    const std::optional<pep::LinuxPolicy> justified = pep::parse_linux_policy(oldest);
    return std::all_of(platforms.begin(), platforms.end(), [&](const std::string& platform) {
      const std::optional<pep::LinuxPolicy> claimed = pep::parse_linux_policy(platform);
      return claimed && justified && claimed->arch == justified->arch &&
             claimed->libc == justified->libc && claimed->minor >= justified->minor;
    });
  }

  void decide_target(const inspect::PlatformTag& oldest, const Lines& external) {
    pep::LinuxPolicy wanted{libc_of(facts_.wheel), 2, *facts_.target.minor,
                            architecture_of(facts_.wheel)};
    if (wanted.libc == pep::Libc::musl) wanted.major = 1;
    const std::string tag = pep::to_string(wanted);
    const Result<Lines> against = inspect::policy_objections(result_, wanted, external);
    if (!against) {
      plan_.problems.push_back(against.error());
    } else if (!against->empty()) {
      report_too_new(quoted(tag), *against,
                     fmt::format("build on an older system, or use {}",
                                 quoted(fmt::format("--plat {}", oldest.tag))));
    } else {
      set_platform(tag);
    }
  }

  void report_too_new(const std::string& what, const Lines& reasons, const std::string& hint) {
    Error error{ErrorKind::check, "the wheel needs versions that are too new for " + what};
    for (const std::string& reason : reasons) {
      error.causes.push_back({ErrorKind::check, reason});
    }
    plan_.problems.push_back(
        std::move(error).with_hint(hint.empty() ? "build on an older system" : hint));
  }

  const Facts& facts_;
  std::map<std::string, NeededEntry> closure_;
  std::string grafts_in_;
  bool uses_torch_ = false;
  std::optional<int> cuda_;                     ///< the major version that the wheel is for
  std::map<std::string, std::string> own_;      ///< name -> installed directory
  std::map<std::string, Graft> grafts_;         ///< by path
  std::map<std::string, std::string> renamed_;  ///< needed name -> the graft's
  std::map<std::string, std::string> places_;   ///< needed name -> installed directory
  Lines external_;                              ///< libraries that others provide
  std::vector<inspect::ElfMember> result_;      ///< the wheel's libraries after the repair
  std::vector<Edit> edits_;                     ///< of these, also those without effect
  RepairPlan plan_;
};

}  // namespace

RepairPlan plan_repair(const Facts& facts) {
  return Planner(facts).run();
}

}  // namespace pinwheel::repair
