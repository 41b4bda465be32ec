#pragma once
#include <filesystem>
#include <string_view>

#include "base/error.h"
#include "base/result.h"
#include "base/secret.h"
#include "ports/log.h"

namespace pinwheel::ports {

/// Messages for people and the log while a run is prepared. Texts may contain external names; an
/// implementation makes control characters visible.
class Notices {
 public:
  virtual ~Notices() = default;

  /// A message for people, whole lines. May be called from any thread.
  virtual void note(std::string_view text) = 0;
  virtual void warn(const Error& warning) = 0;
  /// Hides the secret in the command's log, and asks the CI service to mask it in the job's.
  virtual void mask(const Secret& secret) const = 0;
  /// Hides the secret in all output and in the command's log.
  virtual void hide(const Secret& secret) const = 0;
  virtual const LogHandle& log() const = 0;
  /// Writes the command's log into this directory as well, from its first line on.
  virtual Done log_into(const std::filesystem::path& directory) = 0;
};

}  // namespace pinwheel::ports
