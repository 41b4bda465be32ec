#pragma once
#include <map>
#include <string>
#include <vector>

#include "compat/assessment.h"
#include "exports/table.h"
#include "unit/catch.h"
#include "unit/exports/made_snapshots.h"
#include "unit/inspect/demo_facts.h"

namespace pinwheel::compat {

using Texts = std::vector<std::string>;

inline constexpr const char* kOld = "_ZN2at3oldEv";
inline constexpr const char* kNew = "_ZN2at3newEv";
inline constexpr const char* kShim = "aoti_torch_abi_version";
inline constexpr const char* kNewShim = "torch_call_dispatcher";

/// A CPU build with libtorch.so -> libtorch_cpu.so and a libtorch_python.so for 3.11 and 3.12.
inline exports::Snapshot torch_build(const std::string& version, const Texts& symbols,
                                     const std::string& arch = "x86_64") {
  exports::Library torch = exports::made_library("libtorch.so", {});
  torch.needed = {"libtorch_cpu.so"};
  exports::Library cpu = exports::made_library("libtorch_cpu.so", symbols);
  cpu.needed = {"libc.so.6"};
  return {{version, arch},
          {torch, cpu, exports::made_library("libtorch_python.so", {}, "cp311"),
           exports::made_library("libtorch_python.so", {}, "cp312")}};
}

inline exports::Table table_of(const std::vector<exports::Snapshot>& builds) {
  exports::Table table;
  for (const exports::Snapshot& build : builds) table = exports::merge(table, build);
  return table;
}

/// `kOld` until 2.12, `kNew` from 2.12 on, one shim in all and one from 2.13 on.
inline exports::Table torches() {
  return table_of({torch_build("2.11.0", {kOld, kShim}), torch_build("2.12.0", {kOld, kNew, kShim}),
                   torch_build("2.13.0", {kNew, kShim, kNewShim}),
                   torch_build("2.13.1", {kNew, kShim, kNewShim})});
}

/// A wheel with one extension that wants these symbols.
inline inspect::WheelFacts wheel_wanting(
    const Texts& symbols, const std::string& tags = "cp311-cp311-manylinux_2_28_x86_64",
    Texts needed = {"libtorch.so"}) {
  inspect::WheelFacts facts = inspect::native_facts(tags);
  facts.libraries = {inspect::library("demo/_C.so", std::move(needed))};
  for (const std::string& symbol : symbols) {
    facts.libraries[0].elf.undefined.push_back({.name = symbol});
  }
  return facts;
}

/// "2.12.0 no", "2.13.0 guaranteed".
inline Texts verdicts(const TorchVerdicts& torch) {
  Texts out;
  for (const BuildVerdict& build : torch.builds) {
    out.push_back(build.build.version + " " + std::string(to_string(build.verdict)));
  }
  return out;
}

}  // namespace pinwheel::compat
