package e2e

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"evenkeel/agent/diagnose"
	"evenkeel/agent/diagnose/page"
)

// TestPage has a browser open the page of a diagnosis from a disk, and moves in
// it as people do. It needs Chromium.
func TestPage(t *testing.T) {
	b := browse(t, 1280, 900)
	address := "file://" + pageFile(t, "plain")
	b.open(address)

	b.until(`shows("2026-03-02 00:00:00 – 04:00:00") && location.hash === ""`)
	b.eval(`timeline.focus()`)
	b.key("+")
	b.until(`shows("2026-03-02 01:00:00 – 03:00:00") && location.hash === "#20260302T010000Z-20260302T030000Z"`)
	b.key("-")
	b.until(`shows("2026-03-02 00:00:00 – 04:00:00") && location.hash === ""`)
	b.key("ArrowRight") // the line comes to the middle: step 720 of a course that counts them
	b.until(`values().includes("720") && document.querySelector(".cursor-time").textContent === "2026-03-02 02:00:00"`)
	b.key("Escape")
	b.until(`values().startsWith("max 1,439")`)

	x, y := b.middle()
	b.mouse("mouseWheel", x, y, map[string]any{"deltaX": 0, "deltaY": -400})
	b.until(`location.hash !== "" && !shows("2026-03-02 00:00:00 – 04:00:00")`)
	b.key("Home")
	b.until(`location.hash === ""`)
	b.mouse("mouseMoved", x-200, y, nil)
	under := b.eval(`document.querySelector(".cursor-time").textContent`)
	for range 12 { // as near as it goes, and once more: what is under the pointer stays there
		b.mouse("mouseWheel", x-200, y, map[string]any{"deltaX": 0, "deltaY": -400})
	}
	b.until(`document.querySelector("[data-do=in]").disabled && location.hash !== ""`)
	if got := b.eval(`document.querySelector(".cursor-time").textContent`); got != under {
		t.Errorf("%s is under the pointer, and was %s before", got, under)
	}
	b.key("Home")
	b.until(`location.hash === ""`)

	b.mouse("mousePressed", x, y, map[string]any{"button": "left", "clickCount": 1})
	b.mouse("mouseMoved", x+100, y, map[string]any{"buttons": 1})
	b.mouse("mouseReleased", x+100, y, map[string]any{"button": "left", "clickCount": 1})
	b.until(`location.hash.startsWith("#20260302T0200")`)
	for clicks := 1; clicks <= 2; clicks++ {
		b.mouse("mousePressed", x, y, map[string]any{"button": "left", "clickCount": clicks})
		b.mouse("mouseReleased", x, y, map[string]any{"button": "left", "clickCount": clicks})
	}
	b.until(`location.hash === ""`)

	b.eval(`document.querySelector(".finding .when a").click()`)
	b.until(`location.hash === "#20260302T005000Z-20260302T014000Z" && shows("2026-03-02 00:50:00 – 01:40:00")`)
	b.until(`getComputedStyle(document.querySelector("figure .mark")).display === "block"`)
	b.until(`getComputedStyle(document.querySelectorAll("figure .mark")[1]).display === "none"`) // the other node is not the finding's
	b.quiet()

	b.open(address + "#20260302T013000Z-20260302T020000Z") // as a colleague is sent it
	b.until(`shows("2026-03-02 01:30:00 – 02:00:00")`)
	b.quiet()
}

// TestPageAtATime opens the page by itself, and as a link to a time leads to it:
// at the timeline, of which the rest is dimmed.
func TestPageAtATime(t *testing.T) {
	for name, width := range map[string]int{"screen": 1280, "telephone": 400} {
		t.Run(name, func(t *testing.T) {
			b := browse(t, width, 400)
			address := "file://" + pageFile(t, "plain")
			b.open(address)
			b.until(`shows("2026-03-02 00:00:00 – 04:00:00") && scrollY === 0`)
			b.until(`getComputedStyle(document.querySelector(".window")).display === "none"`)

			b.open(address + "#20260302T013000Z-20260302T020000Z")
			b.until(`shows("2026-03-02 01:30:00 – 02:00:00") && Math.abs(timeline.getBoundingClientRect().top - 8) <= 1`)
			b.until(`(function (w, p) { return Math.abs((w.left - p.left) / p.width - 0.375) < 0.01 && Math.abs(w.width / p.width - 0.125) < 0.02; })(
				document.querySelector(".window").getBoundingClientRect(), document.querySelector(".strip .plot").getBoundingClientRect())`)
			b.until(`parseFloat(getComputedStyle(document.querySelector(".window")).boxShadow.match(/[\d.]+px/g)[3]) >= innerWidth`) // its spread
			b.until(`Array.from(document.querySelectorAll(".ends span")).map(function (e) { return e.textContent; }).join() === "2 Mar 00:00,2 Mar 04:00"`)

			before := b.eval(`document.querySelector(".head").offsetHeight`)
			b.eval(`timeline.focus({ preventScroll: true })`)
			b.key("ArrowRight")
			b.until(`document.querySelector(".cursor-time").textContent === "2026-03-02 01:45:00"`)
			if got := b.eval(`document.querySelector(".head").offsetHeight`); got != before {
				t.Errorf("the head is %s pixels high with a line, and %s without", got, before)
			}
			if width < 640 { // names are over the plots, and cover the grid
				b.until(`(function (s) { return s.position === "relative" && s.backgroundColor === getComputedStyle(document.querySelector("figure")).backgroundColor; })(
					getComputedStyle(document.querySelector("figure .name")))`)
			}
			b.quiet()
		})
	}
}

// TestPageTouched pinches the page on a telephone.
func TestPageTouched(t *testing.T) {
	b := browse(t, 400, 800)
	b.do("Emulation.setTouchEmulationEnabled", map[string]any{"enabled": true, "maxTouchPoints": 2}, nil)
	b.open("file://" + pageFile(t, "plain"))
	b.until(`shows("2026-03-02 00:00:00 – 04:00:00")`)
	if got := b.eval(`document.documentElement.scrollWidth - document.documentElement.clientWidth`); got != "0" {
		t.Errorf("the page is %s pixels wider than the window", got)
	}
	x, y := b.middle()
	touch := func(what string, apart float64) {
		points := []map[string]any{}
		if apart > 0 {
			points = append(points, map[string]any{"x": x - apart, "y": y, "id": 1}, map[string]any{"x": x + apart, "y": y, "id": 2})
		}
		b.do("Input.dispatchTouchEvent", map[string]any{"type": what, "touchPoints": points}, nil)
	}
	touch("touchStart", 40)
	for apart := 50.0; apart <= 80; apart += 10 {
		touch("touchMove", apart)
	}
	touch("touchEnd", 0)
	b.until(`/^#20260302T0[01]\d{4}Z-20260302T0[23]\d{4}Z$/.test(location.hash)`)
	b.quiet()
}

// TestPageOfHostileLogs opens a page whose every word is an attack.
func TestPageOfHostileLogs(t *testing.T) {
	b := browse(t, 1280, 900)
	b.open("file://" + pageFile(t, `</script><img src=x onerror="window.hit=1"><script>window.hit=1</script>`))
	b.until(`shows("2026-03-02 00:00:00 – 04:00:00")`)
	if got := b.eval(`String(window.hit) + " " + document.images.length + " " + document.scripts.length`); got != "undefined 0 1" {
		t.Errorf("hit, images and scripts: %s, want undefined 0 1", got)
	}
	b.quiet()
}

// open goes to an address, and gives the page a few words for what is asked of it.
func (b *browser) open(address string) {
	b.t.Helper()
	b.do("Page.navigate", map[string]any{"url": "about:blank"}, nil)
	b.do("Page.navigate", map[string]any{"url": address}, nil)
	b.until(`location.protocol === "file:" && document.readyState === "complete"`)
	b.eval(`var timeline = document.querySelector(".timeline");
		function shows(s) { return document.querySelector(".shown").textContent === s; }
		function values() { return document.querySelector("figure .name b").textContent; }`)
}

// middle is that of the first plot in whole pixels, as a wheel knows them, which it brings to the middle of the window.
func (b *browser) middle() (x, y float64) {
	b.t.Helper()
	b.eval(`document.querySelector("figure .plot").scrollIntoView({ block: "center" })`)
	at := b.eval(`(function (r) { return Math.round(r.left + r.width / 2) + " " + Math.round(r.top + r.height / 2); })(document.querySelector("figure .plot").getBoundingClientRect())`)
	if _, err := fmt.Sscan(at, &x, &y); err != nil {
		b.t.Fatalf("%q: %v", at, err)
	}
	return x, y
}

// quiet fails if the page has complained: errors, and what its policy forbade.
func (b *browser) quiet() {
	b.t.Helper()
	if len(b.said) > 0 {
		b.t.Errorf("the page says %s", strings.Join(b.said, "\n"))
	}
}

// pageFile writes the page of four hours of two nodes, of which all that is text
// is word. The first node has as many sessions as steps have gone by.
func pageFile(t *testing.T, word string) string {
	t.Helper()
	from := time.Date(2026, 3, 2, 0, 0, 0, 0, time.UTC)
	r := diagnose.Report{From: from, To: from.Add(4 * time.Hour), Clear: []string{word}, Blind: []string{word}}
	for _, name := range []string{"1 " + word, "2 " + word} {
		c := diagnose.Course{Node: name, Start: from, Step: 10 * time.Second}
		for i := range 1440 {
			c.Sessions, c.Requests = append(c.Sessions, float64(i)), append(c.Requests, float64(i%7))
			c.Refused = append(c.Refused, float64(i/700))
		}
		c.Spans = []diagnose.Span{{Kind: diagnose.Kind(word), From: from.Add(time.Hour), To: from.Add(90 * time.Minute), Label: word}}
		r.Nodes = append(r.Nodes, c)
	}
	r.Findings = []diagnose.Finding{{
		Kind: diagnose.Kind(word), Title: word, Confidence: 0.9, From: from.Add(time.Hour), To: from.Add(90 * time.Minute),
		Nodes: []string{"1 " + word}, Evidence: []diagnose.Evidence{{File: word, Line: 1, Text: word}}, Advice: word, Details: []string{word}, Minutes: 1,
	}}
	var out bytes.Buffer
	if err := page.Write(&out, r, page.About{Version: word}); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "page.html")
	if err := os.WriteFile(path, out.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}
