// Every picture of a network that the page has data of becomes a map, when it comes into view.

const networks = new Map();

function networkCalled(id) {
  if (!networks.has(id)) networks.set(id, networkOf(JSON.parse(document.getElementById(id).textContent)));
  return networks.get(id);
}

function mapOf(figure) {
  const data = JSON.parse(figure.querySelector('.loads').textContent);
  const net = networkCalled(data.map);
  const panel = make('div', { class: 'router-panel' });
  let told = -1;
  const tell = (router) => {
    told = router;
    panel.replaceChildren(...(router >= 0 ? [routerTable(map, router, map.goTo)] : []));
  };
  const map = networkMap(figure, net, data, tell);
  const heading = figure.querySelector('.of') || figure.closest('.combination').querySelector('h3');
  const name = `${heading.textContent} ${data.name}`;
  const list = make('datalist', { id: `routers-of-${all('.router-search').length}` });
  const search = make('input', {
    type: 'search', class: 'router-search', placeholder: 'router', 'aria-label': `Find a router of ${heading.textContent}`, list: list.id,
    // Two thousand options are made only for those who ask.
    focus: () => { if (!list.children.length) list.append(...net.names.map((value) => make('option', { value }))); },
    change: () => { const router = net.names.indexOf(search.value.trim()); if (router >= 0) map.goTo(router); },
  });
  const tools = figure.querySelector('.tools');
  tools.prepend(
    tool('+', 'Enlarge the network', () => map.zoom(1.5)),
    tool('\u2212', 'Make the network smaller', () => map.zoom(1 / 1.5)),
    tool('Fit', 'Show all of the network', map.fit),
    search,
    list,
    tool('CSV', 'Save the channels as CSV', () => saveCsv(channelRows(map, told), name)),
  );
  const caption = figure.querySelector('figcaption');
  const course = data.course ? [courseOf(map, heading.textContent)] : [];
  tools.before(...course);
  tools.after(panel);
  if (caption) caption.append(' Double-click, or hold Ctrl and turn the wheel, to enlarge; drag to move; click a router for its channels.');
}

const seenSoon = new IntersectionObserver((entries) => {
  for (const entry of entries) {
    if (!entry.isIntersecting) continue;
    seenSoon.unobserve(entry.target);
    mapOf(entry.target);
  }
}, { rootMargin: '200px' });
for (const loads of all('figure .loads')) seenSoon.observe(loads.closest('figure'));
