# skelgen_add_layer(NAME [USES layer...] [LINK library...] [EXECUTABLE program])
#
# One static library skelgen_NAME from src/NAME/*.cpp. USES lists the layers whose headers it may include: what
# scripts/check_layers enforces and what it is linked with. With EXECUTABLE, main.cpp becomes that program.
function(skelgen_add_layer name)
  cmake_parse_arguments(ARG "" "EXECUTABLE" "USES;LINK" ${ARGN})
  file(GLOB sources CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/src/${name}/*.cpp)
  list(FILTER sources EXCLUDE REGEX "/main\\.cpp$")
  list(TRANSFORM ARG_USES PREPEND skelgen_)
  add_library(skelgen_${name} STATIC ${sources})
  target_compile_options(skelgen_${name} PRIVATE -Wall -Wextra -Wshadow)
  target_include_directories(skelgen_${name} PUBLIC ${CMAKE_SOURCE_DIR}/src)
  target_link_libraries(skelgen_${name} PUBLIC ${ARG_USES} ${ARG_LINK})
  if(ARG_EXECUTABLE)
    add_executable(${ARG_EXECUTABLE} ${CMAKE_SOURCE_DIR}/src/${name}/main.cpp)
    target_link_libraries(${ARG_EXECUTABLE} PRIVATE skelgen_${name})
    install(TARGETS ${ARG_EXECUTABLE} RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
  endif()
endfunction()
