# Defaults that make builds quick: a build type, ccache, a fast linker.
if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "Build type" FORCE)
endif()

find_program(KERNTUNE_CCACHE ccache)
if(KERNTUNE_CCACHE)
  foreach(language C CXX)
    if(NOT CMAKE_${language}_COMPILER_LAUNCHER)
      # ccache keeps what was compiled with a precompiled header only if it is told not to mind what that hides.
      set(CMAKE_${language}_COMPILER_LAUNCHER
        ${CMAKE_COMMAND} -E env CCACHE_SLOPPINESS=pch_defines,time_macros ${KERNTUNE_CCACHE})
    endif()
  endforeach()
endif()

find_program(KERNTUNE_MOLD mold)
if(KERNTUNE_MOLD)
  add_link_options(-fuse-ld=mold)
endif()

if(KERNTUNE_STATIC_DEPS)
  add_link_options(-static-libstdc++ -static-libgcc)
endif()
