# Tests of plugins/kernels. They find the plugins as the program does: in the build tree, or through KERNTUNE_PLUGIN_PATH.
set(kernels sgemm row_softmax split_reduce host_gemm copy transpose noop)
list(TRANSFORM kernels PREPEND kerntune_plugin_)
foreach(unit spec reference)
  kerntune_add_test(NAME kernels_${unit}_test SOURCES kernels_${unit}_test.cpp LIBRARIES kerntune::core LABELS unit)
  add_dependencies(kernels_${unit}_test ${kernels})
endforeach()

kerntune_add_test(NAME kernels_compile_test SOURCES kernels_compile_test.cpp LIBRARIES kerntune::core LABELS unit TIMEOUT 300)
add_dependencies(kernels_compile_test ${kernels})

kerntune_add_test(NAME kernels_host_gemm_test SOURCES kernels_host_gemm_test.cpp
  LIBRARIES kerntune::core kerntune_host_gemm LABELS unit)
add_dependencies(kernels_host_gemm_test ${kernels})

kerntune_add_test(NAME kernels_gpu_test SOURCES kernels_gpu_test.cpp LIBRARIES kerntune::core LABELS gpu TIMEOUT 300)
add_dependencies(kernels_gpu_test ${kernels})
