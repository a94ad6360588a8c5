find_package(fmt 9 REQUIRED)
find_package(nlohmann_json 3.11 REQUIRED)

foreach(unit analysis config_text devices_text html progress record_text roofline store_text text_table tune_text units)
  kerntune_add_test(NAME report_${unit}_test SOURCES report_${unit}_test.cpp report_sample.cpp LIBRARIES kerntune_core LABELS unit)
  target_include_directories(report_${unit}_test PRIVATE ${PROJECT_SOURCE_DIR}/core/src)
endforeach()

kerntune_add_test(NAME report_json_test SOURCES report_json_test.cpp report_sample.cpp
  LIBRARIES kerntune_core nlohmann_json::nlohmann_json LABELS unit)
target_compile_definitions(report_json_test PRIVATE KERNTUNE_TEST_JSON_REFERENCE="${PROJECT_SOURCE_DIR}/docs/json.md")

# Writes the page of the sample run, for the browser test.
add_executable(report_sample_page report_sample_page.cpp report_sample.cpp)
target_link_libraries(report_sample_page PRIVATE kerntune_core kerntune_warnings)
