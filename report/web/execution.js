// What the streams of an execution trace's ranks do, and whether communication is hidden behind that: a row for each
// rank, or for each of its streams, over the timeline's axis.

const executionColours = {computing: 'computing', hidden: 'hidden', exposed: 'exposed'};
const executionTexts = {computing: 'computing', hidden: 'communication hidden behind computing', exposed: 'communication exposed'};

class ExecutionView {
  /**
   * @param execution  data.execution of a run (report/timeline_page.h)
   * @param box  an element with a canvas
   * @param facts  an element that is told what lies under the cursor
   */
  constructor(run, box, facts, axis) {
    const {execution} = run;
    this.run = run;
    this.box = box;
    this.facts = facts;
    this.axis = axis;
    this.canvas = box.querySelector('canvas');
    this.kinds = execution.kinds;
    this.names = execution.names;
    this.rank = numbers(execution.rank, Uint32Array);
    this.first = numbers(execution.first, Uint32Array);
    this.begin = numbers(execution.begin_ps, Float64Array);
    this.end = numbers(execution.end_ps, Float64Array);
    this.kind = numbers(execution.kind, Uint8Array);
    this.rowsOfRank = d3.range(run.ranks).map(() => []);
    this.rank.forEach((rank, row) => this.rowsOfRank[rank].push(row));
    // Rows of streams as long as they can be read, else one for each rank.
    this.setRows(this.rank.length <= 64);
    axis.add(this);
    d3.select(this.canvas).on('mousemove.execution click.execution', () => this.tellSpan(...d3.mouse(this.canvas)));
    this.hint = `Point at a row to read it.${execution.step_ps > 0 ? ` Drawn in steps of ${timeText(execution.step_ps)}: shorter spans may vanish or look as long as a step; shares of the time stay as they are.` : ''}`;
    d3.select(facts).text(this.hint);
  }

  /** @param byStream  whether each stream has a row of its own, or all of a rank share one */
  setRows(byStream) {
    this.byStream = byStream;
    this.lines = byStream ? d3.range(this.rank.length).map(row => [row]) : this.rowsOfRank;
    this.lineHeight = Math.max(2, Math.min(byStream ? 14 : 22, Math.floor(560 / this.lines.length)));
  }

  resize() { this.context = sizedBrush(this.canvas, this.axis.width, axisHeight + this.lines.length * this.lineHeight + 4); }
  lineTop(line) { return axisHeight + line * this.lineHeight; }
  rankOf(line) { return this.rank[this.lines[line][0]]; }

  draw() {
    const {context, lines, lineHeight} = this, visible = this.axis.visible, [from, to] = visible.domain();
    const colours = this.kinds.map(kind => colour(executionColours[kind])), height = axisHeight + lines.length * lineHeight + 4;
    context.font = '12px system-ui, sans-serif';
    context.textBaseline = 'middle';
    context.fillStyle = colour('back');
    context.fillRect(0, 0, this.axis.width, height);
    const inner = lineHeight - (lineHeight > 6 ? 2 : 0);
    lines.forEach((rows, line) => {
      context.fillStyle = colour('back');  // idle
      context.fillRect(visible(0), this.lineTop(line), visible(this.run.end_ps) - visible(0), inner);
      for (const row of rows) this.drawRow(row, this.lineTop(line), inner, colours, visible, from, to);
    });
    context.fillStyle = colour('back');
    context.fillRect(0, 0, gutter - 2, height);
    this.drawNames();
    drawTimes(context, this.axis);
    context.textAlign = 'left';
  }

  drawRow(row, top, height, colours, visible, from, to) {
    const {context, begin, end, kind} = this;
    let drawnTo = -1, drawn = -1;
    for (let i = firstWhere(this.first[row], this.first[row + 1], at => end[at] > from); i < this.first[row + 1] && begin[i] < to; ++i) {
      const left = visible(begin[i]), right = visible(end[i]);
      if (right < drawnTo && kind[i] === drawn) continue;  // it would lie on a pixel that has been drawn
      context.fillStyle = colours[kind[i]];
      context.fillRect(left, top, Math.max(0.6, right - left), height);
      drawnTo = Math.floor(right) + 0.999 * (right - left < 1);
      drawn = kind[i];
    }
  }

  /** The rank's number at its first row; of streams, their names where there is space for them. */
  drawNames() {
    const {context, lines, lineHeight} = this, every = Math.max(1, Math.ceil(14 / lineHeight));
    context.fillStyle = colour('dim');
    context.textAlign = 'right';
    let bottom = -Infinity;
    lines.forEach((rows, line) => {
      const rank = this.rankOf(line), isFirst = line === 0 || this.rankOf(line - 1) !== rank;
      const middle = this.lineTop(line) + lineHeight / 2;
      if (this.byStream && lineHeight >= 11) {
        const name = this.names[rows[0]].replace('stream ', 's').replace('communication', 'net');
        context.font = '10px system-ui, sans-serif';
        context.fillText(isFirst ? `${rankNumber(this.run, rank)} ${name}` : name, gutter - 6, middle, gutter - 8);
      } else if (isFirst && (this.byStream || line % every === 0) && middle - bottom >= 13) {
        context.font = '12px system-ui, sans-serif';
        context.fillText(rankNumber(this.run, rank), gutter - 6, middle, gutter - 8);
        bottom = middle;
      }
    });
    context.textAlign = 'left';
    context.font = '12px system-ui, sans-serif';
  }

  tellSpan(x, y) {
    const line = Math.floor((y - axisHeight) / this.lineHeight), ps = this.axis.visible.invert(x);
    if (!(line >= 0 && line < this.lines.length) || x < gutter) return;
    const told = [];
    for (const row of this.lines[line]) {
      const i = firstWhere(this.first[row], this.first[row + 1], at => this.end[at] > ps);
      if (i === this.first[row + 1] || this.begin[i] > ps) continue;
      const name = this.names[row] === 'communication' ? '' : `${this.names[row]} `;
      told.push(`${name}${executionTexts[this.kinds[this.kind[i]]]} from ${timeText(this.begin[i], endDigits)} to ${timeText(this.end[i], endDigits)} ` +
        `(${timeText(this.end[i] - this.begin[i])})`);
    }
    d3.select(this.facts).text(`rank ${rankNumber(this.run, this.rankOf(line))}: ${told.join('; ') || `idle at ${timeText(ps, endDigits)}`}`);
  }
}

/** The section of an execution trace: legend, choice of rows, view. @returns the view; null for other runs */
function addExecution(run, axis) {
  if (!run.execution) return null;
  const section = d3.select('#execution').attr('hidden', null);
  const legend = section.select('.legend').selectAll('span').data([...run.execution.kinds, 'idle']).enter().append('span');
  legend.append('i').style('background', kind => `var(--${executionColours[kind] || 'back'})`)
    .classed('framed', kind => kind === 'idle');
  legend.append('b').style('font-weight', 'normal').text(kind => executionTexts[kind] || kind);
  const view = new ExecutionView(run, document.getElementById('executionview'), document.getElementById('executionfacts'), axis);
  d3.select('#executionrows').property('value', view.byStream ? 'streams' : 'ranks').on('change', function () {
    view.setRows(this.value === 'streams');
    view.resize();
    axis.redraw();
  });
  d3.select('#executionwhole').on('click', () => axis.showAll());
  return view;
}
