#include "ci/last_night.h"

#include "ci/pins.h"
#include "ci/yaml_text.h"

namespace pinwheel::ci {
namespace {

// A key is never written twice, so the newest of all that have the prefix counts.
constexpr std::string_view kCompare = R"YAML(
- name: Take the fingerprint of the plan
  id: fingerprint
  uses: @ACTION@
  with:
    output: text
    args: plan --plan plan.json --format fingerprint
- name: Take the fingerprint of the last night
  if: github.event_name == 'schedule'
  uses: @RESTORE@
  with:
    path: last-night.txt
    key: last-night/${{ github.workflow }}/${{ github.run_id }}-${{ github.run_attempt }}
    restore-keys: last-night/${{ github.workflow }}/
- name: Compare the two
  id: last-night
  env:
    FINGERPRINT: ${{ steps.fingerprint.outputs.text }}
  run: |
    if [ -e last-night.txt ] && [ "$(cat last-night.txt)" = "$FINGERPRINT" ]; then
      echo "::notice::neither the commit nor a package has changed since the last night"
      echo "same=true" >> "$GITHUB_OUTPUT"
    fi
)YAML";

constexpr std::string_view kRemember = R"(
  remember:
    name: remember this night
    needs: [plan, @LAST@]
    runs-on: ubuntu-24.04
    timeout-minutes: 10
    steps:
      - name: Write the fingerprint
        env:
          FINGERPRINT: ${{ needs.plan.outputs.fingerprint }}
        run: printf '%s\n' "$FINGERPRINT" > last-night.txt
      - name: Keep it
        uses: @SAVE@
        with:
          path: last-night.txt
          key: last-night/${{ github.workflow }}/${{ github.run_id }}-${{ github.run_attempt }}
)";

}  // namespace

std::string compare_with_last_night(const WorkflowFacts& facts) {
  return filled(kCompare,
                {{"ACTION", facts.action}, {"RESTORE", pinned("actions/cache", "restore")}});
}

std::string last_night_outputs() {
  return "unchanged: ${{ steps.last-night.outputs.same }}\n"
         "fingerprint: ${{ steps.fingerprint.outputs.text }}\n";
}

std::string remember_job(const std::string& last) {
  return "\n" + filled(kRemember, {{"LAST", last}, {"SAVE", pinned("actions/cache", "save")}});
}

}  // namespace pinwheel::ci
