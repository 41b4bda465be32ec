#pragma once
#include <map>
#include <string>
#include <vector>

#include "plan/action.h"
#include "plan/outcome.h"

namespace pinwheel::plan {

/// The inputs that determine a step's result, by name: "version" -> `"1.2.0"`, "variables.CXXFLAGS"
/// -> `"-O2"`. A value longer than a digest is replaced by its sha256. The same action has the same
/// parts on every machine: they contain no secrets, job counts or local paths.
using KeyParts = std::map<std::string, std::string>;

/// The parts from the action itself.
KeyParts key_parts(const Action& action);

/// The parts of a build's key that decide what its command makes: without the names, tags and
/// checks of the wheel, what is done to it afterwards, and the digest of the source, which covers
/// files that no build reads.
KeyParts compile_parts(KeyParts parts);

/// Digest of what a build was asked for, independent of how it is done: it excludes the compiler of
/// the machine and the source of Python, which the step's own key covers. The same wheel has the
/// same recipe whether built on the host or in a container.
std::string recipe_of(const BuildWheel& action);
/// The contents of `pinwheel.json` in the wheel of a build: the action's record with its recipe.
std::string wheel_record(const BuildWheel& action);

/// The product of a finished step, for the keys of its dependents: a digest of its files' names and
/// contents and of its evidence; for a step that has neither (an environment), its key.
std::string product_of(const StepOutcome& outcome);

/// Adds the products of the step's needs, by step id.
KeyParts with_needs(KeyParts parts, const std::map<std::string, std::string>& products);

/// Hex digest of the parts and of the schema of keys itself.
std::string key_of(const KeyParts& parts);

}  // namespace pinwheel::plan
