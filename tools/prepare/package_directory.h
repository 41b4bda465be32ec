#pragma once
#include <filesystem>

#include "base/result.h"
#include "matrix/matrix.h"
#include "prepare/host.h"

namespace pinwheel::prepare {

/// The directory of the package's source, absolute; for a package from an index that of the matrix.
/// `config`, at the place of `package.source`, if it is no directory.
Result<std::filesystem::path> package_directory(const Host& host, const matrix::Matrix& matrix);

}  // namespace pinwheel::prepare
