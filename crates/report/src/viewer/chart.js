// A chart of any figure against any field, quick for ten thousand points: a curve is one path, its markers another.

const colours = 8;

/** The outline of a curve's marker, as on the figures of the page. */
const outlines = (() => {
  const corners = [
    null, [[-2.8, -2.8], [2.8, -2.8], [2.8, 2.8], [-2.8, 2.8]], [[0, -3.9], [3.5, 2.5], [-3.5, 2.5]],
    [[0, -4], [4, 0], [0, 4], [-4, 0]], [[0, 3.9], [3.5, -2.5], [-3.5, -2.5]],
    [[0, -3.7], [3.5, -1.1], [2.2, 3], [-2.2, 3], [-3.5, -1.1]], [[-3.9, 0], [2.5, -3.5], [2.5, 3.5]],
    [[3.9, 0], [-2.5, -3.5], [-2.5, 3.5]],
  ];
  const steps = (points) => points.slice(1).map(([x, y], i) => `l${px(x - points[i][0])} ${px(y - points[i][1])}`).join('');
  return corners.map((points) => (points
    ? (x, y) => `M${px(x + points[0][0])} ${px(y + points[0][1])}${steps(points)}z`
    : (x, y) => `M${px(x - 3.1)} ${px(y)}a3.1 3.1 0 1 0 6.2 0a3.1 3.1 0 1 0 -6.2 0z`));
})();

const outline = (style) => outlines[(style + Math.floor(style / colours)) % colours];

/** More points than these are drawn small and without lines around them, which is many times as quick. */
const mostMarkers = 2000;
const cellSize = 128;
const specks = [
  'v3h-3v-3z', 'l1.7 1.7l-1.7 1.7l-1.7 -1.7z', 'l2 3.4h-4z', 'h4l-2 3.4z', 'v4h-2v-4z', 'h4v2h-4z', 'v4l-3.4 -2z', 'l3.4 2l-3.4 2z',
];
const speck = (style) => (x, y) => `M${px(x)} ${px(y - 1.6)}${specks[(style + Math.floor(style / colours)) % colours]}`;

/** What stands on the upper edge for a point above it, as on the figures of the page. */
const arrow = (x, y) => `M${px(x)} ${px(y - 6)}l4 6h-2.3v5h-3.4v-5h-2.3z`;

/** The sample of a curve. */
const sample = (style) => draw(
  'svg',
  { class: 'fig', viewBox: '0 0 30 12', width: 30, height: 12, 'aria-hidden': true },
  draw('path', { class: `curve s${style % colours}`, d: 'M0 6H30' }),
  draw('path', { class: `mark s${style % colours} f${style % colours}`, d: outline(style)(15, 6) }),
);

/** Points of more curves than these are not joined, nor many points against what was found: nobody could follow the lines. */
const mostJoined = 64;
/** Intervals of more points than these hide the points. */
const mostIntervals = 1000;

const edge = { left: 64, right: 16, top: 12, bottom: 44 };

/** Everything that is needed to draw points: their places from 0 to 1 and their curves. */
function prepare(rows, choice) {
  const { x, y, by, whole } = choice;
  const known = rows.filter((row) => y.at(row) !== null && (!x.numeric || x.at(row) !== null));
  const stable = known.filter((row) => study.state(row) === 0);
  // How far a saturated point is up says how long the run was and nothing else.
  const judged = whole || !stable.length || !/latency|delay/.test(y.name) ? known : stable;
  const across = axisOf(x, known, false);
  const interval = study.named(`${y.name}_ci`);
  const half = interval && interval.numeric ? interval : null;
  const up = axisOf(y, judged, true, half);
  // Against what was found, points follow each other as they do against what was asked.
  const along = x.swept ? x : study.along;
  // Each repetition has a line of its own, in its curve's style.
  const others = study.swept.filter((each) => each !== along && each !== by);
  const lines = new Map();
  for (const row of known) {
    const style = by ? by.code(row) : 0;
    const key = others.map((each) => each.code(row)).join(':');
    const line = lines.get(`${style}/${key}`) || { style, points: [] };
    lines.set(`${style}/${key}`, line);
    line.points.push({ row, style, u: across.u(row), v: up.u(row), state: study.state(row), x: 0, y: 0 });
  }
  const order = (point) => (along === x || !along ? point.u : along.at(point.row));
  for (const line of lines.values()) line.points.sort((a, b) => order(a) - order(b));
  const repeated = study.named('repeat');
  const times = repeated && repeated !== along && repeated !== by ? repeated.levels.length : 1;
  return { choice, across, up, lines: [...lines.values()], times, half };
}

/** The parts of a frame in which the points of `plot` are, as far as `view` shows them. */
function frame(plot, view, width, height) {
  const { left, right, top, bottom } = edge;
  const [wide, tall] = [width - left - right, height - top - bottom];
  const x = (u) => left + (wide * (u - view.u0)) / (view.u1 - view.u0);
  const y = (v) => height - bottom - (tall * (v - view.v0)) / (view.v1 - view.v0);
  const inside = (p) => p.u >= view.u0 - 1e-9 && p.u <= view.u1 + 1e-9 && p.v >= view.v0 - 1e-9 && p.v <= view.v1 + 1e-9;
  const above = (p) => p.u >= view.u0 - 1e-9 && p.u <= view.u1 + 1e-9 && p.v > view.v1 + 1e-9;
  return { x, y, inside, above, left, top, wide, tall };
}

function axes(plot, at, view, width, height) {
  const parts = [];
  const floor = at.top + at.tall;
  const room = plot.choice.x.numeric ? 80 : 110;
  for (const tick of plot.up.scale.ticks(view.v0, view.v1, 6)) {
    const y = px(at.y(tick.at));
    parts.push(draw('path', { class: 'grid', d: `M${at.left} ${y}h${at.wide}` }));
    parts.push(draw('text', { class: 'muted end', x: at.left - 7, y: y + 4 }, tick.text));
  }
  for (const tick of plot.across.scale.ticks(view.u0, view.u1, Math.floor(at.wide / room))) {
    const x = px(at.x(tick.at));
    const text = tick.text.length > 18 ? `${tick.text.slice(0, 17)}\u2026` : tick.text;
    parts.push(draw('path', { class: 'axis', d: `M${x} ${floor}v4` }));
    parts.push(draw('text', { class: 'muted mid', x, y: floor + 18 }, text));
  }
  parts.push(draw('path', { class: 'axis', d: `M${at.left} ${at.top}v${at.tall}h${at.wide}` }));
  parts.push(draw('text', { class: 'mid', x: at.left + at.wide / 2, y: height - 6 }, titled(plot.choice.x)));
  return parts;
}

/** Draws the points; gives those that can be pointed at, with their places in pixels: points that are seen, and arrows for those above. */
function drawChart(svg, plot, view, hidden, pinned) {
  const [, , width, height] = svg.getAttribute('viewBox').split(' ').map(Number);
  const at = frame(plot, view, width, height);
  const shown = [];
  const arrows = [];
  let above = 0;
  const styles = new Map();
  const lines = plot.lines.filter((line) => !hidden.has(line.style));
  const count = lines.reduce((sum, line) => sum + line.points.length, 0);
  const many = count > mostMarkers;
  const joined = lines.length <= mostJoined * plot.times && (!many || plot.choice.x.swept);
  const mark = many ? speck : outline;
  const intervals = plot.half && count <= mostIntervals ? plot.half : null;
  const taken = new Set();
  // Arrows stand beside each other, never below the edge, where they would be figures that nobody found. Of very many,
  // those that would lie on each other are one.
  const rise = (style, point, parts) => {
    const slot = Math.round(point.x / 3);
    if (many) {
      if (!taken.has(`${style}/${slot}`)) parts.push(arrow(point.x, at.top));
      taken.add(`${style}/${slot}`);
      return;
    }
    const inside = (step) => point.x + 9 * step >= at.left && point.x + 9 * step <= at.left + at.wide;
    const isFree = (step) => inside(step) && [-2, -1, 0, 1, 2].every((near) => !taken.has(slot + 3 * step + near));
    const step = [0, 1, -1, 2, -2, 3, -3].find(isFree) || 0;
    const x = point.x + 9 * step;
    taken.add(slot + 3 * step);
    parts.push(arrow(x, at.top));
    arrows.push({ ...point, x, y: at.top });
  };
  for (const line of lines) {
    const of = styles.get(line.style) || { solid: [], dotted: [], full: [], open: [], dead: [], bars: [], higher: [], higherOpen: [] };
    styles.set(line.style, of);
    let before = null;
    for (const point of line.points) {
      const here = point;
      here.x = at.x(point.u);
      here.y = at.y(point.v);
      if (before && joined) {
        const parts = before.state || here.state ? of.dotted : of.solid;
        const follows = parts.length && parts.end === before;
        parts.push(`${follows ? '' : `M${px(before.x)} ${px(before.y)}`}L${px(here.x)} ${px(here.y)}`);
        parts.end = here;
      }
      const last = before;
      before = here;
      if (at.above(point)) {
        above += 1;
        // Of saturated points the first says that the curve ends; how high the others are says nothing more.
        const goesOn = here.state && last && last.state && at.above(last);
        if (!goesOn) rise(line.style, here, here.state ? of.higherOpen : of.higher);
        if (here.state === 2) of.dead.push(`M${px(here.x - 5)} ${px(at.top)}l10 10m0 -10l-10 10`);
      }
      if (!at.inside(point)) continue;
      shown.push(here);
      // Browsers draw tile by tile: markers that are near each other share a path.
      const cell = Math.floor(here.x / cellSize) + 64 * Math.floor(here.y / cellSize);
      const near = here.state ? of.open : of.full;
      (near[cell] = near[cell] || []).push(mark(line.style)(here.x, here.y));
      if (here.state === 2) of.dead.push(`M${px(here.x - 5)} ${px(here.y - 5)}l10 10m0 -10l-10 10`);
      const half = intervals && !here.state ? intervals.at(here.row) : null;
      if (half > 0) {
        const up = plot.up.scale.to(plot.choice.y.at(here.row) + half) - point.v;
        const tall = (at.tall * up) / (view.v1 - view.v0);
        if (tall > 1.5) of.bars.push(`M${px(here.x)} ${px(here.y - tall)}v${px(2 * tall)}m-3 0h6m-6 ${px(-2 * tall)}h6`);
      }
    }
  }
  const inner = draw('g', { 'clip-path': 'url(#explored)' });
  for (const [style, of] of [...styles].sort((a, b) => a[0] - b[0])) {
    const s = style % colours;
    const add = (name, parts) => { if (parts.length) inner.append(draw('path', { class: name, d: parts.join('') })); };
    // Strokes of a pixel are drawn six times as quickly as others.
    add(`curve ${many ? 'thin ' : ''}s${s}`, of.solid);
    add(`tail ${many ? 'thin ' : ''}s${s}`, of.dotted);
    add(`limit s${s}`, of.bars);
    for (const near of of.full) add(many ? `speck f${s}` : `mark s${s} f${s}`, near || []);
    for (const near of of.open) add(many ? `speck f${s} faint` : `open s${s}`, near || []);
    add('dead', of.dead);
    add(`mark s${s} f${s}`, of.higher);
    add(`open s${s}`, of.higherOpen);
  }
  const { left, top, wide, tall } = at;
  const clip = draw('clipPath', { id: 'explored' }, draw('rect', { x: left - 5, y: top - 6, width: wide + 11, height: tall + 11 }));
  svg.replaceChildren(clip, ...axes(plot, at, view, width, height), inner);
  for (const point of shown) {
    const place = pinned.indexOf(point.row);
    if (place < 0) continue;
    svg.append(
      draw('circle', { class: 'hollow pinned', cx: px(point.x), cy: px(point.y), r: 8 }),
      draw('text', { class: 'halo title', x: px(point.x + 10), y: px(point.y - 6) }, letter(place)),
    );
  }
  return { at, shown, arrows, above };
}

/** What compared points go by. */
const letter = (place) => String.fromCharCode(65 + place);
