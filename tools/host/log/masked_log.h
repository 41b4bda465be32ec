#pragma once
#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "base/hidden_text.h"
#include "base/secret.h"
#include "ports/log.h"

namespace pinwheel::host {

/// The secrets in a user's variables: the values of those whose names say so, unless they are
/// shorter than `Secret::kShortest`, and the passwords of URLs in all of them.
std::vector<Secret> secrets_in(const std::map<std::string, std::string>& variables);

/// The passwords of the URLs and proxies in variables, and tokens in the place of a user: as they
/// are written and as they are sent.
std::vector<Secret> credentials_in(const std::map<std::string, std::string>& variables);

/// What is secret in the addresses of a command line: passwords, as `credentials_in`, and whole
/// queries, such as the signature of an address that was made to be fetched once.
std::vector<Secret> secrets_of(const std::vector<std::string>& arguments);

/// A log without secrets: what was given to `hide` is replaced by `***` in every text, in
/// whatever spelling (`base/hidden_text`), and so are the credentials and queries of URLs.
class MaskedLog final : public ports::Log {
 public:
  explicit MaskedLog(ports::LogHandle log);

  void write(const ports::LogEvent& event) override;
  void hide(const Secret& secret) override;

 private:
  ports::LogHandle log_;
  std::mutex mutex_;
  HiddenText hidden_;
};

}  // namespace pinwheel::host
