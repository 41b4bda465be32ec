#include "host/index/verified_files.h"

#include <fcntl.h>

#include <cerrno>
#include <nlohmann/json.hpp>
#include <utility>

#include "base/json.h"
#include "base/limits.h"
#include "base/text.h"
#include "host/system/atomic_write.h"
#include "host/system/files.h"
#include "host/system/system_error.h"

namespace pinwheel::host {
namespace {

using Json = nlohmann::ordered_json;

std::string member(const nlohmann::json& object, const char* key) {
  const auto found = object.find(key);
  return found != object.end() && found->is_string() ? found->get<std::string>() : std::string();
}

Json to_json(const VerifiedFile& file) {
  Json line = {{"url", file.url}, {"hashes", file.hashes}, {"state", file.state}};
  if (file.inside) {
    line["metadata"] = {{"sha256", file.inside->sha256},
                        {"name", file.inside->name},
                        {"version", file.inside->version},
                        {"requires-python", file.inside->requires_python},
                        {"fault", file.inside->fault}};
  }
  return line;
}

std::optional<VerifiedFile> from_line(const std::string& text) {
  const auto line = read_json(text);
  if (!line.is_object()) return std::nullopt;
  VerifiedFile file{member(line, "url"), member(line, "hashes"), member(line, "state")};
  if (file.url.empty() || file.hashes.empty()) return std::nullopt;
  const auto metadata = line.find("metadata");
  if (metadata != line.end() && metadata->is_object()) {
    file.inside = {member(*metadata, "sha256"), member(*metadata, "name"),
                   member(*metadata, "version"), member(*metadata, "requires-python"),
                   member(*metadata, "fault")};
  }
  return file;
}

}  // namespace

Result<std::unique_ptr<VerifiedFiles>> VerifiedFiles::open(const std::filesystem::path& path) {
  std::unique_ptr<VerifiedFiles> files(new VerifiedFiles(path));
  LocalFiles disk;
  TRY_DONE(disk.make_directories(path.parent_path()));
  bool is_torn = false;
  if (disk.resolved_type(path) != ports::FileType::missing) {
    const Result<std::string> text = disk.read(path, limits::kJournal);
    // A record that cannot be read, or is too long, begins anew.
    if (!text) TRY_DONE(disk.remove_all(path));
    for (const std::string& line : split(text.value_or(""), '\n')) {
      std::optional<VerifiedFile> file = from_line(line);
      if (!file) continue;
      std::pair<std::string, std::string> key(file->url, file->hashes);
      files->known_[std::move(key)] = *std::move(file);
    }
    is_torn = text && !text->empty() && !text->ends_with('\n');
  }
  files->file_ = UniqueFd(::open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644));
  if (!files->file_.valid()) return fail(system_error("written", path, errno));
  if (is_torn) {
    if (const int number = write_all(files->file_.get(), "\n"); number != 0) {
      return fail(system_error("written", path, number));
    }
  }
  return files;
}

std::optional<VerifiedFile> VerifiedFiles::find(const std::string& url, const std::string& hashes,
                                                const std::string& state) const {
  const std::lock_guard lock(mutex_);
  const auto found = known_.find({url, hashes});
  if (found == known_.end() || found->second.state != state) return std::nullopt;
  return found->second;
}

Done VerifiedFiles::add(const VerifiedFile& file) {
  const std::string line =
      to_json(file).dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
  const std::lock_guard lock(mutex_);
  if (const int number = write_all(file_.get(), line); number != 0) {
    return fail(system_error("written", path_, number));
  }
  known_[{file.url, file.hashes}] = file;
  return {};
}

}  // namespace pinwheel::host
