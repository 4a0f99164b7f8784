// The table of all results. Only the rows that are seen are in the page, however many there are.

const rowHeight = 31;
/** Rows that a page on paper gets, at most. */
const mostOnPaper = 500;

/** Characters of the widest cell of a column, guessed from some of them. */
function widest(of) {
  const step = Math.max(1, Math.floor(of.levels.length / 300));
  let most = 0;
  for (let i = 0; i < of.levels.length; i += step) most = Math.max(most, of.names[i].length);
  return Math.min(most, 34);
}

/** A name that may be broken where its words meet. */
const breakable = (name) => name.split(/(?<=[_.])/).flatMap((part, i) => (i ? [make('wbr'), part] : [part]));

/** The classes of a column's cells. */
const classes = (of) => [of.numeric ? 'n' : '', of.aside ? 'aside' : ''].filter(Boolean).join(' ') || null;

/** What paper says of the columns that it has no room for. */
function leftOut() {
  const shown = study.columns.filter((of) => !of.aside).length;
  if (shown === study.columns.length) return [];
  return [make('p', { class: 'note on-paper' }, `Shows ${shown} of ${study.columns.length} columns; results.csv has all of them.`)];
}

/** What helps the table to fit on paper: smaller letters for many columns, and breaks inside long words. */
function fitting() {
  const shown = study.columns.filter((of) => !of.aside);
  const isLong = (name) => name.split(/\s/).some((word) => word.length > 24);
  const breaks = shown.some((of) => !of.numeric && of.names.some(isLong));
  return `${shown.length > 10 ? ' tight' : ''}${breaks ? ' breaks' : ''}`;
}

/** The table; `compare(row)` is called when a point is to be compared or no longer. */
function resultTable(compare, isCompared) {
  const body = make('tbody');
  let rows = [];
  let sorted = null;
  let drawn = '';
  const heads = study.columns.map((of) => {
    const button = make('button', { type: 'button', class: 'sort', click: () => {
      sorted = { of, down: turn(head) };
      order();
      refresh(true);
    } }, ...breakable(of.name));
    const head = make('th', { scope: 'col', class: classes(of), title: of.meaning, style: `min-width:${widest(of) + 2}ch` }, button, ...unitOf(of));
    return head;
  });
  const table = make(
    'table',
    { class: `grid virtual${fitting()}`, 'aria-rowcount': study.rows + 1 },
    make('caption', { class: 'hidden' }, 'All results, one row per point'),
    make('thead', {}, make('tr', { 'aria-rowindex': 1 }, make('th', { scope: 'col' }, make('span', { class: 'hidden' }, 'compare')), ...heads)),
    body,
  );
  const box = make('div', { class: 'scroll tall', tabindex: 0, role: 'region', 'aria-label': 'All results' }, table);

  function order() {
    if (!sorted) return;
    const { of, down } = sorted;
    // Rows of equal value keep the order of the study.
    rows = [...rows].sort((a, b) => inOrder(of.at(a), of.at(b), down) || a - b);
  }

  function line(row, place) {
    const tick = make('input', { type: 'checkbox', 'aria-label': `compare point ${row + 1}`, change: () => compare(row) });
    tick.checked = isCompared(row);
    const cells = study.columns.map((of) => make('td', { class: classes(of), title: !of.numeric && of.text(row).length > 34 ? of.text(row) : null }, of.text(row)));
    return make('tr', { 'aria-rowindex': place + 2, 'data-row': row, class: tick.checked ? 'compared' : null }, make('td', {}, tick), ...cells);
  }

  const space = (lines) => make('tr', { class: 'space', 'aria-hidden': true, style: `height:${lines * rowHeight}px` }, make('td', { colspan: study.columns.length + 1 }));

  function fillBody(from, to) {
    const lines = rows.slice(from, to).map((row, i) => line(row, from + i));
    body.replaceChildren(...(from ? [space(from)] : []), ...lines, ...(to < rows.length ? [space(rows.length - to)] : []));
  }

  function refresh(anew = false) {
    const from = Math.max(0, Math.floor(box.scrollTop / rowHeight) - 8);
    const to = Math.min(rows.length, from + Math.ceil((box.clientHeight || 600) / rowHeight) + 18);
    // Rows whose buttons have the focus must not be replaced by others like them.
    if (!anew && drawn === `${from}-${to}`) return;
    drawn = `${from}-${to}`;
    fillBody(from, to);
  }

  box.addEventListener('scroll', oncePerFrame(() => refresh()));
  addEventListener('resize', oncePerFrame(() => refresh()));
  addEventListener('beforeprint', () => fillBody(0, Math.min(rows.length, mostOnPaper)));
  addEventListener('afterprint', () => refresh(true));
  return {
    box,
    show(now) {
      rows = now;
      order();
      box.scrollTop = 0;
      refresh(true);
    },
    marks() {
      for (const each of all('tr[data-row]', body)) {
        const is = isCompared(Number(each.dataset.row));
        each.classList.toggle('compared', is);
        each.querySelector('input').checked = is;
      }
    },
    csv: () => [study.columns.map((of) => of.name), ...rows.map((row) => study.columns.map((of) => of.at(row)))],
  };
}
