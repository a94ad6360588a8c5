set(spec_data KERNTUNE_TEST_SPECS="${PROJECT_SOURCE_DIR}/tests/data/specs"
              KERNTUNE_TEST_SAXPY="${PROJECT_SOURCE_DIR}/plugins/kernels/saxpy_t1/saxpy.json")
foreach(unit json_document parse digest program plans python_values read_file t1)
  kerntune_add_test(NAME spec_${unit}_test SOURCES spec_${unit}_test.cpp LIBRARIES kerntune_core LABELS unit)
  target_include_directories(spec_${unit}_test PRIVATE ${PROJECT_SOURCE_DIR}/core/src)
  target_compile_definitions(spec_${unit}_test PRIVATE ${spec_data})
endforeach()

kerntune_add_test(NAME spec_saxpy_t1_test SOURCES spec_saxpy_t1_test.cpp LIBRARIES kerntune_core LABELS unit TIMEOUT 300)
target_compile_definitions(spec_saxpy_t1_test PRIVATE ${spec_data})
