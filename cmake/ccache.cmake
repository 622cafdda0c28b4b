# A second build of the same sources takes what the first one compiled, wherever the two lie, if ccache is there and may write.
find_program(CCACHE ccache)
if(NOT CCACHE OR CMAKE_CXX_COMPILER_LAUNCHER)
  return()
endif()
execute_process(COMMAND ${CCACHE} --get-config cache_dir OUTPUT_VARIABLE kept OUTPUT_STRIP_TRAILING_WHITESPACE)
execute_process(COMMAND ${CMAKE_COMMAND} -E make_directory ${kept} RESULT_VARIABLE missing ERROR_QUIET)
execute_process(COMMAND ${CMAKE_COMMAND} -E touch ${kept}/written RESULT_VARIABLE refused ERROR_QUIET)
if(missing OR refused)
  message(STATUS "Without ccache, which cannot write to ${kept}")
  return()
endif()
set(CMAKE_CXX_COMPILER_LAUNCHER ${CMAKE_COMMAND} -E env CCACHE_BASEDIR=${CMAKE_SOURCE_DIR} CCACHE_NOHASHDIR=true
    CCACHE_SLOPPINESS=pch_defines,time_macros ${CCACHE})
