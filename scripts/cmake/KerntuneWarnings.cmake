# Warnings for our own targets; linked privately.
add_library(kerntune_warnings INTERFACE)
target_compile_options(kerntune_warnings INTERFACE
  -Wall -Wextra -Wpedantic -Wshadow
  $<$<CXX_COMPILER_ID:GNU>:-Wno-maybe-uninitialized>  # g++ 12 sees it in every std::optional
  $<$<COMPILE_LANG_AND_ID:CXX,GNU>:-Wno-restrict>     # g++ 12 sees it at -O3 in "text" + std::string (GCC bug 105651)
  $<$<COMPILE_LANG_AND_ID:CXX,Clang>:-Wno-overlength-strings>     # embedded files
  $<$<COMPILE_LANG_AND_ID:CXX,Clang>:-Wno-deprecated-declarations>  # libstdc++'s own, inside std::stable_sort
  $<$<COMPILE_LANGUAGE:CXX>:-Wconversion;-Wold-style-cast;-Wnon-virtual-dtor;-Woverloaded-virtual;-Wextra-semi>
  $<$<BOOL:${KERNTUNE_WERROR}>:-Werror>)
