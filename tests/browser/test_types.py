"""The script of the report makes sense to a type checker.

    python3 -m unittest discover --start-directory tests/browser
"""

import re
import shutil
import subprocess
import unittest

import browser

REPORT = browser.REPOSITORY / "crates" / "report" / "src"
OPTIONS = "--allowJs --checkJs --noEmit --target es2022 --lib es2022,dom,dom.iterable --moduleDetection legacy --noUnusedLocals".split()


@unittest.skipUnless(shutil.which("tsc"), "no tsc here")
class Types(unittest.TestCase):
    """All files together, as the page has them."""

    def test_the_checker_has_no_complaints(self):
        files = re.findall(r'include_str!\("(viewer/\w+\.js)"\)', (REPORT / "viewer.rs").read_text())
        self.assertEqual({REPORT / file for file in files}, set((REPORT / "viewer").glob("*.js")))
        done = subprocess.run(["tsc", *OPTIONS, *files], cwd=REPORT, capture_output=True, text=True, check=False)
        self.assertEqual(done.stdout, "")


if __name__ == "__main__":
    unittest.main()
