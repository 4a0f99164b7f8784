// News of a study that still runs, from the server that the page is from.

const live = document.getElementById('live');
if (live) {
  const seconds = 2;
  let touched = false;
  for (const kind of ['pointerdown', 'keydown', 'change']) addEventListener(kind, () => { touched = true; }, { once: true });
  const words = make('span', {}, live.textContent);
  const again = tool('Show', 'Show what is new', () => location.reload());
  again.hidden = true;
  live.replaceChildren(words, again);
  const ask = async () => {
    try {
      const answer = await fetch('state', { cache: 'no-store' });
      // Not known just now.
      if (answer.status === 503) return;
      const news = await answer.json();
      words.textContent = news.words;
      again.hidden = news.state === live.dataset.state;
      // Whoever has begun to read is not disturbed.
      if (!again.hidden && !touched && scrollY < 40) location.reload();
    } catch {
      words.textContent = 'The server has ended; this is what it showed last.';
      again.hidden = true;
      clearInterval(timer);
    }
  };
  const timer = setInterval(ask, 1000 * seconds);
}
