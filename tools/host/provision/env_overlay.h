#pragma once
#include <filesystem>
#include <string>
#include <vector>

#include "env/commands.h"
#include "host/machine/env_machine.h"
#include "host/provision/python_environments.h"

namespace pinwheel::host {

/// A virtual environment that sees the packages of a base and has its own on top. On the base of a
/// test, it sees the contents of a user's environment: the base's torch, and its own packages. The
/// base is not modified. Removed in the destructor.
class Overlay {
 public:
  /// Creates it at `directory`, which must not exist.
  static Result<Overlay> create(const EnvMachine& machine, const BaseEnvironment& base,
                                const std::filesystem::path& directory);
  ~Overlay();
  Overlay(Overlay&& other) noexcept;
  Overlay& operator=(Overlay&&) = delete;
  Overlay(const Overlay&) = delete;
  Overlay& operator=(const Overlay&) = delete;

  /// Installs wheels (paths) and requirements, with or without dependencies. A wheel that needs a
  /// different torch fails here (`config`) instead of replacing it; so does one that needs any
  /// other version than the base's on the base of a build, whose packages are all pinned.
  Done install(const std::vector<std::string>& what,
               env::Dependencies dependencies = env::Dependencies::installed) const;

  /// The packages that its Python can import, from here and from the base, as `name version`,
  /// sorted by name.
  Result<std::vector<std::string>> visible_packages() const;

  const std::string& python() const { return python_; }
  /// The `PATH` for commands in it: its own programs, the base's (ninja, cmake), those of the
  /// base's conda prefix, then the user's.
  std::string path() const;
  const std::filesystem::path& directory() const { return directory_; }

 private:
  Overlay(const EnvMachine& machine, const BaseEnvironment& base, std::filesystem::path directory);

  const EnvMachine* machine_;
  BaseEnvironment base_;
  std::filesystem::path directory_;
  std::string python_;
};

}  // namespace pinwheel::host
