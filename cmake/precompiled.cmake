# Precompiled headers, one for the rooms and one for their tests: nearly half of a build's time is
# the reading of others' headers, again and again.
#
# CMake's own way would put absolute paths on the command line, and ccache would then find nothing
# that another clone has built. So they are named by a path from the build folder, where Ninja runs,
# and ccache looks at a checksum of the text that went in instead of the file, which holds paths.

# What Boost is told wherever it is included: its functions that need not be templates are compiled
# once, in base/boost_asio.cpp and http/boost_http.cpp, and not in every file.
set(TRAINYARD_BOOST_DEFINES BOOST_ASIO_NO_DEPRECATED BOOST_ASIO_SEPARATE_COMPILATION
                            BOOST_BEAST_SEPARATE_COMPILATION)

option(TRAINYARD_PRECOMPILED "read others' headers once (off to see that every file stands alone)" ON)
if(NOT CMAKE_CXX_COMPILER_ID STREQUAL "Clang" OR NOT CMAKE_GENERATOR STREQUAL "Ninja")
  set(TRAINYARD_PRECOMPILED OFF)
endif()

function(trainyard_precompile name)
  if(NOT TRAINYARD_PRECOMPILED)
    return()
  endif()
  set(folder ${CMAKE_BINARY_DIR}/precompiled)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/cmake/precompiled.h)
  # The text itself and not an #include of it: ccache reads this file from elsewhere.
  file(READ ${CMAKE_SOURCE_DIR}/cmake/precompiled.h text)
  foreach(header IN LISTS ARGN)
    string(APPEND text "#include ${header}\n")
  endforeach()
  file(CONFIGURE OUTPUT ${folder}/${name}.h CONTENT "${text}")
  string(TOUPPER "${CMAKE_BUILD_TYPE}" type)
  separate_arguments(flags UNIX_COMMAND "${CMAKE_CXX_FLAGS} ${CMAKE_CXX_FLAGS_${type}} -std=c++20 -DFMT_SHARED ${TRAINYARD_PRECOMPILE_DEFINES}")
  foreach(define IN LISTS TRAINYARD_BOOST_DEFINES)
    list(APPEND flags -D${define})
  endforeach()
  # Without optimisation nothing is inlined: the headers' own code is made once, too, and optimised,
  # since tests spend much of their time in it.
  set(codegen "")
  if(CMAKE_BUILD_TYPE STREQUAL "Debug")
    set(codegen -fpch-codegen)
  endif()
  execute_process(
    COMMAND ${CMAKE_CXX_COMPILER} ${flags} -E -P -x c++ ${folder}/${name}.h
    OUTPUT_VARIABLE all_text COMMAND_ERROR_IS_FATAL ANY)
  string(SHA256 checksum "${CMAKE_CXX_COMPILER_VERSION} ${flags} ${codegen} ${all_text}")
  file(WRITE ${folder}/${name}.pch.sum ${checksum})
  if(codegen)
    add_custom_command(
      OUTPUT ${folder}/${name}.o
      COMMAND ${CMAKE_CXX_COMPILER} ${flags} -O1 -ffunction-sections -fdata-sections -c ${folder}/${name}.pch -o ${folder}/${name}.o
      DEPENDS ${folder}/${name}.pch
      COMMENT "Compiling the headers of ${name}"
      VERBATIM)
    add_library(precompiled_${name}_code STATIC ${folder}/${name}.o)
    set_target_properties(precompiled_${name}_code PROPERTIES LINKER_LANGUAGE CXX)
    # Some of it calls what its library keeps to itself, and is never called.
    target_link_options(precompiled_${name}_code INTERFACE -Wl,--gc-sections)
  endif()
  add_custom_command(
    OUTPUT ${folder}/${name}.pch
    COMMAND ${CMAKE_CXX_COMPILER} ${flags} -Xclang -fno-pch-timestamp -fpch-instantiate-templates
            ${codegen} -x c++-header ${folder}/${name}.h -o ${folder}/${name}.pch
    DEPENDS ${folder}/${name}.h
    COMMENT "Precompiling the headers of ${name}"
    VERBATIM)
  add_custom_target(precompiled_${name} DEPENDS ${folder}/${name}.pch)
endfunction()

function(trainyard_use_precompiled target name)
  if(NOT TRAINYARD_PRECOMPILED)
    return()
  endif()
  target_compile_options(
    ${target} PRIVATE "$<$<COMPILE_LANGUAGE:CXX>:SHELL:-Xclang -fno-pch-timestamp -include-pch precompiled/${name}.pch>")
  add_dependencies(${target} precompiled_${name})
  if(TARGET precompiled_${name}_code)
    target_link_libraries(${target} PRIVATE precompiled_${name}_code)
  endif()
  foreach(source IN LISTS ARGN)
    set_property(SOURCE ${source} APPEND PROPERTY OBJECT_DEPENDS ${CMAKE_BINARY_DIR}/precompiled/${name}.pch)
  endforeach()
endfunction()

trainyard_precompile(rooms)
if(TRAINYARD_TESTS)
  set(TRAINYARD_PRECOMPILE_DEFINES -DGTEST_HAS_PTHREAD=1)  # as GTest::gtest says it
  trainyard_precompile(tests "<gtest/gtest.h>")
endif()
