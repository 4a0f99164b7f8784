// All results to be explored: a chart of any of them, filters, comparisons and the table, of the same points.

function explorer(place) {
  const table = resultTable(toggle, (row) => pinned.includes(row));
  const many = study.rows > 1;
  const drawable = many && study.found.length > 0;
  const varied = study.columns.filter((of) => of.varies);
  const isChoice = (of) => of.swept || (!of.numeric && of.levels.length <= 12 && of.name !== 'fingerprint');
  const chosen = filters(varied.filter(isChoice), update);
  const further = filters(varied.filter((of) => !of.swept && of.numeric), update);
  const count = make('p', { class: 'count', role: 'status' });
  const compared = make('div', { class: 'compared', hidden: true });
  let pinned = [];
  let rows = [];
  let chart = null;

  function update() {
    rows = further.rows(chosen.rows());
    if (chart) chart.show(rows);
    told();
    table.show(rows);
  }

  /** How many points there are, and how many of them the chart shows. */
  function told() {
    const less = study.all > study.rows ? ` (the first of ${figures.format(study.all)}; the CSV export has all of them)` : '';
    count.textContent = `${figures.format(rows.length)} of ${figures.format(study.rows)} ${study.rows === 1 ? 'point' : 'points'}${less}${chart ? chart.told() : ''}`;
  }

  function toggle(row) {
    pinned = pinned.includes(row) ? pinned.filter((other) => other !== row) : [...pinned, row].slice(-mostCompared);
    const names = make('ol', { class: 'letters' }, ...pinned.map((each) => make('li', {}, pointName(each) || 'the point')));
    const clear = tool('Clear', 'Compare nothing', () => { pinned = []; toggleDone(); });
    compared.replaceChildren(...(pinned.length ? [
      make('h3', {}, 'Compared points'), names,
      make('div', { class: 'scroll', tabindex: 0, role: 'region', 'aria-label': 'Compared points' }, comparison(pinned, toggle)),
      make('div', { class: 'tools' }, clear, tool('CSV', 'Save the compared points as CSV', () => saveCsv([study.columns.map((of) => of.name), ...pinned.map((each) => study.columns.map((of) => of.at(each)))], 'compared points'))),
    ] : []));
    toggleDone();
  }

  function toggleDone() {
    compared.hidden = !pinned.length;
    table.marks();
    if (chart) chart.marks();
  }

  if (drawable) chart = exploredChart(() => pinned, toggle, told);
  const choices = make(
    'form',
    { class: 'choices', submit: (event) => event.preventDefault() },
    ...(chart ? [make('fieldset', {}, make('legend', {}, 'Chart'), ...chart.controls)] : []),
    ...(chosen.controls.length || further.controls.length ? [make(
      'fieldset',
      {},
      make('legend', {}, 'Points'),
      ...chosen.controls,
      ...(further.controls.length ? [make('details', { class: 'more' }, make('summary', {}, 'Ranges of results'), make('div', { class: 'ranges' }, ...further.controls))] : []),
      tool('All points', 'Remove all filters', () => { chosen.clear(); further.clear(); update(); }),
    )] : []),
  );
  const tools = make('div', { class: 'tools' }, tool('CSV', 'Save these points as CSV', () => saveCsv(table.csv(), 'results')));
  const whole = make('details', { open: study.rows <= 12 || !drawable, toggle: () => table.show(rows) }, make('summary', {}, 'Table'), tools, ...leftOut(), table.box);
  if (many) place.append(make('div', { class: 'card explore' }, choices, count, ...(chart ? [chart.box] : [])), compared, whole);
  else place.append(make('div', { class: 'scroll alone', tabindex: 0, role: 'region', 'aria-label': 'The point' }, comparison([0], null)), make('details', {}, make('summary', {}, 'As a row'), tools, ...leftOut(), table.box));
  update();
}

/** The chart with its controls; `changed()` is called when it shows other points. */
function exploredChart(pinned, toggle, changed) {
  const svg = draw('svg', { class: 'fig explored', role: 'img', tabindex: 0, viewBox: '0 0 800 420' });
  const legend = make('div', { class: 'legend', role: 'group', 'aria-label': 'Curves' });
  const hidden = new Set();
  const isAxis = (of) => of && of.varies;
  const usual = ['traffic.load', 'offered_load'].map(study.named).find(isAxis) || study.along || study.swept.find((of) => of.name !== 'repeat') || study.swept[0] || study.found[0];
  const usualUp = ['makespan', 'mean_packet_latency', 'accepted_load'].map(study.named).find((of) => isAxis(of) && of.numeric && of !== usual) || study.found.find((of) => of !== usual) || study.found[0];
  const curves = study.swept.filter((of) => of.levels.length <= 64);
  const usualBy = curves.find((of) => !['traffic.load', 'offered_load', 'repeat', usual.name].includes(of.name));
  const named = (list) => list.map((of) => [of.name, titled(of)]);
  const choice = { x: usual, y: usualUp, by: usualBy || null, whole: false };
  let view = wholeView();
  let rows = [];
  let plot = null;
  let seen = null;
  let at = null;

  const change = () => { view = wholeView(); hidden.clear(); renew(); };
  const pick = (name, list, first, none) => {
    const input = select([...(none ? [['', none]] : []), ...named(list)], choice[first] ? choice[first].name : '', () => {
      choice[first] = study.named(input.value) || null;
      change();
    });
    return control(name, input);
  };
  const all = make('input', { type: 'checkbox', change: () => { choice.whole = all.checked; change(); } });
  const controls = [
    pick('Across', [...study.swept, ...study.found], 'x'),
    pick('Up', study.found, 'y'),
    ...(curves.length ? [pick('Curves by', curves, 'by', 'nothing')] : []),
    ...(rowsWithState() ? [make('label', { class: 'tick', title: 'How late packets are once a network saturates says how long the run was; a scale for them leaves little room for the others' }, all, 'make room for saturated points')] : []),
  ];

  function rowsWithState() {
    for (let row = 0; row < study.rows; row += 1) if (study.state(row)) return true;
    return false;
  }

  function paint() {
    const width = Math.max(300, Math.round(svg.clientWidth || 800));
    svg.setAttribute('viewBox', `0 0 ${width} ${width < 520 ? 320 : 420}`);
    seen = drawChart(svg, plot, view, hidden, pinned());
    if (!seen.shown.length) {
      svg.append(draw('text', { class: 'mid muted', x: seen.at.left + seen.at.wide / 2, y: seen.at.top + seen.at.tall / 2 }, 'no points here'));
    }
    svg.setAttribute('aria-label', `${titled(choice.y)} against ${titled(choice.x)} of ${seen.shown.length} points; arrow keys go from point to point, Enter compares`);
    at = null;
    hide();
    changed();
  }

  function names() {
    const styles = [...new Set(plot.lines.map((line) => line.style))].sort((a, b) => a - b);
    if (!choice.by) return [];
    return styles.map((style) => make('button', { type: 'button', class: 'key', 'aria-pressed': !hidden.has(style) ? 'true' : 'false', click: (event) => {
      if (hidden.has(style)) hidden.delete(style); else hidden.add(style);
      event.currentTarget.setAttribute('aria-pressed', String(!hidden.has(style)));
      paint();
    } }, sample(style), make('span', {}, choice.by.names[style] || unknown)));
  }

  function renew() {
    plot = prepare(rows, choice);
    legend.replaceChildren(...names());
    title.textContent = titled(choice.y);
    title.title = choice.y.meaning || '';
    paint();
  }

  const words = (point) => {
    const { x, y } = choice;
    const half = plot.half ? plot.half.at(point.row) : null;
    const fields = study.swept.filter((of) => of !== x && of !== y);
    return [
      ...(fields.length ? [pointName(point.row, fields)] : []),
      `${x.label} ${x.numeric ? measured(x, x.at(point.row)) : x.text(point.row)}`,
      `${y.label} ${half > 0 ? `${say(y.at(point.row))} \u00b1 ${measured(y, Number(half.toPrecision(2)))}` : measured(y, y.at(point.row))}`,
      ...['', 'saturated', 'deadlocked'].slice(point.state, point.state + 1).filter(Boolean),
    ].join('\n');
  };
  const ring = draw('circle', { class: 'hollow glow', r: 6 });
  function point(to) {
    at = to;
    if (!to) { ring.remove(); hide(); return; }
    fill(ring, { cx: px(to.x), cy: px(to.y) }, []);
    svg.append(ring);
    const screen = new DOMPoint(to.x, to.y).matrixTransform(svg.getScreenCTM());
    show(words(to), screen.x, screen.y);
  }
  function nearest(event) {
    const place = new DOMPoint(event.clientX, event.clientY).matrixTransform(svg.getScreenCTM().inverse());
    let best = null;
    let least = 26 * 26;
    for (const each of [...seen.shown, ...seen.arrows]) {
      const d = (each.x - place.x) ** 2 + (each.y - place.y) ** 2;
      if (d < least) { least = d; best = each; }
    }
    return best;
  }
  svg.addEventListener('pointermove', (event) => { if (!event.buttons) point(nearest(event)); });
  svg.addEventListener('pointerleave', () => point(null));
  svg.addEventListener('blur', () => point(null));
  const set = (next) => { view = next; paint(); };
  zoomable(svg, () => ({ at: seen.at, view }), set);
  svg.addEventListener('click', (event) => { const found = nearest(event); if (found) toggle(found.row); });
  const go = (step) => {
    if (!seen.shown.length) return;
    const index = at ? seen.shown.indexOf(at) : step > 0 ? -1 : 0;
    point(seen.shown[(index + step + seen.shown.length) % seen.shown.length]);
  };
  const pan = { ArrowRight: [0.2, 0], ArrowLeft: [-0.2, 0], ArrowUp: [0, 0.2], ArrowDown: [0, -0.2] };
  const keys = {
    ArrowRight: () => go(1), ArrowLeft: () => go(-1), Escape: () => point(null),
    Enter: () => { if (at) toggle(at.row); },
    '+': () => set(zoomed(view, 0.7)), '=': () => set(zoomed(view, 0.7)), '-': () => set(zoomed(view, 1 / 0.7)), 0: () => set(wholeView()),
  };
  svg.addEventListener('keydown', (event) => {
    const action = event.shiftKey && pan[event.key] ? () => set(moved(view, ...pan[event.key])) : keys[event.key];
    if (!action || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    action();
  });
  addEventListener('resize', oncePerFrame(() => { if (plot) paint(); }));
  const title = make('p', { class: 'up' });
  const tools = make(
    'div',
    { class: 'tools' },
    title,
    tool('+', 'Enlarge the chart', () => set(zoomed(view, 0.7))), tool('\u2212', 'Make the chart smaller', () => set(zoomed(view, 1 / 0.7))), tool('Fit', 'Show all of the chart', () => set(wholeView())),
    tool('SVG', 'Save the chart as SVG', () => saveSvg(svg, `${choice.y.name} ${choice.x.name}`)),
  );
  const how = make('p', { class: 'note' }, 'Draw a frame, or hold Ctrl and turn the wheel, to enlarge; double-click shows all again. Click points to compare them.');
  return {
    controls,
    box: make('div', { class: 'chartbox' }, tools, svg, legend, how),
    show(now) {
      rows = now;
      renew();
    },
    marks: paint,
    /** How many points are seen, if not all of them are; arrows are where curves go above the scale. */
    told() {
      const left = rows.length - (seen ? seen.shown.length : 0);
      if (!seen || !left) return '';
      const above = seen.above ? `, ${figures.format(seen.above)} are above its scale (arrows)` : '';
      return `; the chart shows ${figures.format(seen.shown.length)}${above}`;
    },
  };
}

if (study && study.rows) explorer(document.getElementById('explorer'));
