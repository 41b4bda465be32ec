#include "slurm/cluster.h"

#include <algorithm>
#include <cstdint>

#include "base/parse_integer.h"
#include "base/text.h"

namespace pinwheel::slurm {
namespace {

std::optional<int> natural_number(std::string_view text) {
  const std::optional<int> number = parse_integer(text);
  return number && *number >= 0 ? number : std::nullopt;
}

/// Variables that sbatch may take in place of options of a script.
constexpr std::array<std::string_view, 4> kForAllJobs = {"SBATCH_ACCOUNT", "SBATCH_PARTITION",
                                                         "SBATCH_QOS", "SBATCH_RESERVATION"};
/// Prefixes of variables that are options of a command (the sections "INPUT ENVIRONMENT VARIABLES"
/// of the manual pages), and further such variables.
constexpr std::array<std::string_view, 6> kOptionPrefixes = {"SBATCH_",   "SQUEUE_", "SCANCEL_",
                                                             "SCONTROL_", "SACCT_",  "SALLOC_"};
constexpr std::array<std::string_view, 3> kOptionNames = {"SLURM_CLUSTERS", "SLURM_HINT",
                                                          "SLURM_BITSTR_LEN"};

bool is_for_all_jobs(std::string_view name) {
  return std::ranges::find(kForAllJobs, name) != kForAllJobs.end();
}

bool is_command_option(std::string_view name) {
  return std::ranges::find(kOptionNames, name) != kOptionNames.end() ||
         std::ranges::any_of(kOptionPrefixes,
                             [name](std::string_view prefix) { return name.starts_with(prefix); });
}

/// 0 for other text, and for more than any machine has.
uint64_t megabytes_in(std::string_view text) {
  constexpr uint64_t kMost = uint64_t{1} << 40U;
  const std::optional<uint64_t> number = parse_unsigned(text);
  return number && *number < kMost ? *number : 0;
}

/// The words `KEY=VALUE` of a line, the first of each key.
std::map<std::string, std::string> words_of(const std::string& line) {
  std::map<std::string, std::string> words;
  for (const std::string& word : split(line, ' ')) {
    const size_t equals = word.find('=');
    if (equals != std::string::npos) words.emplace(word.substr(0, equals), word.substr(equals + 1));
  }
  return words;
}

/// A part of `--gres` or `Gres=`: "gpu:a100:2(S:0)" is type gpu, model a100, count 2.
struct GresPart {
  std::string type;
  std::string model = {};
  int count = 1;
};

GresPart gres_part(std::string_view text) {
  text = text.substr(0, text.find('('));
  if (text.starts_with("gres/")) text.remove_prefix(5);
  std::vector<std::string> parts = split(replace_all(std::string(text), "=", ":"), ':');
  GresPart part{parts[0]};
  if (parts.size() > 1) {
    if (const std::optional<int> count = natural_number(parts.back())) {
      part.count = *count;
      parts.pop_back();
    }
  }
  if (parts.size() > 1) part.model = parts[1];
  return part;
}

/// The parts of a list, whose commas may be within brackets.
std::vector<GresPart> gres_parts(std::string_view text) {
  std::vector<GresPart> parts;
  int depth = 0;
  size_t begin = 0;
  for (size_t i = 0; i <= text.size(); ++i) {
    if (i < text.size() && text[i] == '(') ++depth;
    if (i < text.size() && text[i] == ')') --depth;
    if (i < text.size() && (text[i] != ',' || depth > 0)) continue;
    if (i > begin) parts.push_back(gres_part(text.substr(begin, i - begin)));
    begin = i + 1;
  }
  return parts;
}

}  // namespace

std::string read_version(std::string_view text) {
  const std::string_view line = trim(text.substr(0, text.find('\n')));
  const std::string_view word = line.substr(line.rfind(' ') + 1);
  return line.starts_with("slurm") && !word.empty() && is_digit(word[0]) ? std::string(word)
                                                                         : std::string();
}

bool is_supported(std::string_view version) {
  const std::vector<std::string> parts = split(version, '.');
  if (parts.size() < 2) return false;
  const std::optional<int> year = natural_number(parts[0]);
  const std::optional<int> month = natural_number(parts[1]);
  return year && month && (*year > 20 || (*year == 20 && *month >= 11));
}

std::optional<std::chrono::seconds> read_time(std::string_view text) {
  int days = 0;
  const size_t dash = text.find('-');
  if (dash != std::string_view::npos) {
    const std::optional<int> number = natural_number(text.substr(0, dash));
    if (!number) return std::nullopt;
    days = *number;
    text.remove_prefix(dash + 1);
  }
  std::vector<int> numbers;
  for (const std::string& part : split(text, ':')) {
    const std::optional<int> number = natural_number(part);
    if (!number) return std::nullopt;
    numbers.push_back(*number);
  }
  // Without days one number is minutes, and two are minutes and seconds.
  if (dash == std::string_view::npos && numbers.size() < 3) numbers.insert(numbers.begin(), 0);
  numbers.resize(3);
  return std::chrono::hours(24) * days + std::chrono::hours(numbers[0]) +
         std::chrono::minutes(numbers[1]) + std::chrono::seconds(numbers[2]);
}

std::vector<Partition> read_partitions(std::string_view output) {
  std::vector<Partition> partitions;
  for (const std::string& line : split(output, '\n')) {
    std::map<std::string, std::string> words = words_of(line);
    if (words["PartitionName"].empty()) continue;
    partitions.push_back({words["PartitionName"], words["State"] == "UP", words["Default"] == "YES",
                          read_time(words["MaxTime"]),
                          natural_number(words["TotalNodes"]).value_or(0)});
  }
  return partitions;
}

std::vector<ClusterNode> read_nodes(std::string_view output) {
  std::vector<ClusterNode> nodes;
  for (const std::string& line : split(output, '\n')) {
    std::map<std::string, std::string> words = words_of(line);
    if (words["NodeName"].empty()) continue;
    ClusterNode node{words["NodeName"]};
    for (const std::string& name : split(words["Partitions"], ',')) node.partitions.insert(name);
    if (words["Gres"] != "(null)") node.gres = words["Gres"];
    const uint64_t all = megabytes_in(words["RealMemory"]);
    const uint64_t reserved = megabytes_in(words["MemSpecLimit"]);
    if (all > reserved) node.memory = (all - reserved) << 20U;
    nodes.push_back(std::move(node));
  }
  return nodes;
}

std::map<std::string, std::string> read_config(std::string_view output) {
  std::map<std::string, std::string> config;
  for (const std::string& line : split(output, '\n')) {
    const size_t equals = line.find(" = ");
    if (equals == std::string::npos) continue;
    config.emplace(trim(std::string_view(line).substr(0, equals)),
                   trim(std::string_view(line).substr(equals + 3)));
  }
  return config;
}

std::string ping_problem(std::string_view out, std::string_view err) {
  const auto has = [&](std::string_view text) { return err.find(text) != std::string_view::npos; };
  if (has("Munge") || has("munge")) return "munge does not respond";
  if (has("authentication") || has("Authentication")) return "authentication failed";
  if (has("configuration source")) return "no slurm.conf was found";
  for (const std::string& line : split(out, '\n')) {
    if (line.ends_with(" is DOWN")) return line;
  }
  const std::string_view first = trim(err.substr(0, err.find('\n')));
  return first.empty() ? "no response in time" : std::string(first);
}

std::map<std::string, std::string> command_variables(std::map<std::string, std::string> variables,
                                                     std::string_view program) {
  std::erase_if(variables, [program](const auto& variable) {
    const std::string& name = variable.first;
    return is_command_option(name) && (program != "sbatch" || !is_for_all_jobs(name));
  });
  variables["SLURM_TIME_FORMAT"] = "%s";
  return variables;
}

std::vector<std::string> overriding_variables(const std::map<std::string, std::string>& variables) {
  std::vector<std::string> names;
  for (const auto& [name, value] : variables) {
    if (is_for_all_jobs(name)) names.push_back(name);
  }
  return names;
}

bool provides(std::string_view gres, std::string_view requested) {
  const std::vector<GresPart> offered = gres_parts(gres);
  const std::vector<GresPart> wanted = gres_parts(requested);
  return std::ranges::all_of(wanted, [&](const GresPart& part) {
    if (part.type == "none") return true;
    int64_t count = 0;
    for (const GresPart& each : offered) {
      if (each.type == part.type && (part.model.empty() || each.model == part.model)) {
        count += each.count;
      }
    }
    return count >= part.count;
  });
}

}  // namespace pinwheel::slurm
