#include "matrix/gpu_architecture.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <vector>

#include "base/text.h"

namespace pinwheel::matrix {
namespace {

constexpr std::string_view kPtx = "+PTX";
constexpr std::string_view kSeparators = ";, \t";

/// The compute capabilities of known GPUs; from `kOpenFrom` on, others may follow.
constexpr auto kCapabilities = std::to_array<std::string_view>(
    {"2.0", "2.1", "3.0", "3.2", "3.5", "3.7", "5.0", "5.2", "5.3", "6.0", "6.1",
     "6.2", "7.0", "7.2", "7.5", "8.0", "8.6", "8.7", "8.8", "8.9", "9.0"});
constexpr int kOpenFrom = 10;
constexpr int kChipFrom = 9;     // 9.0a
constexpr int kFamilyFrom = 10;  // 10.0f

/// Names in `TORCH_CUDA_ARCH_LIST`, and their meaning in torch 2.14.
struct NamedList {
  std::string_view name;
  std::string_view entries;
};
constexpr auto kNamed = std::to_array<NamedList>({{"Kepler+Tesla", "3.7"},
                                                  {"Kepler", "3.5+PTX"},
                                                  {"Maxwell+Tegra", "5.3"},
                                                  {"Maxwell", "5.0;5.2+PTX"},
                                                  {"Pascal", "6.0;6.1+PTX"},
                                                  {"Volta+Tegra", "7.2"},
                                                  {"Volta", "7.0+PTX"},
                                                  {"Turing", "7.5+PTX"},
                                                  {"Ampere+Tegra", "8.7"},
                                                  {"Ampere", "8.0;8.6+PTX"},
                                                  {"Ada", "8.9+PTX"},
                                                  {"Hopper", "9.0+PTX"},
                                                  {"Blackwell+Tegra", "11.0"},
                                                  {"Blackwell", "10.0;10.3;12.0;12.1+PTX"},
                                                  {"Rubin", "10.7+PTX"}});

bool is_digits(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), is_digit);
}

/// "90a" of "9.0a"; nullopt if there is no such GPU.
std::optional<std::string> compute_capability(std::string_view text) {
  std::string suffix;
  if (text.ends_with('a') || text.ends_with('f')) {
    suffix = text.back();
    text.remove_suffix(1);
  }
  const size_t dot = text.find('.');
  if (dot == std::string_view::npos || dot > 2 || text.size() != dot + 2) return std::nullopt;
  if (!is_digits(text.substr(0, dot)) || !is_digit(text.back()) || text[0] == '0') {
    return std::nullopt;
  }
  const int major = std::stoi(std::string(text.substr(0, dot)));
  const bool known =
      std::find(kCapabilities.begin(), kCapabilities.end(), text) != kCapabilities.end();
  if (!known && major < kOpenFrom) return std::nullopt;
  if (suffix == "a" && major < kChipFrom) return std::nullopt;
  if (suffix == "f" && major < kFamilyFrom) return std::nullopt;
  return replace_all(std::string(text), ".", "") + suffix;
}

/// "gfx90a", "gfx1100", "gfx9-4-generic", with features: "gfx90a:xnack+:sramecc-".
bool is_amd(std::string_view text) {
  constexpr std::string_view kPrefix = "gfx";
  if (!text.starts_with(kPrefix)) return false;
  const std::vector<std::string> parts = split(text.substr(kPrefix.size()), ':');
  std::string_view target = parts[0];
  constexpr std::string_view kGeneric = "-generic";
  const bool generic = target.ends_with(kGeneric);
  if (generic) target.remove_suffix(kGeneric.size());
  const auto of_target = [generic](char c) {
    return is_digit(c) || (c >= 'a' && c <= 'f') || (generic && c == '-');
  };
  constexpr size_t kLongest = 6;
  if (target.empty() || target.size() > kLongest || !is_digit(target[0]) ||
      !std::all_of(target.begin(), target.end(), of_target) ||
      (!generic && target.size() < kPrefix.size())) {
    return false;
  }
  return std::all_of(parts.begin() + 1, parts.end(), [](std::string_view feature) {
    if (!feature.ends_with('+') && !feature.ends_with('-')) return false;
    feature.remove_suffix(1);
    return feature == "xnack" || feature == "sramecc";
  });
}

std::string as_yaml_list(const std::vector<std::string>& entries) {
  std::vector<std::string> quotes;
  quotes.reserve(entries.size());
  for (const std::string& entry : entries) quotes.push_back(fmt::format("\"{}\"", entry));
  return fmt::format("[{}]", join(quotes, ", "));
}

std::vector<std::string> words_of(std::string_view text) {
  std::string spaced(text);
  std::replace_if(
      spaced.begin(), spaced.end(),
      [](char c) { return kSeparators.find(c) != std::string_view::npos; }, ' ');
  std::vector<std::string> words = split(spaced, ' ');
  std::erase(words, "");
  return words;
}

/// "9.0" for "sm_90", "compute_90", "sm90" and "90"; empty if there is no such GPU.
std::string from_compiler(std::string_view text) {
  for (const std::string_view prefix : {"sm_", "compute_", "sm"}) {
    if (!text.starts_with(prefix)) continue;
    text.remove_prefix(prefix.size());
    break;
  }
  const size_t digits = std::min(text.find_first_not_of("0123456789"), text.size());
  if (digits < 2) return {};
  std::string dotted(text);
  dotted.insert(digits - 1, ".");
  return compute_capability(dotted) ? dotted : std::string();
}

const NamedList* find_named(std::string_view text) {
  const auto* const found = std::find_if(kNamed.begin(), kNamed.end(), [&](const NamedList& list) {
    return to_lower(list.name) == to_lower(text);
  });
  return found == kNamed.end() ? nullptr : found;
}

/// The entries of a list that a word stands for: {"9.0"} for "9.0" and "sm_90", those of a named
/// list for its name; none for other words.
std::vector<std::string> meant_entries(const std::string& word) {
  std::string_view number = word;
  if (number.ends_with(kPtx)) number.remove_suffix(kPtx.size());
  if (is_amd(word) || compute_capability(number)) return {word};
  if (const NamedList* const named = find_named(word)) return split(named->entries, ';');
  const std::string meant = from_compiler(to_lower(word));
  return meant.empty() ? std::vector<std::string>{} : std::vector{meant};
}

Error unknown_architecture(std::string_view text) {
  const std::string plain = to_lower(text);
  Error error{ErrorKind::config, quoted(text) + " is not a GPU architecture"};
  if (plain == "native" || plain == "auto") {
    return std::move(error).with_hint(
        fmt::format("{} is the GPU of the build machine, which may have none and differs from the "
                    "users': list the architectures of the wheel, [\"9.0\", \"12.0+PTX\"]",
                    quoted(text)));
  }
  if (plain == "all" || plain == "common" || plain == "all-major") {
    return std::move(error).with_hint(
        fmt::format("{} is a different list in each release of torch and of the compiler: list the "
                    "architectures of the wheel, [\"8.0\", \"9.0\", \"12.0+PTX\"]",
                    quoted(text)));
  }
  if (const NamedList* const named = find_named(plain)) {
    return std::move(error).with_hint(
        fmt::format("torch 2.14 reads it as {}, other releases as more or less: write that list",
                    as_yaml_list(split(named->entries, ';'))));
  }
  const std::string meant = from_compiler(plain);
  if (!meant.empty()) {
    return std::move(error).with_hint(fmt::format("write {}", quoted("\"" + meant + "\"")));
  }
  return std::move(error).with_hint("use `9.0`, `9.0a` or `12.0+PTX` for NVIDIA, `gfx90a` for AMD");
}

Error several_entries(std::string_view text, const std::vector<std::string>& entries) {
  return Error{ErrorKind::config, quoted(text) + " is not one architecture"}.with_hint(
      fmt::format("write a list with an entry for each: {}", as_yaml_list(entries)));
}

/// The error for several words in one entry. Its hint is a list that a matrix accepts; if a word
/// has no meaning, the error is about that word.
Error not_one(std::string_view text) {
  std::vector<std::string> entries;
  for (const std::string& word : words_of(text)) {
    const std::vector<std::string> meant = meant_entries(word);
    if (meant.empty()) return unknown_architecture(word);
    for (const std::string& entry : meant) {
      if (std::find(entries.begin(), entries.end(), entry) == entries.end()) {
        entries.push_back(entry);
      }
    }
  }
  return entries.empty() ? unknown_architecture(text) : several_entries(text, entries);
}

Error of_other_vendor(std::string_view entry, std::string_view of, std::string_view family) {
  return Error{ErrorKind::config,
               fmt::format("{} is an architecture of {}, which {} has no code for", quoted(entry),
                           of, quoted(family.empty() ? "cuda" : family))}
      .with_hint(fmt::format(
          "set it in `overrides`, {}",
          quoted(of == "AMD" ? "when: {compute: \"rocm/*\"}" : "when: {compute: \"cuda/*\"}")));
}

}  // namespace

Result<GpuArchitecture> parse_gpu_architecture(std::string_view text) {
  if (text.find_first_of(kSeparators) != std::string_view::npos) return fail(not_one(text));
  if (is_amd(text)) return GpuArchitecture{GpuArchitecture::Vendor::amd, std::string(text)};
  std::string_view number = text;
  const bool ptx = number.ends_with(kPtx);
  if (ptx) number.remove_suffix(kPtx.size());
  const std::optional<std::string> capability = compute_capability(number);
  if (!capability) return fail(unknown_architecture(text));
  return GpuArchitecture{GpuArchitecture::Vendor::nvidia, *capability,
                         ptx ? GpuArchitecture::Ptx::too : GpuArchitecture::Ptx::none};
}

Done check_architecture(std::string_view entry, std::string_view family) {
  const bool nvidia = family.empty() || family == "cuda";
  if (!nvidia && family != "rocm") {
    if (entry.find_first_of(kSeparators) == std::string_view::npos) return {};
    return fail(several_entries(entry, words_of(entry)));
  }
  TRY(const GpuArchitecture known, parse_gpu_architecture(entry));
  const bool is_nvidias = known.vendor == GpuArchitecture::Vendor::nvidia;
  if (is_nvidias == nvidia) return {};
  return fail(of_other_vendor(entry, is_nvidias ? "NVIDIA" : "AMD", family));
}

}  // namespace pinwheel::matrix
