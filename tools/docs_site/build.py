#!/usr/bin/env python3
"""build.py FOLDER: makes the static site of the documents. Its pages hold no script and no style of their own, so that the
console can serve them under its Content-Security-Policy; without scripts they can be read all the same."""

import json
import re
import shutil
import sys
from pathlib import Path

import yaml

import fields
from page import Page, render

ROOT = Path(__file__).resolve().parents[2]
DOCS = ROOT / "docs"
LANGUAGES = {"en": "English", "zh": "中文"}
WORDS = {"en": {"lang": "en", "pages": "Pages", "search": "Search", "found": "Found", "theme": "Light or dark",
                "commands": "Commands", "fields": "Fields of every kind", "product": "Trainyard"},
         "zh": {"lang": "zh-CN", "pages": "页面", "search": "搜索", "found": "搜索结果", "theme": "浅色或深色",
                "commands": "命令参考", "fields": "各类对象的全部字段", "product": "Trainyard"}}
COMMANDS_INTRO = {
    "en": "What `trainyard --help` and `trainyard COMMAND --help` say. This page is made from the program itself.",
    "zh": "`trainyard --help` 与 `trainyard COMMAND --help` 的内容。本页由程序自身生成，帮助文本为英文。"}


def read_pages(language, plan):
    """All pages of a language, in the order of the plan; each with its group."""
    made = []
    for group in plan["groups"]:
        title = group["title"][language]
        for name in group.get("pages", []):
            text = (DOCS / language / f"{name}.md").read_text()
            made.append((title, Page(name, text)))
        for name in group.get("generated", []):
            made.extend((title, page) for page in generated(name, language))
    return made


def generated(name, language):
    words = WORDS[language]
    if name == "fields":
        return fields.pages(ROOT / "api", language, words["fields"])
    text = (DOCS / "generated/commands.md").read_text()
    return [Page("commands", f"# {words['commands']}\n\n{COMMANDS_INTRO[language]}\n\n{text}")]


def navigation(pages, current, language):
    """The list at the side. Pages of single kinds are reached through the page of all."""
    out, group = [], None
    for title, page in pages:
        if page.hidden:
            continue
        if title != group:
            out.append(f"{'</ul>' if group else ''}<h2>{title}</h2><ul>")
            group = title
        here = ' aria-current="page"' if page.name == current.name or current.parent == page.name else ""
        out.append(f'<li><a href="{page.name}.html"{here}>{page.title}</a></li>')
    return f'<nav aria-label="{WORDS[language]["pages"]}">{"".join(out)}</ul></nav>'


def switch(page, language):
    """To the same page in the other language."""
    other = next(each for each in LANGUAGES if each != language)
    return f'<a class="language" lang="{other}" href="../{other}/{page.name}.html">{LANGUAGES[other]}</a>'


def whole(page, pages, language):
    words = WORDS[language]
    return f"""<!doctype html>
<html lang="{words['lang']}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{page.title} · {words['product']}</title>
<link rel="stylesheet" href="../style.css">
<script src="../site.js" defer></script>
</head>
<body>
<header><a class="brand" href="index.html">{words['product']}</a>
<form role="search" hidden><label><span class="hidden">{words['search']}</span>\
<input type="search" placeholder="{words['search']}" autocomplete="off"></label></form>
{switch(page, language)}
<button type="button" class="theme" title="{words['theme']}" aria-label="{words['theme']}" hidden>◐</button></header>
<div class="columns">
{navigation(pages, page, language)}
<main>
<section class="found" aria-label="{words['found']}" hidden></section>
<article>
{page.html}
</article>
</main>
</div>
</body>
</html>
"""


FIRST = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Trainyard</title>
<link rel="stylesheet" href="style.css">
<script src="site.js" defer></script>
</head>
<body class="choose">
<main><h1>Trainyard</h1><p><a lang="zh" href="zh/index.html">中文</a></p><p><a href="en/index.html">English</a></p></main>
</body>
</html>
"""


def check_links(pages, language, folder):
    """A link that leads nowhere is an error; it would be found by readers only."""
    known = {page.name: page.anchors for _, page in pages}
    for _, page in pages:
        for target in page.links:
            name, _, anchor = target.partition("#")
            wanted = name.removesuffix(".html") or page.name
            if wanted not in known or (anchor and anchor not in known[wanted]):
                sys.exit(f"docs: {language}/{page.name}.md has a link to {target}, which is not there")
        for picture in page.pictures:
            if not (folder / "pictures" / picture).exists():
                sys.exit(f"docs: {language}/{page.name}.md shows {picture}, which is not in docs/pictures/small")


def main():
    folder = Path(sys.argv[1])
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    for name in ["style.css", "site.js"]:
        shutil.copy(DOCS / "site" / name, folder)
    shutil.copytree(DOCS / "pictures/small", folder / "pictures")
    (folder / "index.html").write_text(FIRST)
    plan = yaml.safe_load((DOCS / "site/pages.yaml").read_text())
    for language in LANGUAGES:
        pages = read_pages(language, plan)
        (folder / language).mkdir()
        index = []
        for _, page in pages:
            render(page, language)
        check_links(pages, language, folder)
        for _, page in pages:
            (folder / language / f"{page.name}.html").write_text(whole(page, pages, language))
            index.extend({"page": page.name, "title": page.title, **part} for part in page.parts)
        text = json.dumps(index, ensure_ascii=False, separators=(",", ":"))
        (folder / language / "search.json").write_text(re.sub(r"\s+", " ", text))
    print(f"docs: {sum(1 for _ in folder.rglob('*.html'))} pages in {folder}")


if __name__ == "__main__":
    main()
