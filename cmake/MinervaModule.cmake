# Options of all targets, and minerva_module(): one static library per folder.
set(CMAKE_CXX_STANDARD 23)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/bin)
if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release)
endif()

# CMake's -O3 takes a fifth longer to compile than -O2, and only the kernels (core/backend/cpu/isa) and conversions between element
# types (core/tensor) gain from it.
add_compile_options($<$<CONFIG:Release>:-O2>)

# Most of the compile time of a source is spent on headers and the templates they instantiate (nlohmann/json, CLI11, Qt). A unity
# build pays for them once per batch. File-local names must be unique within a module (checked by tests/layering).
set(CMAKE_UNITY_BUILD ${MINERVA_UNITY})
set(CMAKE_UNITY_BUILD_BATCH_SIZE 24)

find_package(Threads REQUIRED)
find_package(nlohmann_json 3.11 REQUIRED)
find_package(spdlog REQUIRED)

add_library(minerva_options INTERFACE)
target_include_directories(minerva_options INTERFACE ${CMAKE_SOURCE_DIR})
target_compile_options(minerva_options INTERFACE -Wall -Wextra -Wpedantic)
if(MINERVA_TESTS)  # a compiler that warns of more stops nobody who only wants to run it
  target_compile_options(minerva_options INTERFACE -Werror)
endif()
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # False positives of GCC 12 and 13 in inlined std::string and std::vector code (GCC bugs 105651, 107852).
  target_compile_options(minerva_options INTERFACE -Wno-restrict -Wno-stringop-overflow -Wno-array-bounds)
endif()
target_link_libraries(minerva_options INTERFACE Threads::Threads nlohmann_json::nlohmann_json spdlog::spdlog)
if(CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
  # std::stable_sort of GCC 12 calls a function that GCC 12 itself marks as deprecated.
  target_compile_options(minerva_options INTERFACE -Wno-deprecated-declarations)
endif()
if(MINERVA_SANITIZE)
  target_compile_options(minerva_options INTERFACE -fsanitize=${MINERVA_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=all)
  target_link_options(minerva_options INTERFACE -fsanitize=${MINERVA_SANITIZE})
endif()
if(MINERVA_FUZZ)
  target_compile_options(minerva_options INTERFACE -fsanitize=fuzzer-no-link,address,undefined)
  target_link_options(minerva_options INTERFACE -fsanitize=address,undefined)
endif()

# minerva_module(NAME [RECURSE] [FOLDER folder] [DEPENDS target...] [PACKAGES imported...])
# Makes library NAME from all *.cpp of the current folder, or of FOLDER (RECURSE: including subfolders), linked with DEPENDS and PACKAGES.
function(minerva_module name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "RECURSE" "FOLDER" "DEPENDS;PACKAGES")
  set(folder ${CMAKE_CURRENT_SOURCE_DIR}/${arg_FOLDER})
  if(arg_RECURSE)
    file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${folder}/*.cpp ${folder}/*.h)
  else()
    file(GLOB sources CONFIGURE_DEPENDS ${folder}/*.cpp ${folder}/*.h)
  endif()
  add_library(${name} STATIC ${sources})
  set_target_properties(${name} PROPERTIES LINKER_LANGUAGE CXX)
  target_link_libraries(${name} PUBLIC minerva_options ${arg_DEPENDS} ${arg_PACKAGES})
endfunction()
