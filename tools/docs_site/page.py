"""One page: from Markdown to HTML, with what the search finds in it."""

import html
import re

import markdown

# Between two of these a line's end is no space.
WIDE = r"[\u2e80-\u9fff\uac00-\ud7af\uf900-\ufaff\u3000-\u303f\uff00-\uffef“”‘’…—]"
FENCE = re.compile(r"^```.*?^```$", re.M | re.S)


class Page:
    def __init__(self, name, text, hidden=False, parent=None):
        self.name, self.text, self.hidden, self.parent = name, text, hidden, parent
        self.title = html.escape(re.search(r"^# (.+)$", text, re.M)[1].replace("`", ""))
        self.html, self.links, self.pictures, self.anchors, self.parts = "", [], [], set(), []


def join_wide_lines(text):
    """Chinese is written in lines here, too, but has no spaces where they end."""
    out, at = [], 0
    join = re.compile(rf"(?<={WIDE})\n(?={WIDE})")
    for fence in FENCE.finditer(text):
        out += [join.sub("", text[at:fence.start()]), fence[0]]
        at = fence.end()
    return "".join([*out, join.sub("", text[at:])])


def slug(value, separator):
    """Chinese stays; what a browser would have to escape otherwise goes."""
    return re.sub(r"[\s]+", separator, re.sub(r"[^\w\s.-]", "", value).strip().lower())


def render(page, language):
    text = join_wide_lines(page.text)
    made = markdown.markdown(text, extensions=["tables", "fenced_code", "toc", "sane_lists"],
                             extension_configs={"toc": {"slugify": slug}}, output_format="html")
    made = re.sub(r'<a href="([^"]+)"', lambda found: link(page, found[1]), made)
    made = re.sub(r'<img alt="([^"]*)" src="([^"]+)"\s*/?>', lambda found: picture(page, *found.groups()), made)
    # A table that is wider than the window scrolls by itself; so that the keyboard can do it, too, it takes the focus.
    made = made.replace("<table>", '<div class="wide" tabindex="0"><table>').replace("</table>", "</table></div>")
    made = made.replace("<pre>", '<pre tabindex="0">')
    page.html = made
    page.anchors = set(re.findall(r'\bid="([^"]+)"', made))
    page.parts = list(parts(made))
    if page.hidden:  # a table of fields: of these, their names are looked for, and all of them
        for part, (_, _, body) in zip(page.parts, pieces_of(made)):
            names = dict.fromkeys(name.rsplit(".", 1)[-1] for name in re.findall(r"<td><code>([^<]+)</code>", body))
            part["text"] = part["text"][:200] + " " + " ".join(names)


def link(page, target):
    target = html.unescape(target)
    if re.match(r"[a-z]+:", target):
        return f'<a href="{html.escape(target)}" rel="noreferrer"'
    if target.startswith("../../"):  # a file of the project, which the site does not have
        return f'<a class="file" title="{html.escape(target.removeprefix("../../"))}"'
    target = re.sub(r"\.md(?=#|$)", ".html", target)
    page.links.append(target)
    return f'<a href="{html.escape(target)}"'


def picture(page, alt, source):
    name = source.rsplit("/", 1)[-1].removesuffix(".png") + ".webp"
    page.pictures.append(name)
    return f'<img alt="{alt}" src="../pictures/{name}" loading="lazy" width="1440" height="900">'


def pieces_of(made):
    pieces = re.split(r'<h[1-4] id="([^"]+)">(.*?)</h[1-4]>', made, flags=re.S)
    return zip(pieces[1::3], pieces[2::3], pieces[3::3])


def parts(made):
    """Each heading with the words below it."""
    for anchor, heading, body in pieces_of(made):
        yield {"at": anchor, "head": plain(heading), "text": plain(body)[:1500]}


def plain(made):
    return re.sub(r"\s+", " ", html.unescape(re.sub(r"<[^>]+>", " ", made))).strip()
