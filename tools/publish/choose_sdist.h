#pragma once
#include <string>
#include <vector>

#include "base/result.h"
#include "publish/index_file.h"

namespace pinwheel::publish {

/// The sdist of exactly this version (by PEP 440) among the files on a project's page: a `.tar.gz`
/// before a `.zip`. `config` if there is none; the hint lists the files on the page.
Result<IndexFile> choose_sdist(const std::vector<IndexFile>& files, const std::string& name,
                               const std::string& version);

}  // namespace pinwheel::publish
