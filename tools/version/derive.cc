#include "version/derive.h"

#include <fmt/core.h>

#include <algorithm>
#include <ctime>
#include <utility>

#include "base/text.h"
#include "pep/tag_pattern.h"
#include "version/run_date.h"
#include "version/tagged.h"

namespace pinwheel::version {
namespace {

constexpr size_t kShortSha = 7;

std::string_view to_string(Bump bump) {
  if (bump == Bump::major) return "major";
  return bump == Bump::minor ? "minor" : "patch";
}

/// The version under development after `tagged`, without a development number.
pep::Version next_after(const pep::Version& tagged, Bump bump) {
  pep::Version next{tagged.epoch, tagged.release, tagged.pre};
  if (tagged.dev && !tagged.post) return next;
  if (next.pre) {
    ++next.pre->number;
    return next;
  }
  const size_t position = static_cast<size_t>(bump);
  next.release.resize(std::max(next.release.size(), position + 1), 0);
  ++next.release[position];
  std::fill(next.release.begin() + static_cast<std::ptrdiff_t>(position) + 1, next.release.end(),
            0);
  return next;
}

std::string tag_name(const Rules& rules, const pep::Version& version) {
  const std::string text = pep::to_string(version);
  const Result<pep::TagPattern> pattern = pep::parse_tag_pattern(rules.match);
  return pattern ? pattern->with(text) : text;
}

Done check_release(const ports::GitFacts& facts, const Rules& rules, const TaggedVersions& tags) {
  if (!tags.on_head) {
    const pep::Version base = tags.reachable ? tags.reachable->version : pep::Version{0, {0, 0, 0}};
    pep::Version next = next_after(base, rules.bump);
    next.pre.reset();
    return fail(ErrorKind::config,
                fmt::format("commit {} has no tag that matches {}, and channel `release` accepts "
                            "only tagged commits",
                            quoted(facts.commit.substr(0, kShortSha)), quoted(rules.match)),
                fmt::format("run {}, or choose another channel with `--channel`",
                            quoted(fmt::format("git tag -a {}", tag_name(rules, next)))));
  }
  if (facts.dirty) {
    return fail(
        ErrorKind::config,
        fmt::format(
            "tracked files differ from tag {}, and channel `release` accepts only clean trees",
            quoted(tags.on_head->name)),
        "see `git status`, then run `git stash`");
  }
  return {};
}

Done check_history(const ports::GitFacts& facts, const Rules& rules, bool has_tag) {
  if (!facts.shallow || has_tag) return {};
  return fail(ErrorKind::environment,
              fmt::format("repository {} is a shallow clone without a tag that matches {}",
                          quoted(facts.root.string()), quoted(rules.match)),
              "run `git fetch --unshallow --tags`; with actions/checkout, set `fetch-depth: 0`");
}

struct Ahead {
  pep::Version version;
  std::vector<std::string> why;
};

/// The version after the base; `base` is absent in a repository without tags.
Ahead version_ahead(const std::optional<Tagged>& base, const Rules& rules, uint64_t dev) {
  const pep::Version from = base ? base->version : pep::Version{0, {0, 0, 0}};
  Ahead ahead{next_after(from, rules.bump), {}};
  // The numbers up to that of a tagged development release are already used.
  ahead.version.dev = from.dev && !from.post && dev <= *from.dev ? *from.dev + dev : dev;
  if (!base) {
    ahead.why.push_back(
        fmt::format("no tag matches {}, so the version counts from 0.0.0", quoted(rules.match)));
  }
  if (from.pre) {
    ahead.why.emplace_back("a pre-release is followed by the next pre-release");
  } else if (!from.dev) {
    ahead.why.push_back(
        fmt::format("a final release is followed by the next {} release", to_string(rules.bump)));
  }
  return ahead;
}

Derived nightly(const TaggedVersions& tags, const Rules& rules,
                std::chrono::system_clock::time_point date) {
  const uint64_t day = date_number(date);
  Ahead ahead = version_ahead(tags.anywhere, rules, day);
  Derived derived{ahead.version, {}, {}};
  if (tags.anywhere) {
    derived.why.push_back(fmt::format(
        "{} is the highest tag of the repository, and a nightly is newer than every tag",
        quoted(tags.anywhere->name)));
  }
  derived.why.insert(derived.why.end(), ahead.why.begin(), ahead.why.end());
  derived.why.push_back(fmt::format("the development number is the date, {} (UTC)", day));
  return derived;
}

Derived after_tag(const ports::GitFacts& facts, const TaggedVersions& tags, const Rules& rules) {
  // A dirty tree on a tag differs from the tag without a commit in between: distance 0.
  const int distance = tags.reachable ? tags.reachable->distance : facts.commit_count;
  Ahead ahead = version_ahead(tags.reachable, rules, static_cast<uint64_t>(distance));
  Derived derived{ahead.version, {}, {}};
  if (tags.reachable) {
    derived.why.push_back(fmt::format("{} is the highest tag in the history of HEAD, {} before",
                                      quoted(tags.reachable->name),
                                      plural(static_cast<size_t>(distance), "commit")));
  }
  derived.why.insert(derived.why.end(), ahead.why.begin(), ahead.why.end());
  return derived;
}

std::string recut_reason(const pep::Version& version, uint64_t build) {
  return fmt::format("it is a re-cut of {}: its wheels have build number {}",
                     pep::to_string(version), build);
}

}  // namespace

Result<Derived> derive(const ports::GitFacts& facts, const Rules& rules, Channel channel,
                       std::chrono::system_clock::time_point date) {
  TRY(const TaggedVersions tags, read_tags(facts, rules));
  const std::optional<Tagged>& needed =
      channel == Channel::nightly ? tags.anywhere : tags.reachable;
  TRY_DONE(check_history(facts, rules, needed.has_value()));
  if (channel == Channel::release) TRY_DONE(check_release(facts, rules, tags));

  Derived derived;
  if (channel == Channel::nightly) {
    derived = nightly(tags, rules, date);
  } else if (tags.on_head && !facts.dirty) {
    derived.version = tags.on_head->version;
    derived.why.push_back(fmt::format("tag {} is on HEAD", quoted(tags.on_head->name)));
    derived.build = tags.on_head->build;
    if (derived.build > 0) derived.why.push_back(recut_reason(derived.version, derived.build));
  } else {
    derived = after_tag(facts, tags, rules);
  }
  if (channel == Channel::nightly || !tags.on_head || facts.dirty) {
    derived.unreleased = "g" + facts.commit.substr(0, kShortSha);
  }
  if (facts.dirty) {
    derived.unreleased += ".dirty";
    derived.why.emplace_back("tracked files differ from HEAD");
  }
  for (const std::string& name : tags.ignored) {
    derived.why.push_back(fmt::format("tag {} is not a version and is ignored", quoted(name)));
  }
  return derived;
}

Result<pep::Version> with_label(const Derived& derived, std::string_view label) {
  std::vector<std::string> local;
  if (!label.empty()) local.emplace_back(label);
  if (!derived.unreleased.empty()) local.push_back(derived.unreleased);
  if (local.empty()) return derived.version;
  Result<pep::Version> version =
      pep::parse_version(pep::to_string(derived.version) + "+" + join(local, "."));
  if (!version) {
    return fail(ErrorKind::config, "label " + quoted(label) + " is not a valid local version",
                "use letters and digits, joined by dots (PEP 440)");
  }
  return version;
}

Result<CommitChannel> channel_of(const ports::GitFacts& facts, const Rules& rules) {
  TRY(const TaggedVersions tags, read_tags(facts, rules));
  if (!tags.on_head) return CommitChannel{};
  const Tagged& tag = *tags.on_head;
  if (tag.version.dev) return CommitChannel{Channel::ci, tag.name};
  return CommitChannel{tag.version.pre ? Channel::test : Channel::release, tag.name};
}

Result<Derived> version_from_file(std::string_view contents, const std::string& path) {
  Result<pep::Version> version = pep::parse_version(contents);
  if (!version) {
    return fail(ErrorKind::config, quoted(path) + " does not contain a version",
                "write the version into the file, and nothing else, e.g. 1.2.0");
  }
  if (!version->local.empty()) {
    return fail(
        ErrorKind::config,
        "version " + quoted(pep::to_string(*version)) + " in " + quoted(path) + " has a local part",
        "remove `+` and what follows; pinwheel adds each wheel's label");
  }
  return Derived{*std::move(version), {}, {quoted(path) + " contains the version"}};
}

}  // namespace pinwheel::version
