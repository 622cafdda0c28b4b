# Run at each build (cmake -DSOURCE=... -DOUT=... -P): writes the commit of the sources to OUT, if it is not there already.
# The ceiling: an archive unpacked inside some other checkout is not of that one's commit.
cmake_path(GET SOURCE PARENT_PATH above)
execute_process(COMMAND ${CMAKE_COMMAND} -E env GIT_CEILING_DIRECTORIES=${above} git describe --always --dirty --abbrev=12 --exclude *
  WORKING_DIRECTORY ${SOURCE} OUTPUT_VARIABLE commit OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET RESULT_VARIABLE failed)
if(failed OR NOT commit MATCHES "^[0-9a-f]+(-dirty)?$")
  set(commit "unknown")  # not a checkout, such as an unpacked archive
endif()
set(text "#include \"core/speed/machine.h\"\n\nnamespace minerva::speed {\nconst char* commitOfBuild() { return \"${commit}\"; }\n}  // namespace minerva::speed\n")
set(before "")
if(EXISTS ${OUT})
  file(READ ${OUT} before)
endif()
if(NOT before STREQUAL text)
  file(WRITE ${OUT} "${text}")
endif()
