#pragma once
#include <stop_token>
#include <utility>

#include "host/log/logged_http.h"
#include "host/log/logged_process.h"
#include "host/net/http.h"
#include "host/system/clock.h"
#include "host/system/process.h"
#include "ports/log.h"

namespace pinwheel::prepare {

/// HTTP of a command outside a run; its requests are logged. A stop request on `cancel` ends them.
struct CommandHttp {
  CommandHttp(host::HttpOptions options, ports::LogHandle to, std::stop_token cancel = {})
      : log(std::move(to)), curl(std::move(options), std::move(cancel)), port(curl, *log, clock) {}

  ports::LogHandle log;
  host::SystemClock clock;
  host::CurlHttp curl;
  host::LoggedHttp port;
};

/// Processes of a command outside a run; they are logged.
struct CommandProcesses {
  explicit CommandProcesses(ports::LogHandle to)
      : log(std::move(to)), port(children, *log, clock) {}

  ports::LogHandle log;
  host::SystemClock clock;
  host::ChildProcesses children;
  host::LoggedProcess port;
};

}  // namespace pinwheel::prepare
