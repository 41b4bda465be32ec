#include "host/torch/torch_site.h"

#include <fmt/format.h>

#include "base/text.h"
#include "env/pass_list.h"

namespace pinwheel::host {

namespace fs = std::filesystem;

Result<fs::path> torch_site(const fs::path& place, ports::Files& files) {
  TRY(const ports::FileStatus below, files.status(place / "torch"));
  if (below.type != ports::FileType::missing) return place;
  const fs::path named = place.has_filename() ? place : place.parent_path();
  return fs::absolute(named).parent_path();
}

Result<fs::path> torch_site_of(const std::string& python, ports::Process& process,
                               const std::map<std::string, std::string>& variables) {
  TRY(const ports::Captured ran,
      process.capture({{python, "-c",
                        "import importlib.util as u, os\n"
                        "print(os.path.dirname(os.path.dirname(u.find_spec('torch').origin)))"},
                       {},
                       env::variables_for(env::Helper::python, env::helper_variables(variables))}));
  const std::string site(trim(ran.out));
  if (ran.exit.ok() && !site.empty()) return fs::path(site);
  return fail(ErrorKind::environment, fmt::format("{} has no torch", pinwheel::quoted(python)),
              "pass the Python of an environment that has torch installed");
}

}  // namespace pinwheel::host
