// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace kerntune::app {

/// Undoes what a careless parent may have left to this process: closed standard streams, whose numbers the first files
/// opened would get (and then be printed into); children that are reaped before anyone asks how they ended. Lets a
/// write beyond a file size limit fail, which names the file, instead of killing the process.
void start_up();

}  // namespace kerntune::app
