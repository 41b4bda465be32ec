#include "cli/diagnostics.h"

#include <utility>

#include "host/log/masked_log.h"
#include "host/system/files.h"

namespace pinwheel::cli {

namespace fs = std::filesystem;

Result<std::shared_ptr<Diagnostics>> Diagnostics::open(
    const prepare::GlobalOptions& options, const std::map<std::string, std::string>& variables) {
  auto made = std::make_shared<Diagnostics>();
  made->output_ = std::make_shared<host::SpdlogLog>(
      options.log_format == prepare::LogFormat::json ? host::LogText::json : host::LogText::plain);
  made->log_ = std::make_shared<host::MaskedLog>(made->output_);
  for (const Secret& secret : host::secrets_in(variables)) made->log_->hide(secret);
  if (options.verbosity == prepare::Verbosity::verbose)
    made->output_->to_stderr(ports::LogLevel::info);
  if (options.verbosity == prepare::Verbosity::debug)
    made->output_->to_stderr(ports::LogLevel::debug);
  if (options.log_file.empty()) return made;
  made->file_ = fs::absolute(options.log_file).lexically_normal();
  if (Done opened = made->output_->to_file(made->file_); !opened) {
    return fail(std::move(opened).error().with_hint("name another file with `--log-file`"));
  }
  return made;
}

Done Diagnostics::log_into(const fs::path& directory) {
  if (!output_ || std::exchange(kept_, true)) return {};
  TRY_DONE(host::LocalFiles().make_directories(directory));
  TRY_DONE(output_->to_file(directory / kLogName));
  output_->forget_earlier();
  if (file_.empty()) file_ = directory / kLogName;
  return {};
}

}  // namespace pinwheel::cli
