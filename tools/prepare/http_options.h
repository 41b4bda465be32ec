#pragma once
#include <map>
#include <string>

#include "base/result.h"
#include "env/pip_index.h"
#include "host/net/http.h"
#include "ports/log.h"
#include "prepare/host.h"
#include "prepare/options.h"

namespace pinwheel::prepare {

/// The options for requests to an index: pinwheel's user agent, and from the user's variables
/// certificates and the bounds of transfers, which `check_transfer_variables` has checked.
host::HttpOptions http_options(const std::map<std::string, std::string>& variables);

/// The same for reading files and pages: connections stay open, and ~/.netrc is used.
host::HttpOptions reading_options(const std::map<std::string, std::string>& variables);

/// The options for requests to an index (`http_options`) with the bounds of a command; `usage` if
/// one of them is malformed.
Result<host::HttpOptions> transfer_options(const std::map<std::string, std::string>& variables,
                                           const TransferOptions& transfer);

/// `usage` if the user's variables have malformed bounds of transfers.
Done check_transfer_variables(const std::map<std::string, std::string>& variables);
/// The variables with the bounds of a command, from which the steps of a run read them.
Result<std::map<std::string, std::string>> with_transfer(
    std::map<std::string, std::string> variables, const TransferOptions& transfer);

/// The configuration of the user's pip. Runs `python3 -m pip config list`; without a pip, reads the
/// variables PIP_INDEX_URL, PIP_EXTRA_INDEX_URL, PIP_FIND_LINKS, PIP_NO_INDEX and PIP_CERT.
env::PipIndexes pip_settings(const Host& host, const ports::LogHandle& log);

}  // namespace pinwheel::prepare
