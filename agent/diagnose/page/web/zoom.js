// What is shown, and how it is moved: by wheel, fingers, keys, buttons and the
// address.
(function () {
  var root = document.querySelector(".timeline");
  if (!root) return;
  document.documentElement.classList.add("live");
  var picture = Picture(root), first = +root.dataset.from, last = +root.dataset.to;
  var shortest = Math.min(last - first, Math.max(4000, picture.shortest));
  var from = first, to = last, cursor = null, marked = null, due = false, told = 0;
  function find(what) { return root.querySelector(what); }
  var shown = find(".shown"), at = find(".cursor-time"), view = find(".window"), stripMark = find(".strip .mark"), area = find(".ticks"), strip = find(".strip .plot");

  function text(t) { return new Date(Math.round(t / 1000) * 1000).toISOString().slice(0, 19).replace("T", " "); }
  function whole() { return from <= first && to >= last; }

  function paint() {
    due = false;
    picture.draw(from, to);
    shown.textContent = text(from) + " – " + text(to).slice(text(from).slice(0, 10) === text(to).slice(0, 10) ? 11 : 0);
    if (whole()) view.style.display = "none"; else picture.place(view, from, to, first, last);
    root.querySelectorAll("[data-do]").forEach(function (b) {
      b.disabled = { in: to - from <= shortest, out: whole(), all: whole(), back: from <= first, on: to >= last }[b.dataset.do];
    });
    mark(marked);
    point(cursor);
  }
  function soon() { if (!due) { due = true; requestAnimationFrame(paint); } }

  // show moves to a range as far as there is one, and says so in the address.
  function show(a, b, quietly) {
    var length = Math.min(last - first, Math.max(shortest, b - a)), middle = (a + b) / 2;
    from = Math.max(first, Math.min(last - length, middle - length / 2));
    to = from + length;
    soon();
    clearTimeout(told);
    if (!quietly) told = setTimeout(tell, 200);
  }
  function zoom(by, t) {
    if (t === undefined || t === null || t < from || t > to) t = (from + to) / 2;
    by = Math.max(shortest / (to - from), Math.min((last - first) / (to - from), by));
    show(t - (t - from) * by, t + (to - t) * by);
  }
  function pan(by) { show(from + by, to + by); }

  function stamp(t) { return new Date(Math.round(t / 1000) * 1000).toISOString().slice(0, 19).replace(/[-:]/g, "") + "Z"; }
  function tell() {
    var hash = whole() ? "" : "#" + stamp(from) + "-" + stamp(to);
    if (location.hash === hash) return;
    try { history.replaceState(null, "", location.pathname + location.search + hash); } catch (e) { location.replace(hash || "#"); }
  }
  function listen() {
    var m = /^#(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z-(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/.exec(location.hash);
    if (!m) return false;
    var n = m.slice(1).map(Number);
    show(Date.UTC(n[0], n[1] - 1, n[2], n[3], n[4], n[5]), Date.UTC(n[6], n[7] - 1, n[8], n[9], n[10], n[11]), true);
    return true;
  }

  function point(t) {
    cursor = t === null ? null : Math.max(from, Math.min(to, t));
    at.textContent = cursor === null ? "" : text(cursor);
    picture.read(cursor, from, to);
  }
  // step moves the line by a pixel or a step, and the picture with it at its edge.
  function step(by) {
    var each = Math.max((to - from) / area.clientWidth, shortest / 4), t = cursor === null ? (from + to) / 2 : cursor + by * each;
    t = Math.max(first, Math.min(last, t));
    if (t < from) pan(t - from); else if (t > to) pan(t - to);
    point(t);
  }

  function mark(f) {
    marked = f;
    var nodes = f ? f.dataset.nodes.split("\n").filter(Boolean) : [];
    picture.figures.forEach(function (g) {
      if (f && (!nodes.length || nodes.indexOf(g.node) >= 0)) picture.place(g.mark, +f.dataset.from, +f.dataset.to, from, to);
      else g.mark.style.display = "none";
    });
    if (f) picture.place(stripMark, +f.dataset.from, +f.dataset.to, first, last); else stripMark.style.display = "none";
    document.querySelectorAll(".finding").forEach(function (e) { e.classList.toggle("pointed", e === f); });
  }
  document.querySelectorAll(".finding[data-from]").forEach(function (f) {
    ["pointerenter", "focusin", "click"].forEach(function (what) { f.addEventListener(what, function () { if (marked !== f) mark(f); }); });
    f.querySelector(".when a").addEventListener("click", function (e) {
      if (e.ctrlKey || e.metaKey || e.shiftKey) return;
      e.preventDefault();
      history.pushState(null, "", this.hash);
      listen();
      root.scrollIntoView();
      root.focus({ preventScroll: true });
    });
  });

  // Pointers: one of a mouse chooses a part, one finger moves, two zoom.
  var down = {}, pick = null, moved = 0;
  function time(e) {
    var box = area.getBoundingClientRect();
    return from + (to - from) * (e.clientX - box.left) / box.width;
  }
  function inside(e) { var box = area.getBoundingClientRect(); return e.clientX >= box.left - 2 && e.clientX <= box.right + 2; }
  function plot(e) { return e.target.closest && e.target.closest("figure .rows, .ticks") && inside(e); }
  function fingers() { return Object.keys(down).map(function (k) { return down[k]; }); }
  function choose(a, b) {
    pick = a === null ? null : [Math.min(a, b), Math.max(a, b)];
    picture.figures.forEach(function (f) {
      if (pick) picture.place(f.pick, pick[0], pick[1], from, to); else f.pick.style.display = "none";
    });
  }
  root.addEventListener("pointerdown", function (e) {
    if (e.button || !plot(e)) return;
    down[e.pointerId] = { x: e.clientX, t: time(e) };
    moved = 0;
    if (e.pointerType === "mouse") { try { e.target.setPointerCapture(e.pointerId); } catch (x) { /* it is gone already */ } }
    point(time(e));
  });
  root.addEventListener("pointermove", function (e) {
    var d = down[e.pointerId];
    if (!d) { if (e.pointerType === "mouse") point(plot(e) ? time(e) : null); return; }
    moved = Math.max(moved, Math.abs(e.clientX - d.x));
    var two = fingers();
    if (two.length === 2) {
      var other = two[0] === d ? two[1] : two[0], before = Math.abs(d.x - other.x), after = Math.abs(e.clientX - other.x);
      d.x = e.clientX;
      if (before > 10 && after > 10) zoom(before / after, (time(e) + from + (to - from) * (other.x - area.getBoundingClientRect().left) / area.clientWidth) / 2);
    } else if (e.pointerType !== "mouse" && !whole() || e.shiftKey) {
      pan(d.t - time(e));
      point(null);
    } else {
      point(time(e));
      if (e.pointerType === "mouse" && moved > 4) choose(d.t, Math.max(from, Math.min(to, time(e))));
    }
  });
  function up(e) {
    delete down[e.pointerId];
    if (!pick) return;
    var p = pick;
    choose(null);
    if (e.type === "pointerup") show(p[0], p[1]);
  }
  root.addEventListener("pointerup", up);
  root.addEventListener("pointercancel", up);
  root.addEventListener("pointerleave", function (e) { if (e.pointerType === "mouse" && !down[e.pointerId]) point(null); });
  root.addEventListener("dblclick", function (e) { if (plot(e) || e.target.closest(".strip")) show(first, last); });
  // A wheel scrolls on where there is nothing left to zoom.
  root.addEventListener("wheel", function (e) {
    if (!plot(e) && !e.target.closest(".strip .plot")) return;
    var across = Math.abs(e.deltaX) > Math.abs(e.deltaY) ? e.deltaX : e.shiftKey ? e.deltaY : 0;
    var unit = e.deltaMode === 1 ? 30 : e.deltaMode === 2 ? 300 : 1;
    if (across ? whole() : e.deltaY > 0 && whole()) return;
    e.preventDefault();
    if (across) pan(across * unit / area.clientWidth * (to - from));
    else zoom(Math.exp(Math.max(-300, Math.min(300, e.deltaY * unit)) / 400), e.target.closest(".strip") ? null : time(e));
    if (cursor !== null && plot(e)) cursor = time(e);
  }, { passive: false });

  // The strip: the window is put where it is touched, or chosen anew.
  var held = null;
  function far(e) { var box = strip.getBoundingClientRect(); return first + (last - first) * (e.clientX - box.left) / box.width; }
  strip.addEventListener("pointerdown", function (e) {
    if (e.button) return;
    held = { t: far(e), pan: !whole() };
    try { strip.setPointerCapture(e.pointerId); } catch (x) { /* it is gone already */ }
    if (held.pan) pan(held.t - (from + to) / 2);
  });
  strip.addEventListener("pointermove", function (e) {
    if (!held) return;
    if (held.pan) pan(far(e) - (from + to) / 2);
    else picture.place(view, Math.min(held.t, far(e)), Math.max(held.t, far(e)), first, last);
  });
  strip.addEventListener("pointerup", function (e) {
    if (held && !held.pan && Math.abs(far(e) - held.t) > (last - first) / 200) show(Math.min(held.t, far(e)), Math.max(held.t, far(e)));
    held = null;
    soon();
  });
  strip.addEventListener("pointercancel", function () { held = null; soon(); });

  var acts = {
    in: function () { zoom(0.5, cursor); }, out: function () { zoom(2, cursor); }, all: function () { show(first, last); },
    back: function () { pan((from - to) / 4); }, on: function () { pan((to - from) / 4); }
  };
  root.addEventListener("click", function (e) { var b = e.target.closest("[data-do]"); if (b) acts[b.dataset.do](); });
  root.addEventListener("keydown", function (e) {
    if (e.ctrlKey || e.metaKey || e.altKey) return;
    var act = {
      "+": acts.in, "=": acts.in, "-": acts.out, "−": acts.out, Home: acts.all, Escape: function () { point(null); },
      ArrowLeft: e.shiftKey ? acts.back : function () { step(-1); }, ArrowRight: e.shiftKey ? acts.on : function () { step(1); }
    }[e.key];
    if (!act) return;
    e.preventDefault();
    act();
  });
  window.addEventListener("hashchange", function () { if (!listen() && location.hash.length < 2) show(first, last, true); });
  window.addEventListener("popstate", function () { if (!listen() && location.hash.length < 2) show(first, last, true); });
  window.addEventListener("resize", soon);
  if (listen()) root.scrollIntoView(); else soon();
})();
