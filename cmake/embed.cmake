# Puts files into the binary, byte for byte, without a copy in the compiler's memory:
#
#   trainyard_embed(trainyard_server kinds ${files})
#
# gives the target a generated header "embedded/kinds.h" with
#   namespace trainyard::embedded { std::span<const File> kinds(); }
# where File is {name, bytes}; the name is the path below the current source folder.
# ROOT changes the folder that names start from.

function(trainyard_embed target group)
  cmake_parse_arguments(EMBED "" "ROOT" "FILES;DEPENDS" ${ARGN})
  if(NOT EMBED_ROOT)
    set(EMBED_ROOT ${CMAKE_CURRENT_SOURCE_DIR})
  endif()
  set(out ${CMAKE_CURRENT_BINARY_DIR}/embedded)
  set(assembly "    .section .rodata\n")
  set(declarations "")
  set(rows "")
  set(index 0)
  foreach(file IN LISTS EMBED_FILES)
    file(RELATIVE_PATH name ${EMBED_ROOT} ${file})
    set(symbol "trainyard_embedded_${group}_${index}")
    string(APPEND assembly "    .global ${symbol}, ${symbol}_end\n    .balign 16\n"
                           "${symbol}:\n    .incbin \"${file}\"\n${symbol}_end:\n    .byte 0\n")
    string(APPEND declarations "extern const char ${symbol}[], ${symbol}_end[];\n")
    string(APPEND rows "    {\"${name}\", {${symbol}, static_cast<std::size_t>(${symbol}_end - ${symbol})}},\n")
    math(EXPR index "${index} + 1")
  endforeach()
  string(APPEND assembly "    .section .note.GNU-stack,\"\",@progbits\n")
  file(CONFIGURE OUTPUT ${out}/${group}.S CONTENT "${assembly}" @ONLY)
  file(CONFIGURE OUTPUT ${out}/${group}.h CONTENT
"#pragma once
#include <span>
#include <string_view>
namespace trainyard::embedded {
struct File {
  std::string_view name;
  std::string_view bytes;
};
std::span<const File> ${group}();
}
" @ONLY)
  file(CONFIGURE OUTPUT ${out}/${group}.cpp CONTENT
"#include \"embedded/${group}.h\"
#include <vector>
extern \"C\" {
${declarations}}
namespace trainyard::embedded {
std::span<const File> ${group}() {
  static const std::vector<File> files{
${rows}  };
  return files;
}
}
" @ONLY)
  set_source_files_properties(${out}/${group}.S PROPERTIES OBJECT_DEPENDS "${EMBED_FILES};${EMBED_DEPENDS}")
  target_sources(${target} PRIVATE ${out}/${group}.S ${out}/${group}.cpp)
  target_include_directories(${target} PRIVATE ${CMAKE_CURRENT_BINARY_DIR})
endfunction()
