# skelgen_add_layer(NAME [USES layer...] [LINK library...] [EXECUTABLE program])
#
# One static library skelgen_NAME from src/NAME/*.cpp. USES lists the layers whose headers it may include: what
# scripts/check_layers enforces and what it is linked with. With EXECUTABLE, main.cpp becomes that program.
#
# Files are compiled several at a time (CMake's unity build), which halves the time of a build: most of it went into the headers of
# libraries. So what a layer's files keep to themselves has different names in all of them. Headers that most files include are compiled
# once for all layers of a level of optimization. -DSKELGEN_UNITY=OFF compiles each file of a layer by itself, without those, and shows
# what it forgot to include; test programs also need -DCMAKE_DISABLE_PRECOMPILE_HEADERS=ON.
option(SKELGEN_UNITY "Compile several files of a layer at a time" ON)
foreach(level 1 2)
  file(CONFIGURE OUTPUT layer_headers${level}.cpp CONTENT "")  # written only if it is not there
  add_library(skelgen_headers${level} STATIC EXCLUDE_FROM_ALL ${CMAKE_CURRENT_BINARY_DIR}/layer_headers${level}.cpp)
  target_compile_options(skelgen_headers${level} PRIVATE -O${level})
  target_link_libraries(skelgen_headers${level} PRIVATE fmt::fmt nlohmann_json::nlohmann_json)
  target_precompile_headers(skelgen_headers${level} PRIVATE <algorithm> <cmath> <cstdint> <filesystem> <fstream> <functional> <map> <memory> <numeric>
    <optional> <ranges> <set> <span> <sstream> <string> <unordered_map> <vector> <fmt/format.h>)
endforeach()
target_precompile_headers(skelgen_headers1 PRIVATE <nlohmann/json.hpp>)  # layers at -O1 read and write JSON, most others do not
function(skelgen_add_layer name)
  cmake_parse_arguments(ARG "" "EXECUTABLE" "USES;LINK" ${ARGN})
  file(GLOB sources CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/src/${name}/*.cpp)
  list(FILTER sources EXCLUDE REGEX "/main\\.cpp$")
  list(TRANSFORM ARG_USES PREPEND skelgen_)
  add_library(skelgen_${name} STATIC ${sources})
  target_compile_options(skelgen_${name} PRIVATE -Wall -Wextra -Wshadow)
  target_include_directories(skelgen_${name} PUBLIC ${CMAKE_SOURCE_DIR}/src)
  target_link_libraries(skelgen_${name} PUBLIC ${ARG_USES} ${ARG_LINK})
  if(NOT name STREQUAL fold)  # whose kernels are measured as they are written
    set(files 14)
    if(name STREQUAL cli)
      set(files 0)  # all: what CLI11 expands to is a third of what is compiled each time
    endif()
    set_target_properties(skelgen_${name} PROPERTIES UNITY_BUILD ${SKELGEN_UNITY} UNITY_BUILD_BATCH_SIZE ${files})
    if(CMAKE_CXX_COMPILER_ID STREQUAL GNU)  # it takes the files for headers
      target_compile_options(skelgen_${name} PRIVATE -Wno-subobject-linkage)
    endif()
  endif()
  unset(level)
  if(name MATCHES "^(build|cli|emit|launch|predict|report|text|threads|verify)$")  # little of a run's time is spent there
    set(level 1)
  elseif(NOT name MATCHES "^(fold|strings)$")  # -O3 pays in fold and strings only
    set(level 2)
  endif()
  if(level)
    target_compile_options(skelgen_${name} PRIVATE -O${level})
    if(SKELGEN_UNITY)
      target_precompile_headers(skelgen_${name} REUSE_FROM skelgen_headers${level})
    endif()
  endif()
  if(ARG_EXECUTABLE)
    add_executable(${ARG_EXECUTABLE} ${CMAKE_SOURCE_DIR}/src/${name}/main.cpp)
    target_link_libraries(${ARG_EXECUTABLE} PRIVATE skelgen_${name})
    install(TARGETS ${ARG_EXECUTABLE} RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
  endif()
endfunction()
