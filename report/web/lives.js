// What a click or a key tells: the life of a call, a message, a stretch of computing.

Object.assign(TimelineView.prototype, {
  tellCall(rank, i) {
    this.chosen = {rank, call: i};
    const {calls} = this;
    if (this.isPolls(i)) {
      this.tellPolls(rank, i);
      return;
    }
    const collective = this.collectiveOf(rank, i);
    tell(this.nameOf(i), [['rank', rankNumber(this.run, rank)], ['begins', exactTime(calls.begin[i])], ['ends', exactTime(calls.end[i])],
      ['takes', exactTime(calls.end[i] - calls.begin[i])], ['bytes', bytesText(calls.bytes[i])],
      ['computing before it', exactTime(calls.begin[i] - (i > calls.first[rank] ? calls.end[i - 1] : this.run.per_rank[rank].begin_ps))],
      ...(collective < 0 ? [] : this.livesOfCollective(collective))]);
    this.axis.redraw();
  },

  tellPolls(rank, i) {
    const {begin, end, polls, polling} = this.calls, all = end[i] - begin[i];
    tell(`${this.nameOf(i)}, in vain`, [['rank', rankNumber(this.run, rank)], ['from', exactTime(begin[i])], ['to', exactTime(end[i])],
      ...(polls[i] > 0 ? [['polls', polls[i].toLocaleString('en')]] : []), ['take', exactTime(polling[i])],
      ...(polling[i] < all ? [['computing between them', exactTime(all - polling[i])]] : [])]);
    this.axis.redraw();
  },

  /** What is told of a collective besides: who came when. */
  livesOfCollective(collective) {
    const {rank, begin, end, first} = this.collectives, parts = d3.range(first[collective], first[collective + 1]);
    const last = parts[d3.scan(parts, (a, b) => begin[b] - begin[a])], earliest = parts[d3.scan(parts, (a, b) => begin[a] - begin[b])];
    const done = parts[d3.scan(parts, (a, b) => end[b] - end[a])];
    return [['collective of', `${parts.length} ranks`], ['first to come', `${this.rankText(rank[earliest])}, ${exactTime(begin[earliest])}`],
      ['last to come', `${this.rankText(rank[last])}, ${exactTime(begin[last] - begin[earliest])} later`],
      ['last to be done', `${this.rankText(rank[done])}, ${exactTime(end[done] - begin[last])} after the last has come`]];
  },

  tellMessage(i) {
    this.chosen = {message: i};
    const {messages, calls} = this, sent = messages.sent[i], received = messages.received[i], entries =
      [['from', `${this.rankText(messages.from[i])}`], ['to', `${this.rankText(messages.to[i])}`], ['tag', messages.tag[i]],
       ['bytes', bytesText(messages.bytes[i])], ['sending begins', exactTime(sent)], ['receive is complete', exactTime(received)],
       ['under way', exactTime(received - sent)]];
    if (calls) {
      const sending = this.callAt(messages.from[i], sent), receiving = this.callAt(messages.to[i], received - 1);
      if (sending < calls.first[messages.from[i] + 1] && calls.begin[sending] <= sent)
        entries.push(['sent in', `${this.nameOf(sending)}, until ${exactTime(calls.end[sending])}`]);
      if (receiving < calls.first[messages.to[i] + 1] && calls.begin[receiving] < received) {
        entries.push(['received in', `${this.nameOf(receiving)}, since ${exactTime(calls.begin[receiving])}`]);
        const early = calls.begin[receiving] < sent;
        entries.push([early ? 'receiver waited before it was sent' : 'it was sent before the receiver called',
          exactTime(Math.abs(sent - calls.begin[receiving]))]);
      }
    }
    tell('message', entries);
    this.axis.redraw();
  },

  tellComputing(rank, ps, next) {
    const {calls} = this;
    this.chosen = null;
    const since = next > calls.first[rank] ? calls.end[next - 1] : this.run.per_rank[rank].begin_ps;
    const until = next < calls.first[rank + 1] ? calls.begin[next] : this.run.per_rank[rank].end_ps;
    if (ps < until)
      tell('computing', [['rank', rankNumber(this.run, rank)], ['begins', exactTime(since)], ['ends', exactTime(until)], ['takes', exactTime(until - since)]]);
    this.axis.redraw();
  },

  /** @returns the message whose arrow passes within some pixels; -1 */
  messageNear(x, y) {
    const {messages} = this, visible = this.axis.visible, [from, to] = visible.domain();
    let best = -1, least = 5, seen = 0;
    for (let i = this.messageAt(from - this.longestMessage); i < messages.sent.length && messages.sent[i] < to && seen <= mostArrows; ++i) {
      if (messages.received[i] < from) continue;
      ++seen;
      const x1 = visible(messages.sent[i]), y1 = this.middleOf(messages.from[i]);
      const dx = visible(messages.received[i]) - x1, dy = this.middleOf(messages.to[i]) - y1;
      const along = Math.max(0, Math.min(1, ((x - x1) * dx + (y - y1) * dy) / (dx * dx + dy * dy || 1)));
      const distance = Math.hypot(x - x1 - along * dx, y - y1 - along * dy);
      if (distance < least) { least = distance; best = i; }
    }
    return seen > mostArrows ? -1 : best;
  },

  click(x, y) {
    if (d3.event && d3.event.defaultPrevented) return;
    const near = this.messages ? this.messageNear(x, y) : -1;
    if (near >= 0) { this.tellMessage(near); return; }
    const rank = Math.floor((y - axisHeight) / this.rankHeight) * this.ranksPerRow;
    if (!this.calls || rank < 0 || rank >= this.run.ranks) return;
    const ps = this.axis.visible.invert(x), i = this.callAt(rank, ps);
    if (i < this.calls.first[rank + 1] && this.calls.begin[i] <= ps) this.tellCall(rank, i);
    else this.tellComputing(rank, ps, i);
  },

  /** Goes to the next (1) or the previous (-1) call of the chosen one's rank. */
  step(by) {
    if (!this.calls) return;
    const {chosen, calls} = this, hasCall = chosen !== null && chosen.rank !== undefined;
    const rank = hasCall ? chosen.rank : 0;
    const i = hasCall ? chosen.call + by : this.callAt(rank, Math.max(0, this.axis.visible.domain()[0]));
    if (i < calls.first[rank] || i >= calls.first[rank + 1]) return;
    this.axis.reach(calls.begin[i]);
    this.tellCall(rank, i);
  },

  goTo(wantedRank) {
    const rank = Math.max(0, Math.min(this.run.ranks - 1, wantedRank));
    this.box.scrollTop = this.rowTop(rank) - this.box.clientHeight / 2;
    if (this.calls && this.calls.first[rank] < this.calls.first[rank + 1])
      this.tellCall(rank, Math.min(this.callAt(rank, Math.max(0, this.axis.visible.domain()[0])), this.calls.first[rank + 1] - 1));
  },

  key(event) {
    const axis = this.axis, keys = {
      ArrowLeft: () => axis.moveBy(-0.2), ArrowRight: () => axis.moveBy(0.2), '+': () => axis.scaleBy(1.6), '=': () => axis.scaleBy(1.6),
      '-': () => axis.scaleBy(1 / 1.6), Home: () => axis.showAll(), n: () => this.step(1), p: () => this.step(-1),
    };
    const action = event.ctrlKey || event.metaKey || event.altKey ? undefined : keys[event.key];
    if (action === undefined) return;
    action();
    event.preventDefault();
  },
});
