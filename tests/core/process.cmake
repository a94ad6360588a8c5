kerntune_add_test(NAME process_frame_test SOURCES process_frame_test.cpp LIBRARIES kerntune_core LABELS unit)
target_include_directories(process_frame_test PRIVATE ${PROJECT_SOURCE_DIR}/core/src)
kerntune_add_test(NAME process_worker_test SOURCES process_worker_test.cpp ../support/worker_main.cpp LIBRARIES kerntune_core fmt::fmt LABELS unit)
target_include_directories(process_worker_test PRIVATE ${PROJECT_SOURCE_DIR}/core/src)
