#pragma once
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ports/process.h"
#include "slurm/allocation.h"
#include "slurm/plan_jobs.h"
#include "slurm/queue.h"

namespace pinwheel::slurm {

/// The token and the step of an element.
struct ScriptElement {
  std::string token;
  std::string step;
};

/// The request in a script for sbatch (slurm/script), for steps of a job that runs already.
struct ScriptRequest {
  std::string submission;  ///< from its comment
  std::vector<int> indexes = {};
  std::map<int, ScriptElement> elements = {};  ///< by index
  int cores = 1;
  uint64_t megabytes = 0;  ///< 0: not requested
  std::string gres = {};
  std::string directory = {};
  std::string output = {};                  ///< with `%a` for the index
  std::vector<std::string> variables = {};  ///< names of those that the job gets
};

/// Reads the directives; nullopt for a text that is not a script from pinwheel.
std::optional<ScriptRequest> read_script(std::string_view text);

/// The elements that an element needs, from the text of `dependency_text`: for index 0,
/// "aftercorr:12,afterok:13_4" means 12_0 and 13_4.
std::vector<ElementRef> needs_of_element(std::string_view dependency, int index);

/// The cores that an element gets on a node of the allocation: at most those of its largest node.
int cores_in(const Allocation& allocation, const ScriptRequest& request);

/// The argv of the step. The step shares its node, but srun gives a step all memory of the job
/// unless its arguments state an amount. So a step without a request gets memory in proportion to
/// its cores, at most the memory of a node.
std::vector<std::string> srun_command(const Allocation& allocation, const ScriptRequest& request,
                                      int index, const std::string& script);

/// The variables of srun: the caller's without those of Slurm, which srun would read as options,
/// but with the cluster's configuration.
std::map<std::string, std::string> srun_variables(
    const std::map<std::string, std::string>& variables);

/// A step that has ended, with its state, exit code and signal, according to srun's exit and error
/// output.
Job end_step(Job job, const ports::Exit& exit, std::string_view errors);

}  // namespace pinwheel::slurm
