// Links of a network as they are drawn, and how far a place is from one.

const ramp = 16;
/** Up to this many links, both directions are drawn side by side. */
const mostSideBySide = 400;

/** What pictures of a network share, made of the data of the page. */
function networkOf(data) {
  const places = (tenths) => Float64Array.from(tenths, (value) => value / 10);
  const bend = new Float64Array(data.a.length);
  for (let i = 0; i < data.bends.length; i += 2) bend[data.bends[i]] = data.bends[i + 1];
  const channels = data.names.map(() => []);
  data.a.forEach((a, link) => { channels[a].push(link); channels[data.b[link]].push(link); });
  return { ...data, x: places(data.x), y: places(data.y), bend, channels, links: data.a.length };
}

/** The group of a router, unless its name says so. */
function groupOf(net, router, before) {
  const group = net.groups[router];
  return group === null || /group/.test(net.names[router]) ? '' : `${before}group ${group}`;
}

/** The ends of a link, its length and the unit vector to its left. */
function ends(net, link) {
  const [a, b] = [net.a[link], net.b[link]];
  const [ax, ay, bx, by] = [net.x[a], net.y[a], net.x[b], net.y[b]];
  const length = Math.max(Math.hypot(bx - ax, by - ay), 1e-9);
  return { ax, ay, bx, by, nx: (by - ay) / length, ny: (ax - bx) / length };
}

const isInward = (net, link) => net.bundled && net.groups[net.a[link]] !== net.groups[net.b[link]];

/** Where curves of links between groups turn. */
function middle(net, { ax, ay, bx, by }) {
  const [x, y] = [(ax + bx) / 2, (ay + by) / 2];
  return [x + 0.6 * (net.centre[0] - x), y + 0.6 * (net.centre[1] - y)];
}

/** Path data of a link, moved to the right of its way. */
function linkPath(net, link, offset) {
  const at = ends(net, link);
  const shifted = (x, y, rise) => `${px(x + at.nx * rise)} ${px(y + at.ny * rise)}`;
  const [start, end] = [shifted(at.ax, at.ay, -offset), shifted(at.bx, at.by, -offset)];
  if (isInward(net, link)) return `M${start}Q${shifted(...middle(net, at), -offset)} ${end}`;
  const rise = net.bend[link];
  if (!rise) return `M${start}L${end}`;
  const between = (part) => shifted(at.ax + part * (at.bx - at.ax), at.ay + part * (at.by - at.ay), (rise * 4) / 3 - offset);
  return `M${start}C${between(0.1)} ${between(0.9)} ${end}`;
}

/** Points on a link, enough to say how far a place is from it. */
function pointsOf(net, link) {
  const at = ends(net, link);
  if (isInward(net, link)) {
    const [mx, my] = middle(net, at);
    return Array.from({ length: 11 }, (_, i) => {
      const t = i / 10;
      const [p, q, r] = [(1 - t) ** 2, 2 * t * (1 - t), t * t];
      return [p * at.ax + q * mx + r * at.bx, p * at.ay + q * my + r * at.by];
    });
  }
  const rise = net.bend[link];
  if (!rise) return [[at.ax, at.ay], [at.bx, at.by]];
  const control = (part) => [at.ax + part * (at.bx - at.ax) + (at.nx * rise * 4) / 3, at.ay + part * (at.by - at.ay) + (at.ny * rise * 4) / 3];
  const [c, d] = [control(0.1), control(0.9)];
  return Array.from({ length: 11 }, (_, i) => {
    const t = i / 10;
    const w = [(1 - t) ** 3, 3 * t * (1 - t) ** 2, 3 * t * t * (1 - t), t ** 3];
    return [0, 1].map((k) => w[0] * [at.ax, at.ay][k] + w[1] * c[k] + w[2] * d[k] + w[3] * [at.bx, at.by][k]);
  });
}

function toSegment(x, y, from, to) {
  const [ax, ay] = from;
  const [bx, by] = to;
  const [dx, dy] = [bx - ax, by - ay];
  const t = clamp(((x - ax) * dx + (y - ay) * dy) / Math.max(dx * dx + dy * dy, 1e-12), 0, 1);
  return Math.hypot(x - ax - t * dx, y - ay - t * dy);
}

/** The link that is nearest to a place, no farther than `reach`; -1 if there is none. */
function nearestLink(net, x, y, reach) {
  let best = -1;
  let least = reach;
  for (let link = 0; link < net.links; link += 1) {
    const [a, b] = [net.a[link], net.b[link]];
    const room = reach + 1.4 * Math.abs(net.bend[link]);
    const straight = !isInward(net, link);
    if (straight && (Math.min(net.x[a], net.x[b]) - room > x || Math.max(net.x[a], net.x[b]) + room < x
      || Math.min(net.y[a], net.y[b]) - room > y || Math.max(net.y[a], net.y[b]) + room < y)) continue;
    const points = pointsOf(net, link);
    for (let i = 1; i < points.length; i += 1) {
      const d = toSegment(x, y, points[i - 1], points[i]);
      if (d < least) { least = d; best = link; }
    }
  }
  return best;
}

/** The router that is nearest to a place, no farther than `reach`; -1 if there is none. */
function nearestRouter(net, x, y, reach) {
  let best = -1;
  let least = reach * reach;
  for (let i = 0; i < net.x.length; i += 1) {
    const d = (net.x[i] - x) ** 2 + (net.y[i] - y) ** 2;
    if (d < least) { least = d; best = i; }
  }
  return best;
}

/** Many links must be thin to be told apart; only the most loaded grow thick. */
function thickness(net, share) {
  const most = clamp((net.bundled ? 32 : 44) / Math.sqrt(net.links), 0.5, 4.2);
  return most * (0.24 + 0.76 * share ** 1.8);
}

const patchSize = 180;

/** Browsers draw tile by tile: short links that are near each other share a path, and so do many of the long ones. */
function cellOf(net, link) {
  const { ax, ay, bx, by } = ends(net, link);
  if (Math.hypot(bx - ax, by - ay) > 60 || net.bend[link]) return `long ${Math.floor(link / 2048)}`;
  return `${Math.floor(ax / patchSize)} ${Math.floor(ay / patchSize)}`;
}

/** By link, its path and the number of its cell, which are the same whatever it carries. */
function drawingsOf(net) {
  if (net.drawings) return net.drawings;
  const cells = new Map();
  const numbered = (cell) => {
    if (!cells.has(cell)) cells.set(cell, cells.size);
    return cells.get(cell);
  };
  const links = Array.from({ length: net.links }, (_, link) => link);
  net.drawings = { paths: links.map((link) => linkPath(net, link, 0)), cells: links.map((link) => numbered(cellOf(net, link))), count: cells.size };
  return net.drawings;
}

/** All links coloured by their loads, the most loaded last. */
function linkPaths(net, loads, full) {
  const { paths, cells, count } = drawingsOf(net);
  const drawn = Array.from({ length: ramp }, () => new Array(count).fill(''));
  const shareOf = (load) => (full > 0 && load > 0 ? Math.min(1, load / full) : 0);
  const stepOf = (share) => Math.min(ramp - 1, Math.floor(share * ramp));
  const beside = (link, load, side) => {
    const share = shareOf(load);
    drawn[stepOf(share)][cells[link]] += linkPath(net, link, side * (thickness(net, share) / 2 + 0.5));
  };
  for (let link = 0; link < net.links; link += 1) {
    const [there, back] = [loads.forward[link], loads.backward[link]];
    if (net.links <= mostSideBySide && back !== null) {
      beside(link, there, 1);
      beside(link, back, -1);
    } else drawn[stepOf(shareOf(Math.max(there || 0, back || 0)))][cells[link]] += paths[link];
  }
  return drawn.flatMap((near, step) => {
    const wide = px(thickness(net, (step + 0.5) / ramp) * 10) / 10;
    return near.filter(Boolean).map((d) => draw('path', { class: `link q${step}`, 'stroke-width': wide, d }));
  });
}
