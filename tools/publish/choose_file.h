#pragma once
#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "pep/target_python.h"
#include "publish/index_file.h"

namespace pinwheel::publish {

enum class Installer { pip, uv };
enum class PageForm { json, html };
/// Where an installer finds the page.
enum class PagePlace { server, directory };

/// What an installer is asked for: the newest release of a project, without pins.
struct ChoiceRequest {
  pep::TargetPython target;
  /// pip's `--uploaded-prior-to`, uv's `--exclude-newer`; files uploaded then or later are ignored.
  std::optional<std::chrono::system_clock::time_point> before = std::nullopt;
  PageForm form = PageForm::json;  ///< of the page that the installer receives
  PagePlace place = PagePlace::server;
};

struct Choice {
  std::string filename;  ///< empty: it installs nothing
  std::string reason;    ///< why nothing is installed; "it has to be built" for an sdist

  bool operator==(const Choice&) const = default;
};

/// The file of a project's page that the installer takes on that machine, by its facts on the page:
/// the newest version, then the best tag, then the highest build tag; an sdist if the version has
/// no wheel for the machine. Yanked files are ignored, and pre-releases if there is a final
/// release.
///
/// With `before`, uv ignores files without an upload time. pip fails at the first one, except in a
/// directory, and reads upload times of JSON pages only (pip 26.3, uv 0.13).
Choice choose_file(const std::vector<IndexFile>& files, const ChoiceRequest& request,
                   Installer installer);

}  // namespace pinwheel::publish
