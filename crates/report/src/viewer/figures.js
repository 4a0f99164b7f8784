// Figures that are there anyway: values at the pointer, curves that can be hidden, tables that can be sorted.

// The browser's own tooltips are slow and would cover ours.
const texts = new WeakMap();
for (const title of all('svg.fig title')) {
  texts.set(title.parentNode, title.textContent);
  title.remove();
}

function followPoints(svg) {
  const points = all('.pt', svg);
  let current = -1;
  const visible = (p) => !p.closest('.off');
  const mark = (index) => {
    if (points[current]) points[current].classList.remove('on');
    current = index;
    if (points[current]) points[current].classList.add('on');
  };
  const place = (p, matrix) => new DOMPoint(+p.dataset.x, +p.dataset.y).matrixTransform(matrix);
  const showPoint = (index) => {
    const at = place(points[index], svg.getScreenCTM());
    mark(index);
    show(texts.get(points[index]), at.x, at.y);
  };
  svg.addEventListener('pointermove', (event) => {
    if (!points.length) {
      const text = texts.get(event.target);
      if (text) show(text, event.clientX, event.clientY); else hide();
      return;
    }
    const matrix = svg.getScreenCTM();
    let best = -1;
    let least = 26 * 26;
    points.forEach((p, i) => {
      if (!visible(p)) return;
      const at = place(p, matrix);
      const d = (at.x - event.clientX) ** 2 + (at.y - event.clientY) ** 2;
      if (d < least) { least = d; best = i; }
    });
    if (best < 0) { mark(-1); hide(); } else showPoint(best);
  });
  const leave = () => { mark(-1); hide(); };
  svg.addEventListener('pointerleave', leave);
  svg.addEventListener('blur', leave);
  svg.addEventListener('keydown', (event) => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (event.key === 'Escape') leave();
    if (!step || !points.some(visible)) return;
    event.preventDefault();
    let index = current;
    do { index = (index + step + points.length) % points.length; } while (!visible(points[index]));
    showPoint(index);
  });
}

for (const svg of all('svg.fig[role=img]')) {
  const figure = svg.closest('figure');
  if (!figure) continue;
  const isMap = Boolean(figure.querySelector('.loads'));
  const tools = make('div', { class: isMap ? 'tools' : 'tools seldom' });
  figure.append(tools);
  if (!isMap) followPoints(svg);
  tools.append(tool('SVG', 'Save this figure as SVG', () => saveSvg(svg, svg.getAttribute('aria-label'))));
}

for (const key of all('button.key')) {
  key.addEventListener('click', () => {
    const on = key.getAttribute('aria-pressed') !== 'true';
    key.setAttribute('aria-pressed', on);
    for (const part of all(`.chart [data-s="${key.dataset.s}"]`, key.closest('.panel'))) {
      part.classList.toggle('off', !on);
    }
  });
}

/** Marks the head of the column that a table is sorted by; gives whether it now goes down. */
function turn(head) {
  const down = head.getAttribute('aria-sort') === 'ascending';
  for (const other of head.parentNode.cells) other.removeAttribute('aria-sort');
  head.setAttribute('aria-sort', down ? 'descending' : 'ascending');
  return down;
}

/** Unknown figures stay at the end whichever way a column is sorted. */
function inOrder(a, b, down) {
  const unknownA = a === null || a === '';
  const unknownB = b === null || b === '';
  if (unknownA || unknownB) return Number(unknownA) - Number(unknownB);
  const order = typeof a === 'number' ? a - b : a.localeCompare(b, 'en', { numeric: true });
  return down ? -order : order;
}

for (const button of all('table.sortable button.sort')) {
  button.addEventListener('click', () => {
    const head = button.closest('th');
    const body = button.closest('table').tBodies[0];
    const down = turn(head);
    const numeric = head.classList.contains('n');
    const value = (row) => {
      const text = row.cells[head.cellIndex].textContent.trim();
      const number = parseFloat(text.replace(/,/g, ''));
      return numeric ? (Number.isNaN(number) ? null : number) : text;
    };
    const rows = [...body.rows].map((row) => ({ row, value: value(row) }));
    rows.sort((a, b) => inOrder(a.value, b.value, down));
    body.append(...rows.map((entry) => entry.row));
  });
}
