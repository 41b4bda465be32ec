#pragma once
#include <map>
#include <string>

#include "base/result.h"
#include "host/net/http.h"
#include "prepare/options.h"

namespace pinwheel::prepare {

/// The options for requests to an index (`http_options`) with the bounds of a command; `usage` if
/// one of them is malformed.
Result<host::HttpOptions> transfer_options(const std::map<std::string, std::string>& variables,
                                           const TransferOptions& transfer);

/// `usage` if the user's variables have malformed bounds of transfers.
Done check_transfer_variables(const std::map<std::string, std::string>& variables);
/// The variables with the bounds of a command, by which the steps of a run find them.
Result<std::map<std::string, std::string>> with_transfer(
    std::map<std::string, std::string> variables, const TransferOptions& transfer);

}  // namespace pinwheel::prepare
