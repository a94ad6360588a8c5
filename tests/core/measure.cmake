kerntune_add_test(NAME measure_compare_test SOURCES measure_compare_test.cpp LIBRARIES kerntune_core LABELS unit)
target_include_directories(measure_compare_test PRIVATE ${PROJECT_SOURCE_DIR}/core/src)
