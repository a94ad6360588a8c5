# Planning of counters needs libcupti and no GPU; tests skip where the library is missing.
if(KERNTUNE_HAVE_CUPTI)
  kerntune_add_cuda_test(NAME cupti_planner_test LABELS unit LIBRARIES kerntune_core SOURCES
    cupti_access_test.cpp cupti_planner_test.cpp cupti_plan_cache_test.cpp)
  kerntune_add_cuda_test(NAME cuda_gpu_counters_test LABELS gpu LIBRARIES kerntune_core TIMEOUT 120 SOURCES
    cuda_gpu_counters_test.cpp cuda_test_kernels.cpp)
  if(KERNTUNE_SANITIZE)
    target_sources(cupti_planner_test PRIVATE ../support/dlopen_without_deepbind.cpp)
    set_target_properties(cupti_planner_test PROPERTIES ENABLE_EXPORTS ON)
  endif()
endif()
kerntune_add_cuda_test(NAME counters_test LABELS unit LIBRARIES kerntune_core SOURCES counters_bottleneck_test.cpp)
