# SPDX-License-Identifier: Apache-2.0
"""Opens the HTML report of a sample run in a headless browser. usage: report_page_test.py REPORT_SAMPLE_PAGE"""

import html
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

BROWSER = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome", "chrome"))), None)

# Runs before the page's own scripts, and looks at every canvas once they are through.
PROBE_FIRST = """<script>
window.problems = [];
addEventListener('error', (event) => problems.push(String(event.message)));
addEventListener('securitypolicyviolation', (event) => problems.push('request refused: ' + event.blockedURI));
console.error = (...words) => problems.push(words.join(' '));
</script>"""
PROBE_LAST = """<script>
addEventListener('load', () => {
  const painted = (canvas) => canvas.width > 0 && canvas.getContext('2d')
    .getImageData(0, 0, canvas.width, canvas.height).data.some((byte) => byte !== 0);
  const canvases = [...document.querySelectorAll('canvas')].map((canvas) =>
    ({ chart: canvas.dataset.chart, shown: canvas.offsetParent !== null, painted: canvas.offsetParent !== null && painted(canvas) }));
  const result = document.createElement('pre');
  result.id = 'probe';
  result.textContent = JSON.stringify({ canvases, problems, wide: document.documentElement.scrollWidth > innerWidth });
  document.body.append(result);
});
</script>"""


def probe(page, *options):
    """What the browser made of the page."""
    with open(page, encoding="utf-8") as file:
        text = file.read()
    text = text.replace("<head>", "<head>" + PROBE_FIRST, 1).replace("</body>", PROBE_LAST + "</body>", 1)
    with open(page, "w", encoding="utf-8") as file:
        file.write(text)
    command = [BROWSER, "--headless", "--no-sandbox", "--disable-gpu", f"--user-data-dir={os.path.dirname(page)}/profile",
               "--virtual-time-budget=20000", *options, "--dump-dom", "file://" + page]
    dumped = subprocess.run(command, capture_output=True, text=True, timeout=240, check=False)
    found = re.search(r'<pre id="probe">(.*?)</pre>', dumped.stdout, re.S)
    if not found:
        raise AssertionError(f"the page did not finish: {dumped.stdout[-2000:]} {dumped.stderr[-2000:]}")
    return json.loads(html.unescape(found.group(1)))


class ReportPage(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="kerntune-page-")
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)

    def page(self, *batches):
        path = os.path.join(self.folder, "page.html")
        subprocess.run([SAMPLE_PAGE, path, *batches], check=True)
        return path

    def test_every_shown_chart_is_painted_without_an_error(self):
        found = probe(self.page("1", "8", "64"), "--window-size=1300,2400")
        self.assertEqual(found["problems"], [])
        shown = [c for c in found["canvases"] if c["shown"]]
        self.assertEqual([c for c in shown if not c["painted"]], [])
        kinds = {c["chart"] for c in shown}
        self.assertEqual(kinds, {"overview", "convergence", "strip", "fact"})
        # One batch of three is shown at a time.
        self.assertEqual(sum(c["chart"] == "convergence" for c in shown), 1)
        self.assertEqual(sum(c["chart"] == "convergence" for c in found["canvases"]), 3)

    def test_a_small_dark_screen_works_too(self):
        found = probe(self.page("64"), "--window-size=500,2400", "--blink-settings=preferredColorScheme=0")
        self.assertEqual(found["problems"], [])
        self.assertTrue(all(c["painted"] for c in found["canvases"]))
        self.assertFalse(found["wide"], "the page scrolls sideways")


if __name__ == "__main__":
    if BROWSER is None:
        print("skipped: no chromium or chrome in PATH")
        sys.exit(77)
    SAMPLE_PAGE = sys.argv.pop(1)
    with tempfile.TemporaryDirectory() as scratch:
        sample = os.path.join(scratch, "page.html")
        subprocess.run([SAMPLE_PAGE, sample], check=True)
        with open(sample, encoding="utf-8") as first:
            if "<canvas" not in first.read():
                print("skipped: built without Chart.js")
                sys.exit(77)
    unittest.main(verbosity=2)
