# Tests of plugins/kernels. They find the plugins as the program does: in the build tree, or through KERNTUNE_PLUGIN_PATH.
set(kernels sgemm row_softmax split_reduce host_gemm copy transpose noop)
list(TRANSFORM kernels PREPEND kerntune_plugin_)
foreach(unit spec reference)
  kerntune_add_test(NAME kernels_${unit}_test SOURCES kernels_${unit}_test.cpp LIBRARIES kerntune::core LABELS unit)
  add_dependencies(kernels_${unit}_test ${kernels})
endforeach()

kerntune_add_test(NAME kernels_compile_test SOURCES kernels_compile_test.cpp LIBRARIES kerntune::core LABELS unit TIMEOUT 300)
add_dependencies(kernels_compile_test ${kernels})

# Against any NVRTC: KERNTUNE_NVRTC or CUDA_HOME choose it. The sweep is longer, for a stage of its own.
kerntune_add_test(NAME kernels_architectures_test SOURCES kernels_architectures_test.cpp LIBRARIES kerntune::core LABELS unit TIMEOUT 300)
target_include_directories(kernels_architectures_test PRIVATE ${PROJECT_SOURCE_DIR}/core/src)
find_package(fmt 9 REQUIRED)
target_link_libraries(kernels_architectures_test PRIVATE fmt::fmt)
add_dependencies(kernels_architectures_test ${kernels})
add_test(NAME kernels_architectures_sweep COMMAND kernels_architectures_test --gtest_brief=1)
set_tests_properties(kernels_architectures_sweep PROPERTIES LABELS sweep TIMEOUT 3600 ENVIRONMENT KERNTUNE_COMPILE_SAMPLES=20)

kerntune_add_test(NAME kernels_host_gemm_test SOURCES kernels_host_gemm_test.cpp
  LIBRARIES kerntune::core kerntune_host_gemm LABELS unit)
add_dependencies(kernels_host_gemm_test ${kernels})

kerntune_add_test(NAME kernels_gpu_test SOURCES kernels_gpu_test.cpp LIBRARIES kerntune::core LABELS gpu TIMEOUT 300)
add_dependencies(kernels_gpu_test ${kernels})
