#pragma once
#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "ports/log.h"

namespace pinwheel::host {

/// The secrets in a user's variables: the values of those whose names say so, unless they are
/// shorter than `Secret::kShortest`, and the passwords of URLs in all of them.
std::vector<Secret> secrets_in(const std::map<std::string, std::string>& variables);

/// A log without secrets: what was given to `hide` is replaced by `***` in every text, and so are
/// the credentials and queries of URLs.
class MaskedLog final : public ports::Log {
 public:
  explicit MaskedLog(ports::LogHandle log);

  void write(const ports::LogEvent& event) override;
  void hide(const Secret& secret) override;

 private:
  std::string masked(const std::string& text) const;

  ports::LogHandle log_;
  std::mutex mutex_;
  std::vector<Secret> secrets_;  ///< longest first: one may be part of another
};

}  // namespace pinwheel::host
