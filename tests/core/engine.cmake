foreach(unit statistics racing confirm decision)
  kerntune_add_test(NAME engine_${unit}_test SOURCES engine_${unit}_test.cpp LIBRARIES kerntune_core LABELS unit)
  target_include_directories(engine_${unit}_test PRIVATE ${PROJECT_SOURCE_DIR}/core/src)
endforeach()

set(KERNTUNE_PLUGIN_OUTPUT_DIRECTORY ${CMAKE_CURRENT_BINARY_DIR}/fixtures)
kerntune_add_plugin(trouble SOURCES fixtures/trouble.cpp)
kerntune_add_plugin(exits_in_constructor SOURCES fixtures/exits_in_constructor.cpp)
kerntune_add_test(NAME engine_tune_test SOURCES engine_tune_test.cpp ../support/worker_main.cpp LIBRARIES kerntune_core LABELS unit TIMEOUT 120)
target_compile_definitions(engine_tune_test PRIVATE
  KERNTUNE_TEST_TROUBLE="$<TARGET_FILE:kerntune_plugin_trouble>"
  KERNTUNE_TEST_EXITS="$<TARGET_FILE:kerntune_plugin_exits_in_constructor>")
add_dependencies(engine_tune_test kerntune_plugin_trouble kerntune_plugin_exits_in_constructor)
