kerntune_add_test(NAME host_compare_test SOURCES host_compare_test.cpp LIBRARIES kerntune_core LABELS unit)
target_include_directories(host_compare_test PRIVATE ${PROJECT_SOURCE_DIR}/core/src)
