// Axes: where a value is, from 0 to 1, and where ticks are.

const decades = 50;
// Beside zero: largest over median value from which it is logarithmic; where zero and where decades begin.
const besideZero = 10;
const [zeroAt, decadesFrom] = [0.03, 0.14];

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

/** The same with a place for zero beside it. */
function logarithmicFromZero(low, high) {
  const inner = logarithmic(low, high);
  const place = (at) => decadesFrom + at * (1 - decadesFrom);
  const within = (at) => Math.max(0, (at - decadesFrom) / (1 - decadesFrom));
  return {
    to: (value) => (value <= 0 ? zeroAt : place(inner.to(value))),
    ticks(from, to, most) {
      const zero = from <= zeroAt && to >= zeroAt ? [{ at: zeroAt, text: say(0) }] : [];
      const others = to > decadesFrom ? inner.ticks(within(from), within(to), most) : [];
      return [...zero, ...others.map((tick) => ({ ...tick, at: place(tick.at) }))];
    },
  };
}

/** The least positive value, if values beside zero lie close to it by half; otherwise nothing. */
function crowdedAtZero(values) {
  const positive = [...new Set(values)].filter((value) => value > 0).sort((a, b) => a - b);
  const [least, median, most] = [0, (positive.length - 1) >> 1, positive.length - 1].map((at) => positive[at]);
  return most >= decades * least && most >= besideZero * median ? least : null;
}

/** The scale for values between two. */
function scaleFor(values, low, high, mayGrow, fromZero) {
  if (mayGrow && low > 0 && high >= decades * low) return logarithmic(low / 1.1, high * 1.1);
  const least = mayGrow && low === 0 ? crowdedAtZero(values()) : null;
  if (least !== null) return logarithmicFromZero(least / 1.1, high * 1.1);
  if (low >= 0 && (fromZero || low < 0.4 * high)) low = 0;
  const margin = 0.03 * (high - low);
  return linear(low < 0 || low > 0 ? low - margin : low, high + margin);
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
  const mayGrow = !fromZero && !/load$/.test(of.name);
  const scale = scaleFor(() => rows.map((row) => of.at(row)), low, high, mayGrow, fromZero);
  return { scale, u: (row) => (of.at(row) === null ? NaN : scale.to(of.at(row))) };
}
