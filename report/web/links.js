// How busy links were over time, under the same axis as the ranks.

const labelHeight = 12;  // of a link's name, in pixels

class LinkView {
  /**
   * @param links  data.links of a run (report/timeline_page.h)
   * @param box  an element with a canvas
   * @param facts  an element that is told what lies under the cursor
   */
  constructor(links, box, facts, axis) {
    this.links = links;
    this.facts = facts;
    this.axis = axis;
    this.canvas = box.querySelector('canvas');
    this.values = {busy: numbers(links.busy, Uint8Array)};
    if (links.stopped) this.values.stopped = numbers(links.stopped, Uint8Array);
    if (links.queued) this.values.queued = numbers(links.queued, Uint16Array);
    this.shown = 'busy';
    this.linkHeight = Math.max(labelHeight, Math.min(16, Math.floor(300 / links.names.length)));  // each has its name; the box scrolls
    this.picture = null;  // a pixel for each window and link, made anew for other colours and values
    axis.add(this);
    d3.select(this.canvas).on('mousemove.link click.link', () => this.tellLink(...d3.mouse(this.canvas)));
    d3.select(facts).text(`${links.names.length} of ${links.count} links, the busiest first, each direction by itself, in windows of ` +
      `${timeText(links.window_ps)}. The axis is the timeline's; point at a window to read it.`);
  }

  resize() { this.brush = sizedBrush(this.canvas, this.axis.width, this.links.names.length * this.linkHeight); }

  pictureOfLinks() {
    const ends = [colour('panel'), colour('busy')], values = this.values[this.shown];
    if (this.picture !== null && this.picture.ends === ends.join() && this.picture.values === values) return this.picture.canvas;
    const canvas = document.createElement('canvas'), brush = canvas.getContext('2d');
    const shift = values instanceof Uint16Array ? 8 : 0;  // shades are 256
    const shades = d3.range(256).map(value => d3.rgb(d3.interpolateRgb(...ends)(Math.sqrt(value / 255))));
    canvas.width = this.links.windows;
    canvas.height = this.links.names.length;
    const image = brush.createImageData(canvas.width, canvas.height);
    for (let i = 0; i < values.length; ++i) {
      const shade = shades[values[i] >> shift];
      image.data.set([shade.r, shade.g, shade.b, 255], 4 * i);
    }
    brush.putImageData(image, 0, 0);
    this.picture = {canvas, ends: ends.join(), values};
    return canvas;
  }

  draw() {
    const {brush, linkHeight} = this, visible = this.axis.visible, height = this.links.names.length * linkHeight;
    brush.fillStyle = colour('back');
    brush.fillRect(0, 0, this.axis.width, height);
    brush.imageSmoothingEnabled = false;
    const {windows, window_ps: length, end_ps: end} = this.links, picture = this.pictureOfLinks();
    const put = (first, last, from, to) => brush.drawImage(picture, first, 0, last - first, picture.height, visible(from), 0, visible(to) - visible(from), height);
    const [from, to] = visible.domain(), whole = windows - 1;  // the last one may be shorter
    const first = Math.max(0, Math.floor(from / length)), last = Math.min(whole, Math.ceil(to / length));
    if (last > first) put(first, last, first * length, last * length);
    if (to > whole * length) put(whole, windows, whole * length, end);
    brush.fillStyle = colour('back');
    brush.fillRect(0, 0, gutter - 2, height);
    brush.fillStyle = colour('dim');
    brush.font = '10px system-ui, sans-serif';
    brush.textBaseline = 'middle';
    brush.textAlign = 'right';
    const short = name => name.replace(/switch /g, 's').replace(/host /g, 'h').replace(/ port \d+/g, '').replace(' to ', ' > ');
    this.links.names.forEach((name, i) => brush.fillText(short(name), gutter - 6, (i + 0.5) * linkHeight, gutter - 8));
  }

  tellLink(x, y) {
    const {links, values} = this, link = Math.floor(y / this.linkHeight), ps = this.axis.visible.invert(x);
    const at = Math.min(links.windows - 1, Math.floor(ps / links.window_ps));
    if (link < 0 || link >= links.names.length || ps < 0 || ps > links.end_ps) return;
    const begin = at * links.window_ps, place = link * links.windows + at, share = of => percent(of[place] / 255);
    d3.select(this.facts).text(`${links.names[link]}: busy ${share(values.busy)}` +
      (values.stopped ? `, stopped ${share(values.stopped)}` : '') +
      ` from ${timeText(begin, endDigits)} to ${timeText(Math.min(links.end_ps, begin + links.window_ps), endDigits)}` +
      (values.queued ? `, with ${timeText(values.queued[place] / 65535 * links.longest_queue_ps)} of sending queued at the end` : '') + '; ' +
      `${percent(links.utilisation[link])} of the whole run`);
  }
}

/** What was lost, refused or sent again: a line for each, marked where its count has grown. */
class TroubleView {
  constructor(trouble, box, facts, axis) {
    this.axis = axis;
    this.facts = facts;
    this.canvas = box.querySelector('canvas');
    this.labelHeight = 16;  // its name stands above a row's marks: beside them there is no room for words
    this.rowHeight = this.labelHeight + 18;
    this.rows = trouble.map(one => ({name: one.name, times: numbers(one.times_ps, Float64Array), counts: numbers(one.counts, Float64Array)}));
    for (const row of this.rows) row.most = d3.max(d3.range(1, row.counts.length), i => row.counts[i] - row.counts[i - 1]);
    axis.add(this);
    d3.select(this.canvas).on('mousemove.trouble click.trouble', () => this.tellTrouble(...d3.mouse(this.canvas)));
    d3.select(facts).text(this.rows.map(row => `${row.name}: ${row.counts[row.counts.length - 1].toLocaleString('en')}`).join('; '));
  }

  resize() { this.brush = sizedBrush(this.canvas, this.axis.width, this.rows.length * this.rowHeight); }

  draw() {
    const {brush, labelHeight: above, rowHeight, rows} = this, visible = this.axis.visible;
    brush.fillStyle = colour('back');
    brush.fillRect(0, 0, this.axis.width, rows.length * rowHeight);
    rows.forEach((row, at) => {
      const bottom = (at + 1) * rowHeight - 2;
      brush.fillStyle = colour('bad');
      for (let i = 1; i < row.counts.length; ++i) {
        const right = visible(row.times[i]);
        if (right < gutter || right > this.axis.width) continue;
        const height = Math.max(3, (rowHeight - above - 3) * Math.sqrt((row.counts[i] - row.counts[i - 1]) / row.most));
        brush.fillRect(right - 2, bottom - height, 2, height);  // somebody looked then, and it had grown
      }
    });
    brush.font = '12px system-ui, sans-serif';
    brush.textBaseline = 'middle';
    brush.textAlign = 'left';
    brush.fillStyle = colour('dim');
    rows.forEach((row, at) => brush.fillText(row.name.replace(/^.*: /, ''), 4, at * rowHeight + above / 2));
  }

  tellTrouble(x, y) {
    const row = this.rows[Math.floor(y / this.rowHeight)], ps = this.axis.visible.invert(x);
    if (!row) return;
    const next = firstWhere(1, row.times.length, i => row.times[i] >= ps);
    d3.select(this.facts).text(next >= row.times.length ? `${row.name}: none from ${timeText(row.times[row.times.length - 1])} on` :
      `${row.name}: ${(row.counts[next] - row.counts[next - 1]).toLocaleString('en')} seen at ${timeText(row.times[next])}, ` +
      `${row.counts[next].toLocaleString('en')} since the begin`);
  }
}

/** The choice of what is shown of links, for all views. */
function useLinkTools(views, axis) {
  d3.select('#linktools').attr('hidden', views.length > 0 ? null : '');
  if (views.some(view => view.values.stopped))
    d3.select('#linkvalue').append('option').attr('value', 'stopped').text('stopped by the receiver');
  if (views.some(view => view.values.queued))
    d3.select('#linkvalue').append('option').attr('value', 'queued').text('queued at its begin');
  d3.select('#linkvalue').on('change', function () {
    for (const view of views) view.shown = view.values[this.value] ? this.value : 'busy';
    axis.redraw();
  });
}
