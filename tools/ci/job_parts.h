#pragma once
#include <string>
#include <string_view>

#include "ci/workflow_facts.h"

// What the jobs of a workflow have in common, as lines without indentation.

namespace pinwheel::ci {

/// `container:` of a job, with the image that the matrix names; empty without one.
std::string container_of(const WorkflowFacts& facts);

/// The step that runs `ci.container.prepare`; empty without one.
std::string prepare(const WorkflowFacts& facts);

/// The steps that check out the commit with its tags, and no credentials; of a release the tag that
/// a person chose. In a container one prepares it before, and one trusts the checkout after.
std::string checkout(const WorkflowFacts& facts, WorkflowSet set);

/// The step that downloads the plan.
std::string take_plan();

/// The step that downloads the results of all jobs into `in`: each artifact into a directory of its
/// name, so that the attempts of a step stay apart.
std::string take_results();

/// A condition of a job or a step: that no pull request from a fork runs it.
inline constexpr const char* kNotFork = "github.event.pull_request.head.repo.fork != true";

/// An expression: the ref that a release is made of. A branch may have the name of a tag.
inline constexpr const char* kReleased =
    "inputs.tag && format('refs/tags/{0}', inputs.tag) || github.ref";

/// The condition of a job that follows `job` alone. Without it a job is skipped when any job before
/// that one was, even if a gate has let it pass: as a job of rows that there are none of.
std::string after(const std::string& job);

/// The place for a person's own lines.
std::string keep(std::string_view name);

/// `env:` with the variables that builds and tests get from secrets, each only in the rows whose
/// step needs it; empty without.
std::string secrets_of(const WorkflowFacts& facts);

/// `args:` of a step: a command of pinwheel with the places of results behind it, nearest first:
/// what other jobs left in `in`, what this one leaves in `out`, and the matrix's own, which a fork
/// only reads.
enum class Results { take, take_and_leave };
std::string args(std::string_view command, const WorkflowFacts& facts, WorkflowSet set,
                 Results results);

/// `retention-days:` of an artifact; empty for a release, whose artifacts the repository keeps as
/// long as any.
std::string retention_of(const WorkflowFacts& facts, WorkflowSet set);

/// The time limit of a job in minutes, at least 1.
std::string minutes_of(const WorkflowFacts& facts);

}  // namespace pinwheel::ci
