// Points side by side: what they have, and by how much they differ from the first.

const mostCompared = 8;

/** By how much a figure is more than the first one's, in words. */
function difference(first, value) {
  if (typeof first !== 'number' || typeof value !== 'number' || first === value || first === 0) return '';
  const share = (100 * (value - first)) / Math.abs(first);
  return `${share > 0 ? '+' : '\u2212'}${say(Number(Math.abs(share).toPrecision(3)))} %`;
}

/** The table of some points; rows in which all agree are left out unless they are all there is to say. */
function comparison(rows, drop) {
  const differs = (of) => rows.some((row) => of.at(row) !== of.at(rows[0]));
  const shown = rows.length < 2
    ? study.columns.filter((of) => of.text(rows[0]) !== '')
    : study.columns.filter(differs);
  const head = rows.map((row, place) => make(
    'th',
    { scope: 'col', class: 'n' },
    ...(drop ? [`${letter(place)} `, make('button', { type: 'button', class: 'drop', 'aria-label': `compare ${letter(place)} no longer`, title: 'Compare no longer', click: () => drop(row) }, '\u00d7')] : ['Value']),
  ));
  const lines = shown.map((of) => {
    const cells = rows.map((row, place) => {
      const more = place ? difference(of.at(rows[0]), of.at(row)) : '';
      return make('td', { class: 'n' }, of.numeric ? say(of.at(row)) : of.text(row) || unknown, ...(more ? [make('small', {}, ` ${more}`)] : []));
    });
    return make('tr', {}, make('th', { scope: 'row', title: of.meaning }, of.label, ...unitOf(of)), ...cells);
  });
  return make(
    'table',
    { class: 'grid' },
    make('caption', { class: 'hidden' }, drop ? 'Compared points' : 'The point'),
    make('thead', {}, make('tr', {}, make('th', { scope: 'col' }, rows.length < 2 ? 'Figure' : 'What differs'), ...head)),
    make('tbody', {}, ...lines),
  );
}
