#pragma once
#include <cstddef>
#include <nlohmann/json.hpp>
#include <string>

#include "plan/changed_since.h"

namespace pinwheel::report {

/// The steps that run, each with its reasons, and a line with the number of all: "2 of 5 steps
/// changed since `main` (1a2b3c4d5e6f)". Steps with the same reasons share a line.
std::string since_text(const plan::ChangedSince& since, size_t columns = 0);

/// The same as GitHub-flavored Markdown.
std::string since_markdown(const plan::ChangedSince& since);

/// `{"rev", "commit", "steps": [{"id", "state", "reasons"}]}`.
nlohmann::ordered_json since_json(const plan::ChangedSince& since);

}  // namespace pinwheel::report
