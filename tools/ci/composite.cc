#include "ci/composite.h"

#include "ci/pins.h"
#include "ci/yaml_text.h"

namespace pinwheel::ci {
namespace {

// With `exec`, signals of the runner reach pinwheel, which stops within seconds. Inputs are passed
// as variables, so the shell never parses them. `xargs` splits quoted arguments and expands
// nothing; if it fails because of an unclosed quote, pinwheel must not run with the words before
// it. If an input is not given, the variable of the workflow applies.
constexpr std::string_view kAction = R"YAML(
# Written by `pinwheel ci generate`.
name: pinwheel
description: Installs pinwheel, keeps its cache between runs, and runs it

inputs:
  version:
    description: the release of pinwheel-cli to install where the runner has another or none
    default: @VERSION@
  args:
    description: the arguments of pinwheel, quoted as in a shell; without them it is only installed
    default: ""
  matrix:
    description: the matrix file, whose locks decide which cache is taken
    default: ""
  store:
    description: a place of results, as `--store` takes it; without it PINWHEEL_STORE counts, where it is set
    default: ""
  output:
    description: "`text`: what pinwheel prints becomes the output of that name"
    default: ""

outputs:
  text:
    description: what pinwheel printed
    value: ${{ steps.run.outputs.text }}

runs:
  using: composite
  steps:
    - name: Install pinwheel
      id: install
      shell: bash
      env:
        VERSION: ${{ inputs.version }}
      run: |
        set -euo pipefail
        program="$RUNNER_TEMP/pinwheel/bin/pinwheel"
        if [ "$(pinwheel --version 2>/dev/null || true)" != "pinwheel $VERSION" ] && [ ! -x "$program" ]; then
          # Ignore the modules and settings of the checkout and of earlier steps.
          unset "${!PYTHON@}"
          cd "$RUNNER_TEMP"
          python3 -I -m venv "$RUNNER_TEMP/pinwheel"
          "$RUNNER_TEMP/pinwheel/bin/python" -I -m pip install --quiet --disable-pip-version-check "pinwheel-cli==$VERSION"
        fi
        echo "cache=${PINWHEEL_CACHE_DIR:-$RUNNER_TEMP/pinwheel-cache}" >> "$GITHUB_OUTPUT"
    - name: Cache pinwheel's files
      if: inputs.matrix != '' && runner.environment == 'github-hosted'
      uses: @CACHE@
      with:
        path: ${{ steps.install.outputs.cache }}
        key: pinwheel-${{ runner.os }}-${{ runner.arch }}-${{ hashFiles(inputs.matrix, '**/pylock.*.toml') }}
        restore-keys: pinwheel-${{ runner.os }}-${{ runner.arch }}-
    - name: Show matrix errors at their lines
      if: inputs.args != ''
      shell: bash
      run: |
        set -euo pipefail
        cat > "$RUNNER_TEMP/pinwheel-matcher.json" <<'END'
        {"problemMatcher": [{"owner": "pinwheel", "pattern": [
          {"regexp": "^(error|warning): (.+)$", "severity": 1, "message": 2},
          {"regexp": "^\\s+--> (.+):(\\d+):(\\d+)$", "file": 1, "line": 2, "column": 3}]}]}
        END
        echo "::add-matcher::$RUNNER_TEMP/pinwheel-matcher.json"
    - name: Run pinwheel
      id: run
      if: inputs.args != ''
      shell: bash
      env:
        ARGS: ${{ inputs.args }}
        OUTPUT: ${{ inputs.output }}
        STORE: ${{ inputs.store }}
        PINWHEEL_CACHE_DIR: ${{ steps.install.outputs.cache }}
      run: |
        set -euo pipefail
        # pinwheel isolates the Pythons that it runs. Names with an underscore are settings of other programs.
        for name in "${!PYTHON@}"; do [[ $name == *_* ]] || unset "$name"; done
        # Do not trust a `.pinwheel` in the checkout: it could claim that a step is done.
        export PINWHEEL_STATE_DIR="${PINWHEEL_STATE_DIR:-$RUNNER_TEMP/pinwheel-run/state}"
        [ -z "$STORE" ] || export PINWHEEL_STORE="$STORE"
        program="$RUNNER_TEMP/pinwheel/bin/pinwheel"
        [ -x "$program" ] || program=$(command -v pinwheel)
        list=$(mktemp -p "$RUNNER_TEMP")
        printf '%s\n' "$ARGS" | xargs -r printf '%s\0' > "$list"
        mapfile -d '' -t words < "$list"
        [ "$OUTPUT" = text ] || exec "$program" "${words[@]}"
        code=0
        text=$("$program" "${words[@]}") || code=$?
        mark=end-$RANDOM$RANDOM$RANDOM
        printf '%s\n' "$text"
        printf 'text<<%s\n%s\n%s\n' "$mark" "$text" "$mark" >> "$GITHUB_OUTPUT"
        exit "$code"
)YAML";

}  // namespace

std::string composite_action(std::string_view version) {
  return filled(kAction, {{"VERSION", yaml_string(version)}, {"CACHE", pinned("actions/cache")}});
}

bool is_composite_action(std::string_view text) {
  const std::string_view head = kAction.substr(1);
  return text.starts_with(head.substr(0, head.find('\n')));
}

}  // namespace pinwheel::ci
