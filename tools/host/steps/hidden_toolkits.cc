#include "host/steps/hidden_toolkits.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <map>
#include <string_view>
#include <system_error>

#include "base/text.h"

namespace pinwheel::host {
namespace {

namespace fs = std::filesystem;
using Mounts = std::vector<ports::Mount>;
using Programs = std::vector<std::string>;

constexpr std::array<const char*, 2> kCompilers = {"nvcc", "hipcc"};
constexpr std::array<const char*, 2> kParents = {"/usr/local", "/opt"};
constexpr std::string_view kToolkits = "{cuda,cuda-*,rocm,rocm-*}";
constexpr const char* kHidden = "hidden";

/// Links to the files of a directory, except some, in another directory.
Done link_others(const fs::path& directory, const Programs& programs, const fs::path& at,
                 Supplier& supplier) {
  std::error_code error;
  Links links;
  for (fs::directory_iterator each(directory, error), end; !error && each != end;
       each.increment(error)) {
    const std::string name = each->path().filename().string();
    if (std::find(programs.begin(), programs.end(), name) != programs.end()) continue;
    links.emplace(name, each->path());
  }
  if (!error) error = supplier.link(at, links);
  if (!error) return {};
  return fail(ErrorKind::environment,
              fmt::format("{} cannot be seen without {}: {}", quoted(directory.string()),
                          quoted_list(programs), error.message()),
              fmt::format("take {} off PATH", quoted(directory.string())));
}

bool has_one(const fs::path& directory, const Programs& programs) {
  return std::any_of(programs.begin(), programs.end(), [&directory](const std::string& name) {
    std::error_code absent;
    return fs::exists(directory / name, absent);
  });
}

std::vector<std::string> compilers() {
  return {kCompilers.begin(), kCompilers.end()};
}

Error not_hidden(const fs::path& place, const std::string& why) {
  return {ErrorKind::environment,
          fmt::format("the toolkits in {} cannot be hidden from the build: {}",
                      quoted(place.string()), why)};
}

/// The entries of a directory of a machine, except toolkits.
struct Listed {
  std::vector<fs::path> others = {};
  size_t toolkits = 0;
};

Listed list_without_toolkits(const fs::path& parent) {
  Listed listed;
  std::error_code error;
  for (fs::directory_iterator at(parent, error), end; !error && at != end; at.increment(error)) {
    if (glob_match(kToolkits, at->path().filename().string())) {
      ++listed.toolkits;
    } else {
      listed.others.push_back(at->path());
    }
  }
  return listed;
}

/// Creates a placeholder for `from` at `at`: a copy of a link, else an empty file or directory to
/// mount over.
Result<Mounts> stand_in(const StepContext& context, const fs::path& from, const fs::path& at) {
  std::error_code error;
  const fs::file_status status = fs::symlink_status(from, error);
  if (error) return Mounts();  // it has vanished meanwhile
  if (fs::is_symlink(status)) {
    const fs::path target = fs::read_symlink(from, error);
    if (!error) error = context.supplier.link(at.parent_path(), {{at.filename().string(), target}});
    if (error) return fail(not_hidden(from.parent_path(), error.message()));
    return Mounts();
  }
  if (fs::is_directory(status)) {
    TRY_DONE(context.machine.files.make_directories(at));
  } else {
    TRY_DONE(context.machine.files.write(at, ""));
  }
  return Mounts{{from, at}};
}

/// A directory like `parent` but without toolkits, which is mounted over it last.
Result<Mounts> without_toolkits(const StepContext& context, const BuildSpace& space,
                                const fs::path& parent) {
  std::error_code absent;
  const fs::path real = fs::canonical(parent, absent);
  if (absent) return Mounts();
  const Listed listed = list_without_toolkits(real);
  if (listed.toolkits == 0) return Mounts();
  const fs::path copy = space.real(kHidden) / replace_all(real.string(), "/", "-");
  TRY_DONE(context.machine.files.make_directories(copy));
  Mounts mounts;
  for (const fs::path& other : listed.others) {
    TRY(const Mounts one, stand_in(context, other, copy / other.filename()));
    mounts.insert(mounts.end(), one.begin(), one.end());
  }
  mounts.push_back({copy, real});
  return mounts;
}

/// Mounts a non-executable file over each compiler in the directories of the system: CMake searches
/// these regardless of PATH.
Result<Mounts> cover_compilers(const StepContext& context, const BuildSpace& space) {
  const fs::path file = space.real(kHidden) / "file";
  TRY_DONE(context.machine.files.make_directories(file.parent_path()));
  TRY_DONE(context.machine.files.write(file, ""));
  Mounts mounts;
  for (const char* const directory : {"/usr/local/bin", "/usr/bin", "/bin"}) {
    for (const char* const name : kCompilers) {
      std::error_code absent;
      const fs::path real = fs::canonical(fs::path(directory) / name, absent);
      // A link to ccache is not the compiler.
      const bool compiler = !absent && real.filename() == name;
      const bool known = std::any_of(mounts.begin(), mounts.end(),
                                     [&real](const auto& mount) { return mount.at == real; });
      if (compiler && !known) mounts.push_back({file, real});
    }
  }
  return mounts;
}

// Prints the toolkits of an image: "d" and a directory, "f" and a compiler on PATH.
constexpr const char* kList = R"sh(
for at in /usr/local/cuda /usr/local/cuda-* /opt/cuda /opt/cuda-* /opt/rocm /opt/rocm-*; do
  [ -d "$at" ] && echo "d $(cd "$at" && pwd -P)"
done
IFS=:
for at in $PATH; do
  for name in nvcc hipcc; do
    [ -x "$at/$name" ] && echo "f $(readlink -f "$at/$name")"
  done
done
true)sh";

/// Mounts something empty over each toolkit of the image.
Result<Mounts> empty_in_image(const StepContext& context, const BuildSpace& space) {
  TRY(const ports::Captured ran,
      context.machine.process.capture({{"sh", "-c", kList}, "/", context.machine.variables}));
  if (!ran.exit.ok()) return fail(not_hidden("/usr/local", std::string(trim(ran.err))));
  const fs::path directory = space.real(kHidden) / "directory";
  const fs::path file = space.real(kHidden) / "file";
  TRY_DONE(context.machine.files.make_directories(directory));
  TRY_DONE(context.machine.files.write(file, ""));
  Mounts mounts;
  for (const std::string& line : split(ran.out, '\n')) {
    if (line.size() < 3) continue;
    const fs::path at = line.substr(2);
    const std::string name = at.filename().string();
    if (line[0] == 'f' &&
        std::find(kCompilers.begin(), kCompilers.end(), name) == kCompilers.end()) {
      continue;
    }
    const bool covered = std::any_of(mounts.begin(), mounts.end(), [&at](const auto& mount) {
      return (at.string() + "/").starts_with(mount.at.string() + "/");
    });
    if (!covered) mounts.push_back({line[0] == 'd' ? directory : file, at});
  }
  return mounts;
}

constexpr std::string_view kSiteCustomize = R"(import importlib.machinery, importlib.util, os, sys

HOMES = ("/usr/local/cuda", "/opt/rocm")


class WithoutToolkit:
    def find_spec(self, name, path=None, target=None):
        if name != "torch.utils.cpp_extension":
            return None
        sys.meta_path.remove(self)
        spec = importlib.util.find_spec(name)
        if spec is None or spec.loader is None:
            return spec
        run = spec.loader.exec_module

        def exec_module(module):
            exists = os.path.exists
            os.path.exists = lambda path: path not in HOMES and exists(path)
            try:
                run(module)
            finally:
                os.path.exists = exists

        spec.loader.exec_module = exec_module
        return spec


sys.meta_path.insert(0, WithoutToolkit())
here = os.path.dirname(os.path.abspath(__file__))
own = [path for path in sys.path if os.path.abspath(path) != here]
replaced = importlib.machinery.PathFinder.find_spec("sitecustomize", own)
if replaced is not None and replaced.loader is not None:
    replaced.loader.exec_module(importlib.util.module_from_spec(replaced))
)";

Done hide_from_python(const StepContext& context, const BuildSpace& space, HiddenToolkits& hidden) {
  const fs::path directory = fs::path(kHidden) / "python";
  TRY_DONE(context.machine.files.make_directories(space.real(directory)));
  TRY_DONE(
      context.machine.files.write(space.real(directory) / "sitecustomize.py", site_customize()));
  hidden.variables["PYTHONPATH"] = space.seen(directory).string();
  return {};
}

}  // namespace

bool choose_toolkit(const std::map<std::string, std::string>& variables) {
  constexpr std::array<const char*, 6> kNames = {"CUDA_HOME", "CUDA_PATH", "CUDACXX",
                                                 "ROCM_HOME", "ROCM_PATH", "HIP_PATH"};
  return std::any_of(kNames.begin(), kNames.end(),
                     [&variables](const char* name) { return variables.contains(name); });
}

Result<std::string> path_without(const std::string& path, const Programs& programs,
                                 const BuildSpace& space, Supplier& supplier) {
  std::vector<std::string> directories = split(path, ':');
  // `/bin` is a link to `/usr/bin` on most machines, and a thousand links take a while to make.
  std::map<fs::path, std::string> replaced;
  for (std::string& directory : directories) {
    if (directory.empty() || !has_one(directory, programs)) continue;
    std::error_code unreadable;
    const fs::path real = fs::canonical(directory, unreadable);
    const auto [known, added] = replaced.try_emplace(unreadable ? fs::path(directory) : real);
    if (added) {
      const fs::path links = fs::path("programs") / std::to_string(replaced.size() - 1);
      TRY_DONE(link_others(fs::absolute(directory), programs, space.real(links), supplier));
      known->second = space.seen(links).string();
    }
    directory = known->second;
  }
  return join(directories, ":");
}

Result<HiddenToolkits> hide_toolkits(const StepContext& context, const BuildSpace& space,
                                     const std::map<std::string, std::string>& chosen) {
  HiddenToolkits hidden{value_at(context.machine.variables, "PATH")};
  const bool contained = context.machine.host != nullptr;
  if (!contained) {
    TRY(hidden.path, path_without(hidden.path, compilers(), space, context.supplier));
  }
  if (choose_toolkit(chosen)) return hidden;
  if (contained) {
    TRY(hidden.covers, empty_in_image(context, space));
  }
  if (contained || space.mode() == PathMode::real) {
    TRY_DONE(hide_from_python(context, space, hidden));
    return hidden;
  }
  TRY(hidden.covers, cover_compilers(context, space));
  for (const char* const parent : kParents) {
    TRY(const Mounts mounts, without_toolkits(context, space, parent));
    hidden.covers.insert(hidden.covers.end(), mounts.begin(), mounts.end());
  }
  return hidden;
}

std::string_view site_customize() {
  return kSiteCustomize;
}

}  // namespace pinwheel::host
