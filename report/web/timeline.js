// Timelines of runs: what each rank did when, drawn on a canvas. Several may share one axis of time.

const mostDrawn = 150000, mostArrows = 3000, mostBands = 400;

class TimelineView {
  /**
   * @param run  data of a run (report/timeline_page.h)
   * @param box  an element with a canvas; it takes the keys
   * @param tallest  of all ranks together, in pixels, where that leaves them to be told apart
   */
  constructor(run, box, axis, tallest = 560) {
    this.run = run;
    this.box = box;
    this.axis = axis;
    this.canvas = box.querySelector('canvas');
    this.calls = run.calls && {
      first: numbers(run.calls.first, Uint32Array),  // of each rank, and behind the last
      begin: numbers(run.calls.begin_ps, Float64Array),
      end: numbers(run.calls.end_ps, Float64Array),
      name: numbers(run.calls.name, Uint16Array),
      bytes: numbers(run.calls.bytes, Float64Array),
      polls: run.calls.polls && numbers(run.calls.polls, Float64Array),
      polling: run.calls.polling_ps && numbers(run.calls.polling_ps, Float64Array),
    };
    this.messages = run.messages && {
      from: numbers(run.messages.from, Uint32Array),
      to: numbers(run.messages.to, Uint32Array),
      tag: numbers(run.messages.tag, Int32Array),
      bytes: numbers(run.messages.bytes, Float64Array),
      sent: numbers(run.messages.sent_ps, Float64Array),
      received: numbers(run.messages.received_ps, Float64Array),
    };
    this.collectives = run.collectives && {
      name: numbers(run.collectives.names, Uint16Array),
      first: numbers(run.collectives.first, Uint32Array),  // of each one's parts, and behind the last
      rank: numbers(run.collectives.rank, Uint32Array),
      begin: numbers(run.collectives.begin_ps, Float64Array),
      end: numbers(run.collectives.end_ps, Float64Array),
    };
    if (this.collectives) this.spanCollectives();
    const steps = run.critical_path && run.critical_path.steps;
    this.path = steps && {
      from: numbers(steps.from, Uint32Array),
      to: numbers(steps.to, Uint32Array),
      begin: numbers(steps.begin_ps, Float64Array),
      end: numbers(steps.end_ps, Float64Array),
      kind: numbers(steps.kind, Uint8Array),
    };
    this.overview = numbers(run.overview.kinds, Uint8Array);
    this.longestMessage = this.messages ?
      this.messages.sent.reduce((most, sent, i) => Math.max(most, this.messages.received[i] - sent), 0) : 0;
    this.rankHeight = Math.max(3, Math.min(22, Math.floor(tallest / run.ranks)));
    this.ranksPerRow = Math.max(1, Math.ceil(run.ranks * this.rankHeight / 8000));
    this.rows = Math.ceil(run.ranks / this.ranksPerRow);
    this.height = axisHeight + this.rows * this.rankHeight + 4;
    this.wanted = '';       // the call that stays bright; '': all
    this.showsPath = this.showsBands = true;
    this.chosen = null;
    this.picture = null;    // the overview with a pixel for each column and row, made anew for other colours
    axis.add(this);
    d3.select(this.canvas).on('click', () => this.click(...d3.mouse(this.canvas)));
    box.addEventListener('keydown', event => this.key(event));
  }

  rankText(rank) { return `rank ${rankNumber(this.run, rank)}`; }
  kindOf(name) { return this.run.names[name].kind; }
  nameOf(call) { return this.run.names[this.calls.name[call]].name; }
  rowTop(rank) { return axisHeight + Math.floor(rank / this.ranksPerRow) * this.rankHeight; }
  middleOf(rank) { return this.rowTop(rank) + this.rankHeight / 2; }
  /** @returns whether it is no call, but polls between two of them */
  isPolls(call) { return this.calls.polling !== undefined && this.calls.polling[call] > 0; }
  /** The part of its time that it takes. */
  shareOf(call) {
    const {begin, end, polling} = this.calls;
    return this.isPolls(call) ? polling[call] / (end[call] - begin[call]) : 1;
  }
  /** The first of a rank's calls that ends behind a time. */
  callAt(rank, ps) {
    return firstWhere(this.calls.first[rank], this.calls.first[rank + 1], i => this.calls.end[i] > ps);
  }
  /** The first message that is sent at a time or later. */
  messageAt(ps) { return firstWhere(0, this.messages.sent.length, i => this.messages.sent[i] >= ps); }
  /** The first step of the critical path that ends behind a time. */
  pathAt(ps) { return firstWhere(0, this.path.end.length, i => this.path.end[i] > ps); }

  resize() { this.context = sizedBrush(this.canvas, this.axis.width, this.height); }

  /** The first begin (from) and the last end (to) of each collective's parts; they are in the order of `from`. */
  spanCollectives() {
    const {name, first, begin, end} = this.collectives;
    this.collectives.from = new Float64Array(name.length).fill(Infinity);
    this.collectives.to = new Float64Array(name.length);
    this.longestCollective = 0;
    for (let i = 0; i < name.length; ++i) {
      const {from, to} = this.collectives;
      for (let part = first[i]; part < first[i + 1]; ++part) {
        from[i] = Math.min(from[i], begin[part]);
        to[i] = Math.max(to[i], end[part]);
      }
      this.longestCollective = Math.max(this.longestCollective, to[i] - from[i]);
    }
  }
  /** @returns the collective that a rank's call begins; -1 */
  collectiveOf(rank, call) {
    const {collectives, calls} = this;
    if (!collectives || this.isPolls(call)) return -1;
    if (!this.collectiveByBegin) {
      this.collectiveByBegin = new Map();
      for (let i = 0; i < collectives.name.length; ++i)
        for (let part = collectives.first[i]; part < collectives.first[i + 1]; ++part)
          this.collectiveByBegin.set(`${collectives.rank[part]} ${collectives.begin[part]}`, i);
    }
    const found = this.collectiveByBegin.get(`${rank} ${calls.begin[call]}`);
    return found === undefined ? -1 : found;
  }

  // --- Drawing ---

  draw() {
    const context = this.context, colours = this.run.kinds.map(colour);
    context.font = '12px system-ui, sans-serif';
    context.textBaseline = 'middle';
    context.fillStyle = colour('back');
    context.fillRect(0, 0, this.axis.width, this.height);
    const detailed = this.calls && this.visibleCalls() <= mostDrawn;
    if (detailed) this.drawCalls(colours); else this.drawOverview(colours);
    this.clearBeforeBegins();
    if (this.run.unfinished) this.drawUnfinished();
    if (this.collectives && this.showsBands) this.drawBands();
    if (this.messages) this.drawMessages();
    if (this.path && this.showsPath) this.drawPath();
    this.drawChosen();
    this.drawAxis();
    this.box.dataset.drawn = detailed ? 'calls' : 'overview';
  }

  /** @returns how many calls lie in what is visible, no more than is needed to see that they are too many */
  visibleCalls() {
    const [from, to] = this.axis.visible.domain();
    let sum = 0;
    for (let rank = 0; rank < this.run.ranks && sum <= mostDrawn; rank += this.ranksPerRow)
      sum += Math.min(this.callAt(rank, to) + 1, this.calls.first[rank + 1]) - this.callAt(rank, from);
    return sum;
  }

  pictureOfOverview(colours) {
    if (this.picture !== null && this.picture.colours === colours.join()) return this.picture.canvas;
    const columns = this.run.overview.columns, canvas = document.createElement('canvas'), brush = canvas.getContext('2d');
    canvas.width = columns;
    canvas.height = this.rows;
    const values = colours.map(text => {
      brush.fillStyle = text;
      brush.fillRect(0, 0, 1, 1);
      return [...brush.getImageData(0, 0, 1, 1).data];
    });
    const image = brush.createImageData(columns, this.rows);
    for (let row = 0; row < this.rows; ++row)
      for (let column = 0; column < columns; ++column)
        image.data.set(values[this.overview[row * this.ranksPerRow * columns + column]], 4 * (row * columns + column));
    brush.putImageData(image, 0, 0);
    this.picture = {canvas, colours: colours.join()};
    return canvas;
  }

  drawOverview(colours) {
    const visible = this.axis.visible, columns = this.run.overview.columns;
    const [from, to] = visible.domain(), step = this.run.end_ps / columns;
    const first = Math.max(0, Math.floor(from / step)), last = Math.min(columns, Math.ceil(to / step));
    if (last <= first) return;
    this.context.imageSmoothingEnabled = false;
    const left = visible(first * step);
    this.context.drawImage(this.pictureOfOverview(colours), first, 0, last - first, this.rows, left, axisHeight,
      visible(last * step) - left, this.rows * this.rankHeight);
  }

  drawCalls(colours) {
    const {calls, context, rankHeight} = this, visible = this.axis.visible;
    const [from, to] = visible.domain(), inner = rankHeight - (rankHeight > 6 ? 2 : 0);
    for (let rank = 0; rank < this.run.ranks; rank += this.ranksPerRow) {
      const top = this.rowTop(rank);
      context.fillStyle = colours[0];
      const begin = visible(this.run.per_rank[rank].begin_ps || 0), end = visible(this.run.per_rank[rank].end_ps);
      context.fillRect(begin, top, Math.max(0, end - begin), inner);
      let drawnTo = -1;
      for (let i = this.callAt(rank, from); i < calls.first[rank + 1] && calls.begin[i] < to; ++i) {
        const left = visible(calls.begin[i]), right = visible(calls.end[i]);
        if (right < drawnTo) continue;  // it would lie on a pixel that has been drawn
        const isWanted = this.wanted === '' || this.nameOf(i) === this.wanted;
        context.globalAlpha = isWanted ? 1 : 0.15;
        context.fillStyle = colours[this.kindOf(calls.name[i])];
        const height = inner * this.shareOf(i);  // polls between computing fill a part of the row, from below
        context.fillRect(left, top + inner - height, Math.max(0.6, right - left), height);
        if (rankHeight > 14 && right - left > 70 && isWanted) {
          context.fillStyle = colour('back');
          context.fillText(this.nameOf(i), Math.max(left, gutter) + 4, top + inner / 2, right - left - 8);
        }
        drawnTo = Math.max(drawnTo, Math.floor(right) + 0.999 * (right - left < 1));
      }
    }
    context.globalAlpha = 1;
  }

  /** Nothing stands where a rank was not yet: PVM's tasks begin when others start them. */
  clearBeforeBegins() {
    this.context.fillStyle = colour('back');
    for (let rank = 0; rank < this.run.ranks; rank += this.ranksPerRow) {
      const begin = this.run.per_rank[rank].begin_ps;
      if (begin > 0) this.context.fillRect(0, this.rowTop(rank), this.axis.visible(begin), this.rankHeight);
    }
  }

  /** What a run that was broken off left without an end: hatched from its begin to the right edge. */
  drawUnfinished() {
    const {context} = this, visible = this.axis.visible, apart = 7;
    for (const {rank, begin_ps: begin} of this.run.unfinished) {
      if (rank % this.ranksPerRow !== 0) continue;
      const left = Math.max(gutter, visible(begin)), right = Math.min(this.axis.width, visible(this.axis.time.domain()[1]));
      const top = this.rowTop(rank), height = this.rankHeight - (this.rankHeight > 6 ? 2 : 0);
      if (right <= left) continue;
      context.save();
      context.beginPath();
      context.rect(left, top, right - left, height);
      context.clip();
      context.fillStyle = colour('back');
      context.fillRect(left, top, right - left, height);
      context.strokeStyle = colour('waiting');
      context.lineWidth = 2;
      context.beginPath();
      for (let x = left - height - (left % apart); x < right; x += apart) {
        context.moveTo(x, top + height);
        context.lineTo(x + height, top);
      }
      context.stroke();
      context.strokeRect(left, top, right - left, height);
      context.restore();
    }
  }

  /** A band for each collective: across its ranks, from where each begins to where each is done with it. */
  drawBands() {
    const {collectives, context, rankHeight} = this, visible = this.axis.visible, [from, to] = visible.domain(), shown = [];
    const start = firstWhere(0, collectives.from.length, i => collectives.from[i] >= from - this.longestCollective);
    for (let i = start; i < collectives.from.length && collectives.from[i] <= to && shown.length <= mostBands; ++i)
      if (collectives.to[i] >= from && visible(collectives.to[i]) - visible(collectives.from[i]) >= 1) shown.push(i);
    if (shown.length > mostBands) return;  // they would only colour the picture
    context.fillStyle = context.strokeStyle = colour('collective');
    context.lineWidth = 1;
    for (const i of shown) {
      const first = collectives.first[i], last = collectives.first[i + 1], edge = [];
      for (let part = first; part < last; ++part) {
        const top = this.rowTop(collectives.rank[part]);
        edge.push([part, top], [part, top + rankHeight - 2]);
      }
      context.beginPath();
      edge.forEach(([part, y], at) => context[at === 0 ? 'moveTo' : 'lineTo'](visible(collectives.begin[part]), y));
      edge.reverse().forEach(([part, y]) => context.lineTo(visible(collectives.end[part]), y));
      context.closePath();
      context.globalAlpha = 0.22;
      context.fill();
      context.globalAlpha = 0.6;
      context.stroke();
    }
    context.globalAlpha = 1;
  }

  drawMessages() {
    const {messages, context} = this, visible = this.axis.visible;
    const [from, to] = visible.domain(), shown = [];
    for (let i = this.messageAt(from - this.longestMessage); i < messages.sent.length && messages.sent[i] < to; ++i) {
      if (messages.received[i] < from) continue;
      shown.push(i);
      if (shown.length > mostArrows) return;  // they would only darken the picture
    }
    context.strokeStyle = colour('message');
    context.lineWidth = 1;
    context.beginPath();
    for (const i of shown) {
      context.moveTo(visible(messages.sent[i]), this.middleOf(messages.from[i]));
      context.lineTo(visible(messages.received[i]), this.middleOf(messages.to[i]));
    }
    context.globalAlpha = Math.max(0.15, Math.min(1, 200 / shown.length));
    context.stroke();
    context.globalAlpha = 1;
  }

  drawPath() {
    const {path, context} = this, visible = this.axis.visible, [from, to] = visible.domain();
    const open = new Path2D(), dense = new Path2D();  // dense: steps of few pixels
    const few = 4;
    let x = NaN, y = NaN, crossings = 0;
    for (let i = this.pathAt(from); i < path.end.length && path.begin[i] < to; ++i) {
      const left = visible(path.begin[i]), right = visible(path.end[i]), bottom = this.middleOf(path.to[i]);
      if (right - x < 0.3 && bottom === y) continue;  // it would lie on a pixel that has been drawn
      const into = right - left < few ? dense : open;
      into.moveTo(left, this.middleOf(path.from[i]));
      into.lineTo(right, bottom);
      crossings += path.from[i] !== path.to[i];
      x = right;
      y = bottom;
    }
    const apart = this.axis.width / Math.max(1, crossings);
    context.lineJoin = 'round';
    context.strokeStyle = colour('path');
    if (apart < few) {  // it would hide what the ranks do
      context.globalAlpha = Math.max(0.15, apart / 8);
      context.lineWidth = 1;
      context.stroke(dense);
    } else {
      open.addPath(dense);
    }
    context.globalAlpha = apart < 10 ? Math.max(0.6, apart / 10) : 1;
    const width = apart < 10 ? 1.5 : 3;
    // An edge in the page's own colour sets it off from whatever it crosses.
    context.strokeStyle = colour('back');
    context.lineWidth = width + 3;
    context.stroke(open);
    context.strokeStyle = colour('path');
    context.lineWidth = width;
    context.stroke(open);
    context.globalAlpha = 1;
  }

  drawChosen() {
    if (this.chosen === null) return;
    const {messages, calls, context, chosen} = this, visible = this.axis.visible;
    context.strokeStyle = colour('chosen');
    context.lineWidth = 2;
    if (chosen.message !== undefined) {
      const i = chosen.message;
      context.beginPath();
      context.moveTo(visible(messages.sent[i]), this.middleOf(messages.from[i]));
      context.lineTo(visible(messages.received[i]), this.middleOf(messages.to[i]));
      context.stroke();
    } else {
      const left = visible(calls.begin[chosen.call]);
      context.strokeRect(left, this.rowTop(chosen.rank), Math.max(2, visible(calls.end[chosen.call]) - left), Math.max(2, this.rankHeight - 2));
    }
  }

  drawAxis() {
    const {context, rankHeight} = this, width = this.axis.width;
    context.fillStyle = colour('back');
    context.fillRect(0, 0, width, axisHeight);
    context.fillRect(0, 0, gutter - 2, this.height);
    drawTimes(context, this.axis);
    context.textAlign = 'right';
    const every = Math.max(1, Math.ceil(14 / rankHeight));
    for (let row = 0; row < this.rows; row += every)
      context.fillText(this.rankText(row * this.ranksPerRow), gutter - 8, this.rowTop(row * this.ranksPerRow) + rankHeight / 2);
    context.textAlign = 'left';
  }
}
