# A room is a folder of src/: one static library, its tests beside the code.
#
#   trainyard_room(store USES object LIBRARIES SQLite::SQLite3 SOURCES a.cpp … TESTS a_test.cpp …)
#
# COST is about how many seconds the tests take under the sanitizers: the longest start first.
# USES names other rooms. Which room may use which is the table in ARCHITECTURE.md;
# tools/check_rooms.py holds the #includes to it.

add_library(trainyard_warnings INTERFACE)
target_compile_options(
  trainyard_warnings
  INTERFACE -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wnon-virtual-dtor -Wold-style-cast
            -Woverloaded-virtual $<$<CXX_COMPILER_ID:Clang>:-Wsuggest-override>
            $<$<BOOL:${TRAINYARD_WERROR}>:-Werror>)

function(trainyard_room name)
  cmake_parse_arguments(ROOM "" "COST" "USES;LIBRARIES;SOURCES;TESTS" ${ARGN})
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
