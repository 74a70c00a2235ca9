// The page of one run: its timeline, its links, its critical path, and what its calls and messages add up to
// (report/timeline_page.h says what the data are).

/** How many messages the page shows: those of collectives have no arrows, and stand in the table of these. */
function messagesText() {
  const collectives = d3.sum(data.collective_totals, one => one.collectives), counted = (count, word) =>
    `${count.toLocaleString('en')} ${word}${count === 1 ? '' : 's'}`;
  return [data.message_count > 0 || collectives === 0 ? counted(data.message_count, 'message') + ' point to point' : '',
    collectives > 0 ? counted(collectives, 'collective') : ''].filter(text => text).join(', ');
}

document.title = `${data.program || 'a program'} on ${data.platform || 'this machine'}`;
d3.select('#title').text(document.title);
d3.select('#facts').text(
  `${data.ranks} ${data.ranks === 1 ? 'rank' : 'ranks'}, ${timeText(data.end_ps)}, ` +
  `${d3.sum(data.totals, one => one.calls).toLocaleString('en')} calls, ` + messagesText());
d3.select('#notices').selectAll('li').data(data.notices).enter().append('li').text(text => text);
for (const line of data.bottleneck || []) {
  const row = d3.select('#bottleneck').append('div');
  row.append('dt').text(line.label);
  row.append('dd').text(line.text);
}
fillLegend(data.kinds);
if (data.unfinished) {
  const mark = d3.select('#legend').append('span');
  mark.append('i').attr('class', 'hatched');
  mark.append('b').style('font-weight', 'normal').text('has not ended');
}
if (data.cycle) drawCycle(data.cycle);

// What has not ended goes on to the right edge, so that it can be seen: time itself ends before.
const axis = new TimeAxis(data.unfinished && data.end_ps > 0 ? data.end_ps * 1.1 : data.unfinished ? 1e6 : data.end_ps);
if (data.unfinished) axis.end = data.end_ps;
const view = new TimelineView(data, document.getElementById('timeline'), axis);
addExecution(data, axis);
const linkViews = data.links ?
  [new LinkView(data.links, document.getElementById('links'), document.getElementById('linkfacts'), axis)] : [];
d3.select('#network').attr('hidden', data.links ? null : '');
const troubleView = data.trouble &&
  new TroubleView(data.trouble, document.getElementById('trouble'), document.getElementById('troublefacts'), axis);
d3.select('#troubles').attr('hidden', data.trouble ? null : '');
useTools([view], axis);
useLinkTools(linkViews, axis);

function tellCalls() {
  const all = d3.sum(data.totals, one => one.time_ps);
  fillTable(d3.select('#calls'), ['call', 'calls', 'time, all ranks', 'share', 'bytes'],
    data.totals.map(one => [one.name, one.calls.toLocaleString('en'), timeText(one.time_ps),
      percent(all > 0 ? one.time_ps / all : 0), bytesText(one.bytes)]));
}

const meanings = {
  computing: 'the program', host: 'library and kernel on processors', protocol: 'requests, clearances, acknowledgements, locks',
  network: 'the transport has the data: NICs, links, what is sent again',
  retransmission: 'a message waits for a retransmission timer', waiting: 'sleeping, and waits that end at their limit',
};
function tellPath(path) {
  const all = d3.sum(path.times_ps), share = part => all > 0 ? part / all : 0;
  d3.select('#criticalpath').attr('hidden', null);
  // A send whose end its rank alone waits for is one to itself.
  const own = path.messages === 0 && path.pairs.length > 0 && path.pairs.every(one => one.from === one.to);
  d3.select('#pathfacts').text(`The longest chain of causes takes ${timeText(all)} and ` + (own ?
    `stays on rank ${rankNumber(data, path.pairs[0].from)}, which waits until its own sends are complete: their data take the network part, and no other rank delays them` :
    `goes through ${path.messages.toLocaleString('en')} message${path.messages === 1 ? '' : 's'} between ranks`) +
    `${path.steps ? '; the timeline shows it as a line' : ''}.`);
  fillTable(d3.select('#path'), ['on it', 'time', 'share', 'twice as fast', 'what that is'],
    path.kinds.map((kind, i) => [kind, timeText(path.times_ps[i]), percent(share(path.times_ps[i])),
      kind === 'waiting' ? '' : `${percent(share(path.times_ps[i]) / 2)} less`, meanings[kind]]));
  d3.select('#pathpairs').attr('hidden', path.pairs.length > 0 ? null : '');
  fillTable(d3.select('#pairs'), ['from', 'to', 'messages on it', 'network', 'share', 'twice as fast'],
    path.pairs.map(one => [`rank ${rankNumber(data, one.from)}`, one.from === one.to ? 'its own sends complete' : `rank ${rankNumber(data, one.to)}`, one.messages.toLocaleString('en'), timeText(one.wire_ps),
      percent(share(one.wire_ps)), `${percent(share(one.wire_ps) / 2)} less`]));
}

function tellCollectives() {
  const totals = data.collective_totals, mean = (sum, count) => timeText(Math.round(sum / count));
  d3.select('#collectives').attr('hidden', totals.length > 0 ? null : '');
  fillTable(d3.select('#collectivetotals'), ['begun by', 'collectives', 'ranks, mean', 'until the last has come, mean', 'from then to the end, mean'],
    totals.map(one => [one.name, one.collectives.toLocaleString('en'), +(one.parts / one.collectives).toFixed(1),
      mean(one.gathering_ps, one.collectives), mean(one.finishing_ps, one.collectives)]));
}

const singleRanks = 16;  // of more, the least, mean and greatest stand first
function tellRanks() {
  const ranks = data.per_rank, shown = ranks.slice(0, 256);
  const heading = ['rank', ...(data.per_rank.some(one => one.begin_ps > 0) ? ['begins'] : []), 'ends', 'computing', 'in calls', 'share of calls',
    'messages sent', 'bytes sent'];
  const share = one => one.end_ps > one.begin_ps ? one.calls_ps / (one.end_ps - one.begin_ps) : 0;
  const columns = [...(heading.length > 7 ? [[one => one.begin_ps, timeText]] : []), [one => one.end_ps, timeText], [one => one.computing_ps, timeText],
    [one => one.calls_ps, timeText], [share, percent], [one => one.messages, count => count.toLocaleString('en', {maximumFractionDigits: 0})],
    [one => one.bytes, bytes => bytesText(Math.round(bytes))]];
  const row = (name, value) => [name, ...columns.map(([of, text]) => text(value(of)))];
  const single = shown.map((one, rank) => row(rankNumber(data, rank), of => of(one)));
  const many = ranks.length > singleRanks;
  d3.select('#eachrank').attr('hidden', many ? null : '');
  fillTable(d3.select('#ranks'), many ? ['', ...heading.slice(1)] : heading, many ?
    [row('least', of => d3.min(ranks, of)), row('mean', of => Math.round(1e4 * d3.mean(ranks, of)) / 1e4), row('greatest', of => d3.max(ranks, of))] : single);
  if (!many) return;
  const table = d3.select('#allranks');
  fillTable(table, heading, single);
  if (ranks.length > shown.length) table.append('caption').text(`the first ${shown.length} of ${ranks.length}`);
}

/** Bars of a histogram whose bin b counts what is at least 2^(b-1) and less than 2^b. */
function histogram(id, counts, text) {
  const width = Math.min(560, d3.select(id).node().clientWidth || 560), height = 180, left = 60, bottom = 26;
  const first = counts.findIndex(count => count > 0);
  if (first < 0) { d3.select(id).append('p').text('none'); return; }
  const bins = counts.map((count, bin) => ({bin, count})).slice(first);
  const edge = bin => bin === 0 ? 0 : 2 ** (bin - 1);  // the lower one of a bin, the upper one of the bin before
  const x = d3.scaleLinear().domain([0, bins.length]).range([left, width - 30]), gap = Math.min(2, x(1) - x(0) - 1) / 2;
  const y = d3.scaleLinear().domain([0, d3.max(bins, one => one.count)]).nice().range([height - bottom, 8]);
  const svg = d3.select(id).append('svg').attr('viewBox', `0 0 ${width} ${height}`).attr('role', 'img');
  const every = Math.ceil(bins.length / (width / 80));
  svg.append('g').attr('transform', `translate(0,${height - bottom})`).call(d3.axisBottom(x)
    .tickValues(d3.range(0, bins.length + 1, every)).tickFormat(i => text(edge(first + i))));
  svg.append('g').attr('transform', `translate(${left},0)`).call(d3.axisLeft(y)
    .tickValues(y.ticks(5).filter(Number.isInteger)).tickFormat(count => count < 1000 ? `${count}` : d3.format('~s')(count)));
  svg.selectAll('rect').data(bins).enter().append('rect').attr('class', 'bar').attr('x', (one, i) => x(i) + gap)
    .attr('width', x(1) - x(0) - 2 * gap).attr('y', one => y(one.count)).attr('height', one => y(0) - y(one.count))
    .append('title').text(one => `${one.count.toLocaleString('en')} of ${text(edge(one.bin))} or more, below ${text(edge(one.bin + 1))}`);
}

/** What of the bytes the matrix does not show, as collectives carry them. Of each other byte its sender's call and its receiver's tell: the matrix counts it once. */
function leftOut() {
  if (data.carried) return 'all messages: point to point, those that carry out collectives, and one-sided accesses';
  const ofCollectives = d3.sum(data.totals.filter(one => one.kind === 'collective'), one => one.bytes);
  const all = ofCollectives + d3.sum(numbers(data.matrix.bytes, Float64Array));
  if (ofCollectives === 0) return 'point to point';
  return `point to point, without collectives, into which ranks give ${bytesText(ofCollectives)} (${percent(ofCollectives / all)} of the bytes that ranks send or give)`;
}

function drawMatrix() {
  const place = d3.select('#matrix').html('');
  const {side, bytes: packed, ranks_per_cell: group} = (data.carried || data).matrix, bytes = numbers(packed, Float64Array);
  const most = d3.max(bytes) || 0;
  place.append('p').text(leftOut());
  if (most === 0) { place.append('p').text('no messages point to point'); return; }
  const left = 44, top = 20, room = Math.min(440, (place.node().clientWidth || 484) - left), cell = Math.max(1, Math.floor(room / side));
  const canvas = place.append('canvas').attr('role', 'img').attr('aria-label', 'bytes that each rank has sent to each');
  const context = sizedBrush(canvas.node(), left + cell * side, top + cell * side);
  const text = place.append('p').text(`rows send, columns receive; at most ${bytesText(most)}`);
  const shade = d3.scaleLog().domain([1, Math.max(2, most)]).range([0.08, 1]);
  context.fillStyle = colour('panel');
  context.fillRect(left, top, cell * side, cell * side);
  context.fillStyle = colour('point-to-point');
  for (let i = 0; i < bytes.length; ++i) {
    if (bytes[i] === 0) continue;
    context.globalAlpha = shade(Math.max(1, bytes[i]));
    const inner = cell >= 8 ? cell - 1 : cell;  // a line between those that can be told apart
    context.fillRect(left + (i % side) * cell, top + Math.floor(i / side) * cell, inner, inner);
  }
  context.globalAlpha = 1;
  context.fillStyle = colour('dim');
  context.font = '12px system-ui, sans-serif';
  context.textBaseline = 'middle';
  const apart = [1, 2, 4, 8, 16, 32, 64, 128, 256].find(one => one * cell >= 34) || 256;
  for (let n = 0; n < side; n += apart) {
    const name = rankNumber(data, n * group), middle = (n + 0.5) * cell;
    context.textAlign = 'center';
    context.fillText(name, left + middle, top / 2);
    context.textAlign = 'right';
    context.fillText(name, left - 8, top + Math.max(6, middle));
  }
  canvas.on('mousemove', function () {
    const [x, y] = d3.mouse(this), from = Math.floor((y - top) / cell), to = Math.floor((x - left) / cell);
    if (from < 0 || to < 0 || from >= side || to >= side) return;
    const name = n => rankNumber(data, n);
    const who = n => group === 1 ? `rank ${name(n)}` : `ranks ${name(n * group)} to ${name(Math.min(data.ranks, (n + 1) * group) - 1)}`;
    text.text(`${who(from)} to ${who(to)}: ${bytesText(bytes[from * side + to])}`);
  });
}

/** Who waits for whom in a deadlock: a ring of ranks with their calls, or a list where there are many. */
function drawCycle(cycle) {
  d3.select('#deadlock').attr('hidden', null);
  const place = d3.select('#cycle').html(''), next = i => cycle[(i + 1) % cycle.length];
  const name = one => `rank ${rankNumber(data, one.rank)}`;
  const text = (one, i) => `${name(one)} waits in ${one.call} for ${name(next(i))}`;
  if (cycle.length > 12 || cycle.length < 2) {
    place.append('ol').selectAll('li').data(cycle).enter().append('li').text(text);
    return;
  }
  const width = Math.max(260, Math.min(560, place.node().clientWidth)), height = Math.min(360, 110 + 34 * cycle.length);
  const boxWidth = Math.max(...cycle.map(one => lengthOf(one.call)), 60) + 18, boxHeight = 38;
  const at = i => {
    const angle = 2 * Math.PI * i / cycle.length - Math.PI / 2;
    return [width / 2 + (width - boxWidth - 8) / 2 * Math.cos(angle), height / 2 + (height - boxHeight - 8) / 2 * Math.sin(angle)];
  };
  const svg = startSvg(place, width, height, cycle.map(text).join('; '));
  svg.append('defs').append('marker').attr('id', 'arrow').attr('viewBox', '0 0 8 8').attr('refX', 8).attr('refY', 4).attr('markerWidth', 9)
    .attr('markerHeight', 9).attr('orient', 'auto').append('path').attr('class', 'arrow').attr('d', 'M0,0 L8,4 L0,8 z');
  cycle.forEach((one, i) => {
    const [x, y] = at(i), [x2, y2] = at((i + 1) % cycle.length), dx = x2 - x, dy = y2 - y, length = Math.hypot(dx, dy);
    const aside = cycle.length === 2 ? 8 : 0;  // there and back lie beside each other
    const out = Math.min(Math.abs(dx) > 0 ? boxWidth / 2 / Math.abs(dx) : Infinity, Math.abs(dy) > 0 ? boxHeight / 2 / Math.abs(dy) : Infinity);
    const shift = [-dy / length * aside, dx / length * aside];
    svg.append('line').attr('class', 'waits').attr('marker-end', 'url(#arrow)').attr('x1', x + dx * out + shift[0]).attr('y1', y + dy * out + shift[1])
      .attr('x2', x2 - dx * out + shift[0]).attr('y2', y2 - dy * out + shift[1]).append('title').text(text(one, i));
  });
  cycle.forEach((one, i) => {
    const [x, y] = at(i);
    svg.append('rect').attr('class', 'waiter').attr('x', x - boxWidth / 2).attr('y', y - boxHeight / 2).attr('width', boxWidth).attr('height', boxHeight)
      .attr('rx', 4).append('title').text(text(one, i));
    svg.append('text').attr('class', 'strong').attr('x', x).attr('y', y - 3).attr('text-anchor', 'middle').text(name(one));
    svg.append('text').attr('x', x).attr('y', y + 13).attr('text-anchor', 'middle').text(one.call);
  });
  place.append('p').attr('class', 'dim').text('An arrow leads to the rank that is waited for.');
}

tellCalls();
if (data.critical_path) tellPath(data.critical_path);
tellCollectives();
tellRanks();
histogram('#sizes', (data.carried || data).sizes, bytesText);
histogram('#latencies', data.latencies_ps, ps => timeText(+ps.toPrecision(3)));
d3.select('#messages').attr('hidden', data.message_count > 0 || data.carried ? null : '');
d3.selectAll('#latencies, #latencieshead').attr('hidden', data.message_count > 0 ? null : '');
if (data.carried) d3.select('#latencieshead').text('Messages point to point by time under way');
drawMatrix();
const resize = () => axis.resize(view.box.clientWidth);
whenLooksChange(resize, () => { drawMatrix(); axis.redraw(); });
resize();
