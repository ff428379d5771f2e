"use strict";
// Shows what every panel has at the instant under the pointer. The paths are
// the data: x is the number of a point, y is in thousandths.
(function () {
  function points(d) {
    var n = d.match(/-?\d+/g).map(Number), x = n[0], y = n[1], out = [[x, y]];
    for (var i = 2; i + 1 < n.length; i += 2) out.push([x += n[i], y += n[i + 1]]);
    return out;
  }
  function values(ps) {
    var v = [ps[0][1]];
    for (var k = 1; k < ps.length; k++) {
      var a = ps[k - 1], b = ps[k];
      for (var i = a[0] + 1; i <= b[0]; i++) v[i] = a[1] + (b[1] - a[1]) * (i - a[0]) / (b[0] - a[0]);
    }
    return v;
  }
  function lines(g) {
    var all = Array.from(g.querySelectorAll(".line")).map(function (p) { return values(points(p.getAttribute("d"))); });
    var band = g.querySelector(".band");
    if (!band) return all;
    var ps = points(band.getAttribute("d")), turn = 1;
    while (turn < ps.length && ps[turn][0] > ps[turn - 1][0]) turn++;
    return [values(ps.slice(0, turn)), all[0], values(ps.slice(turn).reverse())];
  }
  function pairs(s) {
    var n = (s.match(/\d+/g) || []).map(Number), at = {};
    for (var i = 0; i + 1 < n.length; i += 2) at[n[i]] = n[i + 1];
    return at;
  }
  function read(figure) {
    var svg = figure.querySelector("svg"), step = figure.dataset.step.split(" ").map(Number);
    var ideal = svg.querySelector("path.ideal"), out = Array.from(figure.querySelectorAll(".read b"));
    return {
      svg: svg, from: step[0], step: step[1], points: +figure.dataset.points, seconds: +figure.dataset.seconds,
      fill: lines(svg.querySelector(".fill")), queue: lines(svg.querySelector(".queue")),
      ideal: ideal ? values(points(ideal.getAttribute("d"))) : [],
      refused: pairs(svg.querySelector(".refused").dataset.at),
      cursor: svg.querySelector(".cursor"), when: figure.querySelector(".read span"), out: out,
      rest: out.map(function (b) { return b.textContent; })
    };
  }
  function clock(seconds) {
    var h = Math.floor(seconds / 3600), m = Math.floor(seconds / 60) % 60, s = Math.round(seconds % 60);
    return (h ? h + "h" : "") + (h || m ? m + "m" : "") + (s || !(h || m) ? s + "s" : "");
  }
  function ratio(v) { return v === undefined ? "" : (v / 1000).toFixed(2); }

  var panels = Array.from(document.querySelectorAll("figure")).map(read), now = 0;
  function show(i) {
    now = i;
    panels.forEach(function (p) {
      var shown = p.fill.map(function (v) { return ratio(v[i]); });
      var queue = Math.max.apply(null, p.queue.map(function (v) { return v[i] || 0; }).concat(0));
      shown.push(ratio(p.ideal[i]), ratio(queue), (p.refused[i] || 0) + "/s");
      p.out.forEach(function (b, k) { b.textContent = shown[k]; });
      p.when.textContent = clock(i * p.seconds);
      p.cursor.style.visibility = "visible";
      p.cursor.setAttribute("transform", "translate(" + (p.from + i * p.step) + " 0)");
    });
  }
  function rest() {
    panels.forEach(function (p) {
      p.out.forEach(function (b, k) { b.textContent = p.rest[k]; });
      p.when.textContent = "peak";
      p.cursor.style.visibility = "hidden";
    });
  }
  panels.forEach(function (p) {
    function point(e) {
      var box = p.svg.getBoundingClientRect();
      var x = (e.clientX - box.left) / box.width * p.svg.viewBox.baseVal.width;
      show(Math.max(0, Math.min(p.points - 1, Math.round((x - p.from) / p.step))));
    }
    p.svg.addEventListener("pointermove", point);
    p.svg.addEventListener("pointerdown", point);
    p.svg.addEventListener("pointerleave", function (e) { if (e.pointerType === "mouse") rest(); });
    p.svg.addEventListener("blur", rest);
    p.svg.addEventListener("keydown", function (e) {
      var by = { ArrowLeft: -1, ArrowRight: 1, PageUp: -30, PageDown: 30 }[e.key];
      if (e.key === "Escape") rest();
      if (!by) return;
      e.preventDefault();
      show(Math.max(0, Math.min(p.points - 1, now + by)));
    });
  });
})();
