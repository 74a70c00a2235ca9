// Draws the report's data (report/timeline_page.h says what they are).
'use strict';

const data = JSON.parse(document.getElementById('data').textContent);

/** @returns the numbers of a base64 text; Type is a typed array. */
function numbers(text, Type) {
  const raw = atob(text);
  const bytes = new Uint8Array(raw.length);
  for (let i = 0; i < raw.length; ++i) bytes[i] = raw.charCodeAt(i);
  return new Type(bytes.buffer);
}

const calls = data.calls && {
  first: numbers(data.calls.first, Uint32Array),  // of each rank, and behind the last
  begin: numbers(data.calls.begin_ps, Float64Array),
  end: numbers(data.calls.end_ps, Float64Array),
  name: numbers(data.calls.name, Uint16Array),
  bytes: numbers(data.calls.bytes, Float64Array),
};
const messages = data.messages && {
  from: numbers(data.messages.from, Uint32Array),
  to: numbers(data.messages.to, Uint32Array),
  tag: numbers(data.messages.tag, Int32Array),
  bytes: numbers(data.messages.bytes, Float64Array),
  sent: numbers(data.messages.sent_ps, Float64Array),
  received: numbers(data.messages.received_ps, Float64Array),
};
const path = data.critical_path && data.critical_path.steps && {
  from: numbers(data.critical_path.steps.from, Uint32Array),
  to: numbers(data.critical_path.steps.to, Uint32Array),
  begin: numbers(data.critical_path.steps.begin_ps, Float64Array),
  end: numbers(data.critical_path.steps.end_ps, Float64Array),
  kind: numbers(data.critical_path.steps.kind, Uint8Array),
};
const links = data.links && {
  busy: numbers(data.links.busy, Uint8Array),
  stopped: data.links.stopped && numbers(data.links.stopped, Uint8Array),
};
const overview = numbers(data.overview.kinds, Uint8Array);
const columns = data.overview.columns;

// --- Texts ---

function timeText(ps) {
  const units = [[1e12, 's'], [1e9, 'ms'], [1e6, 'us'], [1e3, 'ns']];
  for (const [size, unit] of units) if (Math.abs(ps) >= size) return `${+(ps / size).toPrecision(5)} ${unit}`;
  return `${ps} ps`;
}
/** To the picosecond. */
function exactTime(ps) {
  return `${timeText(ps)} (${ps.toLocaleString('en')} ps)`;
}
function bytesText(bytes) {
  const units = ['B', 'KiB', 'MiB', 'GiB', 'TiB'];
  let unit = 0;
  while (bytes >= 1024 && unit < units.length - 1) { bytes /= 1024; ++unit; }
  return `${unit === 0 ? bytes : +bytes.toPrecision(4)} ${units[unit]}`;
}
function percent(share) { return `${(100 * share).toFixed(1)} %`; }
function colour(name) { return getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim(); }
function kindOf(name) { return data.kinds[data.names[name].kind]; }

/** Puts terms and their meanings below a heading into #life. */
function tell(heading, entries) {
  const life = d3.select('#life').html('');
  life.append('strong').text(heading);
  const list = life.append('dl');
  for (const [term, meaning] of entries) {
    list.append('dt').text(term);
    list.append('dd').text(meaning);
  }
}

// --- What does not move ---

document.title = `${data.program || 'a program'} on ${data.platform || 'this machine'}`;
d3.select('#title').text(document.title);
d3.select('#facts').text(
  `${data.ranks} ${data.ranks === 1 ? 'rank' : 'ranks'}, ${timeText(data.end_ps)}, ` +
  `${data.totals.reduce((sum, one) => sum + one.calls, 0).toLocaleString('en')} calls, ` +
  `${data.message_count.toLocaleString('en')} messages point to point`);
d3.select('#notices').selectAll('li').data(data.notices).enter().append('li').text(text => text);
d3.select('#legend').selectAll('span').data(data.kinds).enter().append('span').each(function (kind) {
  d3.select(this).append('i').style('background', `var(--${kind})`);
  d3.select(this).append('b').style('font-weight', 'normal').text(kind.replace(/-/g, ' '));
});

function fillTable(id, heading, rows) {
  const table = d3.select(id);
  table.append('thead').append('tr').selectAll('th').data(heading).enter().append('th').text(text => text);
  table.append('tbody').selectAll('tr').data(rows).enter().append('tr')
    .selectAll('td').data(row => row).enter().append('td').text(text => text);
}
const allCalls = data.totals.reduce((sum, one) => sum + one.time_ps, 0);
fillTable('#calls', ['call', 'calls', 'time, all ranks', 'share', 'bytes'],
  data.totals.map(one => [one.name, one.calls.toLocaleString('en'), timeText(one.time_ps),
    percent(allCalls > 0 ? one.time_ps / allCalls : 0), bytesText(one.bytes)]));
const meanings = {
  computing: 'the program', host: 'library and kernel on processors', protocol: 'requests, clearances, acknowledgements, locks',
  wire: 'the transport has the data: interfaces, links, what is sent again', waiting: 'sleeping, and waits that end at their limit',
};
if (data.critical_path) {
  const all = d3.sum(data.critical_path.times_ps), count = data.critical_path.messages;
  d3.select('#criticalpath').attr('hidden', null);
  d3.select('#pathtool').attr('hidden', path ? null : '');
  d3.select('#pathfacts').text(`The longest chain of causes takes ${timeText(all)} and goes through ${count.toLocaleString('en')} ` +
    `message${count === 1 ? '' : 's'} between ranks${path ? '; the timeline shows it as a line' : ''}.`);
  fillTable('#path', ['on it', 'time', 'share', 'twice as fast: at most', 'what that is'],
    data.critical_path.kinds.map((kind, i) => [kind, timeText(data.critical_path.times_ps[i]),
      percent(all > 0 ? data.critical_path.times_ps[i] / all : 0),
      kind === 'waiting' ? '' : `${percent(all > 0 ? data.critical_path.times_ps[i] / all / 2 : 0)} less`, meanings[kind]]));
}
const shownRanks = data.per_rank.slice(0, 256);
fillTable('#ranks', ['rank', 'ends', 'computing', 'in calls', 'share of calls', 'messages sent', 'bytes sent'],
  shownRanks.map((one, rank) => [rank, timeText(one.end_ps), timeText(one.computing_ps), timeText(one.calls_ps),
    percent(one.end_ps > 0 ? one.calls_ps / one.end_ps : 0), one.messages.toLocaleString('en'), bytesText(one.bytes)]));
if (data.per_rank.length > shownRanks.length)
  d3.select('#ranks').append('caption').text(`the first ${shownRanks.length} of ${data.per_rank.length}`);

/** Bars of a histogram whose bin b counts what is at least 2^(b-1) and less than 2^b. */
function histogram(id, counts, text) {
  const width = 560, height = 180, left = 60, bottom = 26;
  const first = counts.findIndex(count => count > 0);
  if (first < 0) { d3.select(id).append('p').text('none'); return; }
  const bins = counts.map((count, bin) => ({bin, count})).slice(first);
  const x = d3.scaleBand().domain(bins.map(one => one.bin)).range([left, width - 6]).padding(0.15);
  const y = d3.scaleLinear().domain([0, d3.max(bins, one => one.count)]).nice().range([height - bottom, 8]);
  const svg = d3.select(id).append('svg').attr('viewBox', `0 0 ${width} ${height}`).attr('role', 'img');
  const every = Math.ceil(bins.length / 7);
  svg.append('g').attr('transform', `translate(0,${height - bottom})`).call(d3.axisBottom(x)
    .tickValues(x.domain().filter((bin, i) => i % every === 0)).tickFormat(bin => text(bin === 0 ? 0 : 2 ** (bin - 1))));
  svg.append('g').attr('transform', `translate(${left},0)`).call(d3.axisLeft(y).ticks(5, 's'));
  svg.selectAll('rect').data(bins).enter().append('rect').attr('class', 'bar').attr('x', one => x(one.bin))
    .attr('width', x.bandwidth()).attr('y', one => y(one.count)).attr('height', one => y(0) - y(one.count))
    .append('title').text(one => `${one.count.toLocaleString('en')} from ${text(one.bin === 0 ? 0 : 2 ** (one.bin - 1))} on`);
}
histogram('#sizes', data.sizes, bytesText);
histogram('#latencies', data.latencies_ps, ps => timeText(+ps.toPrecision(3)));

function drawMatrix() {
  const place = d3.select('#matrix').html('');
  const side = data.matrix.side, bytes = numbers(data.matrix.bytes, Float64Array);
  const most = d3.max(bytes) || 0;
  if (most === 0) { place.append('p').text('no messages point to point'); return; }
  const cell = Math.max(1, Math.floor(440 / side));
  const canvas = place.append('canvas').attr('width', cell * side).attr('height', cell * side)
    .attr('role', 'img').attr('aria-label', 'bytes that each rank has sent to each');
  const text = place.append('p').text(`rows send, columns receive; at most ${bytesText(most)}`);
  const context = canvas.node().getContext('2d');
  const shade = d3.scaleLog().domain([1, Math.max(2, most)]).range([0.08, 1]);
  context.fillStyle = colour('panel');
  context.fillRect(0, 0, cell * side, cell * side);
  context.fillStyle = colour('point-to-point');
  for (let i = 0; i < bytes.length; ++i) {
    if (bytes[i] === 0) continue;
    context.globalAlpha = shade(Math.max(1, bytes[i]));
    const inner = cell >= 8 ? cell - 1 : cell;  // a line between those that can be told apart
    context.fillRect((i % side) * cell, Math.floor(i / side) * cell, inner, inner);
  }
  canvas.on('mousemove', function () {
    const [x, y] = d3.mouse(this), scale = cell * this.clientWidth / this.width;
    const from = Math.floor(y / scale), to = Math.floor(x / scale);
    if (from < 0 || to < 0 || from >= side || to >= side) return;
    const group = data.matrix.ranks_per_cell;
    const who = n => group === 1 ? `rank ${n}` : `ranks ${n * group} to ${Math.min(data.ranks, (n + 1) * group) - 1}`;
    text.text(`${who(from)} to ${who(to)}: ${bytesText(bytes[from * side + to])}`);
  });
}

// --- The timeline ---

const gutter = 64, axisHeight = 24;
const box = document.getElementById('timeline'), canvas = box.querySelector('canvas'), context = canvas.getContext('2d');
const rankHeight = Math.max(3, Math.min(22, Math.floor(560 / data.ranks)));
const ranksPerRow = Math.max(1, Math.ceil(data.ranks * rankHeight / 8000));
const rows = Math.ceil(data.ranks / ranksPerRow);
const mostDrawn = 150000, mostArrows = 3000;
const time = d3.scaleLinear().domain([0, Math.max(1, data.end_ps)]);
let visible = time.copy(), chosen = null, wanted = '', width = 0, asked = false;

/** The first of a rank's calls that ends behind a time. */
function callAt(rank, ps) {
  let low = calls.first[rank], high = calls.first[rank + 1];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (calls.end[middle] <= ps) low = middle + 1; else high = middle;
  }
  return low;
}
/** The first message that is sent at a time or later. */
function messageAt(ps) {
  let low = 0, high = messages.sent.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (messages.sent[middle] < ps) low = middle + 1; else high = middle;
  }
  return low;
}
const longestMessage = messages ? messages.sent.reduce((most, sent, i) => Math.max(most, messages.received[i] - sent), 0) : 0;

function rowTop(rank) { return axisHeight + Math.floor(rank / ranksPerRow) * rankHeight; }
function middleOf(rank) { return rowTop(rank) + rankHeight / 2; }

function resize() {
  const ratio = window.devicePixelRatio || 1, height = axisHeight + rows * rankHeight + 4;
  width = Math.max(260, box.clientWidth);
  canvas.width = width * ratio;
  canvas.height = height * ratio;
  canvas.style.width = `${width}px`;
  canvas.style.height = `${height}px`;
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  time.range([gutter, width - 8]);
  zoom.extent([[gutter, 0], [width - 8, height]]).translateExtent([[gutter, 0], [width - 8, height]]);
  visible = d3.zoomTransform(canvas).rescaleX(time);
  draw();
}

/** The overview with a pixel for each column and row, made anew for other colours. */
let overviewPicture = null;
function pictureOfOverview(colours) {
  if (overviewPicture !== null && overviewPicture.colours === colours.join()) return overviewPicture.picture;
  const picture = document.createElement('canvas');
  picture.width = columns;
  picture.height = rows;
  const brush = picture.getContext('2d');
  const values = colours.map(text => {
    brush.fillStyle = text;
    brush.fillRect(0, 0, 1, 1);
    return [...brush.getImageData(0, 0, 1, 1).data];
  });
  const image = brush.createImageData(columns, rows);
  for (let row = 0; row < rows; ++row)
    for (let column = 0; column < columns; ++column)
      image.data.set(values[overview[row * ranksPerRow * columns + column]], 4 * (row * columns + column));
  brush.putImageData(image, 0, 0);
  overviewPicture = {picture, colours: colours.join()};
  return picture;
}

function drawRanksOverview(colours) {
  const [from, to] = visible.domain(), step = data.end_ps / columns;
  const first = Math.max(0, Math.floor(from / step)), last = Math.min(columns, Math.ceil(to / step));
  if (last <= first) return;
  context.imageSmoothingEnabled = false;
  const left = visible(first * step);
  context.drawImage(pictureOfOverview(colours), first, 0, last - first, rows, left, axisHeight, visible(last * step) - left, rows * rankHeight);
}

function drawCalls(colours) {
  const [from, to] = visible.domain(), inner = rankHeight - (rankHeight > 6 ? 2 : 0);
  for (let rank = 0; rank < data.ranks; rank += ranksPerRow) {
    const top = rowTop(rank);
    context.fillStyle = colours[0];
    const end = visible(data.per_rank[rank].end_ps);
    context.fillRect(visible(0), top, Math.max(0, end - visible(0)), inner);
    let drawnTo = -1;
    for (let i = callAt(rank, from); i < calls.first[rank + 1] && calls.begin[i] < to; ++i) {
      const left = visible(calls.begin[i]), right = visible(calls.end[i]);
      if (right < drawnTo) continue;  // it would lie on a pixel that has been drawn
      const isWanted = wanted === '' || data.names[calls.name[i]].name === wanted;
      context.globalAlpha = isWanted ? 1 : 0.15;
      context.fillStyle = colours[data.names[calls.name[i]].kind];
      context.fillRect(left, top, Math.max(0.6, right - left), inner);
      if (rankHeight > 14 && right - left > 70 && isWanted) {
        context.fillStyle = colour('back');
        context.fillText(data.names[calls.name[i]].name, Math.max(left, gutter) + 4, top + inner / 2, right - left - 8);
      }
      drawnTo = Math.max(drawnTo, Math.floor(right) + 0.999 * (right - left < 1));
    }
  }
  context.globalAlpha = 1;
}

function drawMessages() {
  const [from, to] = visible.domain(), shown = [];
  for (let i = messageAt(from - longestMessage); i < messages.sent.length && messages.sent[i] < to; ++i) {
    if (messages.received[i] < from) continue;
    shown.push(i);
    if (shown.length > mostArrows) return;  // they would only darken the picture
  }
  context.strokeStyle = colour('message');
  context.lineWidth = 1;
  context.beginPath();
  for (const i of shown) {
    context.moveTo(visible(messages.sent[i]), middleOf(messages.from[i]));
    context.lineTo(visible(messages.received[i]), middleOf(messages.to[i]));
  }
  context.globalAlpha = Math.max(0.15, Math.min(1, 200 / shown.length));
  context.stroke();
  context.globalAlpha = 1;
}

/** The first step of the critical path that ends behind a time. */
function pathAt(ps) {
  let low = 0, high = path.end.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (path.end[middle] <= ps) low = middle + 1; else high = middle;
  }
  return low;
}
function drawPath() {
  const [from, to] = visible.domain();
  context.strokeStyle = colour('path');
  context.lineWidth = 3;
  context.lineJoin = 'round';
  context.beginPath();
  let x = NaN, y = NaN;
  for (let i = pathAt(from); i < path.end.length && path.begin[i] < to; ++i) {
    const right = visible(path.end[i]), bottom = middleOf(path.to[i]);
    if (right - x < 0.3 && bottom === y) continue;  // it would lie on a pixel that has been drawn
    context.moveTo(visible(path.begin[i]), middleOf(path.from[i]));
    context.lineTo(right, bottom);
    x = right;
    y = bottom;
  }
  context.stroke();
}

function drawChosen() {
  if (chosen === null) return;
  context.strokeStyle = colour('chosen');
  context.lineWidth = 2;
  if (chosen.message !== undefined) {
    const i = chosen.message;
    context.beginPath();
    context.moveTo(visible(messages.sent[i]), middleOf(messages.from[i]));
    context.lineTo(visible(messages.received[i]), middleOf(messages.to[i]));
    context.stroke();
  } else {
    const left = visible(calls.begin[chosen.call]);
    context.strokeRect(left, rowTop(chosen.rank), Math.max(2, visible(calls.end[chosen.call]) - left), Math.max(2, rankHeight - 2));
  }
}

function drawAxis() {
  context.fillStyle = colour('back');
  context.fillRect(0, 0, width, axisHeight);
  context.fillRect(0, 0, gutter - 2, canvas.height);
  context.fillStyle = context.strokeStyle = colour('dim');
  context.lineWidth = 1;
  context.textAlign = 'center';
  const [from, to] = visible.domain(), unit = to - from >= 1e12 ? 1e12 : to - from >= 1e9 ? 1e9 : to - from >= 1e6 ? 1e6 : 1e3;
  const name = {1e12: 's', 1e9: 'ms', 1e6: 'us', 1e3: 'ns'}[unit];
  for (const tick of d3.scaleLinear().domain([from / unit, to / unit]).range(visible.range()).ticks(Math.max(2, width / 130))) {
    const x = visible(tick * unit);
    context.fillText(`${+tick.toPrecision(10)} ${name}`, Math.min(x, width - 30), 9);
    context.fillRect(x, 17, 1, 5);
  }
  context.textAlign = 'right';
  const every = Math.max(1, Math.ceil(14 / rankHeight));
  for (let row = 0; row < rows; row += every) context.fillText(`rank ${row * ranksPerRow}`, gutter - 8, rowTop(row * ranksPerRow) + rankHeight / 2);
  context.textAlign = 'left';
}

/** @returns how many calls lie in what is visible, at most about `most` */
function visibleCalls(most) {
  const [from, to] = visible.domain();
  let sum = 0;
  for (let rank = 0; rank < data.ranks && sum <= most; rank += ranksPerRow)
    sum += Math.min(callAt(rank, to) + 1, calls.first[rank + 1]) - callAt(rank, from);
  return sum;
}

function draw() {
  asked = false;
  context.font = '12px system-ui, sans-serif';
  context.textBaseline = 'middle';
  context.fillStyle = colour('back');
  context.fillRect(0, 0, width, canvas.height);
  const colours = data.kinds.map(colour);
  const detailed = calls && visibleCalls(mostDrawn) <= mostDrawn;
  if (detailed) drawCalls(colours); else drawRanksOverview(colours);
  if (messages) drawMessages();
  if (path && d3.select('#showpath').property('checked')) drawPath();
  drawChosen();
  drawAxis();
  const [from, to] = visible.domain();
  d3.select('#window').text(`${timeText(Math.max(0, from))} to ${timeText(to)}` +
    (detailed ? '' : calls ? '; what takes most of the time at each place' : '; no calls are kept: --events holds more'));
  box.dataset.drawn = detailed ? 'calls' : 'overview';
  if (links) drawLinks();
}
function redraw() {
  if (asked) return;
  asked = true;
  requestAnimationFrame(draw);
}

const zoom = d3.zoom().scaleExtent([1, 1e9])
  .filter(() => !d3.event.button)
  .on('zoom', () => { visible = d3.event.transform.rescaleX(time); redraw(); });
d3.select(canvas).call(zoom).on('dblclick.zoom', null);

// --- Links over time, under the same axis as the ranks ---

const linkCanvas = document.querySelector('#links canvas'), linkBrush = linkCanvas.getContext('2d');
const linkHeight = links ? Math.max(3, Math.min(16, Math.floor(300 / data.links.names.length))) : 0;
let linkPicture = null;
function valueOfLinks() { return links[d3.select('#linkvalue').property('value')]; }
/** A pixel for each window and link, made anew for other colours and values. */
function pictureOfLinks() {
  const ends = [colour('panel'), colour('busy')], values = valueOfLinks();
  if (linkPicture !== null && linkPicture.ends === ends.join() && linkPicture.values === values) return linkPicture.picture;
  const picture = document.createElement('canvas'), brush = picture.getContext('2d'), count = data.links.windows;
  const shades = d3.range(256).map(value => d3.rgb(d3.interpolateRgb(...ends)(Math.sqrt(value / 255))));
  picture.width = count;
  picture.height = data.links.names.length;
  const image = brush.createImageData(count, picture.height);
  for (let i = 0; i < values.length; ++i) image.data.set([shades[values[i]].r, shades[values[i]].g, shades[values[i]].b, 255], 4 * i);
  brush.putImageData(image, 0, 0);
  linkPicture = {picture, ends: ends.join(), values};
  return picture;
}
function drawLinks() {
  const ratio = window.devicePixelRatio || 1, height = data.links.names.length * linkHeight;
  linkCanvas.width = width * ratio;
  linkCanvas.height = height * ratio;
  linkCanvas.style.width = `${width}px`;
  linkCanvas.style.height = `${height}px`;
  linkBrush.setTransform(ratio, 0, 0, ratio, 0, 0);
  linkBrush.fillStyle = colour('back');
  linkBrush.fillRect(0, 0, width, height);
  linkBrush.imageSmoothingEnabled = false;
  const {windows, window_ps: length, end_ps: end} = data.links, picture = pictureOfLinks();
  const put = (first, last, from, to) => linkBrush.drawImage(picture, first, 0, last - first, picture.height, visible(from), 0, visible(to) - visible(from), height);
  const [from, to] = visible.domain(), whole = windows - 1;  // the last one may be shorter
  const first = Math.max(0, Math.floor(from / length)), last = Math.min(whole, Math.ceil(to / length));
  if (last > first) put(first, last, first * length, last * length);
  if (to > whole * length) put(whole, windows, whole * length, end);
  linkBrush.fillStyle = colour('back');
  linkBrush.fillRect(0, 0, gutter - 2, height);
  linkBrush.fillStyle = colour('dim');
  linkBrush.font = '10px system-ui, sans-serif';
  linkBrush.textBaseline = 'middle';
  linkBrush.textAlign = 'right';
  const every = Math.max(1, Math.ceil(12 / linkHeight));
  const short = name => name.replace(/switch /g, 's').replace(/host /g, 'h').replace(/ port \d+/g, '').replace(' to ', ' > ');
  data.links.names.forEach((name, i) => { if (i % every === 0) linkBrush.fillText(short(name), gutter - 6, (i + 0.5) * linkHeight); });
}
function tellLink(x, y) {
  const link = Math.floor(y / linkHeight), ps = visible.invert(x), at = Math.min(data.links.windows - 1, Math.floor(ps / data.links.window_ps));
  if (link < 0 || link >= data.links.names.length || ps < 0 || ps > data.links.end_ps) return;
  const begin = at * data.links.window_ps, place = link * data.links.windows + at, share = values => percent(values[place] / 255);
  d3.select('#linkfacts').text(`${data.links.names[link]}: busy ${share(links.busy)}` +
    (links.stopped ? `, stopped ${share(links.stopped)}` : '') +
    ` from ${timeText(begin)} to ${timeText(Math.min(data.links.end_ps, begin + data.links.window_ps))}; ${percent(data.links.utilisation[link])} of the whole run`);
}
if (links) {
  d3.select('#network').attr('hidden', null);
  if (links.stopped) d3.select('#linkvalue').append('option').attr('value', 'stopped').text('stopped by the receiver');
  d3.select('#linkvalue').on('change', () => redraw());
  d3.select('#linkfacts').text(`${data.links.names.length} of ${data.links.count} links, the busiest first, each direction by itself, in windows of ` +
    `${timeText(data.links.window_ps)}. The axis is the timeline's; point at a window to read it.`);
  d3.select(linkCanvas).on('mousemove click', function () { tellLink(...d3.mouse(this)); });
}

function tellCall(rank, i) {
  chosen = {rank, call: i};
  const name = data.names[calls.name[i]];
  tell(name.name, [['rank', rank], ['begins', exactTime(calls.begin[i])], ['ends', exactTime(calls.end[i])],
    ['takes', exactTime(calls.end[i] - calls.begin[i])], ['bytes', bytesText(calls.bytes[i])],
    ['computing before it', exactTime(calls.begin[i] - (i > calls.first[rank] ? calls.end[i - 1] : 0))]]);
  redraw();
}
function tellMessage(i) {
  chosen = {message: i};
  const sent = messages.sent[i], received = messages.received[i], entries =
    [['from', `rank ${messages.from[i]}`], ['to', `rank ${messages.to[i]}`], ['tag', messages.tag[i]],
     ['bytes', bytesText(messages.bytes[i])], ['sending begins', exactTime(sent)], ['receive is complete', exactTime(received)],
     ['under way', exactTime(received - sent)]];
  if (calls) {
    const sending = callAt(messages.from[i], sent), receiving = callAt(messages.to[i], received - 1);
    if (sending < calls.first[messages.from[i] + 1] && calls.begin[sending] <= sent)
      entries.push(['sent in', `${data.names[calls.name[sending]].name}, until ${exactTime(calls.end[sending])}`]);
    if (receiving < calls.first[messages.to[i] + 1] && calls.begin[receiving] < received) {
      entries.push(['received in', `${data.names[calls.name[receiving]].name}, since ${exactTime(calls.begin[receiving])}`]);
      const early = calls.begin[receiving] < sent;
      entries.push([early ? 'receiver waited before it was sent' : 'it was sent before the receiver called',
        exactTime(Math.abs(sent - calls.begin[receiving]))]);
    }
  }
  tell('message', entries);
  redraw();
}

/** @returns the message whose arrow passes within some pixels; -1 */
function messageNear(x, y) {
  const [from, to] = visible.domain();
  let best = -1, least = 5, seen = 0;
  for (let i = messageAt(from - longestMessage); i < messages.sent.length && messages.sent[i] < to && seen <= mostArrows; ++i) {
    if (messages.received[i] < from) continue;
    ++seen;
    const x1 = visible(messages.sent[i]), y1 = middleOf(messages.from[i]);
    const dx = visible(messages.received[i]) - x1, dy = middleOf(messages.to[i]) - y1;
    const along = Math.max(0, Math.min(1, ((x - x1) * dx + (y - y1) * dy) / (dx * dx + dy * dy || 1)));
    const distance = Math.hypot(x - x1 - along * dx, y - y1 - along * dy);
    if (distance < least) { least = distance; best = i; }
  }
  return seen > mostArrows ? -1 : best;
}

d3.select(canvas).on('click', function () {
  if (d3.event.defaultPrevented) return;
  const [x, y] = d3.mouse(this);
  const near = messages ? messageNear(x, y) : -1;
  if (near >= 0) { tellMessage(near); return; }
  const rank = Math.floor((y - axisHeight) / rankHeight) * ranksPerRow;
  if (!calls || rank < 0 || rank >= data.ranks) return;
  const ps = visible.invert(x), i = callAt(rank, ps);
  if (i < calls.first[rank + 1] && calls.begin[i] <= ps) { tellCall(rank, i); return; }
  chosen = null;
  const since = i > calls.first[rank] ? calls.end[i - 1] : 0;
  const until = i < calls.first[rank + 1] ? calls.begin[i] : data.per_rank[rank].end_ps;
  if (ps < until) tell('computing', [['rank', rank], ['begins', exactTime(since)], ['ends', exactTime(until)], ['takes', exactTime(until - since)]]);
  redraw();
});

/** Brings a time into the middle if it can't be seen. */
function show(ps) {
  const [from, to] = visible.domain();
  if (ps < from || ps > to) d3.select(canvas).call(zoom.translateTo, time(ps), 0);
}
function step(by) {
  if (!calls) return;
  const rank = chosen && chosen.rank !== undefined ? chosen.rank : 0;
  const i = chosen && chosen.rank !== undefined ? chosen.call + by : callAt(rank, Math.max(0, visible.domain()[0]));
  if (i < calls.first[rank] || i >= calls.first[rank + 1]) return;
  show(calls.begin[i]);
  tellCall(rank, i);
}
function scaleBy(factor) { d3.select(canvas).call(zoom.scaleBy, factor); }
function moveBy(share) { d3.select(canvas).call(zoom.translateBy, -share * (width - gutter) / d3.zoomTransform(canvas).k, 0); }
function showAll() { d3.select(canvas).call(zoom.transform, d3.zoomIdentity); }
const keys = {
  ArrowLeft: () => moveBy(-0.2), ArrowRight: () => moveBy(0.2), '+': () => scaleBy(1.6), '=': () => scaleBy(1.6),
  '-': () => scaleBy(1 / 1.6), Home: showAll, n: () => step(1), p: () => step(-1),
};
box.addEventListener('keydown', event => {
  const action = event.ctrlKey || event.metaKey || event.altKey ? undefined : keys[event.key];
  if (action === undefined) return;
  action();
  event.preventDefault();
});
d3.select('#in').on('click', () => scaleBy(1.6));
d3.select('#out').on('click', () => scaleBy(1 / 1.6));
d3.select('#whole').on('click', showAll);
d3.select('#call').selectAll('option.name').data(data.totals.map(one => one.name).sort()).enter().append('option')
  .attr('class', 'name').attr('value', name => name).text(name => name);
d3.select('#call').on('change', function () { wanted = this.value; redraw(); });
d3.select('#rank').attr('max', data.ranks - 1).on('change', function () {
  const rank = Math.max(0, Math.min(data.ranks - 1, +this.value));
  box.scrollTop = rowTop(rank) - box.clientHeight / 2;
  if (calls && calls.first[rank] < calls.first[rank + 1])
    tellCall(rank, Math.min(callAt(rank, Math.max(0, visible.domain()[0])), calls.first[rank + 1] - 1));
});

d3.select('#showpath').on('change', redraw);

window.addEventListener('resize', resize);
for (const query of ['(prefers-color-scheme: dark)', 'print'])
  window.matchMedia(query).addEventListener('change', () => { drawMatrix(); redraw(); });
drawMatrix();
resize();
