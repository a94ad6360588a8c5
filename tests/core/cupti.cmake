# Planning of counters needs libcupti and no GPU; tests skip where the library is missing.
if(KERNTUNE_HAVE_CUPTI)
  kerntune_add_cuda_test(NAME cupti_planner_test LABELS unit LIBRARIES kerntune_core SOURCES cupti_planner_test.cpp)
  if(KERNTUNE_SANITIZE)
    target_sources(cupti_planner_test PRIVATE ../support/dlopen_without_deepbind.cpp)
    set_target_properties(cupti_planner_test PROPERTIES ENABLE_EXPORTS ON)
  endif()
endif()
