# Spaces and expressions: kerntune_space_definitions comes from tests/search.
if(TARGET kerntune_space_definitions)
  add_executable(space_bench ${CMAKE_CURRENT_LIST_DIR}/space_bench.cpp)
  target_link_libraries(space_bench PRIVATE kerntune_space_definitions kerntune_warnings benchmark::benchmark_main)
endif()
