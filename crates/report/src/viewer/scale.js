// Axes: where a value is, from 0 to 1, and where ticks are.

const decades = 50;

function linear(low, high) {
  if (!(high > low)) [low, high] = [low - (Math.abs(low) || 1) / 2, low + (Math.abs(low) || 1) / 2];
  return {
    to: (value) => (value - low) / (high - low),
    ticks(from, to, most) {
      const [a, b] = [low + from * (high - low), low + to * (high - low)];
      const rough = (b - a) / Math.max(1, most);
      const power = 10 ** Math.floor(Math.log10(rough));
      const step = [1, 2, 5, 10].map((m) => m * power).find((s) => s >= rough * 0.999);
      const out = [];
      for (let k = Math.ceil(a / step - 1e-9); k * step <= b + step * 1e-9; k += 1) {
        const value = Number((k * step).toPrecision(12));
        out.push({ at: this.to(value), text: say(value) });
      }
      return out;
    },
  };
}

function logarithmic(low, high) {
  const inner = linear(Math.log10(low), Math.log10(high));
  return {
    to: (value) => inner.to(Math.log10(value)),
    ticks(from, to, most) {
      const [a, b] = [low * (high / low) ** from, low * (high / low) ** to];
      const few = Math.log10(b / a) > most / 2;
      const out = [];
      for (let power = 10 ** Math.floor(Math.log10(a)); power <= b; power *= 10) {
        for (const m of few ? [1] : [1, 2, 5]) {
          const value = Number((m * power).toPrecision(3));
          if (value >= a * 0.999 && value <= b * 1.001) out.push({ at: this.to(value), text: say(value) });
        }
      }
      return out.length > 1 ? out : inner.ticks(from, to, most).map((tick) => ({ ...tick, text: say(10 ** Number(tick.text)) }));
    },
  };
}

/** Places side by side for things that have names only. */
function named(names) {
  const share = (index) => (index + 0.5) / names.length;
  return {
    to: share,
    ticks(from, to, most) {
      const all = names.map((name, index) => ({ at: share(index), text: name === '' ? unknown : String(name) }));
      const seen = all.filter((tick) => tick.at >= from && tick.at <= to);
      const step = Math.ceil(seen.length / Math.max(1, most));
      return seen.filter((_, index) => index % step === 0);
    },
  };
}

/** The axis of a column over some rows: its values as they are placed, and the scale. */
function axisOf(of, rows, fromZero, half = null) {
  if (!of.numeric) {
    const present = [...new Set(rows.map((row) => of.code(row)))].sort((a, b) => a - b);
    const places = new Map(present.map((code, index) => [code, index]));
    const scale = named(present.map((code) => of.names[code]));
    return { scale, u: (row) => scale.to(places.get(of.code(row))) };
  }
  let [low, high] = [Infinity, -Infinity];
  for (const row of rows) {
    const value = of.at(row);
    if (value === null) continue;
    low = Math.min(low, value);
    high = Math.max(high, value + ((half && half.at(row)) || 0));
  }
  if (low > high) [low, high] = [0, 1];
  const grows = !fromZero && !/load$/.test(of.name) && low > 0 && high >= decades * low;
  if (!grows && low >= 0 && (fromZero || low < 0.4 * high)) low = 0;
  const margin = 0.03 * (high - low);
  const scale = grows ? logarithmic(low / 1.1, high * 1.1) : linear(low < 0 || low > 0 ? low - margin : low, high + margin);
  return { scale, u: (row) => (of.at(row) === null ? NaN : scale.to(of.at(row))) };
}
