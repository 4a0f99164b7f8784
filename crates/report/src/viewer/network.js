// A picture of a network that can be moved and enlarged, and that tells about routers and channels.

/** From this scale on, groups become their routers again. */
const nearScale = 1.8;
const mostScale = 60;

/** Makes a map of a figure with a network; `tell(router)` shows more of one. */
function networkMap(figure, net, data, tell) {
  const svg = figure.querySelector('svg.picture');
  const map = svg.querySelector('.map');
  const [, , width] = svg.getAttribute('viewBox').split(' ').map(Number);
  const id = `clip-${data.map}-${all('clipPath').length}`;
  const window_ = draw('g', { 'clip-path': `url(#${id})` });
  svg.prepend(draw('clipPath', { id }, draw('rect', { width, height: net.bottom })), window_);
  window_.append(map);
  svg.setAttribute('tabindex', 0);
  const glow = draw('g', { class: 'glow' });
  map.append(glow);
  const layers = { overview: all(':scope > :not(text, .glow)', map), near: null, live: null };
  let view = { k: 1, x: 0, y: 0 };
  let loads = data;
  let chosen = -1;

  const dots = () => {
    const tints = new Map();
    net.groups.forEach((group, router) => {
      const tint = group === null ? 0 : group % 6;
      tints.set(tint, `${tints.get(tint) || ''}M${px(net.x[router])} ${px(net.y[router])}h0`);
    });
    return [...tints].map(([tint, d]) => draw('path', { class: `routers u${tint}`, 'stroke-width': 2 * net.radius, d }));
  };
  const layer = () => draw('g', { class: 'layer' }, ...linkPaths(net, loads, data.full), ...dots());

  /** Which of the drawings is seen: that of the page, one of all routers, or one of a moment. */
  function choose() {
    const isLive = loads !== data;
    const isNear = !isLive && net.condensed && view.k >= nearScale;
    if (isNear && !layers.near) {
      layers.near = layer();
      map.insertBefore(layers.near, glow);
    }
    for (const part of layers.overview) part.classList.toggle('off', isNear || isLive);
    if (layers.near) layers.near.classList.toggle('off', !isNear);
  }

  function place() {
    const [low, high] = [width * (1 - view.k), net.bottom * (1 - view.k)];
    view = { k: view.k, x: clamp(view.x, low, 0), y: clamp(view.y, high, 0) };
    map.setAttribute('transform', `translate(${px(view.x)} ${px(view.y)}) scale(${Math.round(view.k * 1000) / 1000})`);
    map.classList.toggle('near', view.k > 1);
    map.style.setProperty('--k', view.k);
    map.style.setProperty('--r', net.radius / Math.sqrt(view.k));
    svg.classList.toggle('moves', view.k > 1);
    choose();
  }
  const soon = oncePerFrame(place);
  function zoom(by, x = width / 2, y = net.bottom / 2) {
    const k = clamp(view.k * by, 1, mostScale);
    view = { k, x: x - ((x - view.x) * k) / view.k, y: y - ((y - view.y) * k) / view.k };
    soon();
  }
  const fit = () => { view = { k: 1, x: 0, y: 0 }; soon(); };

  const onPaper = (event) => new DOMPoint(event.clientX, event.clientY).matrixTransform(svg.getScreenCTM().inverse());
  const inMap = (at) => ({ x: (at.x - view.x) / view.k, y: (at.y - view.y) / view.k });
  const onScreen = (router) => new DOMPoint(net.x[router] * view.k + view.x, net.y[router] * view.k + view.y).matrixTransform(svg.getScreenCTM());

  const unit = data.unit ? ` ${data.unit}` : '';
  const way = (from, to, load) => `${net.names[from]} \u2192 ${net.names[to]}: ${say(load)}${unit}`;
  function linkWords(link) {
    const [a, b] = [net.a[link], net.b[link]];
    const back = loads.backward[link];
    const [there, here] = [true, false].map((isThere) => classOf(net, link, isThere));
    if (back === null) return [way(a, b, loads.forward[link]), there].filter(Boolean).join('\n');
    const isOne = there === here;
    const of = (text, kind) => (isOne ? text : `${text} (${kind})`);
    return [of(way(a, b, loads.forward[link]), there), of(way(b, a, back), here), isOne && there].filter(Boolean).join('\n');
  }
  /** The channels of a router: the other end, the link, what goes there and what comes from there. */
  function channelsOf(router) {
    return net.channels[router].map((link) => {
      const leaves = net.a[link] === router;
      const [there, back] = [loads.forward[link], loads.backward[link]];
      return { link, leaves, other: leaves ? net.b[link] : net.a[link], out: leaves ? there : back, in: leaves ? back : there };
    });
  }
  function routerWords(router) {
    const channels = channelsOf(router);
    const busiest = channels.reduce((best, each) => ((each.out || 0) > (best ? best.out || 0 : -1) ? each : best), null);
    const group = groupOf(net, router, '\n');
    return `${net.names[router]}${group}\n${channels.length} links${busiest ? `\nbusiest ${way(router, busiest.other, busiest.out)}` : ''}`;
  }

  /** Shows a router and its links, or a link, above all others. */
  function light(router, link) {
    const links = router >= 0 ? net.channels[router] : link >= 0 ? [link] : [];
    const path = links.map((each) => linkPath(net, each, 0)).join('');
    const ringed = router >= 0 ? [draw('circle', { cx: net.x[router], cy: net.y[router], r: net.radius })] : [];
    glow.replaceChildren(...(path ? [draw('path', { d: path })] : []), ...ringed);
  }
  const rest = () => { hide(); light(chosen, -1); };

  function find(event) {
    const isOverview = net.condensed && view.k < nearScale && loads === data;
    const at = inMap(onPaper(event));
    const screen = svg.getScreenCTM().a * view.k;
    if (isOverview && all('.router', map).length) return { router: -1, link: -1, text: texts.get(event.target) };
    const router = nearestRouter(net, at.x, at.y, Math.max(9 / screen, net.radius / Math.sqrt(view.k)));
    const link = router < 0 ? nearestLink(net, at.x, at.y, 6 / screen) : -1;
    return { router, link, text: router >= 0 ? routerWords(router) : link >= 0 ? linkWords(link) : '' };
  }

  let grip = null;
  svg.addEventListener('pointerdown', (event) => {
    if (event.button === 0 && view.k > 1) grip = { at: onPaper(event), from: view, moved: false };
  });
  svg.addEventListener('pointermove', (event) => {
    if (!grip) {
      const { router, link, text } = find(event);
      if (text) { light(router, link); show(text, event.clientX, event.clientY); } else rest();
      return;
    }
    const at = onPaper(event);
    const [dx, dy] = [at.x - grip.at.x, at.y - grip.at.y];
    if (!grip.moved && Math.hypot(dx, dy) < 4) return;
    if (!grip.moved) svg.setPointerCapture(event.pointerId);
    grip.moved = true;
    hide();
    view = { k: grip.from.k, x: grip.from.x + dx, y: grip.from.y + dy };
    soon();
  });
  const release = () => {
    const was = grip && grip.moved;
    grip = null;
    return was;
  };
  svg.addEventListener('pointercancel', release);
  svg.addEventListener('pointerleave', () => { if (!grip) rest(); });
  svg.addEventListener('pointerup', (event) => {
    if (release() || event.button !== 0) return;
    const { router } = find(event);
    if (router >= 0) pick(router);
  });
  svg.addEventListener('dblclick', (event) => { const at = onPaper(event); zoom(2.5, at.x, at.y); });
  svg.addEventListener('wheel', (event) => {
    if (!event.ctrlKey && !event.metaKey) return;
    event.preventDefault();
    const at = onPaper(event);
    zoom(event.deltaY < 0 ? 1.25 : 0.8, at.x, at.y);
  }, { passive: false });
  const step = 60;
  const shift = (x, y) => { view = { ...view, x: view.x + x, y: view.y + y }; soon(); };
  const keys = {
    '+': () => zoom(1.5), '=': () => zoom(1.5), '-': () => zoom(1 / 1.5), 0: fit, Escape: () => { chosen = -1; tell(-1); rest(); },
    ArrowLeft: () => shift(step, 0), ArrowRight: () => shift(-step, 0), ArrowUp: () => shift(0, step), ArrowDown: () => shift(0, -step),
  };
  svg.addEventListener('keydown', (event) => {
    const action = keys[event.key];
    if (!action || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    action();
  });

  place();
  // Whoever enlarges it next does not wait for this.
  const whenIdle = window.requestIdleCallback || setTimeout;
  if (net.condensed) whenIdle(() => drawingsOf(net));

  function pick(router) {
    chosen = router;
    light(router, -1);
    tell(router);
  }
  return {
    svg, net, data, zoom, fit, channelsOf, pick,
    loads: () => loads,
    /** Shows a router as near as is needed to tell it from others. */
    goTo(router) {
      const k = Math.max(view.k, net.condensed ? nearScale * 2 : 1);
      view = { k, x: width / 2 - net.x[router] * k, y: net.bottom / 2 - net.y[router] * k };
      place();
      pick(router);
      const at = onScreen(router);
      show(routerWords(router), at.x, at.y);
    },
    /** Colours links by other loads; by those of the picture again if there are none. */
    colour(other) {
      if (layers.live) layers.live.remove();
      layers.live = null;
      loads = other || data;
      if (other) {
        layers.live = layer();
        map.insertBefore(layers.live, glow);
      }
      choose();
      tell(chosen);
    },
  };
}
