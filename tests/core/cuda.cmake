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
if(KERNTUNE_HAVE_CUDA)
  kerntune_add_cuda_test(NAME cuda_device_test LABELS unit LIBRARIES kerntune_core SOURCES
    cuda_device_test.cpp cuda_examiner_test.cpp cuda_session_test.cpp cuda_timer_test.cpp cuda_verify_test.cpp
    cuda_nvml_test.cpp cuda_engine_emulation.cpp cuda_fake_driver.cpp cuda_fake_nvml.cpp cuda_test_kernels.cpp)
  kerntune_add_cuda_test(NAME cuda_gpu_test LABELS gpu LIBRARIES kerntune_core TIMEOUT 120 SOURCES
    cuda_gpu_engine_test.cpp cuda_gpu_facts_test.cpp cuda_gpu_launch_test.cpp cuda_gpu_timer_test.cpp cuda_gpu_verify_test.cpp
    cuda_gpu_wrong_test.cpp cuda_test_kernels.cpp)
  target_link_libraries(cuda_gpu_test PRIVATE nlohmann_json::nlohmann_json)
  kerntune_add_cuda_test(NAME cuda_gpu_survival_test LABELS gpu LIBRARIES kerntune_core TIMEOUT 120 SOURCES
    cuda_gpu_survival_test.cpp cuda_test_kernels.cpp ../support/worker_main.cpp)
endif()
