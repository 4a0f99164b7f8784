// The channels of a network over time, with a slider, where the study recorded them.

const digits = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
const finest = 64 * 64 - 1;
const worth = new Map([...digits].map((digit, value) => [digit, value]));

/** The loads of a moment: two digits for each link and direction, as shares of the largest. */
function momentLoads(text, data, full) {
  const level = (index) => 64 * worth.get(text[2 * index]) + worth.get(text[2 * index + 1]);
  const at = (index) => Number(((full * level(index)) / finest).toPrecision(3));
  const links = data.forward.length;
  return {
    forward: Array.from({ length: links }, (_, link) => at(2 * link)),
    backward: Array.from({ length: links }, (_, link) => (data.backward[link] === null ? null : at(2 * link + 1))),
  };
}

/** The controls of a picture with moments. */
function courseOf(map, name) {
  const { moments, from, cycles, full } = map.data.course;
  const words = (index) => (index < 0
    ? 'all of the measurement window'
    : `cycles ${figures.format(from + index * cycles)} to ${figures.format(from + (index + 1) * cycles - 1)}`);
  const output = make('output', { class: 'moment' }, words(-1));
  const change = () => {
    const index = Number(slider.value);
    output.textContent = words(index);
    slider.setAttribute('aria-valuetext', words(index));
    map.colour(index < 0 ? null : momentLoads(moments[index], map.data, full));
  };
  const slider = make('input', { type: 'range', min: -1, max: moments.length - 1, value: -1, step: 1, 'aria-label': `Time of ${name}`, 'aria-valuetext': words(-1), input: oncePerFrame(change) });
  let timer = 0;
  const stop = () => { clearInterval(timer); timer = 0; play.textContent = '\u25b6'; play.setAttribute('aria-label', 'Play'); };
  const play = tool('\u25b6', 'Play', () => {
    if (timer) { stop(); return; }
    play.textContent = '\u23f8';
    play.setAttribute('aria-label', 'Pause');
    if (Number(slider.value) === moments.length - 1) slider.value = -1;
    timer = setInterval(() => {
      slider.value = Number(slider.value) + 1;
      change();
      if (Number(slider.value) === moments.length - 1) stop();
    }, 250);
  });
  return make('div', { class: 'course' }, play, slider, output);
}
