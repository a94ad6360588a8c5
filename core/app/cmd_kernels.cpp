// SPDX-License-Identifier: Apache-2.0
#include <kerntune/core/catalogue.hpp>

#include "command.hpp"

namespace kerntune::app {
namespace {

class KernelsCommand final : public Command {
 public:
  Verb describe() override {
    return {
        .name = "kernels",
        .summary = "List what can be tuned: sizes, parameters, number of configurations",
        .description =
            R"(Describes plugins (*.so) and spec files (*.json), given as files or folders; without any, the folders of
KERNTUNE_PLUGIN_PATH and the installed plugins. Counts are exact. Each plugin is opened in a process of its own; one
that cannot be used is listed with the reason and costs nothing else.)",
        .options = {{.names = "PLUGIN_OR_DIR",
                     .value = "",
                     .help = "Plugins, spec files or folders of them",
                     .target = &paths_,
                     .group = "arguments"}},
        .examples = {{"kerntune kernels", "Everything that is installed"},
                     {"kerntune kernels build/dev/plugins ./my_kernel.json", "One folder and one spec file"}},
        .units = "Sizes are elements unless the kernel's summary says otherwise.",
        .exit_codes =
            "0 at least one kernel, 1 none, 2 usage, 3 environment, 4 some plugins or files could not be used",
    };
  }

  ExitCode run(const Console& console) override {
    const Catalogue catalogue = kerntune::describe(paths_);
    print(console.json ? report::kernels_json(catalogue) : report::kernels_text(catalogue, console.out));
    if (catalogue.kernels.empty()) return ExitCode::nothing_usable;
    return catalogue.problems.empty() ? ExitCode::done : ExitCode::partial;
  }

 private:
  std::vector<std::string> paths_;
};

}  // namespace

std::unique_ptr<Command> make_kernels_command() { return std::make_unique<KernelsCommand>(); }

}  // namespace kerntune::app
