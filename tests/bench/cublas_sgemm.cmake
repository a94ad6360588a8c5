# include()d by the benchmarks: builds everywhere, runs where there is a GPU and cuBLAS.
add_executable(cublas_sgemm ${CMAKE_CURRENT_LIST_DIR}/cublas_sgemm.cpp)
target_link_libraries(cublas_sgemm PRIVATE kerntune_warnings ${CMAKE_DL_LIBS})
