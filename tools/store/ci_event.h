#pragma once
#include <map>
#include <string>

namespace pinwheel::store {

/// The events that start a run, as far as they decide who is trusted.
enum class CiEvent {
  pull_request,
  release,  ///< a tag, or a release of GitHub
  other,    ///< another event of a service that tells; or no CI
  unknown,  ///< of a service that does not tell, or that nobody here knows
};

/// The event by the variables of CI services. A sign of a pull request counts before everything
/// else. What services set, as their documentation has it: AppVeyor, Azure Pipelines, Bamboo,
/// Bitbucket, Bitrise, Buddy, Buildkite, CircleCI, Cirrus, CodeBuild, Codefresh, Codemagic, Drone,
/// GitHub, GitLab, Jenkins, Prow, Screwdriver, Semaphore, Travis, Vela and Woodpecker tell.
/// TeamCity, GoCD and others do not.
CiEvent event_of(const std::map<std::string, std::string>& environment);

}  // namespace pinwheel::store
