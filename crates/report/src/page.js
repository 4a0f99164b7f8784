(() => {
  'use strict';
  document.documentElement.classList.add('scripted');
  const all = (selector, root = document) => [...root.querySelectorAll(selector)];
  const tip = document.getElementById('tip');

  function show(text, x, y) {
    if (tip.textContent !== text) tip.textContent = text;
    tip.hidden = false;
    const box = tip.getBoundingClientRect();
    const left = Math.max(6, Math.min(x + 14, innerWidth - box.width - 6));
    const top = y - box.height - 12 < 6 ? y + 18 : y - box.height - 12;
    tip.style.transform = `translate(${Math.round(left)}px,${Math.round(top)}px)`;
  }
  const hide = () => { tip.hidden = true; };

  // The browser's own tooltips are slow and would cover ours.
  const texts = new WeakMap();
  for (const title of all('svg.fig title')) {
    texts.set(title.parentNode, title.textContent);
    title.remove();
  }

  for (const svg of all('svg.fig[role=img]')) {
    const points = all('.pt', svg);
    let current = -1;
    const visible = (p) => !p.closest('.off');
    const mark = (index) => {
      if (points[current]) points[current].classList.remove('on');
      current = index;
      if (points[current]) points[current].classList.add('on');
    };
    const place = (p) => new DOMPoint(+p.dataset.x, +p.dataset.y).matrixTransform(svg.getScreenCTM());
    const showPoint = (index) => {
      const at = place(points[index]);
      mark(index);
      show(texts.get(points[index]), at.x, at.y);
    };
    svg.addEventListener('pointermove', (event) => {
      if (!points.length) {
        const text = texts.get(event.target);
        if (text) show(text, event.clientX, event.clientY); else hide();
        return;
      }
      let best = -1, least = 26 * 26;
      points.forEach((p, i) => {
        if (!visible(p)) return;
        const at = place(p);
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

  for (const key of all('button.key')) {
    key.addEventListener('click', () => {
      const on = key.getAttribute('aria-pressed') !== 'true';
      key.setAttribute('aria-pressed', on);
      for (const part of all(`.chart [data-s="${key.dataset.s}"]`, key.closest('.panel'))) {
        part.classList.toggle('off', !on);
      }
    });
  }

  const value = (text) => {
    const number = parseFloat(text.replace(/,/g, ''));
    return Number.isNaN(number) ? null : number;
  };
  for (const button of all('button.sort')) {
    button.addEventListener('click', () => {
      const head = button.closest('th');
      const body = button.closest('table').tBodies[0];
      const column = head.cellIndex;
      const down = head.getAttribute('aria-sort') === 'ascending';
      for (const other of head.parentNode.cells) other.removeAttribute('aria-sort');
      head.setAttribute('aria-sort', down ? 'descending' : 'ascending');
      const numeric = head.classList.contains('n');
      const rows = [...body.rows].map((row) => {
        const text = row.cells[column].textContent.trim();
        return { row, text, number: numeric ? value(text) : null };
      });
      rows.sort((a, b) => {
        // Unknown figures stay at the end whichever way the column is sorted.
        if (numeric && (a.number === null || b.number === null)) return (a.number === null) - (b.number === null);
        const order = numeric ? a.number - b.number : a.text.localeCompare(b.text, 'en', { numeric: true });
        return down ? -order : order;
      });
      body.append(...rows.map((entry) => entry.row));
    });
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
})();
