#pragma once
#include <map>
#include <string>
#include <vector>

#include "plan/action.h"
#include "plan/outcome.h"

namespace pinwheel::plan {

/// What decides a step's result, by name: "version" -> `"1.2.0"`, "variables.CXXFLAGS" -> `"-O2"`.
/// A value longer than a digest stands as its sha256. Same action, same parts, on every machine:
/// secrets, job counts and paths of this machine are not in them.
using KeyParts = std::map<std::string, std::string>;

/// The parts that the action itself gives.
KeyParts key_parts(const Action& action);

/// Digest of what a build was asked for, whatever it is carried out with: not of the compiler that
/// happens to be there nor of where Python comes from, which the step's own key covers. The same
/// wheel made on the host and in a container says the same.
std::string recipe_of(const BuildWheel& action);
/// What the wheel of a build says of itself in `pinwheel.json`: the action's record with its
/// recipe.
std::string wheel_record(const BuildWheel& action);

/// What a finished step gave to those that need it: a digest of its files' names and contents and
/// of its evidence; the key of a step that leaves neither (an environment is what its key says).
std::string product_of(const StepOutcome& outcome);

/// The parts with the products of the step's needs, by step id.
KeyParts with_needs(KeyParts parts, const std::map<std::string, std::string>& products);

/// Hex digest of the parts and of the schema of keys itself.
std::string key_of(const KeyParts& parts);

}  // namespace pinwheel::plan
