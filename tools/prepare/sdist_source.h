#pragma once
#include <string>

#include "base/result.h"
#include "host/machine/workplace.h"
#include "plan/action.h"
#include "prepare/host.h"

namespace pinwheel::prepare {

/// The source of `package.requirement`, "torch-scatter==2.1.2": its sdist, fetched from the user's
/// indexes and unpacked in the cache once. Errors: `config` if the version is not pinned, and those
/// of host/index/fetch_sdist.h.
Result<plan::Source> sdist_source(const Host& host, const std::string& requirement,
                                  const host::Workplace& workplace);

}  // namespace pinwheel::prepare
