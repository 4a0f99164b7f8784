// Downloads of what one sees.

function save(name, type, text) {
  const url = URL.createObjectURL(new Blob([text], { type }));
  make('a', { href: url, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(url), 10000);
}

/** Rows of cells as CSV, quoted where they must be. */
function csv(rows) {
  const cell = (value) => {
    const text = value === null || value === undefined ? '' : String(value);
    return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
  };
  return rows.map((row) => `${row.map(cell).join(',')}\n`).join('');
}

/** The rules of the page for a figure, with the colours that are seen now. */
function figureStyle(svg) {
  const map = svg.querySelector('.map');
  /** @type {any[]} */
  const rules = [...document.styleSheets].flatMap((sheet) => [...sheet.cssRules]);
  const ours = rules.filter((rule) => (map ? /^\.(fig|map)\b/ : /^\.fig\b/).test(rule.selectorText || ''));
  const seen = getComputedStyle(map || svg);
  const text = ours.map((rule) => rule.cssText).join('\n');
  return text.replace(/var\((--[\w-]+)\)/g, (whole, name) => seen.getPropertyValue(name).trim() || whole);
}

/** A figure as a file of its own. */
function svgText(svg) {
  const copy = svg.cloneNode(true);
  const [, , width, height] = svg.getAttribute('viewBox').split(/\s+/);
  for (const [name, value] of Object.entries({ xmlns: SVG, width, height })) copy.setAttribute(name, value);
  copy.removeAttribute('tabindex');
  for (const hidden of all('.off', copy)) hidden.remove();
  copy.prepend(
    draw('style', {}, figureStyle(svg)),
    draw('rect', { class: 'paper', width, height }),
  );
  return new XMLSerializer().serializeToString(copy);
}

/** The name of a file about something. */
const fileName = (text, extension) => `${text.toLowerCase().replace(/[^a-z0-9.]+/g, '-').replace(/^-+|-+$/g, '').slice(0, 60) || 'figure'}.${extension}`;

const saveSvg = (svg, name) => save(fileName(name, 'svg'), 'image/svg+xml', svgText(svg));
const saveCsv = (rows, name) => save(fileName(name, 'csv'), 'text/csv', csv(rows));

/** A small button. */
const tool = (text, title, action) => make('button', { type: 'button', class: 'tool', title, 'aria-label': title, click: action }, text);
