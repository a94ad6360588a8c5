# cmake -D OUTPUT=header.h -D FILES=a.cu;b.cuh -P KerntuneEmbed.cmake: writes the files' bytes as constants.
# Bytes are written as escapes: any content survives, whatever its line ends, quotes or encoding.
set(text "/* Made by kerntune_add_plugin; do not edit. */\n#pragma once\n#pragma GCC system_header\n")
string(APPEND text "#ifdef __cplusplus\n#include <string_view>\n#endif\n")
foreach(file ${FILES})
  get_filename_component(base ${file} NAME)
  string(MAKE_C_IDENTIFIER ${base} identifier)
  file(READ ${file} bytes HEX)
  string(REGEX REPLACE "(..)" "\\\\x\\1" bytes "${bytes}")
  string(REPLACE "\\x0a" "\\x0a\"\n  \"" bytes "${bytes}")
  string(APPEND text "\nstatic const char kerntune_embedded_${identifier}[] =\n  \"${bytes}\";\n")
  string(APPEND text "#ifdef __cplusplus\nnamespace embedded {\nconstexpr std::string_view ${identifier}{"
    "kerntune_embedded_${identifier}, sizeof(kerntune_embedded_${identifier}) - 1};\n}\n#endif\n")
endforeach()
file(WRITE ${OUTPUT} "${text}")
