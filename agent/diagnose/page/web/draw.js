"use strict";
// A picture of the timeline: what it holds, and how a part of it is drawn. What
// is drawn, and how numbers are packed, is the same as in the page without script.
function Picture(root) {
  var digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_", value = {};
  for (var i = 0; i < digits.length; i++) value[digits.charCodeAt(i)] = i;

  function unpack(s, n) {
    var out = new Int32Array(n), at = 0, last = 0, k = 0;
    function number() {
      for (var u = 0, unit = 1; ; unit *= 32) {
        var d = value[s.charCodeAt(at++)];
        u += (d & 31) * unit;
        if (d < 32) return u;
      }
    }
    while (k < n) {
      var u = number();
      if (u) { last += u % 2 ? -(u + 1) / 2 : u / 2; out[k++] = last; continue; }
      for (var run = number() + 1; run > 0 && k < n; run--) out[k++] = last;
    }
    return out;
  }

  function all(e, what) { return Array.from(e.querySelectorAll(what)); }
  var plots = [], bars = [], figures = all(root, "figure").map(function (f) {
    var figure = {
      node: f.dataset.node, now: f.querySelector(".now"), over: f.querySelector(".over"), mark: f.querySelector(".mark"),
      cursor: f.querySelector(".cursor"), pick: f.querySelector(".pick"), grid: f.querySelector(".grid path"), bars: []
    };
    all(f, "svg[data-values]").forEach(function (svg) {
      var row = svg.closest(".row"), out = row.querySelector("b");
      plots.push({
        start: +f.dataset.start, step: +f.dataset.step, values: unpack(svg.dataset.values, +svg.dataset.length),
        kind: svg.dataset.kind, line: !!svg.dataset.line, svg: svg, path: svg.querySelector("path"),
        top: row.querySelector(".top"), out: out, rest: out.textContent, low: [], high: []
      });
      svg.removeAttribute("data-values");
    });
    all(f, ".lane").forEach(function (lane) {
      var row = all(lane, ".bar").map(function (b) {
        return { e: b, label: b.querySelector("b"), from: +b.dataset.from, to: +b.dataset.to };
      });
      bars.push(row);
      figure.bars = figure.bars.concat(row);
    });
    return figure;
  });

  function reduce(p, from, to, width) {
    p.low = new Int32Array(width).fill(-1);
    p.high = new Int32Array(width).fill(-1);
    if (!(p.step > 0)) return -1;
    var first = (from - p.start) / p.step, each = (to - from) / p.step / width, most = -1;
    for (var c = 0; c < width; c++) {
      var i = Math.max(0, Math.floor(first + c * each + 1e-9)), end = Math.min(p.values.length, Math.ceil(first + (c + 1) * each - 1e-9));
      for (; i < end; i++) {
        var v = p.values[i];
        if (v < 0) continue;
        if (p.low[c] < 0 || v < p.low[c]) p.low[c] = v;
        if (v > p.high[c]) p.high[c] = v;
      }
      if (p.high[c] > most) most = p.high[c];
    }
    return most;
  }

  function outline(p, top) {
    var d = "", y = 100, rest = 0, down = false;
    function flush() { if (rest) d += "h" + rest; rest = 0; }
    function to(v) { if (v !== y) { flush(); d += "V" + v; y = v; } }
    function level(v) { var y = Math.round(1000 - 1000 * v / top) / 10; return v > 0 ? Math.min(y, 96) : y; }
    function lift() { if (down) { flush(); d += (y === 100 ? "" : "V100") + "z"; } down = false; }
    for (var c = 0; c < p.high.length; c++) {
      if (p.high[c] < (p.line ? 0 : 1)) { lift(); continue; }
      if (!down) { d += "M" + c + " 100"; y = 100; down = true; }
      var near = level(p.high[c]), far = near, l = level(p.low[c]);
      if (p.line && Math.abs(y - l) < Math.abs(y - near)) near = l; else if (p.line) far = l;
      to(near); to(far); rest++;
    }
    lift();
    return d;
  }

  function ceiling(v) {
    var unit = 1;
    while (v > 20 * unit) unit *= 10;
    var by = v > 10 * unit ? unit : Math.max(1, unit / 2);
    return Math.max(1, Math.ceil(v / by) * by);
  }
  function grouped(n) { return String(n).replace(/\B(?=(\d{3})+$)/g, ","); }
  function pad(n) { return (n < 10 ? "0" : "") + n; }
  var months = "Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec".split(" ");

  // ticks are round times, as many as there is room for.
  function ticks(from, to, width) {
    var s = 1000, m = 60 * s, h = 60 * m, day = 24 * h, out = [];
    var step = [s, 5 * s, 10 * s, 30 * s, m, 5 * m, 10 * m, 15 * m, 30 * m, h, 2 * h, 3 * h, 6 * h, 12 * h, day, 2 * day, 7 * day, 28 * day].find(function (x) {
      return (to - from) / x <= width / 80;
    }) || day * Math.ceil((to - from) / day / Math.max(1, width / 80));
    for (var t = Math.ceil(from / step) * step; t <= to; t += step) {
      var d = new Date(t), text = pad(d.getUTCHours()) + ":" + pad(d.getUTCMinutes());
      if (t % day === 0) text = d.getUTCDate() + " " + months[d.getUTCMonth()];
      else if (step < m) text += ":" + pad(d.getUTCSeconds());
      out.push({ at: 100 * (t - from) / (to - from), text: text });
    }
    return out;
  }

  function axis(from, to, width) {
    var list = ticks(from, to, width), box = root.querySelector(".ticks");
    box.textContent = "";
    list.forEach(function (t) {
      var e = document.createElement("span");
      e.textContent = t.text;
      e.style.left = t.at + "%";
      e.className = t.at * width < 2200 ? "left" : (100 - t.at) * width < 2200 ? "right" : "";
      box.appendChild(e);
    });
    var d = list.map(function (t) { return "M" + t.at.toFixed(3) + " 0v1"; }).join("");
    figures.forEach(function (f) { f.grid.setAttribute("d", d); });
  }

  // lane places bars, and the words of those that have room up to the next.
  function lane(row, from, to, width) {
    var next = width, scale = width / (to - from);
    for (var i = row.length - 1; i >= 0; i--) {
      var b = row[i], left = (b.from - from) * scale, right = (b.to - from) * scale;
      var seen = right >= -3 && left <= width;
      b.e.style.display = seen ? "" : "none";
      if (!seen) continue;
      left = Math.max(-4, left);
      b.e.style.left = left + "px";
      b.e.style.width = Math.max(3, Math.min(width + 4, right) - left) + "px";
      b.e.classList.toggle("told", next - left > 46);
      b.label.style.maxWidth = Math.max(0, next - left - 8) + "px";
      next = left;
    }
  }

  function place(e, from, to, a, b) {
    var left = 100 * (from - a) / (b - a), right = 100 * (to - a) / (b - a);
    e.style.display = right < 0 || left > 100 || to < from ? "none" : "block";
    left = Math.max(-1, left);
    e.style.left = left + "%";
    e.style.width = Math.min(101, right) - left + "%";
  }

  // read shows what every plot has at an instant; the peaks again where it is null.
  function read(t, from, to) {
    plots.forEach(function (p) {
      if (t === null) { p.out.textContent = p.rest; return; }
      var c = Math.max(0, Math.min(p.high.length - 1, Math.floor((t - from) / (to - from) * p.high.length)));
      var low = p.low[c], high = p.high[c];
      p.out.textContent = high < 0 ? "unknown" : low === high ? grouped(high) : grouped(low) + "–" + grouped(high);
    });
    var slack = t === null ? 0 : 2 * (to - from) / root.querySelector(".ticks").clientWidth;
    figures.forEach(function (f) {
      if (t === null) f.cursor.style.display = "none"; else { place(f.cursor, t, t, from, to); f.cursor.style.width = ""; }
      var words = [];
      f.bars.forEach(function (b) {
        var at = t !== null && b.from <= t + slack && b.to >= t - slack;
        b.e.classList.toggle("at", at);
        if (at) words.push(b.label.textContent);
      });
      f.now.textContent = words.join(" · ");
    });
  }

  function draw(from, to) {
    var width = Math.max(50, Math.round(root.querySelector(".ticks").clientWidth)), most = {};
    plots.forEach(function (p) {
      most[p.kind] = Math.max(p.kind in most ? most[p.kind] : -1, reduce(p, from, to, width));
    });
    plots.forEach(function (p) {
      var top = ceiling(most[p.kind]);
      p.svg.setAttribute("viewBox", "0 0 " + width + " 100");
      p.path.setAttribute("d", outline(p, top));
      p.top.textContent = most[p.kind] < 0 ? "" : grouped(top);
    });
    bars.forEach(function (row) { lane(row, from, to, width); });
    axis(from, to, width);
  }

  return {
    draw: draw, read: read, place: place, figures: figures,
    shortest: plots.reduce(function (s, p) { return p.step > 0 ? Math.min(s, 4 * p.step) : s; }, 60000)
  };
}
