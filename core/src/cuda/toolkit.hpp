// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include <kerntune/core/compile.hpp>

namespace kerntune::cuda {

/// The CUDA toolkit's headers on this machine, for kernels that include <cuda_fp16.h> and the like.
struct Toolkit {
  std::vector<std::string> include_folders;  // empty: none found
  std::string version;                       // CUDA_VERSION of its cuda.h, "13000"; empty: none found
};

/// Looks at $CUDA_HOME/include, $CUDA_PATH/include, beside the loaded libnvrtc (`nvrtc_path` may be empty) and
/// /usr/local/cuda/include, in this order; the first that holds cuda_fp16.h is taken. Not cached.
Toolkit find_toolkit(const std::string& nvrtc_path);
/// Names and paths under which a library of the toolkit may be found, best first: what the environment variable
/// `variable` says, alone, if it is set; else `names` in $CUDA_HOME and $CUDA_PATH, where the headers come from too,
/// then by the loader's search, then in /usr/local/cuda.
std::vector<std::string> library_candidates(const std::vector<std::string>& names, const char* variable);

/// find_toolkit for this process's NVRTC, looked up once.
const Toolkit& toolkit();

/// Files that the source or one of the headers includes and the job does not bring along, sorted, each once; an empty
/// name stands for an #include that names a macro.
std::vector<std::string> foreign_headers_of(const CompileJob& job);
inline bool includes_foreign_headers(const CompileJob& job) { return !foreign_headers_of(job).empty(); }

/// Folders that the job's own options add to the include path (-I, --include-path, -isystem).
std::vector<std::string> include_folders_of(const std::vector<std::string>& options);

/// Digest of the names, sizes and modification times of the files under `folder`: what stands for the contents of
/// headers that a job reads from disk. Remembered per folder for the life of the process.
std::string folder_digest(const std::string& folder);

}  // namespace kerntune::cuda
