#pragma once
#include <map>
#include <string>

namespace pinwheel::store {

/// The events that start a run, as far as they affect trust.
enum class CiEvent {
  pull_request,
  release,  ///< a tag, or a release of GitHub
  other,    ///< another event of a service that reports its events; or no CI
  unknown,  ///< of a service that does not report its events, or an unknown one
};

/// The event according to the variables of CI services. A sign of a pull request takes precedence
/// over everything else. According to their documentation, these services report events: AppVeyor,
/// Azure Pipelines, Bamboo, Bitbucket, Bitrise, Buddy, Buildkite, CircleCI, Cirrus, CodeBuild,
/// Codefresh, Codemagic, Drone, GitHub, GitLab, Jenkins, Prow, Screwdriver, Semaphore, Travis, Vela
/// and Woodpecker. TeamCity, GoCD and others do not.
CiEvent event_of(const std::map<std::string, std::string>& environment);

}  // namespace pinwheel::store
