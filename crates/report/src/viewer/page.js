// What everything else needs: elements, tooltips, figures in words.

document.documentElement.classList.add('scripted');

/** All elements of a selector. */
const all = (selector, root = document) => [...root.querySelectorAll(selector)];

/** The name space of figures, which browsers know. */
const SVG = (() => {
  const holder = document.createElement('div');
  holder.innerHTML = '<svg></svg>';
  return holder.firstElementChild.namespaceURI;
})();

function fill(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === 'function') element.addEventListener(name, value);
    else if (value !== null && value !== false) element.setAttribute(name, value === true ? '' : value);
  }
  element.append(...children);
  return element;
}

/** An element of the page; functions among the attributes listen to events. */
const make = (tag, attributes = {}, ...children) => fill(document.createElement(tag), attributes, children);

/** The same inside a figure. */
const draw = (tag, attributes = {}, ...children) => fill(document.createElementNS(SVG, tag), attributes, children);

const figures = new Intl.NumberFormat('en', { maximumSignificantDigits: 5 });
const unknown = '\u2013';

/** A figure for people. */
const say = (value) => (Number.isFinite(value)
  ? (value !== 0 && (Math.abs(value) < 1e-4 || Math.abs(value) >= 1e9) ? value.toExponential(2) : figures.format(value))
  : unknown);

/** The name of a column for people. */
const label = (name) => name.replaceAll('_', ' ');

const clamp = (value, low, high) => Math.min(high, Math.max(low, value));

/** A coordinate: a tenth of a pixel is enough. */
const px = (value) => Math.round(value * 10) / 10;

const tip = document.getElementById('tip');

function show(text, x, y) {
  if (tip.textContent !== text) tip.textContent = text;
  tip.hidden = false;
  const box = tip.getBoundingClientRect();
  const left = clamp(x + 14, 6, Math.max(6, innerWidth - box.width - 6));
  const top = y - box.height - 12 < 6 ? y + 18 : y - box.height - 12;
  tip.style.transform = `translate(${Math.round(left)}px,${Math.round(top)}px)`;
}

const hide = () => { tip.hidden = true; };

/** Does something once a frame at most, however often it is asked for. */
function oncePerFrame(action) {
  let asked = false;
  return () => {
    if (asked) return;
    asked = true;
    requestAnimationFrame(() => { asked = false; action(); });
  };
}

for (const button of all('button.copy')) {
  button.addEventListener('click', async () => {
    const source = document.getElementById(button.dataset.copy);
    try {
      await navigator.clipboard.writeText(source.textContent);
    } catch {
      // Without permission for the clipboard, select the text and let the browser copy it.
      getSelection().selectAllChildren(source);
      document.execCommand('copy');
    }
    button.textContent = 'Copied';
    setTimeout(() => { button.textContent = 'Copy'; }, 1600);
  });
}
