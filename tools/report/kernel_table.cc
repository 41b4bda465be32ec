#include "report/kernel_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <vector>

#include "base/text.h"
#include "compat/demangle.h"
#include "report/table.h"

namespace pinwheel::report {
namespace {

constexpr size_t kFirstKernels = 30;

template <class Number>
std::string known_or(const std::optional<Number>& number, std::string_view unknown) {
  return number ? std::to_string(*number) : std::string(unknown);
}

struct ListedKernel {
  const std::string* file;
  const inspect::KernelFacts* facts;
};

std::vector<ListedKernel> listed_kernels(const inspect::WheelFacts& facts) {
  std::vector<ListedKernel> out;
  for (const inspect::DeviceCodeMember& member : facts.device_code) {
    for (const inspect::KernelFacts& each : member.kernels) out.push_back({&member.name, &each});
  }
  std::stable_sort(out.begin(), out.end(), [](const ListedKernel& left, const ListedKernel& right) {
    return left.facts->kernel.code_size > right.facts->kernel.code_size;
  });
  return out;
}

void add_number(std::string_view what, const std::string& before, const std::string& after,
                std::vector<std::string>& out) {
  if (before != after) out.push_back(fmt::format("{} {} -> {}", what, before, after));
}

}  // namespace

std::string kernel_table(const inspect::WheelFacts& facts, KernelRows rows, size_t width) {
  const std::vector<ListedKernel> kernels = listed_kernels(facts);
  if (kernels.empty()) return {};
  const size_t shown =
      rows == KernelRows::all ? kernels.size() : std::min(kernels.size(), kFirstKernels);
  std::vector<std::vector<std::string>> table;
  table.reserve(shown + 1);
  table.push_back({"kernel", "arch", "registers", "stack", "spills", "shared", "code"});
  for (size_t i = 0; i < shown; ++i) {
    const binary::CubinKernel& kernel = kernels[i].facts->kernel;
    table.push_back({compat::brief_name(compat::demangle(kernel.name)),
                     kernels[i].facts->architecture, std::to_string(kernel.registers),
                     known_or(kernel.stack, "?"), known_or(kernel.spills, "?"),
                     std::to_string(kernel.shared), format_bytes(kernel.code_size)});
  }
  std::string out = align_columns(table, width);
  if (shown < kernels.size()) {
    out += fmt::format("and {} more; `--all` lists each\n", kernels.size() - shown);
  }
  return out;
}

std::string operator_list(const inspect::WheelFacts& facts) {
  if (facts.operators.empty()) return {};
  Lines lines("operators");
  for (const auto& [file, schemas] : facts.operators) {
    for (const std::string& schema : schemas) lines.add(file, schema);
  }
  return lines.take();
}

nlohmann::json kernel_object(const binary::CubinKernel& kernel) {
  nlohmann::json out = {{"code", kernel.code_size},
                        {"registers", kernel.registers},
                        {"stack", nullptr},
                        {"spills", nullptr},
                        {"shared", kernel.shared},
                        {"constant", kernel.constant},
                        {"barriers", kernel.barriers},
                        {"threads", nullptr}};
  if (kernel.stack) out["stack"] = *kernel.stack;
  if (kernel.spills) out["spills"] = *kernel.spills;
  if (kernel.threads) out["threads"] = *kernel.threads;
  return out;
}

std::string kernel_change_text(const inspect::ChangedKernel& kernel) {
  const binary::CubinKernel& before = kernel.before;
  const binary::CubinKernel& after = kernel.after;
  std::vector<std::string> parts;
  const auto number = [&](std::string_view what, uint64_t old_value, uint64_t new_value) {
    add_number(what, std::to_string(old_value), std::to_string(new_value), parts);
  };
  number("registers", before.registers, after.registers);
  add_number("stack", known_or(before.stack, "unknown"), known_or(after.stack, "unknown"), parts);
  add_number("spills", known_or(before.spills, "unknown"), known_or(after.spills, "unknown"),
             parts);
  number("shared", before.shared, after.shared);
  number("constants", before.constant, after.constant);
  number("barriers", before.barriers, after.barriers);
  add_number("threads", known_or(before.threads, "any"), known_or(after.threads, "any"), parts);
  number("code", before.code_size, after.code_size);
  return join(parts, ", ");
}

}  // namespace pinwheel::report
