// What is said of one router of a network: its channels, one by one.

const mostChannels = 128;

/** The class of one of a link's two channels: the one from `a` to `b`, or the one back. */
const classOf = (net, link, isThere) => net.classes[net.class[2 * link + (isThere ? 0 : 1)]];

/** The table of a router's channels; `go(router)` shows another one. */
function routerTable(map, router, go) {
  const { net, data } = map;
  const busy = (channel) => Math.max(channel.out || 0, channel.in || 0);
  const channels = map.channelsOf(router).sort((a, b) => busy(b) - busy(a) || a.link - b.link);
  const unit = data.unit ? ` [${data.unit}]` : '';
  const bar = (load) => make('i', { style: `width:${data.full > 0 ? Math.round(46 * clamp((load || 0) / data.full, 0, 1)) : 0}px` });
  const figure = (load) => make('td', { class: 'n' }, load === null ? unknown : say(load), make('span', { class: 'load', 'aria-hidden': true }, bar(load)));
  const lines = channels.slice(0, mostChannels).map((channel) => make(
    'tr',
    {},
    make('th', { scope: 'row' }, make('button', { type: 'button', class: 'sort', click: () => go(channel.other) }, net.names[channel.other])),
    make('td', {}, classOf(net, channel.link, channel.leaves)),
    figure(channel.out),
    figure(channel.in),
  ));
  const heads = ['Router', 'Channel', `There${unit}`, `Back${unit}`].map((text, i) => make('th', { scope: 'col', class: i > 1 ? 'n' : null }, text));
  const group = groupOf(net, router, ', ');
  const more = channels.length > mostChannels ? `, the most loaded ${mostChannels} of them` : '';
  return make(
    'div',
    { class: 'scroll', tabindex: 0, role: 'region', 'aria-label': `Channels of router ${net.names[router]}` },
    make(
      'table',
      { class: 'grid' },
      make('caption', {}, `Router ${net.names[router]}${group}: ${channels.length} links${more}`),
      make('thead', {}, make('tr', {}, ...heads)),
      make('tbody', {}, ...lines),
    ),
  );
}

/** Channels with their loads, as CSV; those of one router or all. */
function channelRows(map, router) {
  const { net, data } = map;
  const loads = map.loads();
  const name = data.unit ? `${data.name} [${data.unit}]` : data.name;
  const rows = [['from', 'to', 'class', name]];
  const links = router >= 0 ? net.channels[router] : net.a.map((_, link) => link);
  for (const link of links) {
    const [a, b] = [net.names[net.a[link]], net.names[net.b[link]]];
    rows.push([a, b, classOf(net, link, true), loads.forward[link]]);
    if (loads.backward[link] !== null) rows.push([b, a, classOf(net, link, false), loads.backward[link]]);
  }
  return rows;
}
