#!/usr/bin/env python3
"""Finds what of std::filesystem may throw: errors are values here (src/base/result.h).

check_throws.py [ROOT]       checks the sources of a tree, but for tests and the shim
check_throws.py --self-test  checks that planted calls are found, and nothing else

A call that takes no std::error_code throws, and so does each step of a `for` over a
directory_iterator, with one or without. src/base/files/folder_entries.h has what does not.
"""

import pathlib
import re
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from check_rooms import TEST, without_comments  # noqa: E402

# Functions of std::filesystem that throw, with the number of their arguments when they do.
THROWING = {
    **dict.fromkeys(["absolute", "canonical", "weakly_canonical", "create_directories", "exists", "file_size",
                     "hard_link_count", "is_block_file", "is_character_file", "is_directory", "is_empty", "is_fifo",
                     "is_regular_file", "is_socket", "is_symlink", "last_write_time", "read_symlink", "remove",
                     "remove_all", "space", "status", "symlink_status"], {1}),
    **dict.fromkeys(["create_hard_link", "create_symlink", "create_directory_symlink", "equivalent", "rename",
                     "resize_file", "copy_symlink"], {2}),
    "create_directory": {1}, "proximate": {1}, "relative": {1}, "permissions": {2}, "copy": {2}, "copy_file": {2},
    "current_path": {0}, "temp_directory_path": {0},
    "directory_iterator": {1}, "recursive_directory_iterator": {1}, "directory_entry": {1},
}
CALL = re.compile(r"\b(?:std::filesystem|fs)::(\w+)(?:\s+\w+)?\s*\(")
ENTRY_CALL = re.compile(r"\b(?:entry|entries|file|child)(?:\.|->)"
                        r"(is_directory|is_regular_file|is_symlink|exists|file_size|status|symlink_status)\(\)")
LOOP = re.compile(r"\bfor\s*\([^;{]*?:\s*(?:std::filesystem|fs)::(?:recursive_)?directory_iterator\b", re.DOTALL)
STATUS = re.compile(r"status\w*\(")  # exists(file_status) and its kin do not throw
EXEMPT = re.compile(r"^shim/|^server/rest/yaml_to_json\.cpp$|^store/crash_disk\.|^base/files/folder_entries\.h$")


def arguments_of(text, start):
    """The arguments of the call whose bracket opens just before `start`."""
    depth, last, found = 1, start, []
    for at in range(start, len(text)):
        if text[at] in "([{":
            depth += 1
        elif text[at] in ")]}":
            depth -= 1
            if depth == 0:
                found.append(text[last:at].strip())
                return [one for one in found if one]
        elif text[at] == "," and depth == 1:
            found.append(text[last:at].strip())
            last = at + 1
    return []


def findings(text):
    """(line, what to say) of the calls that may throw."""
    text = without_comments(text)
    line_of = lambda at: text.count("\n", 0, at) + 1
    for match in CALL.finditer(text):
        arguments = arguments_of(text, match.end())
        name = match.group(1)
        if len(arguments) not in THROWING.get(name, ()) or any(STATUS.search(one) for one in arguments):
            continue
        if name.endswith("_iterator") and not arguments:
            continue
        yield line_of(match.start()), f"std::filesystem::{name} without an error_code throws"
    for match in ENTRY_CALL.finditer(text):
        yield line_of(match.start()), f"{match.group(1)}() without an error_code throws"
    for match in LOOP.finditer(text):
        yield line_of(match.start()), "each step of this loop may throw"


def check(root):
    src = root / "src"
    for path in sorted(src.rglob("*")):
        relative = path.relative_to(src).as_posix()
        if path.suffix in {".h", ".cpp"} and not TEST.search(relative) and not EXEMPT.search(relative):
            for line, text in sorted(findings(path.read_text(errors="replace"))):
                yield f"src/{relative}:{line}: {text} (src/base/files/folder_entries.h)"


PLANTED = """
!if (fs::exists(path)) return;
if (fs::exists(path, failed)) return;
!std::filesystem::rename(a / "x", make(b, c));
fs::rename(a, b, failed);
!for (const auto& entry : fs::directory_iterator(folder, failed)) {
for (const auto& entry : FolderEntries(folder)) {
// fs::remove_all(path)
if (fs::is_directory(entries->symlink_status(failed))) {
while (at != fs::directory_iterator()) {
!if (entry.is_directory()) {
!const fs::path here = fs::current_path();
fs::create_directories(path, failed);
!fs::create_directories(
    path);
"""


def self_test():
    lines = PLANTED.strip("\n").split("\n")
    wanted = {number for number, line in enumerate(lines, 1) if line.startswith("!")}
    found = {line for line, _ in findings("\n".join(line.removeprefix("!") for line in lines))}
    for line in sorted(wanted ^ found):
        print(f"check_throws --self-test: {'missed' if line in wanted else 'wrong about'} {lines[line - 1]}")
    return 0 if wanted == found else 1


def main():
    if sys.argv[1:] == ["--self-test"]:
        return self_test()
    root = pathlib.Path(sys.argv[1]) if len(sys.argv) == 2 else pathlib.Path(__file__).resolve().parent.parent
    complaints = list(check(root))
    print(*complaints, sep="\n", end="\n" if complaints else "")
    return 1 if complaints else 0


if __name__ == "__main__":
    sys.exit(main())
