#pragma once
#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "base/hidden_text.h"
#include "base/secret.h"
#include "ports/log.h"

namespace pinwheel::host {

/// The secrets in a user's variables: the values of variables with a secret's name, unless they are
/// shorter than `Secret::kShortest` or the path of a file (`AWS_SHARED_CREDENTIALS_FILE`), and the
/// passwords of URLs in all variables; the headers for a collector of telemetry
/// (base/encoded_pairs).
std::vector<Secret> secrets_in(const std::map<std::string, std::string>& variables);

/// The passwords of the URLs and proxies in variables, and tokens in place of a user name: as they
/// are written and as they are sent.
std::vector<Secret> credentials_in(const std::map<std::string, std::string>& variables);

/// The secrets in the URLs of a command line: passwords, as `credentials_in`, and whole queries,
/// such as the signature of a presigned URL.
std::vector<Secret> secrets_of(const std::vector<std::string>& arguments);

/// A log without secrets: texts passed to `hide` are replaced by `***` in every event, in any
/// spelling (`base/hidden_text`), and so are the credentials and queries of URLs.
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
