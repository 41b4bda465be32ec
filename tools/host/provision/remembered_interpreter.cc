#include "host/provision/remembered_interpreter.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <string_view>

#include "base/digest.h"
#include "host/system/open_regular.h"

namespace pinwheel::host {
namespace {

namespace fs = std::filesystem;

bool is_elf(const fs::path& path) {
  return first_bytes(path, 4) == "\177ELF";
}

/// "missing" is an identity too: it changes when the file appears.
std::string identity(const fs::path& path) {
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0) return "missing\n";
  return fmt::format("{} {} {} {}.{:09} {}.{:09}\n", status.st_dev, status.st_ino, status.st_size,
                     status.st_mtim.tv_sec, status.st_mtim.tv_nsec, status.st_ctim.tv_sec,
                     status.st_ctim.tv_nsec);
}

fs::path record_of(const fs::path& directory, const std::string& identity) {
  return directory / (sha256_hex(identity) + ".json");
}

}  // namespace

std::string program_identity(const fs::path& program) {
  if (!is_elf(program)) return {};
  std::error_code error;
  const fs::path real = fs::canonical(program, error);
  if (error) return {};
  return program.string() + "\n" + real.string() + "\n" + identity(real) +
         identity(program.parent_path().parent_path() / "pyvenv.cfg");
}

std::optional<env::Interpreter> recall_interpreter(ports::Files& files, const fs::path& directory,
                                                   const fs::path& program) {
  const std::string identity = directory.empty() ? std::string() : program_identity(program);
  if (identity.empty()) return std::nullopt;
  const fs::path record = record_of(directory, identity);
  const Result<ports::FileStatus> status = files.status(record);
  if (!status || status->type != ports::FileType::regular) return std::nullopt;
  const Result<std::string> printed = files.read(record);
  if (!printed) return std::nullopt;
  const Result<env::Interpreter> known = env::parse_interpreter(*printed);
  // A corrupt record counts as none.
  return known ? std::optional<env::Interpreter>(*known) : std::nullopt;
}

Done remember_interpreter(ports::Files& files, const fs::path& directory, const fs::path& program,
                          const std::string& printed) {
  const std::string identity = directory.empty() ? std::string() : program_identity(program);
  if (identity.empty()) return {};
  TRY(const env::Interpreter interpreter, env::parse_interpreter(printed));
  if (!interpreter.has_headers || !interpreter.makes_environments) return {};
  return files.write(record_of(directory, identity), printed);
}

}  // namespace pinwheel::host
