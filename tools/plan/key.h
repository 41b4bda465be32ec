#pragma once
#include <map>
#include <string>
#include <vector>

#include "plan/action.h"
#include "plan/outcome.h"

// Keys and reuse
//
// A step has a key: the sha256 of everything that decides its result. If a finished result has the
// same key, the step is not run again. There are no timestamps and no "dirty" marks: a result is
// valid wherever its key is computed again, in this checkout, in a clone, or on another machine.
//
// The key has named parts, so that a difference can be shown:
//
//     action                "build-wheel"
//     class                 "cu130"
//     source.digest         "5c1f..."          the files that wheel builds receive
//     variables.CXXFLAGS    "-O2"
//     toolchain             "g++ 12.2.0 ..."   of the machine
//     needs env:45f5b2273608  "45f5..."        the product of a dependency
//
// `key_parts` flattens the action into such parts, `with_needs` adds the products of the
// dependencies, and `key_of` hashes the map together with a schema number. With another CXXFLAGS,
// `plan` prints `variables.CXXFLAGS: "-O2" -> "-O3"` as the reason for a new build.
//
// A dependency enters with its product, not with its key. The product of a build is a digest of
// the names and contents of its files. If a build runs again, for instance because its result was
// deleted, and writes the same bytes, then the keys of its tests are the same, and the tests are
// reused. An environment has no files to compare, so its product is its key, which contains its
// exact packages.
//
// Some inputs must never be parts, because they do not change the result or are not the same
// everywhere: local paths, values of secrets (their names are parts), job counts, memory and time
// limits, and retries. An input that is forgotten here is the worst bug of the program: it reuses
// a wrong result. An input too many only costs a build.
//
// Before a run, `known_results` walks the plan in order. The key of a step is complete once all of
// its dependencies have a result, or are environments and toolkits, whose key is known before they
// exist. The journal is searched first (`journal/reuse`: done, with all outputs present and
// unchanged), then the stores. Every result that is found completes further keys.
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
