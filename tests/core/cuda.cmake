# Tests of the compiler, the cubin cache and the CUDA device. Those labelled unit need no GPU; those that compile need
# libnvrtc and skip without it.
function(kerntune_add_cuda_test)
  kerntune_add_test(${ARGN})
  cmake_parse_arguments(arg "" "NAME" "" ${ARGN})
  target_include_directories(${arg_NAME} PRIVATE ${PROJECT_SOURCE_DIR}/core/src)
  target_link_libraries(${arg_NAME} PRIVATE kerntune_cuda_headers fmt::fmt)
endfunction()

kerntune_add_cuda_test(NAME cuda_cubin_cache_test LABELS unit LIBRARIES kerntune_core
  SOURCES cuda_cubin_cache_test.cpp cuda_compile_key_test.cpp cuda_ptxas_log_test.cpp)
kerntune_add_cuda_test(NAME cuda_nvrtc_test LABELS unit LIBRARIES kerntune_core SOURCES cuda_nvrtc_test.cpp)
kerntune_add_cuda_test(NAME cuda_fill_test LABELS unit LIBRARIES kerntune_core SOURCES cuda_fill_test.cpp)
