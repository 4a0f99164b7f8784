"""How quick the page of a very large study is, against its budgets: 10,000 points and 2,064 routers.

    python3 tests/browser/budget.py

Prints what was measured. Times depend on the machine, so no test asserts them.
"""

import subprocess
import tempfile
from pathlib import Path

import browser

# In milliseconds.
FIRST_PAINT = 2_000
INTERACTION = 100

# What readers do, and how: scripts that begin it. Each is measured to the frame after it.
INTERACTIONS = {
    "hover over the chart": "pointer('svg.explored', 'pointermove', 0.5, 0.6)",
    "enlarge the chart": "key('svg.explored', '+')",
    "show all of the chart": "key('svg.explored', '0')",
    "another axis": "select('Across', 'accepted_load')",
    "another figure": "select('Up', 'figure_7')",
    "filter": "select('traffic.pattern', 'tornado')",
    "sort the table": "press('table.virtual th:nth-child(8) button')",
    "scroll the table": "document.querySelector('#explorer .tall').scrollTop = 40000",
    "compare a point": "press('table.virtual input')",
    "hover over the network": "pointer('#networks svg.picture', 'pointermove', 0.5, 0.4)",
    "enlarge the network": "key('#networks svg.picture', '+')",
    "enlarge it to its routers": "key('#networks svg.picture', '+')",
    "hover over a router": "pointer('#networks svg.picture', 'pointermove', 0.5, 0.4)",
    "move the network": "key('#networks svg.picture', 'ArrowLeft')",
    "find a router": "find('#networks .router-search', 'g7 r3')",
    "another moment": "slide('#channels input[type=range]', 3)",
    "the moment after it": "slide('#channels input[type=range]', 4)",
}

HELPERS = """
window.key = (selector, key) => document.querySelector(selector).dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true }));
window.press = (selector) => document.querySelector(selector).click();
window.pointer = (selector, type, x, y) => {
  const box = document.querySelector(selector).getBoundingClientRect();
  const at = { clientX: box.x + x * box.width, clientY: box.y + y * box.height, bubbles: true };
  document.querySelector(selector).dispatchEvent(new PointerEvent(type, at));
};
window.select = (name, text) => {
  const label = [...document.querySelectorAll('.choice')].find((each) => each.firstChild.textContent === name);
  const list = label.querySelector('select');
  list.value = [...list.options].find((option) => option.value === text || option.text === text).value;
  list.dispatchEvent(new Event('change'));
};
window.find = (selector, text) => {
  const input = document.querySelector(selector);
  input.value = text;
  input.dispatchEvent(new Event('change'));
};
window.slide = (selector, value) => {
  const input = document.querySelector(selector);
  input.value = value;
  input.dispatchEvent(new Event('input'));
};
window.measured = (action) => new Promise((done) => {
  requestAnimationFrame(() => {
    const start = performance.now();
    action();
    // The frame in which it is seen has been made when the next one begins.
    requestAnimationFrame(() => requestAnimationFrame(() => done(performance.now() - start)));
  });
});
null;
"""


def measure(page):
    """(what, milliseconds, budget) of everything."""
    paint = "performance.getEntriesByType('paint').find((e) => e.name === 'first-contentful-paint').startTime"
    yield "first paint", page.evaluate(paint), FIRST_PAINT
    ready = page.evaluate("performance.getEntriesByType('navigation')[0].loadEventEnd")
    yield "ready", ready, FIRST_PAINT
    page.evaluate(HELPERS)
    page.locator("#explorer summary", has_text="Table").click()
    for section in ("#channels figure.wide", "#networks figure.wide"):
        page.locator(section).scroll_into_view_if_needed()
        page.locator(f"{section} .router-search").wait_for()
    for what, script in INTERACTIONS.items():
        section = "#explorer" if "table" in what or "chart" in what or "another" in what else "#networks figure.wide"
        if "moment" in what:
            section = "#channels figure.wide"
        page.locator(section).scroll_into_view_if_needed()
        page.wait_for_timeout(300)
        yield what, page.evaluate(f"measured(() => {{ {script}; }})"), INTERACTION


def main():
    """Makes the page, opens it, and prints a line for each thing that is done."""
    from playwright.sync_api import sync_playwright

    command = ["cargo", "run", "--quiet", "--locked", "--release", "--package", "turnwise-report", "--example", "large"]
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        file = Path(folder) / "report.html"
        with file.open("wb") as out:
            subprocess.run(command, stdout=out, check=True, cwd=browser.REPOSITORY)
        print(f"{file.stat().st_size / 1e6:.1f} MB")
        chromium = playwright.chromium.launch(executable_path=browser.chromium(), args=browser.FLAGS)
        page = chromium.new_page(viewport={"width": 1280, "height": 900})
        page.goto(file.as_uri())
        for what, took, budget in measure(page):
            print(f"{what:28} {took:7.0f} ms of {budget}{'' if took <= budget else '  too slow'}")
        chromium.close()


if __name__ == "__main__":
    main()
