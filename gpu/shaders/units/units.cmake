# The kernels for matrix units. They need a glslc that knows GL_KHR_cooperative_matrix, which Debian 12's does not: for
# it, their SPIR-V lies in this folder, made by `cmake -P gpu/shaders/units/make.cmake` with Debian 13's glslc. MADE names that
# compiler and has a digest of the sources, so that a test sees when they have changed since.
set(MINERVA_UNIT_SOURCES matmul_units attention_units)
# Rows as those of variants.cmake: name, source without .comp, definitions.
set(MINERVA_UNIT_MODULES "attention_units|attention_units" "attention_units_q8_0|attention_units|-DCACHE_Q8_0")
set(quantized Q8_0 Q4_0 Q4_1 Q5_0 Q5_1 Q4_K Q5_K Q6_K Q2_K Q3_K IQ4 GRID E2M1 NVFP4 AFFINE SIGNED TQ1_0)
foreach(type F16 BF16 ${quantized})
  list(APPEND MINERVA_UNIT_MODULES "matmul_units_${type}|matmul_units|-DFORMAT_${type}")
endforeach()
foreach(type ${quantized})
  list(APPEND MINERVA_UNIT_MODULES "matmul_units_halves_${type}|matmul_units|-DFORMAT_${type}|-DHALF_SUMS")
endforeach()
set(MINERVA_UNITS_FOLDER ${CMAKE_CURRENT_LIST_DIR})
get_filename_component(MINERVA_SHADERS_FOLDER ${CMAKE_CURRENT_LIST_DIR} DIRECTORY)

# Whether the compiler knows the extension.
function(minerva_knows_units glslc folder result)
  set(probe ${folder}/knows_units.comp)
  file(WRITE ${probe} "#version 450\n#extension GL_KHR_cooperative_matrix : require\nvoid main() {}\n")
  execute_process(COMMAND ${glslc} --target-env=vulkan1.3 ${probe} -o ${probe}.spv RESULT_VARIABLE failed OUTPUT_QUIET ERROR_QUIET)
  if(failed)
    set(${result} FALSE PARENT_SCOPE)
  else()
    set(${result} TRUE PARENT_SCOPE)
  endif()
endfunction()

# Compiles a row of MINERVA_UNIT_MODULES to binary SPIR-V.
function(minerva_compile_unit glslc row output)
  string(REPLACE "|" ";" fields "${row}")
  list(POP_FRONT fields name source)
  execute_process(COMMAND ${glslc} --target-env=vulkan1.3 -O -Werror -I${MINERVA_SHADERS_FOLDER} ${fields}
                          ${MINERVA_SHADERS_FOLDER}/${source}.comp -o ${output} RESULT_VARIABLE failed ERROR_VARIABLE words)
  if(failed)
    message(FATAL_ERROR "${name} does not compile: ${words}")
  endif()
endfunction()

# The name of the module of a row.
function(minerva_unit_name row result)
  string(REGEX REPLACE "[|].*" "" name "${row}")
  set(${result} ${name} PARENT_SCOPE)
endfunction()

# The shaders and all that they include, for any type.
function(minerva_unit_sources result)
  set(found ${MINERVA_UNIT_SOURCES})
  list(TRANSFORM found APPEND .comp)
  set(unread ${found})
  while(unread)
    list(POP_FRONT unread name)
    file(STRINGS ${MINERVA_SHADERS_FOLDER}/${name} lines REGEX "^#include \"")
    foreach(line IN LISTS lines)
      string(REGEX REPLACE "^#include \"(.*)\".*" "\\1" included "${line}")
      if(NOT included IN_LIST found)
        list(APPEND found ${included})
        list(APPEND unread ${included})
      endif()
    endforeach()
  endwhile()
  list(SORT found)
  set(${result} ${found} PARENT_SCOPE)
endfunction()

# Of their text without comments and blank lines.
function(minerva_unit_digest result)
  minerva_unit_sources(sources)
  set(all "")
  foreach(name IN LISTS sources)
    file(READ ${MINERVA_SHADERS_FOLDER}/${name} text)
    string(REGEX REPLACE "[ \t]*//[^\n]*" "" text "${text}")
    string(REGEX REPLACE "\n[\n \t]*" "\n" text "${text}")
    string(APPEND all "${text}")
  endforeach()
  string(SHA256 digest "${all}")
  set(${result} ${digest} PARENT_SCOPE)
endfunction()

# What `glslc --version` says, in one line.
function(minerva_glslc_version glslc result)
  execute_process(COMMAND ${glslc} --version OUTPUT_VARIABLE words OUTPUT_STRIP_TRAILING_WHITESPACE)
  string(REGEX REPLACE "\n+Target.*" "" words "${words}")
  string(REGEX REPLACE "\n" ", " words "${words}")
  set(${result} "${words}" PARENT_SCOPE)
endfunction()
