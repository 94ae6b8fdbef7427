#include "base/files/files.h"
#include "cli/arena/submit/creation.h"
#include "cli/arena/submit/job_file.h"
#include "cli/arena/submit/submit.h"
#include "cli/start/creation.h"
#include "object/yaml/yaml.h"

#include <fmt/format.h>

#include <algorithm>
#include <iostream>
#include <iterator>

/// `arena submit -f FILE`.
namespace trainyard::cli::arena {
namespace {

Result<std::string> read_text(const std::string& file) {
  if (file == "-") return std::string(std::istreambuf_iterator<char>(std::cin), {});
  return read_file(file);
}

Result<std::vector<Json>> read_documents(const std::string& file) {
  TRY(const std::string text, read_text(file));
  auto documents = parse_yaml(text);
  if (!documents) return std::move(documents).error().within(shown_name(file));
  if (documents->empty()) {
    return Error(Code::kInvalid, fmt::format("{} is empty", shown_name(file)));
  }
  // What --dry-run -o json prints.
  if (documents->size() == 1 && string_at(documents->front(), "kind") == "List") {
    const JsonArray items = array_at(documents->front(), "items");
    return std::vector<Json>(items.begin(), items.end());
  }
  return documents;
}

Result<int> submit_objects(Context& context, std::vector<Json> documents,
                           const FileOptions& options) {
  Caller caller;
  if (!options.dry_run) {
    TRY(caller, context.caller());
  }
  TRY(const JobObjects job, complete_objects(std::move(documents), caller));
  if (options.dry_run) {
    print_objects(job.objects, options.output == "json");
    return 0;
  }
  const std::string name(name_of(job.objects.back()));
  TRY_OK(check_can_be_created(context, job.type, name));
  TRY_OK(create_objects(context, job.type, job.objects));
  tell_submitted(context, job.type, name);
  return 0;
}

Result<int> submit_flags(Context& context, const Json& document, const FileOptions& options) {
  TRY(std::vector<std::string> words, words_of_document(document));
  if (options.dry_run) words.insert(words.begin() + 1, {"--dry-run", "--output=" + options.output});
  // A tree of its own: what one document sets is not the next one's.
  Command root;
  root.name = "arena submit";
  add_submit_types(root);
  TRY(const ParsedLine line, parse_line(root, words));
  return line.command->run(context, line.words);
}

}  // namespace

Result<int> submit_file(Context& context, const FileOptions& options) {
  TRY(const std::vector<Json> documents, read_documents(options.file));
  const auto is_object = [](const Json& one) { return find(one, "apiVersion") != nullptr; };
  if (std::all_of(documents.begin(), documents.end(), is_object)) {
    return submit_objects(context, documents, options);
  }
  for (const Json& document : documents) {
    const auto code = submit_flags(context, document, options);
    if (!code) return Error(code.error()).within(shown_name(options.file));
    if (*code != 0) return *code;
  }
  return 0;
}

}  // namespace trainyard::cli::arena
