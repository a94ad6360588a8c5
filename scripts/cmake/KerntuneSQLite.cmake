# Finds SQLite; kerntune_sqlite is the target to link, which CMake 4.3 renamed.
find_package(SQLite3 3.37 REQUIRED)  # STRICT tables
set(kerntune_sqlite SQLite3::SQLite3)
if(NOT TARGET SQLite3::SQLite3)
  set(kerntune_sqlite SQLite::SQLite3)
endif()
