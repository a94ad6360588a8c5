# kerntune_add_plugin(<name> SOURCES a.cpp... [EMBED a.cu b.cuh...] [LIBRARIES lib...])
#
# Makes the MODULE target kerntune_plugin_<name> and the file <name>.so: hidden visibility, one exported symbol (checked after every
# link), a build-id, no undefined symbols (a plugin must not lean on symbols of whoever loads it).
# EMBED makes the texts available through #include "<name>_embedded.h", rebuilt when a file changes: a.cu is embedded::a_cu, a
# std::string_view, in C++, and kerntune_embedded_a_cu, a zero-terminated char array, in C.
# KERNTUNE_PLUGIN_OUTPUT_DIRECTORY, if set, is where the file goes; else it goes where CMake puts libraries.
function(kerntune_add_plugin name)
  cmake_parse_arguments(arg "" "" "SOURCES;EMBED;LIBRARIES" ${ARGN})
  if(NOT arg_SOURCES OR arg_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "kerntune_add_plugin(${name}): expected SOURCES, EMBED, LIBRARIES; got '${ARGN}'")
  endif()
  set(kit ${CMAKE_CURRENT_FUNCTION_LIST_DIR})
  set(check_exports ${kit}/check_exports.sh)
  if(NOT EXISTS ${check_exports})  # the source tree keeps it with the other scripts
    set(check_exports ${kit}/../../../scripts/check_exports.sh)
  endif()
  set(target kerntune_plugin_${name})
  add_library(${target} MODULE ${arg_SOURCES})
  set_target_properties(${target} PROPERTIES
    PREFIX "" OUTPUT_NAME ${name} C_VISIBILITY_PRESET hidden CXX_VISIBILITY_PRESET hidden VISIBILITY_INLINES_HIDDEN ON
    LINK_DEPENDS ${kit}/kerntune_plugin.map)
  if(KERNTUNE_PLUGIN_OUTPUT_DIRECTORY)
    set_target_properties(${target} PROPERTIES LIBRARY_OUTPUT_DIRECTORY ${KERNTUNE_PLUGIN_OUTPUT_DIRECTORY})
  endif()
  target_link_libraries(${target} PRIVATE kerntune::plugin_sdk ${arg_LIBRARIES})
  if(TARGET kerntune_warnings)
    target_link_libraries(${target} PRIVATE kerntune_warnings)
  endif()
  target_link_options(${target} PRIVATE
    "LINKER:--version-script=${kit}/kerntune_plugin.map" "LINKER:--build-id=sha1")
  # Clang leaves a sanitizer's symbols to the program that loads the plugin.
  if(NOT (CMAKE_CXX_COMPILER_ID MATCHES "Clang" AND "${KERNTUNE_SANITIZE}${CMAKE_CXX_FLAGS}" MATCHES "address|thread|sanitize"))
    target_link_options(${target} PRIVATE "LINKER:-z,defs")
  endif()
  if(arg_EMBED)
    kerntune_embed(${target} ${name} ${arg_EMBED})
  endif()
  add_custom_command(TARGET ${target} POST_BUILD
    COMMAND ${CMAKE_COMMAND} -E env NM=${CMAKE_NM} sh ${check_exports} $<TARGET_FILE:${target}>
    VERBATIM)
  set_property(GLOBAL APPEND PROPERTY KERNTUNE_PLUGIN_TARGETS ${target})
endfunction()

# kerntune_embed(<target> <name> file...): what EMBED does, for any target.
function(kerntune_embed target name)
  set(files "")
  foreach(file ${ARGN})
    get_filename_component(file ${file} ABSOLUTE)
    list(APPEND files ${file})
  endforeach()
  set(folder ${CMAKE_CURRENT_BINARY_DIR}/${name}_embedded)
  set(header ${folder}/${name}_embedded.h)
  set(script ${CMAKE_CURRENT_FUNCTION_LIST_DIR}/KerntuneEmbed.cmake)
  add_custom_command(OUTPUT ${header}
    COMMAND ${CMAKE_COMMAND} -D OUTPUT=${header} -D "FILES=${files}" -P ${script}
    DEPENDS ${files} ${script} COMMENT "Embedding files of ${name}" VERBATIM)
  target_sources(${target} PRIVATE ${header})
  target_include_directories(${target} PRIVATE ${folder})
endfunction()
