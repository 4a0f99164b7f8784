"""The page of a study that still runs, in a real browser.

    python3 -m unittest discover --start-directory tests/browser
"""

import re
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

import browser


@unittest.skipIf(browser.missing(), f"no browser here: {browser.missing()}")
class Serve(unittest.TestCase):
    """Points appear while one looks."""

    def setUp(self):
        self.folder = Path(tempfile.mkdtemp(prefix="turnwise-serve-"))
        self.addCleanup(shutil.rmtree, self.folder)
        self.study = self.folder / "loads.toml"
        self.study.write_text(browser.STUDIES["loads"])
        command = [browser.turnwise(), "serve", self.study, "--results", self.folder / "out", "--listen", "127.0.0.1:0"]
        server = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        self.addCleanup(server.wait)
        self.addCleanup(server.stdout.close)
        self.addCleanup(server.terminate)
        self.link = re.search(r"http://\S+", server.stdout.readline()).group()

    def run_study(self, *arguments):
        """Simulates some points."""
        command = [browser.turnwise(), "run", self.study, "--output", self.folder / "out", "--no-report", *arguments]
        subprocess.run(command, capture_output=True, check=False)

    def test_points_appear_while_one_looks(self):
        from playwright.sync_api import sync_playwright

        with sync_playwright() as playwright:
            chromium = playwright.chromium.launch(executable_path=browser.chromium(), args=browser.FLAGS)
            page = chromium.new_page()
            # A page rests for a hundred times the work that it was, and this machine may be slow.
            page.set_default_timeout(180_000)
            errors = []
            page.on("pageerror", lambda error: errors.append(str(error)))
            page.goto(self.link)
            live = page.locator("#live")
            self.assertIn("0 of 24 points", live.inner_text())
            self.run_study("--shard", "0/2")
            live.get_by_text("12 of 24 points").wait_for()
            page.locator("#explorer .count").get_by_text("12 of 12 points").wait_for()
            # Somebody who reads is asked first.
            page.keyboard.press("Tab")
            self.run_study()
            live.get_by_text("24 of 24 points").wait_for()
            self.assertIn("12 of 12", page.locator("#explorer .count").inner_text())
            live.get_by_role("button", name="Show what is new").click()
            page.locator("#explorer .count").get_by_text("24 of 24 points").wait_for()
            self.assertEqual(errors, [])
            chromium.close()


if __name__ == "__main__":
    unittest.main()
