# kerntune_embed_text(OUT generated.cpp FILES name=path...): each file as a string that kerntune::cuda::embedded_text(name) finds.
function(kerntune_embed_text)
  cmake_parse_arguments(arg "" "OUT" "FILES" ${ARGN})
  set(entries "")
  foreach(pair ${arg_FILES})
    string(REPLACE "=" ";" pair "${pair}")
    list(GET pair 0 name)
    list(GET pair 1 path)
    file(READ ${path} text)
    string(APPEND entries "    {\"${name}\", R\"kerntune(${text})kerntune\"},\n")
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${path})
  endforeach()
  file(CONFIGURE OUTPUT ${arg_OUT} @ONLY CONTENT
"// Generated from the files that it holds.
#include \"cuda/embedded_text.hpp\"

#include <utility>

namespace kerntune::cuda {
namespace {
constexpr std::pair<std::string_view, std::string_view> kTexts[] = {
@entries@};
}  // namespace

std::string_view embedded_text(std::string_view name) {
  for (const auto& [known, text] : kTexts)
    if (known == name) return text;
  return {};
}

}  // namespace kerntune::cuda
")
endfunction()
