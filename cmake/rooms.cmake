# A room is a folder of src/: one static library, its tests beside the code.
#
#   trainyard_room(store USES object LIBRARIES SQLite::SQLite3 SOURCES a.cpp … TESTS a_test.cpp …)
#
# COST is about how many seconds the tests take under the sanitizers: the longest start first.
# BATCHED: its sources are compiled a few at a time, but for those that ALONE names.
# USES names other rooms. Which room may use which is the table in ARCHITECTURE.md;
# tools/check_rooms.py holds the #includes to it.

add_library(trainyard_warnings INTERFACE)
target_compile_options(
  trainyard_warnings
  INTERFACE -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wnon-virtual-dtor -Wold-style-cast
            -Woverloaded-virtual $<$<CXX_COMPILER_ID:Clang>:-Wsuggest-override>
            $<$<BOOL:${TRAINYARD_WERROR}>:-Werror>)

# Compiling eight sources as one saves a third of the time: what they all include is read and made
# once. It takes names that differ between the files of a room, so only the large ones do it; and
# only for the program: the other presets show whether each file stands alone. A new source may bring
# two names together that are the same: then one of them wants a better one. Batches name their
# sources from src/, so that ccache finds them in another clone.
option(TRAINYARD_BATCHES "compile the sources of batched rooms a few at a time" OFF)

function(trainyard_batches out name)
  set(files "")
  while(ARGN)
    list(SUBLIST ARGN 0 8 batch)
    list(REMOVE_ITEM ARGN ${batch})
    list(TRANSFORM batch REPLACE "(.+)" "#include \"${name}/\\1\"\n")
    list(JOIN batch "" text)
    list(LENGTH files index)
    set(file ${CMAKE_CURRENT_BINARY_DIR}/batches/${name}_${index}.cpp)
    file(CONFIGURE OUTPUT ${file} CONTENT "${text}" @ONLY)
    list(APPEND files ${file})
  endwhile()
  set(${out} ${files} PARENT_SCOPE)
endfunction()

function(trainyard_room name)
  cmake_parse_arguments(ROOM "BATCHED" "COST" "USES;LIBRARIES;SOURCES;TESTS;ALONE" ${ARGN})
  if(ROOM_BATCHED AND TRAINYARD_BATCHES)
    list(REMOVE_ITEM ROOM_SOURCES ${ROOM_ALONE})
    trainyard_batches(ROOM_SOURCES ${name} ${ROOM_SOURCES})
    list(APPEND ROOM_SOURCES ${ROOM_ALONE})
  endif()
  add_library(trainyard_${name} STATIC ${ROOM_SOURCES})
  add_library(trainyard::${name} ALIAS trainyard_${name})
  file(GLOB_RECURSE headers CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/*.h)
  target_sources(trainyard_${name} PUBLIC FILE_SET HEADERS BASE_DIRS ${CMAKE_SOURCE_DIR}/src
                                          FILES ${headers})
  target_include_directories(trainyard_${name} SYSTEM PUBLIC ${Boost_INCLUDE_DIRS})
  target_compile_definitions(trainyard_${name} PUBLIC ${TRAINYARD_BOOST_DEFINES})
  list(TRANSFORM ROOM_USES PREPEND trainyard::)
  target_link_libraries(
    trainyard_${name}
    PUBLIC ${ROOM_USES} ${ROOM_LIBRARIES} Threads::Threads
    PRIVATE trainyard_warnings)
  set_target_properties(trainyard_${name} PROPERTIES VERIFY_INTERFACE_HEADER_SETS ON)
  trainyard_use_precompiled(trainyard_${name} rooms ${ROOM_SOURCES})
  if(TRAINYARD_TESTS AND ROOM_TESTS)
    add_executable(${name}_test ${ROOM_TESTS})
    target_link_libraries(${name}_test PRIVATE trainyard::${name} trainyard_warnings GTest::gtest_main)
    trainyard_use_precompiled(${name}_test tests ${ROOM_TESTS})
    add_test(NAME ${name} COMMAND ${name}_test --gtest_brief=1)
    set_tests_properties(${name} PROPERTIES LABELS unit TIMEOUT 300)
    if(ROOM_COST)
      set_tests_properties(${name} PROPERTIES COST ${ROOM_COST})
    endif()
  endif()
endfunction()
