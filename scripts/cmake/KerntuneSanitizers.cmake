# KERNTUNE_SANITIZE=address builds everything with AddressSanitizer and UndefinedBehaviorSanitizer, thread with ThreadSanitizer.
# Left out, because each check is code at every access and nothing is lost: null (AddressSanitizer stops at such an access too),
# object-size (likewise), vptr and pointer-overflow.
if(KERNTUNE_SANITIZE STREQUAL "address")
  add_compile_options(-fsanitize=address,undefined -fno-sanitize=null,object-size,vptr,pointer-overflow
    -fno-sanitize-recover=undefined -fno-omit-frame-pointer)
  add_link_options(-fsanitize=address,undefined)
elseif(KERNTUNE_SANITIZE STREQUAL "thread")
  add_compile_options(-fsanitize=thread -fno-omit-frame-pointer)
  add_link_options(-fsanitize=thread)
elseif(KERNTUNE_SANITIZE)
  message(FATAL_ERROR "KERNTUNE_SANITIZE=${KERNTUNE_SANITIZE}: expected nothing, address or thread")
endif()

# For folders that compute little: optimising instrumented code takes most of a sanitizer build's time (measured: half of it).
macro(kerntune_unoptimised_if_sanitized)
  if(KERNTUNE_SANITIZE)
    add_compile_options(-O0)
  endif()
endmacro()
