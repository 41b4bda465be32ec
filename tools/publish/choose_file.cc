#include "publish/choose_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>

#include "base/text.h"
#include "pep/specifier.h"
#include "pep/wheel_name.h"
#include "publish/upload_time.h"

namespace pinwheel::publish {
namespace {

struct Installable {
  const IndexFile* file = nullptr;
  pep::Version version;
  bool is_wheel = false;
  pep::TagRank rank = {};
  std::optional<pep::BuildTag> build = std::nullopt;
};

/// Why files are no candidates.
struct Dropped {
  size_t variants = 0;
  size_t other_tags = 0;
  size_t other_python = 0;
  size_t yanked = 0;
  size_t too_new = 0;
  size_t without_time = 0;
};

/// A wheel for the target or an sdist, by its name alone.
std::optional<Installable> candidate_of(const IndexFile& file, const pep::TargetPython& target,
                                        Dropped& dropped) {
  if (auto wheel = pep::parse_wheel_name(file.filename)) {
    // Installers ignore wheel variants, unless an option enables them.
    if (!wheel->variant.empty()) ++dropped.variants;
    if (!wheel->variant.empty()) return std::nullopt;
    const std::optional<pep::TagRank> rank = pep::best_rank(wheel->tags, target);
    if (!rank) ++dropped.other_tags;
    if (!rank) return std::nullopt;
    return Installable{&file, std::move(wheel->version), true, *rank, wheel->build};
  }
  auto sdist = pep::parse_sdist_name(file.filename);
  if (!sdist) return std::nullopt;
  return Installable{&file, std::move(sdist->version)};
}

/// Installers ignore a clause that they cannot read.
bool allows_python(const IndexFile& file, const pep::TargetPython& target) {
  const Result<pep::SpecifierSet> clauses = pep::parse_specifiers(file.requires_python);
  return !clauses || pep::satisfies(pep::python_release(target), *clauses);
}

enum class Age { allowed, too_new, unknown };

Age age_of(const IndexFile& file, const ChoiceRequest& request, Installer installer) {
  if (!request.before) return Age::allowed;
  const bool is_pip = installer == Installer::pip;
  if (is_pip && request.place == PagePlace::directory) return Age::allowed;
  if (is_pip && request.form == PageForm::html) return Age::unknown;
  const auto time = parse_upload_time(file.upload_time);
  if (!time) return Age::unknown;
  return *time < *request.before ? Age::allowed : Age::too_new;
}

bool is_worse(const Installable& a, const Installable& b) {
  // A higher rank is worse, and so is a smaller build tag.
  if (a.version != b.version) return a.version < b.version;
  return std::tuple(a.is_wheel, b.rank, a.build) < std::tuple(b.is_wheel, a.rank, b.build);
}

std::string reason_of(const Dropped& dropped) {
  std::vector<std::string> parts;
  const auto add = [&parts](size_t count, std::string_view what) {
    if (count > 0) parts.push_back(fmt::format("{} {}", plural(count, "file"), what));
  };
  add(dropped.variants, "with a variant label");
  add(dropped.other_tags, "for other machines");
  add(dropped.other_python, "for another Python");
  add(dropped.yanked, "yanked");
  add(dropped.too_new, "too new");
  add(dropped.without_time, "without an upload time");
  return parts.empty() ? "the page lists no wheel and no sdist" : join(parts, ", ");
}

}  // namespace

Choice choose_file(const std::vector<IndexFile>& files, const ChoiceRequest& request,
                   Installer installer) {
  Dropped dropped;
  std::vector<Installable> found;
  for (const IndexFile& file : files) {
    std::optional<Installable> one = candidate_of(file, request.target, dropped);
    if (!one) continue;
    const Age age = age_of(file, request, installer);
    if (age == Age::unknown && installer == Installer::pip) {
      return {"", request.form == PageForm::html
                      ? "pip stops with an error, as it reads upload times of JSON pages only"
                      : fmt::format("pip stops with an error, as {} has no upload time",
                                    quoted(file.filename))};
    }
    if (age == Age::unknown) {
      ++dropped.without_time;
    } else if (age == Age::too_new) {
      ++dropped.too_new;
    } else if (!allows_python(file, request.target)) {
      ++dropped.other_python;
    } else if (file.yanked) {
      ++dropped.yanked;
    } else {
      found.push_back(*std::move(one));
    }
  }
  const bool has_final = std::any_of(found.begin(), found.end(), [](const Installable& each) {
    return !pep::is_prerelease(each.version);
  });
  if (has_final) {
    std::erase_if(found, [](const Installable& each) { return pep::is_prerelease(each.version); });
  }
  const auto best = std::max_element(found.begin(), found.end(), is_worse);
  if (best == found.end()) return {"", reason_of(dropped)};
  return {best->file->filename, best->is_wheel ? "" : "it has to be built"};
}

}  // namespace pinwheel::publish
