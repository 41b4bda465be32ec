#include "wheel/record.h"

#include <map>
#include <set>

#include "base/limits.h"
#include "base/parse_integer.h"
#include "base/text.h"

namespace pinwheel::wheel {
namespace {

constexpr size_t kFields = 3;

// A line by RFC 4180; a quoted field may contain line ends. Of excess fields, only the first is
// returned.
std::optional<std::vector<std::string>> take_line(std::string_view text, size_t& at) {
  std::vector<std::string> fields(1);
  bool in_quotes = false;
  while (at < text.size()) {
    const char c = text[at++];
    if (in_quotes) {
      if (c != '"') {
        fields.back() += c;
      } else if (at < text.size() && text[at] == '"') {
        fields.back() += text[at++];
      } else {
        in_quotes = false;
      }
    } else if (c == '"') {
      in_quotes = true;
    } else if (c == ',') {
      if (fields.size() <= kFields) fields.emplace_back();
    } else if (c == '\n') {
      return fields;
    } else if (c != '\r') {
      fields.back() += c;
    }
  }
  if (in_quotes) return std::nullopt;
  return fields;
}

Result<RecordRow> to_row(const std::vector<std::string>& fields, int line) {
  const auto bad = [&](const std::string& why) {
    return fail(ErrorKind::check, "RECORD line " + std::to_string(line) + " " + why);
  };
  if (fields.size() > kFields) return bad("has more than 3 fields");
  if (fields.size() != kFields) return bad("has " + plural(fields.size(), "field") + ", not 3");
  RecordRow row{fields[0]};
  if (row.path.empty()) return bad("has no path");
  if (!fields[1].empty()) {
    const size_t equals = fields[1].find('=');
    if (equals == std::string::npos || equals == 0)
      return bad("has a malformed digest " + quoted(fields[1]));
    row.algorithm = fields[1].substr(0, equals);
    row.digest = fields[1].substr(equals + 1);
  }
  if (!fields[2].empty()) {
    row.size = parse_unsigned(fields[2]);
    if (!row.size) return bad("has a malformed size " + quoted(fields[2]));
  }
  return row;
}

std::string csv_field(const std::string& text) {
  if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
  return "\"" + replace_all(text, "\"", "\"\"") + "\"";
}

std::string row_fault(const RecordRow& row, const MemberDigest& member) {
  if (row.algorithm.empty()) return "has no digest in RECORD";
  const bool known = row.algorithm == "sha256" || long_algorithm(row);
  if (!known) {
    return "has a digest by " + quoted(row.algorithm) + ", not by sha256, sha384 or sha512";
  }
  const std::string& digest = row.algorithm == "sha256" ? member.sha256 : member.long_digest;
  const bool is_read = !member.sha256.empty();
  if (is_read && row.digest != digest) {
    return "does not match its " + row.algorithm + " in RECORD";
  }
  if (row.size && *row.size != member.size) {
    return "has " + std::to_string(member.size) + " bytes, but RECORD has " +
           std::to_string(*row.size);
  }
  return {};
}

}  // namespace

Result<std::vector<RecordRow>> parse_record(std::string_view text) {
  TRY_DONE(check_size("RECORD", text.size(), limits::kRecord));
  std::vector<RecordRow> rows;
  size_t at = 0;
  for (int line = 1; at < text.size(); ++line) {
    const std::optional<std::vector<std::string>> fields = take_line(text, at);
    if (!fields) return fail(ErrorKind::check, "RECORD ends inside a quoted name");
    if (fields->size() == 1 && fields->front().empty()) continue;  // an empty line
    if (rows.size() == limits::kRecordLines.most) {
      return fail(too_many("RECORD", limits::kRecordLines));
    }
    TRY(RecordRow row, to_row(*fields, line));
    rows.push_back(std::move(row));
  }
  return rows;
}

std::string to_string(const std::vector<RecordRow>& rows) {
  std::string out;
  for (const RecordRow& row : rows) {
    out += csv_field(row.path) + ",";
    if (!row.algorithm.empty()) out += csv_field(row.algorithm + "=" + row.digest);
    out += "," + (row.size ? std::to_string(*row.size) : std::string()) + "\n";
  }
  return out;
}

std::optional<LongSha> long_algorithm(const RecordRow& row) {
  if (row.algorithm == "sha384") return LongSha::sha384;
  if (row.algorithm == "sha512") return LongSha::sha512;
  return std::nullopt;
}

std::vector<RecordFault> record_faults(const std::vector<RecordRow>& rows,
                                       const std::vector<MemberDigest>& members,
                                       std::string_view record_path) {
  const std::string record(record_path);
  const std::set<std::string> exempt = {record, record + ".jws", record + ".p7s"};
  std::vector<RecordFault> faults;
  std::map<std::string, const RecordRow*> by_path;
  for (const RecordRow& row : rows) {
    if (!by_path.emplace(row.path, &row).second) {
      faults.push_back({row.path, "is in RECORD more than once"});
    }
  }
  std::set<std::string> present;
  for (const MemberDigest& member : members) {
    present.insert(member.name);
    const auto row = by_path.find(member.name);
    if (exempt.count(member.name) != 0) continue;
    const std::string why =
        row == by_path.end() ? "is not in RECORD" : row_fault(*row->second, member);
    if (!why.empty()) faults.push_back({member.name, why});
  }
  for (const auto& [path, row] : by_path) {
    if (present.count(path) == 0) faults.push_back({path, "is in RECORD but not in the wheel"});
  }
  if (by_path.count(record) == 0) faults.push_back({record, "does not list itself"});
  return faults;
}

std::vector<std::string> not_installed(const std::vector<RecordRow>& wheel,
                                       const std::vector<RecordRow>& installed,
                                       std::string_view dist_info) {
  std::map<std::string_view, std::string_view> digests;
  for (const RecordRow& row : installed) digests[row.path] = row.digest;
  constexpr std::string_view kInfo = ".dist-info";
  const std::string stem(dist_info.substr(0, dist_info.size() - kInfo.size()));
  std::vector<std::string> missing;
  for (const RecordRow& row : wheel) {
    const bool moved = row.path.starts_with(stem + ".data/");
    if (moved || row.path.starts_with(std::string(dist_info) + "/RECORD")) continue;
    const auto found = digests.find(row.path);
    if (found == digests.end() || found->second != row.digest) missing.push_back(row.path);
  }
  return missing;
}

}  // namespace pinwheel::wheel
