# Finds the CUDA headers. Nothing of CUDA is linked: libcuda, libnvrtc, libcupti and NVML are loaded at run time.
# Sets KERNTUNE_HAVE_CUDA and makes the INTERFACE target kerntune_cuda_headers (include folders KERNTUNE_HAVE_CUDA=0/1, KERNTUNE_HAVE_CUPTI=0/1).
set(KERNTUNE_HAVE_CUDA OFF)
set(KERNTUNE_HAVE_CUPTI OFF)
add_library(kerntune_cuda_headers INTERFACE)
if(NOT KERNTUNE_WITH_CUDA STREQUAL "OFF")
  find_path(KERNTUNE_CUDA_INCLUDE_DIR cuda.h
    HINTS ENV CUDA_HOME ENV CUDA_PATH /usr/local/cuda PATH_SUFFIXES include)
  if(KERNTUNE_CUDA_INCLUDE_DIR AND EXISTS ${KERNTUNE_CUDA_INCLUDE_DIR}/nvrtc.h)
    set(KERNTUNE_HAVE_CUDA ON)
    target_include_directories(kerntune_cuda_headers SYSTEM INTERFACE ${KERNTUNE_CUDA_INCLUDE_DIR})
    find_path(KERNTUNE_CUPTI_INCLUDE_DIR cupti_range_profiler.h  # since CUDA 12.6
      HINTS ${KERNTUNE_CUDA_INCLUDE_DIR} ${KERNTUNE_CUDA_INCLUDE_DIR}/../extras/CUPTI/include)
    if(KERNTUNE_CUPTI_INCLUDE_DIR)
      set(KERNTUNE_HAVE_CUPTI ON)
      target_include_directories(kerntune_cuda_headers SYSTEM INTERFACE ${KERNTUNE_CUPTI_INCLUDE_DIR})
    endif()
  elseif(KERNTUNE_WITH_CUDA STREQUAL "ON")
    message(FATAL_ERROR "KERNTUNE_WITH_CUDA=ON but cuda.h and nvrtc.h were not found; set CUDA_HOME to the toolkit")
  endif()
endif()
target_compile_definitions(kerntune_cuda_headers INTERFACE KERNTUNE_HAVE_CUDA=$<BOOL:${KERNTUNE_HAVE_CUDA}>
  KERNTUNE_HAVE_CUPTI=$<BOOL:${KERNTUNE_HAVE_CUPTI}>)
message(STATUS "kerntune: cuda device ${KERNTUNE_HAVE_CUDA} (${KERNTUNE_CUDA_INCLUDE_DIR}), counters ${KERNTUNE_HAVE_CUPTI}")
