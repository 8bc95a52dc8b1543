"use strict";
(function () {
  var filter = document.getElementById("filter"), count = document.getElementById("shown");
  var cards = Array.prototype.slice.call(document.querySelectorAll("article"));
  var nodes = Array.prototype.slice.call(document.querySelectorAll("a.node"));
  var key = "okstra-filter:" + document.title;
  function keep(value) { try { sessionStorage.setItem(key, value); } catch (e) { return; } }
  function kept() { try { return sessionStorage.getItem(key) || ""; } catch (e) { return ""; } }
  function apply() {
    var words = filter.value.toLowerCase().split(/\s+/).filter(Boolean), shown = {}, n = 0;
    cards.forEach(function (c) {
      var text = c.getAttribute("data-find").toLowerCase();
      c.hidden = !words.every(function (w) { return text.indexOf(w) >= 0; });
      if (!c.hidden) { n++; shown[c.getAttribute("data-stage")] = true; }
    });
    nodes.forEach(function (a) { a.classList.toggle("out", !shown[a.getAttribute("data-stage")]); });
    count.textContent = n + " of " + cards.length + " stages shown";
    keep(filter.value);
  }
  function move(list, step) {
    var at = list.indexOf(document.activeElement.closest ? document.activeElement.closest("article, a.node") : null);
    var seen = list.filter(function (e, i) { return i === at || !(e.hidden || e.classList.contains("out")); });
    var next = seen[at < 0 ? (step > 0 ? 0 : seen.length - 1) : seen.indexOf(list[at]) + step];
    if (next) { next.focus(); next.scrollIntoView({ block: "nearest", inline: "nearest" }); }
  }
  filter.value = kept();
  filter.addEventListener("input", apply);
  document.addEventListener("keydown", function (e) {
    if (e.ctrlKey || e.altKey || e.metaKey) { return; }
    if (e.target === filter) {
      if (e.key === "Escape") { filter.value = ""; apply(); filter.blur(); }
      return;
    }
    var inGraph = e.target.closest && e.target.closest("a.node");
    var card = e.target.closest && e.target.closest("article");
    if (e.key === "/") { e.preventDefault(); filter.focus(); filter.select(); }
    else if (inGraph && /^Arrow/.test(e.key)) { e.preventDefault(); move(nodes, e.key === "ArrowRight" || e.key === "ArrowDown" ? 1 : -1); }
    else if (card && (e.key === "ArrowDown" || e.key === "ArrowUp")) { e.preventDefault(); move(cards, e.key === "ArrowDown" ? 1 : -1); }
  });
  apply();
}());
