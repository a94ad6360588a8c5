add_executable(compile_bench compile_bench.cpp)
target_include_directories(compile_bench PRIVATE ${PROJECT_SOURCE_DIR}/core/src ${PROJECT_SOURCE_DIR}/tests/support)
target_link_libraries(compile_bench PRIVATE kerntune_core kerntune_warnings nlohmann_json::nlohmann_json benchmark::benchmark)
add_dependencies(compile_bench kerntune_plugin_sgemm)
