# cmake -DINPUT=file -DOUTPUT=file.cpp -DSYMBOL=kName -P embed_text.cmake: a text file as a constant of kerntune::report.
# No INPUT: an empty text.
set(text "")
if(INPUT)
  file(READ "${INPUT}" text)
endif()
string(FIND "${text}" ")kt_text\"" clash)
if(NOT clash EQUAL -1)
  message(FATAL_ERROR "${INPUT} contains the end of a raw string, )kt_text\"")
endif()
file(WRITE "${OUTPUT}"
  "// Made from ${INPUT} by embed_text.cmake.\n#include <string_view>\n\nnamespace kerntune::report {\n"
  "extern const std::string_view ${SYMBOL};\nconst std::string_view ${SYMBOL} = R\"kt_text(${text})kt_text\";\n}\n")
