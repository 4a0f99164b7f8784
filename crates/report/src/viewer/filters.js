// Which points are looked at: a choice of values for fields with few of them, a range for the others.

const mostChoices = 60;

/** A control under its name. */
function control(name, input) {
  return make('label', { class: 'choice' }, make('span', {}, name), input);
}

function select(options, chosen, change) {
  const list = options.map(([value, text]) => make('option', { value, selected: value === chosen }, text));
  return make('select', { change }, ...list);
}

/** The controls of columns; `change` is called when somebody has made another choice. */
function filters(columns, change) {
  const active = [];
  const reset = [];
  const controls = columns.map((of) => {
    const test = { passes: null };
    active.push(test);
    if (of.levels.length <= mostChoices && (!of.numeric || of.swept)) {
      const options = of.levels.map((_, code) => [String(code), of.names[code] || unknown]);
      const list = select([['', 'all'], ...options], '', () => {
        const code = Number(list.value);
        test.passes = list.value === '' ? null : (row) => of.code(row) === code;
        change();
      });
      reset.push(() => { list.value = ''; });
      return control(titled(of), list);
    }
    if (!of.numeric) {
      const input = make('input', { type: 'search', placeholder: 'contains', input: () => {
        const wanted = input.value.toLowerCase();
        test.passes = wanted ? (row) => of.text(row).toLowerCase().includes(wanted) : null;
        change();
      } });
      reset.push(() => { input.value = ''; });
      return control(of.label, input);
    }
    const bound = (words) => make('input', { type: 'number', step: 'any', placeholder: words, 'aria-label': `${of.label} ${words}`, input: () => {
      const [low, high] = [least.value, most.value].map((text) => (text === '' ? null : Number(text)));
      const above = (value) => low === null || (value !== null && value >= low);
      const below = (value) => high === null || (value !== null && value <= high);
      test.passes = low === null && high === null ? null : (row) => above(of.at(row)) && below(of.at(row));
      change();
    } });
    const least = bound('from');
    const most = bound('to');
    reset.push(() => { least.value = ''; most.value = ''; });
    return make('div', { class: 'choice' }, make('span', {}, titled(of)), make('span', { class: 'range' }, least, most));
  });
  const all = Array.from({ length: study.rows }, (_, row) => row);
  return {
    controls,
    /** Those of some rows that pass. */
    rows(some = all) {
      const tests = active.map((test) => test.passes).filter(Boolean);
      return tests.length ? some.filter((row) => tests.every((passes) => passes(row))) : some;
    },
    clear() {
      for (const each of reset) each();
      for (const test of active) test.passes = null;
    },
  };
}
