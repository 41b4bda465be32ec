#include "toolkits/made_toolkit.h"

#include <fmt/format.h>

#include "base/text.h"
#include "toolkits/conda_toolkit.h"
#include "toolkits/pypi_toolkit.h"

namespace pinwheel::toolkits {

bool asks_for_packages(const env::Request& request) {
  return request.toolkit_from == matrix::ToolkitFrom::pypi ||
         request.toolkit_from == matrix::ToolkitFrom::conda;
}

ToolkitSource toolkit_source(const env::Request& request, const std::vector<env::Toolkit>& found) {
  if (request.toolkit_from == matrix::ToolkitFrom::conda) return ToolkitSource::conda;
  return comes_from_pypi(request, found) ? ToolkitSource::pypi : ToolkitSource::machine;
}

Result<env::Request> toolkit_packages(const env::Request& request, ToolkitSource source) {
  switch (source) {
    case ToolkitSource::pypi:
      return pypi_toolkit_request(request);
    case ToolkitSource::conda:
      return conda_toolkit_request(request);
    case ToolkitSource::machine:
      break;
  }
  return fail(ErrorKind::internal,
              fmt::format("{} is not made from packages", quoted(request.toolkit)));
}

std::string toolkit_id(const std::string& name, const env::Resolution& packages) {
  return packages.conda.empty() ? pypi_toolkit_id(name, packages)
                                : conda_toolkit_id(name, packages);
}

std::string toolkit_in(const std::string& id, const env::Resolution& packages) {
  const std::string family = id.substr(0, id.find('-'));
  const std::string release =
      packages.conda.empty() ? pypi_release(packages) : conda_toolkit_release(packages);
  return release.empty() ? family : family + "/" + release;
}

}  // namespace pinwheel::toolkits
