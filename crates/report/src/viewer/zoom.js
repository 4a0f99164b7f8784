// Enlarging a part of the explored chart: by a frame that is drawn, by buttons, by Ctrl and wheel, by keys.

const wholeView = () => ({ u0: 0, u1: 1, v0: 0, v1: 1 });

/** The view made smaller (`by` below 1) or larger around a place of it. */
function zoomed(view, by, u = (view.u0 + view.u1) / 2, v = (view.v0 + view.v1) / 2) {
  if (by > 1 && (view.u1 - view.u0) * by >= 1 && (view.v1 - view.v0) * by >= 1) return wholeView();
  const around = (low, high, at) => [at - (at - low) * by, at + (high - at) * by];
  const [u0, u1] = around(view.u0, view.u1, u);
  const [v0, v1] = around(view.v0, view.v1, v);
  return u1 - u0 < 1e-6 || v1 - v0 < 1e-6 ? view : { u0, u1, v0, v1 };
}

function moved(view, du, dv) {
  const [wide, tall] = [view.u1 - view.u0, view.v1 - view.v0];
  return { u0: view.u0 + du * wide, u1: view.u1 + du * wide, v0: view.v0 + dv * tall, v1: view.v1 + dv * tall };
}

/** Lets a chart be enlarged; `now()` is its view and frame, `set(view)` changes it. */
function zoomable(svg, now, set) {
  const place = (event) => {
    const at = new DOMPoint(event.clientX, event.clientY).matrixTransform(svg.getScreenCTM().inverse());
    const { at: box, view } = now();
    const part = (value, low, size) => clamp((value - low) / size, 0, 1);
    return {
      x: clamp(at.x, box.left, box.left + box.wide),
      y: clamp(at.y, box.top, box.top + box.tall),
      u: view.u0 + part(at.x, box.left, box.wide) * (view.u1 - view.u0),
      v: view.v1 - part(at.y, box.top, box.tall) * (view.v1 - view.v0),
    };
  };
  let start = null;
  let band = null;
  svg.addEventListener('pointerdown', (event) => {
    if (event.button !== 0 || event.pointerType === 'touch') return;
    start = place(event);
  });
  svg.addEventListener('pointermove', (event) => {
    if (!start) return;
    const end = place(event);
    const [x, y] = [Math.min(start.x, end.x), Math.min(start.y, end.y)];
    const [width, height] = [Math.abs(end.x - start.x), Math.abs(end.y - start.y)];
    if (!band && Math.max(width, height) < 5) return;
    if (!band) {
      band = draw('rect', { class: 'brush' });
      svg.setPointerCapture(event.pointerId);
    }
    fill(band, { x, y, width, height }, []);
    svg.append(band);
  });
  const end = (event) => {
    if (start && band) {
      const from = start;
      const to = place(event);
      const [u0, u1] = [Math.min(from.u, to.u), Math.max(from.u, to.u)];
      const [v0, v1] = [Math.min(from.v, to.v), Math.max(from.v, to.v)];
      band.remove();
      if (u1 - u0 > 1e-6 && v1 - v0 > 1e-6) set({ u0, u1, v0, v1 });
      // The click that follows is not meant for a point.
      svg.addEventListener('click', (click) => click.stopImmediatePropagation(), { capture: true, once: true });
    }
    start = null;
    band = null;
  };
  svg.addEventListener('pointerup', end);
  svg.addEventListener('pointercancel', () => { if (band) band.remove(); start = null; band = null; });
  svg.addEventListener('dblclick', () => set(wholeView()));
  svg.addEventListener('wheel', (event) => {
    if (!event.ctrlKey && !event.metaKey) return;
    event.preventDefault();
    const { u, v } = place(event);
    set(zoomed(now().view, event.deltaY < 0 ? 0.8 : 1.25, u, v));
  }, { passive: false });
}
