"""Somebody at the web console who makes jobs, by its forms and its editor of YAML."""

import re

from pages import Visitor, expect_soon

WORDS = {"en": {"create job": "Create Job", "create": "Create", "preview": "Preview YAML", "name": "Name",
                "image": "Image", "required": "This field is required.", "basic": "Basic information",
                "problems": "Problems", "line": "Line"},
         "zh": {"create job": "创建 Job", "create": "创建", "preview": "预览 YAML", "name": "名称",
                "image": "镜像", "required": "此项为必填。", "basic": "基础信息",
                "problems": "问题", "line": "第"}}


class Maker(Visitor):
    """Somebody who makes jobs."""

    def __init__(self, chromium, server, language="en"):
        super().__init__(chromium, server, language)
        self.server, self.words = server, WORDS[language]
        self.context.grant_permissions(["clipboard-read", "clipboard-write"])

    def open_form(self, kind):
        """The short name of the kind, as the menu has it."""
        self.go("Job")
        self.page.get_by_role("button", name=self.words["create job"]).click()
        self.page.get_by_role("button", name=kind, exact=True).click()
        self.page.get_by_role("button", name=self.words["preview"]).wait_for()

    def number(self, label, value):
        self.page.get_by_role("spinbutton", name=label, exact=True).fill(value)

    def choose(self, label, value, nth=0):
        self.page.get_by_role("combobox", name=label, exact=True).nth(nth).select_option(value)

    def switch(self, label):
        self.page.get_by_role("switch", name=label, exact=True).click()

    def add(self, label):
        self.page.get_by_role("button", name=f"Add: {label}", exact=True).click()

    def create(self):
        self.page.get_by_role("button", name=self.words["create"], exact=True).last.click()

    def open_preview(self):
        self.page.get_by_role("button", name=self.words["preview"]).click()
        self.editor.wait_for()

    @property
    def editor(self):
        return self.page.get_by_role("textbox", name=self.words["preview"])

    @property
    def problems(self):
        return self.page.get_by_role("list", name=self.words["problems"])

    def paste(self, manifest):
        """Over everything that stands in the editor."""
        self.page.evaluate("text => navigator.clipboard.writeText(text)", manifest)
        self.editor.click()
        self.page.keyboard.press("Control+a")
        self.page.keyboard.press("Control+v")

    def expect_listed(self, name):
        """Back on the list, which shows it within two seconds."""
        self.page.wait_for_url("**/#/jobs")
        self.page.get_by_role("link", name=name, exact=True).wait_for(timeout=2000)

    def expect_problem(self, pattern):
        expect_soon(pattern, lambda: re.search(pattern, self.problems.inner_text()), self.problems.inner_text)

    def forgive_refusals(self):
        """The browser tells of each answer that is no success."""
        self.complaints = [each for each in self.complaints if "the server responded with a status of 4" not in each]
