#pragma once

#include "object/json/json.h"
#include "object/yaml/yaml.h"

#include <optional>
#include <string>
#include <vector>

/// What is wrong with the objects of files, told with file and line before anything is created.
namespace trainyard::cli {

/// An object of a file, and where its fields stand.
struct FileObject {
  Json object;
  std::string file;  // as it is shown to people
  YamlLines lines;
};

/// "job.yaml:12": where a field stands, or else what it would stand in. The path may be written in
/// Kubernetes' ways: spec.a[0].b, metadata.labels[x.y/z].
std::string place_of(const FileObject& object, const std::string& field);

/// What a server said of an object, in words with places, one entry a problem; nothing when the
/// error is not about its fields. What is called wrongly gets the name that was meant, and what
/// nobody knows goes, so that the next look finds what this one could not see.
struct Findings {
  std::vector<std::string> problems;
  bool look_again = false;
};
Findings read_refusal(const Error& refusal, FileObject& object);

/// The same of a text that is no YAML: "job.yaml:3: did not find expected key".
Error at_line(const std::string& file, const Error& error);

/// One error of all problems; a single one stays a single line.
Error as_one_error(const std::vector<std::string>& problems);

}  // namespace trainyard::cli
