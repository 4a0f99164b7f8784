// All results, column by column, as the page brings them.

/** A table of a study in words: its kind first, then what else it says. */
function inWords(text) {
  if (!text.startsWith('{')) return text;
  try {
    const { kind, ...others } = JSON.parse(text);
    const say = (value) => (Array.isArray(value) ? value.map(say).join('x') : value && typeof value === 'object' ? inWords(JSON.stringify(value)) : String(value));
    return [kind, ...Object.entries(others).map(([name, value]) => `${label(name)} ${say(value)}`)].filter(Boolean).join(', ');
  } catch {
    return text;
  }
}

/**
 * A column. `at(row)` is a figure, a word or null; `text(row)` says it.
 */
function column(data, rows) {
  const figuresOf = data.figures;
  const at = figuresOf ? (row) => figuresOf[row] : (row) => data.words[data.codes[row]];
  const spoken = data.words ? data.words.map(inWords) : null;
  const text = (row) => {
    if (spoken) return spoken[data.codes[row]];
    const value = at(row);
    return value === null ? '' : String(value);
  };
  let levels = data.words;
  if (figuresOf) {
    levels = [...new Set(figuresOf)].sort((a, b) => Number(a === null) - Number(b === null) || a - b);
  }
  const codes = figuresOf ? () => {
    const places = new Map(levels.map((value, index) => [value, index]));
    return figuresOf.map((value) => places.get(value));
  } : () => data.codes;
  let known = null;
  const unit = data.unit || '';
  return {
    name: data.name,
    /** The same for people, without a unit that is told beside it. */
    label: label(unit ? data.name.replace(/_(ns|gbps)$/, '') : data.name),
    unit,
    meaning: data.meaning || null,
    swept: data.swept,
    /** Whether paper has no room for it. */
    aside: Boolean(data.aside),
    numeric: Boolean(figuresOf),
    levels,
    /** The same for people. */
    names: spoken || levels.map((value) => (value === null ? '' : String(value))),
    varies: rows > 1 && levels.length > 1,
    at,
    text,
    /** The number of a row's value among the levels. */
    code(row) {
      known = known || codes();
      return known[row];
    },
  };
}

const study = (() => {
  const source = document.getElementById('points');
  if (!source) return null;
  const data = JSON.parse(source.textContent);
  const columns = data.columns.map((each) => column(each, data.rows));
  const named = (name) => columns.find((each) => each.name === name);
  const flag = (name) => {
    const of = named(name);
    return of && !of.numeric ? (row) => of.at(row) === 'true' : () => false;
  };
  const saturated = flag('saturated');
  const deadlocked = flag('deadlocked');
  return {
    rows: data.rows,
    all: data.all,
    columns,
    named,
    /** How a point ended: 0 stable, 1 saturated, 2 deadlocked. */
    state: (row) => (deadlocked(row) ? 2 : saturated(row) ? 1 : 0),
    /** What points are told apart by. */
    swept: columns.filter((each) => each.swept && each.varies),
    /** The field along which points follow each other: the one with most figures. */
    along: columns.filter((each) => each.swept && each.varies && each.numeric && each.name !== 'repeat')
      .sort((a, b) => b.levels.length - a.levels.length)[0],
    /** What was found, as figures. */
    found: columns.filter((each) => !each.swept && each.numeric && each.varies),
  };
})();

/** A column's name with its unit. */
const titled = (of) => (of.unit ? `${of.label} (${of.unit})` : of.label);

/** A column's figure with its unit. */
const measured = (of, value) => (of.unit && Number.isFinite(value) ? `${say(value)} ${of.unit}` : say(value));

/** A column's unit beside its name, if it has one. */
const unitOf = (of) => (of.unit ? [make('small', {}, ` ${of.unit}`)] : []);

/** What a point is called: the fields in which it differs from others. */
const pointName = (row, fields = study.swept) => fields.map((each) => `${each.label} ${each.text(row) || unknown}`).join(', ');
