// The axis of time that timelines and links share, and the tools above them.

const endDigits = 7;  // of the ends of what is seen, however short that is
const gutter = 64, axisHeight = 24, rightMargin = 8;

/** What part of the time is seen, by all views that share it. */
class TimeAxis {
  /** @param end_ps the last run's */
  constructor(end_ps) {
    this.time = d3.scaleLinear().domain([0, Math.max(1, end_ps)]);
    this.end = this.time.domain()[1];  // of the last run: beyond it is no time
    this.visible = this.time.copy();
    this.width = 0;
    this.views = [];
    this.changed = () => {};
    this.asked = false;
    this.zoom = d3.zoom().scaleExtent([1, 1e9]).filter(() => !d3.event.button)
      .on('zoom', () => this.show(d3.event.transform));
  }
  /** A view has `canvas`, resize() and draw(). */
  add(view) {
    this.views.push(view);
    d3.select(view.canvas).call(this.zoom).on('dblclick.zoom', null);
  }
  show(transform) {
    for (const view of this.views) view.canvas.__zoom = transform;
    this.visible = transform.rescaleX(this.time);
    this.redraw();
  }
  resize(width) {
    this.width = Math.max(260, width);
    const extent = [[gutter, 0], [this.width - rightMargin, 1]];
    this.time.range([gutter, this.width - rightMargin]);
    this.zoom.extent(extent).translateExtent(extent);
    this.visible = this.transform().rescaleX(this.time);
    for (const view of this.views) view.resize();
    this.draw();
  }
  transform() { return this.views.length > 0 ? d3.zoomTransform(this.views[0].canvas) : d3.zoomIdentity; }
  draw() {
    this.asked = false;
    for (const view of this.views) view.draw();
    this.changed();
  }
  redraw() {
    if (this.asked) return;
    this.asked = true;
    requestAnimationFrame(() => this.draw());
  }
  first() { return d3.select(this.views[0].canvas); }
  scaleBy(factor) { this.first().call(this.zoom.scaleBy, factor); }
  moveBy(share) { this.first().call(this.zoom.translateBy, -share * (this.width - gutter) / this.transform().k, 0); }
  showAll() { this.first().call(this.zoom.transform, d3.zoomIdentity); }
  /** Shows 0 to a time. */
  showTo(ps) {
    const [from, to] = this.time.domain(), left = this.time.range()[0], scale = (to - from) / ps;
    this.first().call(this.zoom.transform, d3.zoomIdentity.translate(left - scale * left, 0).scale(scale));
  }
  /** Brings a time into the middle if it can't be seen. */
  reach(ps) {
    const [from, to] = this.visible.domain();
    if (ps < from || ps > to) this.first().call(this.zoom.translateTo, this.time(ps), 0);
  }
}

/** The times above a view, in the unit that suits what is seen. */
function drawTimes(context, axis) {
  const {visible, width} = axis, [from, to] = visible.domain();
  const unit = to - from >= 1e12 ? 1e12 : to - from >= 1e9 ? 1e9 : to - from >= 1e6 ? 1e6 : 1e3;
  const name = {1e12: 's', 1e9: 'ms', 1e6: 'us', 1e3: 'ns'}[unit];
  context.fillStyle = colour('dim');
  context.textAlign = 'center';
  for (const tick of d3.scaleLinear().domain([from / unit, to / unit]).range(visible.range()).ticks(Math.max(2, width / 130))) {
    if (tick * unit > axis.end) continue;
    const x = visible(tick * unit);
    context.fillText(`${+tick.toPrecision(10)} ${name}`, Math.min(x, width - 30), 9);
    context.fillRect(x, 17, 1, 5);
  }
}

/** A canvas with as many device pixels as it takes, to be drawn on in CSS pixels. */
function sizedBrush(canvas, width, height) {
  const ratio = window.devicePixelRatio || 1, brush = canvas.getContext('2d');
  canvas.width = width * ratio;
  canvas.height = height * ratio;
  canvas.style.width = `${width}px`;
  canvas.style.height = `${height}px`;
  brush.setTransform(ratio, 0, 0, ratio, 0, 0);
  return brush;
}

/** The first index in [low, high) of which `is` is true; `is` goes from false to true. */
function firstWhere(low, high, is) {
  while (low < high) {
    const middle = (low + high) >> 1;
    if (is(middle)) high = middle; else low = middle + 1;
  }
  return low;
}

/**
 * The tools above timelines: calls, ranks, zooming, the critical path.
 * @param views  of one axis
 */
function useTools(views, axis) {
  const names = new Set();
  for (const view of views) for (const one of view.run.totals) names.add(one.name);
  d3.select('#in').on('click', () => axis.scaleBy(1.6));
  d3.select('#out').on('click', () => axis.scaleBy(1 / 1.6));
  d3.select('#whole').on('click', () => axis.showAll());
  d3.select('#call').selectAll('option.name').data([...names].sort()).enter().append('option')
    .attr('class', 'name').attr('value', name => name).text(name => name);
  d3.select('#call').on('change', function () {
    for (const view of views) view.wanted = this.value;
    axis.redraw();
  });
  const numberOf = (view, rank) => rankNumber(view.run, rank);
  d3.select('#rank').attr('min', d3.min(views, view => numberOf(view, 0))).attr('max', d3.max(views, view => numberOf(view, view.run.ranks - 1)))
    .on('change', function () {
      for (const view of views) view.goTo(+this.value - numberOf(view, 0));
    });
  d3.select('#pathtool').attr('hidden', views.some(view => view.path) ? null : '');
  d3.select('#showpath').on('change', function () {
    for (const view of views) view.showsPath = this.checked;
    axis.redraw();
  });
  d3.select('#bandtool').attr('hidden', views.some(view => view.collectives) ? null : '');
  d3.select('#showbands').on('change', function () {
    for (const view of views) view.showsBands = this.checked;
    axis.redraw();
  });
  axis.changed = () => {
    const [from, to] = axis.visible.domain(), afar = views.filter(view => view.box.dataset.drawn !== 'calls');
    d3.select('#window').text(`${timeText(Math.max(0, from), endDigits)} to ${timeText(Math.min(to, axis.end), endDigits)}` +
      (afar.length === 0 ? '' : afar.some(view => view.calls) ? '; what takes most of the time at each place' : '; too many calls for this page: `morgana report TRACE --events N` draws more'));
  };
}
