# include()d by the benchmarks: builds everywhere, runs where there is a GPU and NVRTC.
add_executable(event_loop ${CMAKE_CURRENT_LIST_DIR}/event_loop.cpp)
target_link_libraries(event_loop PRIVATE kerntune_warnings ${CMAKE_DL_LIBS})
