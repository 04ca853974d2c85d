"""browser.py CHROMIUM CHROMEDRIVER PAGE NAME [PAGE NAME ...]: opens reports and uses them as a reader would. NAME is what the
program is called. Prints what is wrong and exits with 1."""
import json
import pathlib
import sys

from selenium import webdriver
from selenium.webdriver.chrome.options import Options
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.keys import Keys

CONTRAST = """
const style = getComputedStyle(document.documentElement);
const light = (name) => {
  const text = style.getPropertyValue(name).trim();
  const [r, g, b] = [1, 3, 5].map((at) => parseInt(text.slice(at, at + 2), 16) / 255).map((c) => c <= 0.03928 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4);
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
};
const a = light(arguments[0]), b = light(arguments[1]);
return (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
"""
PIXELS = """
const canvas = document.getElementById(arguments[0]), wanted = getComputedStyle(document.documentElement).getPropertyValue(arguments[1]).trim();
const [r, g, b] = [1, 3, 5].map((at) => parseInt(wanted.slice(at, at + 2), 16));
const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
let found = 0;
for (let i = 0; i < data.length; i += 4) found += data[i] === r && data[i + 1] === g && data[i + 2] === b;
return found;
"""
# What reaches beyond its box, where that hides it: all but the program's statements, which may be long, and what is for screen readers.
CUT = """
const hides = (e) => getComputedStyle(e).overflowX !== "visible" && e.clientWidth > 1 && !e.matches(".hidden") && !e.querySelector(".program");
const labels = [...document.querySelectorAll("table.stacked td")].filter((e) => getComputedStyle(e, "::before").flexShrink !== "0" && getComputedStyle(e).display === "flex");
return [...[...document.querySelectorAll("body *")].filter((e) => hides(e) && e.scrollWidth > e.clientWidth), ...labels.slice(0, 1)].map((e) => e.tagName + " " + e.textContent.slice(0, 40));
"""
# Whether all labels of the chart are beside each other, on the page.
LABELS = """
const boxes = [...document.querySelectorAll(".chart text")].filter((e) => e.textContent).map((e) => e.getBoundingClientRect());
const apart = (a, b) => a.right < b.left || b.right < a.left || a.bottom <= b.top || b.bottom <= a.top;
return boxes.length > 6 && boxes.every((a, i) => a.left >= 0 && a.right <= document.documentElement.clientWidth && boxes.every((b, k) => i <= k || apart(a, b)));
"""
# Time passes when the test says so.
TIMERS = """
window.timers = new Map();
let made = 0;
window.setTimeout = (then) => (window.timers.set(++made, then), made);
window.clearTimeout = (timer) => { window.timers.delete(timer); };
window.pass = () => { const due = [...window.timers.values()]; window.timers.clear(); due.forEach((then) => then()); };
"""
problems = []


def check(good, what):
    if not good:
        problems.append(what)


def browser(chromium, chromedriver):
    options = Options()
    options.binary_location = chromium
    for argument in ("--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--disable-background-networking",
                     "--window-size=1280,900"):
        options.add_argument(argument)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    driver = webdriver.Chrome(service=Service(chromedriver), options=options)
    driver.set_page_load_timeout(900)
    driver.set_script_timeout(900)
    driver.execute_cdp_cmd("Page.addScriptToEvaluateOnNewDocument", {"source": TIMERS})
    return driver


class Page:
    def __init__(self, driver, path):
        self.driver, self.url = driver, pathlib.Path(path).resolve().as_uri()

    def run(self, script, *arguments):
        return self.driver.execute_script(script, *arguments)

    def find(self, selector):
        return self.driver.find_element("css selector", selector)

    def settle(self):
        """Until what was asked for is drawn."""
        self.driver.execute_async_script("const done = arguments[0]; requestAnimationFrame(() => requestAnimationFrame(done));")

    def open(self, width=1280, dark=False):
        self.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": [{"name": "prefers-color-scheme", "value": "dark" if dark else "light"}]})
        self.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": False})
        self.driver.get(self.url)
        self.run("document.documentElement.style.scrollBehavior = 'auto'")
        self.settle()

    def status(self, of="timeline"):
        return self.find(f"#{of}-status").text

    def press(self, selector, *keys):
        for key in keys:
            self.find(selector).send_keys(key)
        self.settle()

    def span(self):
        """Seconds that the timeline shows, as its status says them."""
        words = self.status().split()
        unit = {"s": 1, "ms": 1e-3, "us": 1e-6}
        begin, end = (float(words[at]) * unit[words[at + 1].rstrip(",")] for at in (0, 3))
        return begin, end


def uses_timeline(page):
    canvas = page.find("#timeline-canvas")
    page.run("document.getElementById('timeline').scrollIntoView()")
    check(page.run(PIXELS, "timeline-canvas", "--kind-0") > 500, "the timeline shows no computation")
    check(page.run(PIXELS, "timeline-canvas", "--kind-4") > 100, "the timeline shows no waiting for messages")
    whole = page.span()
    page.find("[data-do=in]").click()
    page.settle()
    begin, end = page.span()
    check(abs((end - begin) / (whole[1] - whole[0]) - 0.5) < 0.05, f"zooming in by the button: {begin} to {end} of {whole}")
    page.find("[data-do=right]").click()
    page.settle()
    check(page.span()[0] > begin, "the button for later does nothing")
    page.press("#timeline-canvas", "+", Keys.ARROW_LEFT, Keys.ARROW_DOWN)
    check(page.span()[1] - page.span()[0] < 0.6 * (end - begin), "the key + does nothing")
    check("rank 1:" in page.status(), f"the arrow down does not go to the next rank: {page.status()}")
    zoomed = page.span()
    # What follows is drawn where it is: dragging to the right shows what was before.
    ActionChains(page.driver).move_to_element(canvas).click_and_hold().move_by_offset(120, 0).release().perform()
    page.settle()
    check(page.span()[0] < zoomed[0], "dragging does not move")
    page.press("#timeline-canvas", "0")
    check(page.span() == whole, "the key 0 does not show the whole run")
    ActionChains(page.driver).move_to_element(canvas).double_click().perform()
    page.settle()
    check(page.span()[1] - page.span()[0] < whole[1] - whole[0], "a double click does not zoom")
    page.find("[data-do=all]").click()
    page.run("""document.getElementById("timeline-canvas").dispatchEvent(new WheelEvent("wheel",
        { deltaY: -200, ctrlKey: true, cancelable: true, clientX: 640, clientY: 300 }))""")
    page.settle()
    check(page.span()[1] - page.span()[0] < whole[1] - whole[0], "Ctrl and the wheel does not zoom")
    page.find("[data-do=all]").click()
    # Where ranks were started at different times, some places have nothing recorded.
    tip = page.find("#timeline-tip")
    for down, across in [(down, across) for down in (40, 0, 80, -40) for across in range(-400, 401, 100)]:
        ActionChains(page.driver).move_to_element_with_offset(canvas, across, down).perform()
        page.settle()
        if "%" in tip.text:
            break
    check(tip.is_displayed() and "rank " in tip.text and "%" in tip.text, f"hovering says nothing: {tip.text}")
    ActionChains(page.driver).move_to_element(page.find("#time h2")).perform()
    page.settle()
    check(not tip.is_displayed(), "what hovering says stays")
    before = page.run(PIXELS, "timeline-canvas", "--kind-0")
    page.find("[data-do=all]").click()
    page.press("#timeline-canvas", "m")
    check(page.run(PIXELS, "timeline-canvas", "--kind-0") != before, "messages are drawn whether wanted or not")
    page.press("#timeline-canvas", "m")
    show = page.driver.find_elements("css selector", ".show")
    if show:
        show[0].click()
        page.settle()
        check(page.span() != whole, "a stretch of low concurrency is not shown")
        page.press("#timeline-canvas", Keys.ESCAPE)


def uses_matrix(page):
    page.run("document.getElementById('messages').scrollIntoView()")
    page.press("#matrix-canvas", Keys.ARROW_UP, Keys.ARROW_LEFT, Keys.ARROW_LEFT, Keys.ARROW_RIGHT)
    check("rank 0 to rank 1" in page.status("matrix"), f"arrow keys in the matrix: {page.status('matrix')}")
    page.find("#matrix-what input[value=waited]").click()
    page.press("#matrix-canvas", Keys.ARROW_DOWN, Keys.ARROW_LEFT)
    check(page.status("matrix").startswith("Waiting, rank 1 for rank 0: ") and "none" not in page.status("matrix"),
          f"rank 1 waits for rank 0: {page.status('matrix')}")


def is_read_aloud_where_it_rests(page):
    live = "return document.getElementById(arguments[0]).getAttribute('aria-live')"
    page.run("document.getElementById('messages').scrollIntoView()")
    canvas = page.find("#matrix-canvas")
    ActionChains(page.driver, duration=0).move_to_element(canvas).move_by_offset(60, 60).perform()
    check(page.run(live, "matrix-status") == "off", "every cell that the pointer passes is read aloud")
    page.run("pass()")
    check(page.run(live, "matrix-status") == "polite", "the cell where the pointer rests is not read aloud")
    page.press("#matrix-canvas", Keys.ARROW_UP)
    check(page.run(live, "matrix-status") == "polite", "a cell that a key chose is not read aloud")
    box = "const box = document.getElementById('timeline-canvas').getBoundingClientRect();"
    page.run("document.getElementById('timeline').scrollIntoView()")
    page.run(box + """const send = (type, x) => document.getElementById('timeline-canvas').dispatchEvent(new PointerEvent(type,
        { pointerId: 1, button: 0, isPrimary: true, clientX: box.left + x, clientY: box.top + 80 }));
        document.getElementById('timeline-canvas').setPointerCapture = () => {}; document.querySelector('[data-do=in]').click();
        send('pointerdown', 300); send('pointermove', 340); window.passing = document.getElementById('timeline-status').getAttribute('aria-live'); send('pointerup', 340);""")
    check(page.run("return window.passing") == "off", "every step of a drag is read aloud")
    check(page.run(live, "timeline-status") == "polite", "where a drag ends is not read aloud")
    page.find("[data-do=all]").click()


def switches_theme(page):
    for dark in (False, True):
        page.open(dark=dark)
        background = "return getComputedStyle(document.body).backgroundColor"
        for _ in range(2):
            for ink, surface in (("--ink", "--page"), ("--soft", "--page"), ("--soft", "--surface"), ("--accent", "--page"), ("--good", "--surface"),
                                 ("--fair", "--surface"), ("--poor", "--surface")):
                contrast = page.run(CONTRAST, ink, surface)
                check(contrast >= 4.5, f"{ink} on {surface}: contrast {contrast:.2f}")
            for kind in range(6):
                contrast = page.run(CONTRAST, f"--kind-{kind}", "--surface")
                check(contrast >= 1.5, f"--kind-{kind} can hardly be seen: contrast {contrast:.2f}")
            before, label = page.run(background), page.find("#theme").text
            page.find("#theme").click()
            page.settle()
            check(page.run(background) != before and page.find("#theme").text != label, "the theme does not change")
            check(page.run(PIXELS, "timeline-canvas", "--kind-0") > 500, "the timeline has not the theme's colours")


def is_accessible(page):
    check(page.run("return [...document.querySelectorAll('canvas, svg:not([aria-hidden])')].every((e) => e.getAttribute('aria-label'))"),
          "a picture has no text")
    check(page.run("return [...document.querySelectorAll('button, a, input')].every((e) => e.textContent.trim() || e.getAttribute('aria-label') || e.labels?.length)"),
          "something to press has no name")
    check(page.run("const ids = [...document.querySelectorAll('[id]')].map((e) => e.id); return new Set(ids).size === ids.length"), "an id twice")
    check(page.run("return [...document.querySelectorAll('nav a')].every((a) => document.querySelector(a.getAttribute('href')))"), "a link leads nowhere")
    check(page.run("return getComputedStyle(document.querySelector('.stack rect')).stroke") != "none", "colours beside each other have no edge")
    check(page.find(".fact .hidden").get_attribute("textContent").strip(" ()") in ("good", "fair", "poor"),
          "how good an efficiency is, is a colour only")
    for width in (360, 900, 1920):
        page.open(width=width)
        for cut in page.run(CUT):
            problems.append(f"at {width} pixels cut off: {cut}")
        check(page.run("return document.documentElement.scrollWidth") <= width, f"at {width} pixels it must be moved sideways")
        check(page.run(PIXELS, "timeline-canvas", "--kind-0") > 200, f"at {width} pixels the timeline is empty")
        check(page.run(LABELS), f"at {width} pixels labels of the chart of speed-up touch, or are outside")
    paper = page.driver.execute_cdp_cmd("Page.printToPDF", {})["data"]
    check(len(paper) > 10000, "it does not print")


def is_quiet(page, since):
    """No complaint on the console, and nothing was asked for but the page."""
    for entry in page.driver.get_log("browser"):
        if "willReadFrequently" not in entry["message"]:  # the test reads canvases, the page does not
            problems.append(f"console: {entry['message']}")
    for entry in page.driver.get_log("performance"):
        message = json.loads(entry["message"])["message"]
        if message["method"] == "Network.requestWillBeSent" and message["params"]["request"]["url"] != page.url:
            problems.append(f"{since}: asked for {message['params']['request']['url']}")


def main(chromium, chromedriver, *pages):
    driver = browser(chromium, chromedriver)
    try:
        for path, name in zip(pages[::2], pages[1::2]):
            page = Page(driver, path)
            page.open()
            check(page.find("h1").text == name, f"the program is called {page.find('h1').text}")
            check(page.run("return document.scripts.length") == 2, "a name became a script")
            check(page.run("return document.images.length") == 0, "a name became a picture")
            check(len(page.driver.find_elements("css selector", ".findings li")) > 0, "no findings")
            check("Rank 0 sends late" in page.find("#findings").get_attribute("textContent"), "the late sender is not among the findings")
            uses_timeline(page)
            uses_matrix(page)
            is_read_aloud_where_it_rests(page)
            switches_theme(page)
            is_accessible(page)
            is_quiet(page, path)
    finally:
        driver.quit()
    print("\n".join(problems) if problems else f"{len(pages) // 2} pages: all well")
    return 1 if problems else 0


sys.exit(main(*sys.argv[1:]))
