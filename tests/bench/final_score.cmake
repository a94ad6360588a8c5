# include()d by the benchmarks: scores screening and final on recorded spaces.
add_executable(final_score ${CMAKE_CURRENT_LIST_DIR}/final_score.cpp)
target_include_directories(final_score PRIVATE ${PROJECT_SOURCE_DIR}/core/src)
target_link_libraries(final_score PRIVATE kerntune_core kerntune_warnings)
