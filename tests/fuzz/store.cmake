# What the reader of tuned configurations makes of damaged files. Its sources are compiled in, so that libFuzzer sees their branches.
set(store_src ${PROJECT_SOURCE_DIR}/storage/src)
include(KerntuneSQLite)
foreach(target store_edits_fuzz store_bytes_fuzz)
  add_executable(${target} ${target}.cpp
    ${store_src}/file_copy.cpp
    ${store_src}/file_probe.cpp
    ${store_src}/hot_journal.cpp
    ${store_src}/served_final.cpp
    ${store_src}/snapshot.cpp
    ${store_src}/snapshot_file.cpp
    ${store_src}/sqlite_db.cpp
    ${store_src}/winners.cpp)
  target_include_directories(${target} PRIVATE ${store_src} ${PROJECT_SOURCE_DIR}/storage/include
    ${PROJECT_SOURCE_DIR}/tests/storage)
  target_compile_options(${target} PRIVATE -fsanitize=fuzzer,address,undefined -fno-sanitize-recover=undefined)
  target_link_options(${target} PRIVATE -fsanitize=fuzzer,address,undefined)
  target_link_libraries(${target} PRIVATE ${kerntune_sqlite})
  target_compile_definitions(${target} PRIVATE KERNTUNE_GOLDEN="${PROJECT_SOURCE_DIR}/tests/storage/golden/v1.db")
endforeach()
