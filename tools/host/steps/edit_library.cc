#include "host/steps/edit_library.h"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <memory>
#include <utility>

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

Done run_patchelf(const EditPlace& place, const repair::Edit& edit, const fs::path& file) {
  std::vector<std::string> argv = {place.patchelf};
  for (std::string& argument : patchelf_arguments(edit)) argv.push_back(std::move(argument));
  argv.push_back(file.string());
  TRY(const ports::Captured ran,
      place.machine.process.capture(
          {std::move(argv),
           place.scratch,
           env::variables_for(env::Helper::system, place.machine.variables),
           {}}));
  if (ran.exit.canceled) return fail(ErrorKind::interrupted, "the repair was interrupted");
  if (ran.exit.ok()) return {};
  return fail(ErrorKind::environment,
              fmt::format("patchelf cannot edit {}: {}", quoted(edit.member),
                          ran.exit.signal != 0 ? fmt::format("signal {}", ran.exit.signal)
                                               : std::string(trim(ran.err))));
}

/// Editors of ELF files have written broken ones before.
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
              fmt::format("{} is not what was asked for after patchelf", quoted(edit.member))};
  if (!after) error.causes.push_back(std::move(after).error());
  return fail(std::move(error));
}

}  // namespace

Result<EditedSource> source_of(const repair::Edit& edit, const std::vector<repair::Graft>& grafts,
                               const std::map<std::string, fs::path>& copies,
                               const wheel::WheelArchive& archive) {
  const auto graft = std::find_if(grafts.begin(), grafts.end(), [&](const repair::Graft& each) {
    return each.member == edit.member;
  });
  if (graft != grafts.end()) {
    const fs::path& copy = copies.at(graft->path);
    TRY(const std::unique_ptr<FileSource> file, FileSource::open(copy));
    return EditedSource{file->size(), 0, 0755, [copy]() -> Result<std::string> {
                          TRY(const std::unique_ptr<FileSource> source, FileSource::open(copy));
                          return source->read(0, source->size());
                        }};
  }
  const std::string& name = edit.moved_from.empty() ? edit.member : edit.moved_from;
  const wheel::ZipMember* const member = archive.zip.find(name);
  if (member == nullptr) return fail(ErrorKind::internal, quoted(name) + " is not in the wheel");
  // Installers make scripts executable, whatever the archive says.
  const bool runs = !edit.moved_from.empty() || (member->mode & kExecutableBits) != 0;
  const uint32_t mode = runs ? 0755 : 0644;
  return EditedSource{member->size, member->compressed_size, mode,
                      [&archive, member] { return archive.zip.read(*member); }};
}

Result<wheel::NewMember> edit_library(const EditPlace& place, const repair::Edit& edit,
                                      const EditedSource& source, size_t number) {
  const fs::path file = place.scratch / fmt::format("edit-{}", number);
  binary::Elf before;
  {
    TRY(std::string bytes, source.read());
    TRY_DONE(write_for_edit(file, bytes));
    TRY(before, binary::read_elf(ports::MemorySource(std::move(bytes))));
  }
  TRY_DONE(run_patchelf(place, edit, file));
  TRY_DONE(compare(edit, before, file));
  TRY(const std::string bytes, place.machine.files.read(file));
  TRY_DONE(place.machine.files.remove_all(file));
  if (source.packed == 0) return wheel::new_member(edit.member, bytes, source.mode);
  return wheel::new_member_within(edit.member, bytes, source.mode,
                                  wheel::most_repacked(source.packed));
}

}  // namespace pinwheel::host
