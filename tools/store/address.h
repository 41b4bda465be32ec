#pragma once
#include <string>
#include <string_view>

#include "store/domain.h"
#include "store/entry.h"

// Hand-off
//
// A release runs as many jobs: one builds a wheel, others test it, the last one publishes it. They
// share a frozen plan and a store. A job finds the result of another job in one of two ways.
//
// By key: the address is a hash of the domain and the key. This is the usual lookup, and it works
// for every run that computes the same key, in any plan.
//
// By plan: the address is a hash of the domain, the digest of the frozen plan and the id of the
// step. This is the hand-off. It is needed because a job often cannot compute the key of a step
// that it did not run. Example:
//
//     job 1   has nvcc 13.0 and g++ 12    runs  build:cu130   key K, with toolchain "g++ 12.2.0"
//     job 2   has a GPU and no compiler   runs  test:cp312-cu130-torch2.13
//
// The test depends on the build, so job 2 needs its result. But the key of the build has the part
// `toolchain`, and job 2 would compute another one. It asks for (branch, digest of plan.json,
// "build:cu130") instead and finds the record that job 1 wrote at both addresses. The files in the
// record determine the product of the build and the key of the test, which is the same on every
// machine.
//
// A record found by plan is checked before use (`host/run/stored_results`): it must be of that
// step, its key must follow from its own parts, its files must be ones that the step can produce,
// and every part must equal the part here, except the compiler and the toolkit
// (`plan::disagreements`). Those two are facts of the machine that built the wheel. Everything else
// is fixed by the plan.
//
// A record also has to be at an address that follows from its own contents (`is_address_of`). So a
// record cannot be copied to the address of another step, plan or domain: it would not be accepted
// there.
namespace pinwheel::store {

/// The address of an entry in a place: a sha256 in hex, so that every kind of place can store it.
struct Address {
  std::string hex;

  bool operator==(const Address&) const = default;
  auto operator<=>(const Address&) const = default;
};

/// The address of the entry with a key in a domain.
Address entry_address(Domain domain, std::string_view key);

/// The address of the entry of a step of a frozen plan (its sha256): for a job that cannot compute
/// the key because it does not have the compiler that made the result.
Address hand_off_address(Domain domain, std::string_view plan_digest, std::string_view step);

/// Whether an address follows from the contents of an entry. An entry at any other address is
/// rejected.
bool is_address_of(const Address& address, const Entry& entry);

}  // namespace pinwheel::store
