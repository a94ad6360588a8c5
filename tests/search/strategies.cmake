find_package(ZLIB REQUIRED)

# Whole recorded spaces, also for tests/bench.
add_library(kerntune_strategy_recording STATIC strategy_recording.cpp)
target_include_directories(kerntune_strategy_recording PUBLIC ${CMAKE_CURRENT_SOURCE_DIR})
target_link_libraries(kerntune_strategy_recording
  PUBLIC kerntune_search PRIVATE kerntune_warnings nlohmann_json::nlohmann_json ZLIB::ZLIB)

kerntune_add_test(NAME strategy_test LABELS unit LIBRARIES kerntune_strategy_recording
  SOURCES
    strategy_contract_test.cpp
    strategy_gaussian_process_test.cpp
    strategy_random_test.cpp
    strategy_recorded_test.cpp
    strategy_search_test.cpp)
target_compile_definitions(strategy_test PRIVATE KERNTUNE_TEST_DATA="${PROJECT_SOURCE_DIR}/tests/data")
target_include_directories(strategy_test PRIVATE ${PROJECT_SOURCE_DIR}/search/src)  # the model's parts
