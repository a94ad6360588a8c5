// SPDX-License-Identifier: Apache-2.0
#include "command.hpp"

namespace kerntune::app {

std::vector<std::unique_ptr<Command>> all_commands() {
  std::vector<std::unique_ptr<Command>> commands;
  commands.push_back(make_devices_command());
  commands.push_back(make_kernels_command());
  commands.push_back(make_space_command());
  commands.push_back(make_tune_command());
  commands.push_back(make_run_command());
  commands.push_back(make_profile_command());
  commands.push_back(make_query_command());
  commands.push_back(make_list_command());
  commands.push_back(make_show_command());
  commands.push_back(make_record_command());
  commands.push_back(make_check_plugin_command());
  return commands;
}

}  // namespace kerntune::app
