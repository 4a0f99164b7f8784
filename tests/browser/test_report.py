"""What readers do with a report, in a real browser.

    python3 -m unittest discover --start-directory tests/browser
"""

import csv
import io
import re
import time
import unittest
import xml.dom.minidom

import browser

WIDE = {"width": 1280, "height": 900}
PHONE = {"width": 360, "height": 740}


@unittest.skipIf(browser.missing(), f"no browser here: {browser.missing()}")
class Report(unittest.TestCase):
    """One browser and one set of reports for all tests."""

    @classmethod
    def setUpClass(cls):
        from playwright.sync_api import sync_playwright

        cls.reports = browser.Reports()
        cls.addClassCleanup(cls.reports.remove)
        cls.playwright = sync_playwright().start()
        cls.addClassCleanup(cls.playwright.stop)
        cls.chromium = cls.playwright.chromium.launch(executable_path=browser.chromium(), args=browser.FLAGS)
        cls.addClassCleanup(cls.chromium.close)

    def open(self, name, viewport=WIDE, **options):
        """A report in a page of its own; whatever goes wrong in its script fails the test."""
        context = self.chromium.new_context(viewport=viewport, offline=True, accept_downloads=True, **options)
        self.addCleanup(context.close)
        page = context.new_page()
        self.errors = []
        page.on("pageerror", lambda error: self.errors.append(str(error)))
        page.on("console", lambda message: message.type == "error" and self.errors.append(message.text))
        page.goto(self.reports.page(name))
        self.addCleanup(lambda: self.assertEqual(self.errors, []))
        return page

    def move_to(self, page, svg, part):
        """Puts the pointer onto a part of a figure, given as a share of its width and height."""
        svg.scroll_into_view_if_needed()
        box = svg.bounding_box()
        page.mouse.move(box["x"] + part[0] * box["width"], box["y"] + part[1] * box["height"])

    def eventually(self, holds):
        """Waits for what happens in a later frame."""
        for _ in range(200):
            if holds():
                return
            time.sleep(0.05)
        self.fail("it never happens")

    def shown(self, page):
        """How many points the explorer says that it shows."""
        return page.locator("#explorer .count").inner_text().split(" of ")[0]

    def choose(self, page, name, value):
        """Makes a choice in the explorer."""
        label = page.locator("#explorer label.choice", has=page.locator("span", has_text=re.compile(f"^{re.escape(name)}$")))
        label.locator("select").select_option(value)

    def saved(self, page, button):
        """The text that a button saves."""
        with page.expect_download() as download:
            button.click()
        return download.value.path().read_text()

    def explored_points(self, page):
        """Where the points of the explored chart are on the screen, found by its keys."""
        chart = page.locator("svg.explored")
        chart.focus()
        chart.press("ArrowRight")
        return page.locator("svg.explored .glow").evaluate("e => { const b = e.getBoundingClientRect(); return [b.x + b.width / 2, b.y + b.height / 2]; }")

    def test_values_are_told_at_the_pointer(self):
        page = self.open("loads")
        point = page.locator("#performance svg.chart .pt").first
        point.scroll_into_view_if_needed()
        box = point.bounding_box()
        page.mouse.move(box["x"] + 4, box["y"] + 4)
        self.assertIn("load 0.05", page.locator("#tip").inner_text())
        x, y = self.explored_points(page)
        words = page.locator("#tip").inner_text()
        self.assertIn("traffic.load 0.05 flits per terminal and cycle", words)
        self.assertRegex(words, "mean packet latency [0-9.]+ .*cycles")
        page.mouse.move(x + 400, y - 300)
        page.mouse.move(x + 3, y + 3)
        self.assertIn("traffic.load 0.05", page.locator("#tip").inner_text())

    def test_every_field_can_be_the_axis(self):
        page = self.open("loads")
        self.choose(page, "Across", "traffic.pattern")
        self.choose(page, "Up", "mean_hops")
        ticks = page.locator("svg.explored text").all_text_contents()
        self.assertIn("adversarial", ticks)
        self.assertIn("traffic.pattern", ticks)
        self.choose(page, "Up", "mean_packet_latency")
        self.assertEqual(page.locator("#explorer .up").inner_text(), "mean packet latency (cycles)")
        self.choose(page, "Across", "accepted_load")
        self.assertIn("accepted load", page.locator("svg.explored").get_attribute("aria-label"))

    def test_zero_stands_beside_decades(self):
        page = self.open("stale")
        ticks = page.locator("#performance svg.chart text").all_text_contents()
        for tick in ["0", "10", "100", "1,000", "10,000"]:
            self.assertIn(tick, ticks)
        places = [page.locator("svg.explored text", has_text=re.compile(f"^{tick}$")).last.bounding_box() for tick in ["0", "10", "100", "1,000", "10,000"]]
        middles = [place["x"] + place["width"] / 2 for place in places]
        steps = [right - left for left, right in zip(middles, middles[1:])]
        self.assertGreater(steps[0], 30)
        self.assertTrue(all(abs(step - steps[1]) < 2 for step in steps[1:]), steps)

    def test_a_part_of_the_chart_is_enlarged_and_all_of_it_again(self):
        page = self.open("loads")
        chart = page.locator("svg.explored")
        label = lambda: chart.get_attribute("aria-label")
        whole = label()
        self.move_to(page, chart, (0.1, 0.3))
        page.mouse.down()
        self.move_to(page, chart, (0.4, 0.85))
        page.mouse.up()
        self.assertNotEqual(label(), whole)
        page.get_by_role("button", name="Show all of the chart").click()
        self.assertEqual(label(), whole)
        chart.focus()
        for _ in range(4):
            chart.press("+")
        self.assertNotEqual(label(), whole)
        chart.press("0")
        self.assertEqual(label(), whole)

    def test_the_chart_says_what_it_does_not_show(self):
        page = self.open("loads")
        count, chart = page.locator("#explorer .count"), page.locator("svg.explored")
        words = count.inner_text()
        told = re.fullmatch(r"24 of 24 points; the chart shows (\d+), (\d+) are above its scale \(arrows\)", words)
        self.assertTrue(told, words)
        shown, above = map(int, told.groups())
        self.assertEqual(shown + above, 24)
        self.assertIn(f"of {shown} points", chart.get_attribute("aria-label"))
        # An arrow's value is told at the pointer, as that of any other point.
        arrows = chart.locator("path").evaluate_all(
            "paths => paths.flatMap((path) => [...path.getAttribute('d').matchAll(/M([0-9.]+) ([0-9.]+)l4 6h-2.3/g)].map((m) => [+m[1], +m[2]]))"
        )
        self.assertTrue(0 < len(arrows) <= above)
        self.assertEqual(len({y for _, y in arrows}), 1)
        chart.scroll_into_view_if_needed()
        place = chart.evaluate("(svg, [x, y]) => { const p = new DOMPoint(x, y + 6).matrixTransform(svg.getScreenCTM()); return [p.x, p.y]; }", arrows[0])
        page.mouse.move(*place)
        self.assertIn("saturated", page.locator("#tip").inner_text())
        page.get_by_label("make room for saturated points").check()
        self.assertEqual(count.inner_text(), "24 of 24 points")

    def test_points_are_compared(self):
        page = self.open("loads")
        self.explored_points(page)
        page.locator("svg.explored").press("Enter")
        for _ in range(3):
            page.locator("svg.explored").press("ArrowRight")
        page.locator("svg.explored").press("Enter")
        table = page.locator(".compared table")
        self.assertEqual(table.locator("thead th").count(), 3)
        self.assertIn("%", table.inner_text())
        self.assertEqual(page.locator("svg.explored .pinned").count(), 2)
        rows = list(csv.reader(io.StringIO(self.saved(page, page.locator(".compared .tool", has_text="CSV")))))
        self.assertEqual(len(rows), 3)
        table.get_by_role("button", name="compare A no longer").click()
        self.assertEqual(table.locator("thead th").count(), 2)
        page.locator("#explorer summary", has_text="Table").click()
        chosen = page.locator("table.virtual tr.compared td").first
        self.assertEqual(chosen.evaluate("cell => getComputedStyle(cell).verticalAlign"), "middle")

    def test_filters_hold_for_chart_and_table(self):
        page = self.open("loads")
        self.assertEqual(self.shown(page), "24")
        self.choose(page, "traffic.pattern", "uniform")
        self.assertEqual(self.shown(page), "12")
        page.get_by_text("Ranges of results").click()
        page.get_by_label("accepted load from", exact=True).fill("0.25")
        left = int(self.shown(page))
        self.assertTrue(0 < left < 12)
        page.locator("#explorer summary", has_text="Table").click()
        table = page.locator("table.virtual")
        self.assertEqual(table.locator("tr[data-row]").count(), left)
        rows = list(csv.DictReader(io.StringIO(self.saved(page, page.locator("#explorer details .tool", has_text="CSV").last))))
        self.assertEqual(len(rows), left)
        self.assertTrue(all(float(row["accepted_load"]) >= 0.25 for row in rows))
        page.get_by_role("button", name="Remove all filters").click()
        self.assertEqual(self.shown(page), "24")

    def test_the_table_is_sorted(self):
        page = self.open("loads")
        page.locator("#explorer summary", has_text="Table").click()
        head = page.locator("table.virtual th", has=page.locator("button", has_text=re.compile("^mean_hops$")))
        place = head.evaluate("e => e.cellIndex")
        for order in ("ascending", "descending"):
            head.get_by_role("button").click()
            self.assertEqual(head.get_attribute("aria-sort"), order)
            values = [float(text) for text in page.locator(f"table.virtual tr[data-row] td:nth-child({place + 1})").all_inner_texts()]
            self.assertEqual(values, sorted(values, reverse=order == "descending"))
        self.assertEqual(len(values), 24)

    def test_what_is_seen_can_be_saved(self):
        page = self.open("loads")
        chart = self.saved(page, page.get_by_role("button", name="Save the chart as SVG"))
        document = xml.dom.minidom.parseString(chart)
        self.assertEqual(document.documentElement.namespaceURI, "http://www.w3.org/2000/svg")
        self.assertNotIn("var(", chart)
        self.assertGreater(chart.count("<path"), 8)
        figure = page.locator("#performance figure").first
        xml.dom.minidom.parseString(self.saved(page, figure.get_by_role("button", name="Save this figure as SVG")))
        network = page.locator("#networks figure.wide").first
        network.scroll_into_view_if_needed()
        channels = list(csv.DictReader(io.StringIO(self.saved(page, network.get_by_role("button", name="Save the channels as CSV")))))
        # Nine groups of four routers: six links within a group, one between any two.
        self.assertEqual(len(channels), 2 * (9 * 6 + 36))
        self.assertEqual({row["class"] for row in channels}, {"local", "global"})

    def test_networks_are_moved_and_enlarged_and_tell_about_routers(self):
        page = self.open("loads")
        figure = page.locator("#networks figure.wide").first
        figure.scroll_into_view_if_needed()
        network = figure.locator("svg.picture")
        where = lambda: figure.locator(".map").get_attribute("transform")
        figure.get_by_role("button", name="Enlarge the network").click()
        self.eventually(lambda: "scale(1.5" in where())
        before = where()
        self.move_to(page, network, (0.5, 0.5))
        page.mouse.down()
        self.move_to(page, network, (0.6, 0.6))
        page.mouse.up()
        self.eventually(lambda: where() != before)
        network.press("0")
        self.eventually(lambda: "scale(1)" in where())
        search = figure.get_by_label("Find a router")
        search.fill("group 0 router 1")
        search.press("Enter")
        panel = figure.locator(".router-panel table")
        names = panel.locator("tbody th").all_inner_texts()
        self.assertEqual(panel.locator("tbody tr").count(), 5)
        self.assertIn("group 0 router 1", panel.locator("caption").inner_text())
        self.assertIn("links", page.locator("#tip").inner_text())
        panel.locator("tbody th button").first.click()
        self.assertIn(names[0], panel.locator("caption").inner_text())
        circle = network.locator("circle.router").first.bounding_box()
        page.mouse.move(circle["x"] + circle["width"] / 2, circle["y"] + circle["height"] / 2)
        self.assertIn("5 links", page.locator("#tip").inner_text())

    def test_channels_over_time_have_a_slider(self):
        page = self.open("loads")
        figure = page.locator("#channels figure.wide").first
        figure.scroll_into_view_if_needed()
        slider = figure.get_by_role("slider")
        slider.wait_for()
        self.assertEqual(slider.get_attribute("max"), "9")
        self.assertIn("all of the measurement window", figure.locator("output").inner_text())
        slider.focus()
        links = lambda: figure.locator(".layer .link").evaluate_all("all => all.map((e) => e.outerHTML).join()")
        slider.press("ArrowRight")
        self.eventually(lambda: "cycles 500 to 599" in figure.locator("output").inner_text())
        first = links()
        self.assertNotEqual(first, "")
        slider.press("ArrowRight")
        self.eventually(lambda: links() != first)
        rows = csv.DictReader(io.StringIO(self.saved(page, figure.get_by_role("button", name="Save the channels as CSV"))))
        carried = sum(float(row["utilisation [flits/cycle]"]) for row in rows)
        self.assertGreater(carried, 0)
        slider.press("Home")
        self.eventually(lambda: figure.locator(".layer").count() == 0)

    def test_everything_is_read_without_scripts(self):
        page = self.open("loads", java_script_enabled=False)
        self.assertEqual(page.locator("#performance svg.chart").count() > 2, True)
        page.locator("#results summary").click()
        self.assertEqual(page.locator("#results tbody tr").count(), 24)
        self.assertTrue(page.locator("#results tbody tr").first.is_visible())
        self.assertEqual(page.locator(".tools").count(), 0)

    def test_pages_can_be_printed(self):
        for name in browser.STUDIES:
            with self.subTest(name):
                page = self.open(name)
                page.locator("#explorer").scroll_into_view_if_needed()
                self.assertTrue(page.pdf(format="A4").startswith(b"%PDF"))
                page.emulate_media(media="print")
                self.assertEqual(page.locator(".tool:visible").count(), 0)

    def test_tables_fit_on_paper(self):
        """As wide as A4 between margins; what there is no room for is said to be elsewhere."""
        for name in browser.STUDIES:
            for scripts in (True, False):
                with self.subTest(f"{name}, {scripts}"):
                    page = self.open(name, viewport={"width": 703, "height": 990}, java_script_enabled=scripts)
                    for details in page.locator("#results details").all():
                        if details.get_attribute("open") is None:
                            details.locator("summary").first.click()
                    page.emulate_media(media="print")
                    if scripts:
                        page.evaluate("dispatchEvent(new Event('beforeprint'))")
                    wide = page.locator("table:visible").evaluate_all("tables => tables.map((table) => table.getBoundingClientRect().right)")
                    self.assertLessEqual(max(wide), 703)
                    words = page.locator("#results .on-paper").first.inner_text()
                    self.assertRegex(words, r"Shows \d+ of \d+ columns; results.csv has all of them.")
                    shown = int(words.split()[1])
                    heads = [text.strip() for text in page.locator("#results table:has(caption:text('All results')) th:visible").all_inner_texts()]
                    self.assertEqual(len(heads), shown)

    def test_tables_of_time_lines_are_not_cut(self):
        page = self.open("timelines", viewport={"width": 1400, "height": 900})
        cut = page.locator("#timeline .scroll").evaluate_all("boxes => boxes.filter((box) => box.scrollWidth > box.clientWidth).length")
        self.assertEqual(cut, 0)

    def test_what_scrolls_can_be_reached_by_keys(self):
        page = self.open("one-point", viewport=PHONE)
        boxes = page.locator(".scroll").evaluate_all("boxes => boxes.filter((box) => box.scrollWidth > box.clientWidth && !(box.tabIndex === 0 && box.getAttribute('aria-label'))).length")
        self.assertEqual(boxes, 0)
        alone = page.get_by_role("region", name="The point", exact=True)
        self.assertEqual(alone.get_attribute("tabindex"), "0")
        self.assertTrue(alone.evaluate("box => box.scrollWidth <= box.clientWidth"))

    def test_nobody_is_shut_out(self):
        from axe_playwright_python.sync_playwright import Axe

        for scheme in ("light", "dark"):
            for name in browser.STUDIES:
                with self.subTest(f"{name}, {scheme}"):
                    page = self.open(name, color_scheme=scheme)
                    for details in page.locator("details").all():
                        details.evaluate("e => { e.open = true; }")
                    for figure in page.locator("figure.wide").all():
                        figure.scroll_into_view_if_needed()
                    if page.locator("svg.explored").count():
                        self.explored_points(page)
                        page.locator("svg.explored").press("Enter")
                    found = Axe().run(page).response["violations"]
                    serious = [
                        (each["id"], each["nodes"][0]["html"][:200], each["nodes"][0].get("failureSummary"))
                        for each in found if each["impact"] in ("serious", "critical")
                    ]
                    self.assertEqual(serious, [])

    def test_narrow_screens_do_not_scroll_sideways(self):
        for name in browser.STUDIES:
            with self.subTest(name):
                page = self.open(name, viewport=PHONE)
                page.locator("#explorer").scroll_into_view_if_needed()
                wide = page.evaluate("document.documentElement.scrollWidth")
                self.assertLessEqual(wide, PHONE["width"])

    def test_the_page_is_the_same_whenever_it_is_made(self):
        again = browser.subprocess.run(
            [browser.turnwise(), "report", self.reports.folder / "loads.toml", "--results", self.reports.folder / "loads", "--output", self.reports.folder / "again"],
            capture_output=True, text=True, check=False,
        )
        self.assertTrue((self.reports.folder / "again" / "report.html").exists(), again.stderr)
        pages = [(self.reports.folder / name / "report.html").read_bytes() for name in ("loads", "again")]
        self.assertEqual(*pages)


if __name__ == "__main__":
    unittest.main()
