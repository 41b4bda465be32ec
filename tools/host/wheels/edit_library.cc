#include "host/wheels/edit_library.h"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <memory>
#include <optional>
#include <utility>

#include "base/parse_integer.h"
#include "base/text.h"
#include "binary/elf.h"
#include "env/pass_list.h"
#include "host/system/file_source.h"
#include "ports/byte_source.h"

namespace pinwheel::host {
namespace {

namespace fs = std::filesystem;

constexpr uint32_t kExecutableBits = 0111;

/// Not atomic and not durable, unlike `Files::write`: the file is for patchelf only.
Done write_for_edit(const fs::path& file, const std::string& bytes) {
  std::ofstream out(file, std::ios::binary | std::ios::trunc);
  out.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  out.close();
  if (out) return {};
  return fail(ErrorKind::environment, quoted(file.string()) + " cannot be written",
              "is the disk full?");
}

/// Without the file.
std::vector<std::string> patchelf_arguments(const repair::Edit& edit) {
  std::vector<std::string> out;
  const auto add = [&](std::initializer_list<std::string> more) { out.insert(out.end(), more); };
  if (!edit.soname.empty()) add({"--set-soname", edit.soname});
  for (const std::string& removed : edit.remove_needed) add({"--remove-needed", removed});
  for (const auto& [old_name, new_name] : edit.replace_needed) {
    add({"--replace-needed", old_name, new_name});
  }
  if (!edit.rpath) return out;
  if (edit.rpath->empty()) {
    add({"--remove-rpath"});
  } else {
    add({"--force-rpath", "--set-rpath", *edit.rpath});
  }
  return out;
}

/// The shell's message on stdout when an edit fails: the edit's position and patchelf's exit code.
constexpr const char* kOnFailure = "|| { echo \"{} $?\"; exit 1; }";

fs::path file_of(const EditPlace& place, size_t number) {
  return place.scratch / fmt::format("edit-{}", number);
}

std::string patchelf_script(const EditPlace& place, std::span<const EditJob> jobs, size_t first) {
  std::string script;
  for (size_t i = 0; i < jobs.size(); ++i) {
    std::vector<std::string> argv = {place.patchelf};
    for (std::string& argument : patchelf_arguments(jobs[i].edit)) {
      argv.push_back(std::move(argument));
    }
    argv.push_back(file_of(place, first + i).string());
    script += shell_join(argv) + replace_all(kOnFailure, "{}", std::to_string(i)) + "\n";
  }
  return script;
}

/// The error of the edit that the shell names in "3 139".
tl::unexpected<Error> patchelf_failed(std::span<const EditJob> jobs, const ports::Captured& ran) {
  const std::vector<std::string> words = split(trim(ran.out), ' ');
  const std::optional<int> at = words.size() == 2 ? parse_integer(words[0]) : std::nullopt;
  const std::optional<int> code = words.size() == 2 ? parse_integer(words[1]) : std::nullopt;
  const bool named = at && *at >= 0 && static_cast<size_t>(*at) < jobs.size();
  const std::string member = named ? jobs[static_cast<size_t>(*at)].edit.member : "the libraries";
  constexpr int kSignals = 128;
  const std::string ending = code && *code > kSignals ? fmt::format("signal {}", *code - kSignals)
                                                      : std::string(trim(ran.err));
  return fail(ErrorKind::environment,
              fmt::format("patchelf cannot edit {}: {}", quoted(member), ending));
}

Done run_patchelf(const EditPlace& place, std::span<const EditJob> jobs, size_t first) {
  const fs::path script = place.scratch / fmt::format("edit-{}.sh", first);
  TRY_DONE(write_for_edit(script, patchelf_script(place, jobs, first)));
  TRY(const ports::Captured ran,
      place.machine.process.capture(
          {{"sh", script.string()},
           place.scratch,
           env::variables_for(env::Helper::system, place.machine.variables),
           {}}));
  if (ran.exit.canceled) return fail(ErrorKind::interrupted, "the repair was interrupted");
  return ran.exit.ok() ? Done{} : patchelf_failed(jobs, ran);
}

/// Editors of ELF files have produced broken ones before.
Done compare(const repair::Edit& edit, const binary::Elf& before, const fs::path& file) {
  TRY(const std::unique_ptr<FileSource> source, FileSource::open(file));
  Result<binary::Elf> after = binary::read_elf(*source);
  if (after) {
    const binary::Elf wanted = repair::edited(before, edit);
    if (after->soname == wanted.soname && after->needed == wanted.needed &&
        after->rpath == wanted.rpath && after->runpath == wanted.runpath &&
        after->version_needs == wanted.version_needs && after->defined == wanted.defined) {
      return {};
    }
  }
  Error error{ErrorKind::check,
              fmt::format("patchelf did not make the requested change to {}", quoted(edit.member))};
  if (!after) error.causes.push_back(std::move(after).error());
  return fail(std::move(error));
}

}  // namespace

Result<EditedSource> source_of(const repair::Edit& edit,
                               const std::map<std::string, fs::path>& grafts,
                               const wheel::WheelArchive& archive) {
  const auto graft = grafts.find(edit.member);
  if (graft != grafts.end()) {
    const fs::path& copy = graft->second;
    TRY(const std::unique_ptr<FileSource> file, FileSource::open(copy));
    return EditedSource{file->size(), 0, 0755, [copy]() -> Result<std::string> {
                          TRY(const std::unique_ptr<FileSource> source, FileSource::open(copy));
                          return source->read(0, source->size());
                        }};
  }
  const std::string& name = edit.moved_from.empty() ? edit.member : edit.moved_from;
  const wheel::ZipMember* const member = archive.zip.find(name);
  if (member == nullptr) return fail(ErrorKind::internal, quoted(name) + " is not in the wheel");
  // Installers make scripts executable, regardless of the mode in the archive.
  const bool runs = !edit.moved_from.empty() || (member->mode & kExecutableBits) != 0;
  const uint32_t mode = runs ? 0755 : 0644;
  return EditedSource{member->size, member->compressed_size, mode,
                      [&archive, member] { return archive.zip.read(*member); }};
}

Result<std::vector<wheel::NewMember>> edit_libraries(const EditPlace& place,
                                                     std::span<const EditJob> jobs, size_t first) {
  std::vector<binary::Elf> before;
  ByteLimit most{"a library that was edited"};
  for (size_t i = 0; i < jobs.size(); ++i) {
    TRY(std::string bytes, jobs[i].source.read());
    most.most = std::max<uint64_t>(most.most, 2 * bytes.size() + limits::kFile.most);
    TRY_DONE(write_for_edit(file_of(place, first + i), bytes));
    TRY(binary::Elf elf, binary::read_elf(ports::MemorySource(std::move(bytes))));
    before.push_back(std::move(elf));
  }
  TRY_DONE(run_patchelf(place, jobs, first));
  std::vector<wheel::NewMember> members;
  for (size_t i = 0; i < jobs.size(); ++i) {
    const auto& [edit, source] = jobs[i];
    const fs::path file = file_of(place, first + i);
    TRY_DONE(compare(edit, before[i], file));
    TRY(const std::string bytes, place.machine.files.read(file, most));
    TRY_DONE(place.machine.files.remove_all(file));
    if (source.packed == 0) {
      members.push_back(wheel::new_member(edit.member, bytes, source.mode));
      continue;
    }
    TRY(wheel::NewMember member, wheel::new_member_within(edit.member, bytes, source.mode,
                                                          wheel::most_repacked(source.packed)));
    members.push_back(std::move(member));
  }
  return members;
}

}  // namespace pinwheel::host
