package board

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"
)

// driver runs in the page before all of its own: it notes what is blocked or breaks, then
// uses the keyboard as a person does, and leaves what it saw in the page.
const driver = `
var bad = [];
addEventListener("securitypolicyviolation", function (e) { bad.push("blocked " + e.violatedDirective + " " + e.sourceFile + ":" + e.lineNumber); });
addEventListener("error", function (e) { bad.push("error " + e.message); });
addEventListener("load", function () {
  var log = [];
  function at() { var e = document.activeElement; return e.id || (e.getAttribute("data-stage") ? "node " + e.getAttribute("data-stage") : e.tagName); }
  function press(key) { document.activeElement.dispatchEvent(new KeyboardEvent("keydown", { key: key, bubbles: true, cancelable: true })); log.push(key + ": " + at()); }
  function shown() { return document.querySelectorAll("article:not([hidden])").length; }
  press("/");
  var f = document.getElementById("filter");
  f.value = "part 19"; f.dispatchEvent(new Event("input"));
  log.push(shown() + " shown, " + document.querySelectorAll("a.node:not(.out)").length + " in the graph, " + document.getElementById("shown").textContent);
  press("Escape");
  log.push(shown() + " shown");
  document.querySelector("a.node").focus(); press("ArrowRight"); press("ArrowLeft");
  document.getElementById("stage-2").focus(); press("ArrowDown"); press("ArrowUp");
  var loaded = performance.getEntriesByType("resource").length;
  log.push("paper " + getComputedStyle(document.body).backgroundColor);
  log.push(loaded + " loaded");
  log.push(document.documentElement.scrollWidth <= innerWidth ? "fits" : "wider than the window: " + document.documentElement.scrollWidth);
  log.push(document.querySelector(".scroll").scrollWidth > innerWidth ? "graph scrolls" : "graph is narrow");
  document.documentElement.setAttribute("data-saw", log.concat(bad).join(" | ") + (window.hacked ? " HACKED" : ""));
});
`

// saw is what the driver saw in a page, with a browser that gets these options.
func saw(t *testing.T, page string, options ...string) string {
	t.Helper()
	browser, err := exec.LookPath("chromium")
	if err != nil {
		t.Skip("there is no chromium here; the gate installs it")
	}
	page = strings.Replace(page, "script-src ", "script-src '"+digest(driver)+"' ", 1)
	page = strings.Replace(page, "<title>", "<script>"+driver+"</script>\n<title>", 1)
	dir := t.TempDir()
	file := filepath.Join(dir, "board.html")
	if err := os.WriteFile(file, []byte(page), 0o600); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute) // for a browser that hangs
	defer cancel()
	words := append([]string{
		"--headless", "--no-sandbox", "--disable-gpu", "--enable-logging=stderr", "--user-data-dir=" + filepath.Join(dir, "profile"), "--dump-dom",
	}, options...)
	cmd := exec.CommandContext(ctx, browser, append(words, "file://"+file)...)
	cmd.Env = append(os.Environ(), "HOME="+dir)
	var said bytes.Buffer
	cmd.Stderr = &said
	dom, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v\n%s", err, said.String())
	}
	if m := regexp.MustCompile(`.*CONSOLE.*`).FindString(said.String()); m != "" {
		t.Errorf("the console says: %s", m)
	}
	m := regexp.MustCompile(`data-saw="([^"]*)"`).FindSubmatch(dom)
	if m == nil {
		t.Fatalf("the driver did not come to its end: %.3000s\n%s", dom, said.String())
	}
	return string(m[1])
}

// TestInBrowser opens a board of 200 stages with hostile text in a real browser: nothing is
// loaded, blocked or run, and the keyboard leads where the page says.
func TestInBrowser(t *testing.T) {
	t.Parallel()
	text := strings.ReplaceAll(evil, "alert(1)", "window.hacked=1") + " 한글"
	const keys = "/: filter | 12 shown, 12 in the graph, 12 of 200 stages shown | Escape: BODY | 200 shown | " +
		"ArrowRight: node 2 | ArrowLeft: node 1 | ArrowDown: stage-3 | ArrowUp: stage-2 | "
	want := keys + "paper rgb(255, 255, 255) | 0 loaded | fits | graph scrolls"
	if got := saw(t, page(t, sample(200, text), 0), "--window-size=500,900"); got != want {
		t.Errorf("in a narrow window:\n%s\nwant\n%s", got, want)
	}
	want = keys + "paper rgb(15, 19, 24) | 0 loaded | fits | graph scrolls"
	if got := saw(t, page(t, sample(200, text), 0), "--window-size=1300,900", "--blink-settings=preferredColorScheme=0"); got != want {
		t.Errorf("dark:\n%s\nwant\n%s", got, want)
	}
}
