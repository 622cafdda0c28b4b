# Every SPIR-V module: one row a module (name, source without .comp, definitions). Numbers and booleans are specialization
# constants; only element types and the way to memory make modules of their own.
set(MINERVA_SHADERS "")
function(minerva_shader name source)
  string(JOIN "|" row ${name} ${source} ${ARGN})
  set(MINERVA_SHADERS ${MINERVA_SHADERS} ${row} PARENT_SCOPE)
endfunction()

foreach(type F32 F16 BF16 Q8_0 Q4_0 Q4_1 Q5_0 Q5_1 Q4_K Q5_K Q6_K)
  minerva_shader(embed_${type} embed -DFORMAT_${type})
  minerva_shader(matvec_${type} matvec -DFORMAT_${type})
  minerva_shader(matvec_texel_${type} matvec -DFORMAT_${type} -DTEXEL)
endforeach()
minerva_shader(norm norm)
minerva_shader(rope_kv rope_kv)
minerva_shader(attention attention)
minerva_shader(attention_join attention_join)
minerva_shader(gather gather)
minerva_shader(read_probe read_probe)
minerva_shader(read_probe_texel read_probe -DTEXEL)

# Compiles the rows and writes modules.cpp (the table of modules.h) into the build folder; the files are in MINERVA_SHADER_SOURCES.
function(minerva_compile_shaders)
  set(folder ${CMAKE_CURRENT_BINARY_DIR}/shaders)
  file(MAKE_DIRECTORY ${folder})
  set(arrays "")
  set(rows "")
  set(outputs "")
  foreach(row IN LISTS MINERVA_SHADERS)
    string(REPLACE "|" ";" fields "${row}")
    list(POP_FRONT fields name source)
    set(output ${folder}/${name}.inc)
    add_custom_command(OUTPUT ${output}
      COMMAND ${GLSLC} --target-env=vulkan1.3 -O -Werror -mfmt=num -I${CMAKE_CURRENT_SOURCE_DIR}/shaders ${fields}
              -MD -MF ${output}.d -MT ${output} ${CMAKE_CURRENT_SOURCE_DIR}/shaders/${source}.comp -o ${output}
      DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/shaders/${source}.comp
      DEPFILE ${output}.d VERBATIM COMMENT "Compiling shader ${name}")
    list(APPEND outputs ${output})
    string(APPEND arrays "const std::uint32_t ${name}[] = {\n#include \"${output}\"\n};\n")
    string(APPEND rows "    {\"${name}\", ${name}},\n")
  endforeach()
  set(MINERVA_SHADER_ARRAYS "${arrays}")
  set(MINERVA_SHADER_ROWS "${rows}")
  configure_file(${CMAKE_CURRENT_SOURCE_DIR}/shaders/modules.cpp.in ${folder}/modules.cpp @ONLY)
  set_source_files_properties(${folder}/modules.cpp PROPERTIES OBJECT_DEPENDS "${outputs}")
  set(MINERVA_SHADER_SOURCES ${folder}/modules.cpp ${outputs} PARENT_SCOPE)
  list(LENGTH MINERVA_SHADERS count)
  message(STATUS "Vulkan: ${count} shader modules")
endfunction()
