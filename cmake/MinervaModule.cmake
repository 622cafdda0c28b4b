# Options every target shares, and minerva_module(): one static library a folder.
set(CMAKE_CXX_STANDARD 23)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/bin)
if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release)
endif()

# Most of a source's compile time goes into headers and the templates they instantiate (nlohmann/json, CLI11, Qt): sources that are
# compiled together pay for them once. Names local to a file must differ within a module (tests/layering checks it).
set(CMAKE_UNITY_BUILD ${MINERVA_UNITY})
set(CMAKE_UNITY_BUILD_BATCH_SIZE 12)

find_package(Threads REQUIRED)
find_package(nlohmann_json 3.11 REQUIRED)
find_package(spdlog REQUIRED)

add_library(minerva_options INTERFACE)
target_include_directories(minerva_options INTERFACE ${CMAKE_SOURCE_DIR})
target_compile_options(minerva_options INTERFACE -Wall -Wextra -Wpedantic -Werror)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # False alarms of GCC 12 and 13 in inlined std::string and std::vector code (GCC bugs 105651, 107852).
  target_compile_options(minerva_options INTERFACE -Wno-restrict -Wno-stringop-overflow -Wno-array-bounds)
endif()
target_link_libraries(minerva_options INTERFACE Threads::Threads nlohmann_json::nlohmann_json spdlog::spdlog)
if(CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
  # std::stable_sort of GCC 12 calls what it calls deprecated itself.
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

# minerva_module(NAME [RECURSE] [DEPENDS target...] [PACKAGES imported...])
# All *.cpp of the current folder (RECURSE: and below) as library NAME, which may use DEPENDS.
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
