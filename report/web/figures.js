// Bars, curves, maps, boxes and tables of pages that lay things side by side (report/chart_page.h).

/** The colour of a part or a curve: parts that timelines know, too, have the colour that they have there. */
const namedColours = {
  computing: 'computing', compute: 'computing', 'computing alone': 'computing', 'exposed communication': 'point-to-point', communication: 'point-to-point', 'in calls': 'point-to-point',
  host: 'host', protocol: 'protocol', network: 'network', retransmission: 'bad', waiting: 'waiting',
};
function colourOf(name, i) { return `var(--${namedColours[name] || `series-${i % 8}`})`; }
function lengthOf(text, size = 12) { return text.length * size * 0.58; }
function startSvg(place, width, height, what) {
  return place.append('svg').attr('width', width).attr('height', height).attr('viewBox', `0 0 ${width} ${height}`)
    .attr('role', 'img').attr('aria-label', what);
}
/** Colours with their names. */
function addKey(place, names) {
  const key = place.append('p').attr('class', 'legend');
  key.selectAll('span').data(names).enter().append('span').each(function (name, i) {
    d3.select(this).append('i').style('background', colourOf(name, i));
    d3.select(this).append('b').style('font-weight', 'normal').text(name);
  });
}
/** A choice among words; `changed` is told each. */
function addChoice(place, label, values, value, changed) {
  const select = place.append('label').text(`${label} `).append('select');
  select.selectAll('option').data(values).enter().append('option').attr('value', one => one).text(one => one);
  select.property('value', value).on('change', function () { changed(this.value); });
}

// --- Bars ---

const farApart = 50;  // longest to shortest bar: from here on the short ones would vanish

/**
 * Where an axis is broken so that short bars can be seen beside long ones: groups of lengths, each with the
 * stretch of the axis [from, to] that is drawn for it. The first begins at 0.
 */
function brokenAxis(lengths) {
  const groups = [[...lengths].filter(one => one > 0).sort(d3.ascending)], mostGroups = 4, within = 20;
  const ratioOf = group => group[group.length - 1] / group[0];
  while (groups.length < mostGroups) {
    const at = groups.findIndex(group => ratioOf(group) >= within);
    if (at < 0) break;
    const group = groups[at], cut = d3.scan(d3.range(1, group.length), (a, b) => group[b] / group[b - 1] - group[a] / group[a - 1]) + 1;
    groups.splice(at, 1, group.slice(0, cut), group.slice(cut));
  }
  let before = 0;
  return groups.map((group, i) => {
    const least = group[0], most = group[group.length - 1];
    const from = i === 0 ? 0 : Math.max((before + least) / 2, least - Math.max(0.35 * (most - least), 0.06 * least));
    before = most + 0.1 * (most - from);
    return [from, before];
  });
}

/** A scale from the stretches to pixels, with gaps between them. */
function scaleOfStretches(stretches, left, right) {
  const gap = 16, weights = stretches.map((one, i) => i === 0 && stretches.length > 1 ? 1.4 : 1);
  const room = right - left - gap * (stretches.length - 1), all = d3.sum(weights), range = [];
  let x = left;
  stretches.forEach((one, i) => {
    range.push(x, x + room * weights[i] / all);
    x = range[range.length - 1] + gap;
  });
  return d3.scaleLinear().domain([].concat(...stretches)).range(range);
}

function drawBars(place, figure) {
  const totals = figure.seconds.map(parts => d3.sum(parts)), longest = d3.max(totals) || 1;
  const shortest = d3.min(totals.filter(one => one > 0)) || longest, far = longest >= farApart * shortest;
  const ways = far ? ['broken', 'logarithmic', 'linear', 'shares'] : ['linear', 'shares'];
  if (!ways.includes(figure.way)) figure.way = ways[0];
  addChoice(place.append('form').attr('class', 'tools'), 'axis', ways, figure.way, way => {
    figure.way = way;
    place.html('');
    drawBars(place, figure);
  });
  addKey(place, figure.parts);
  const width = Math.max(260, place.node().clientWidth), apart = figure.way === 'logarithmic', shares = figure.way === 'shares';
  const barHeight = apart ? 7 * figure.parts.length : 20, rowHeight = barHeight + 28, top = 4, bottom = 26;
  const height = top + rowHeight * totals.length + bottom, foot = height - bottom;
  const stretches = figure.way === 'broken' ? brokenAxis(totals) : [[0, shares ? 1 : longest * 1.02]];
  const least = d3.min(figure.seconds, parts => d3.min(parts.filter(one => one > 0))) || longest;
  const x = apart ? d3.scaleLog().domain([least / 2, longest * 1.2]).range([1, width - 10]) : scaleOfStretches(stretches, 1, width - 10);
  const svg = startSvg(place, width, height, figure.title || 'bars'), text = seconds => seconds === 0 ? '0' : timeText(seconds * 1e12);
  const ticks = apart ? x.ticks(Math.max(2, width / 200)).filter(one => Math.abs(Math.log10(one) - Math.round(Math.log10(one))) < 1e-9) :
    [].concat(...stretches.map((one, i) => d3.scaleLinear().domain(one).ticks(Math.max(2, (x.range()[2 * i + 1] - x.range()[2 * i]) / 110))));
  for (const tick of ticks) {
    svg.append('line').attr('class', 'grid').attr('x1', x(tick)).attr('x2', x(tick)).attr('y1', top).attr('y2', foot);
    svg.append('text').attr('class', 'dim').attr('x', Math.min(x(tick), width - 24)).attr('y', foot + 16)
      .attr('text-anchor', tick === 0 ? 'start' : 'middle').text(shares ? percent(tick) : text(tick));
  }
  figure.categories.forEach((name, row) => {
    const y = top + row * rowHeight, parts = figure.seconds[row];
    const heading = svg.append('text').attr('x', 1).attr('y', y + 15);
    heading.append('tspan').attr('class', 'strong').text(name);
    heading.append('tspan').attr('class', 'dim').text(`  ${text(totals[row])}${figure.notes[row] ? `  (${figure.notes[row]})` : ''}`);
    let sum = 0;
    parts.forEach((seconds, i) => {
      if (!(seconds > 0)) return;
      const from = apart ? x.range()[0] : x(shares ? sum / totals[row] : sum);
      sum += seconds;
      const to = x(apart ? seconds : shares ? Math.min(1, sum / totals[row]) : sum);
      const place1 = apart ? y + 20 + 7 * i : y + 20, high = apart ? 6 : barHeight;
      svg.append('rect').attr('x', from).attr('y', place1).attr('width', Math.max(0.5, to - from)).attr('height', high)
        .style('fill', colourOf(figure.parts[i], i))
        .append('title').text(`${name}, ${figure.parts[i]}: ${text(seconds)}, ${percent(seconds / totals[row])}`);
      const label = shares ? percent(seconds / totals[row]) : text(seconds);
      if (!apart && to - from > lengthOf(label, 11) + 6)
        svg.append('text').attr('class', `onbar ${namedColours[figure.parts[i]] === 'computing' ? 'pale' : ''}`).attr('x', from + 4).attr('y', y + 34).text(label);
    });
    // What goes on beyond a break is cut by a strip.
    for (let i = 0; i + 1 < stretches.length && figure.way === 'broken'; ++i)
      if (totals[row] > stretches[i][1]) addBreak(svg, x.range()[2 * i + 1], y + 17, barHeight + 6);
  });
  for (let i = 0; i + 1 < stretches.length; ++i) addBreak(svg, x.range()[2 * i + 1], foot - 4, 10);
}
/** A slanted strip over the 16 pixels of a gap. */
function addBreak(svg, x, y, height) {
  svg.append('path').attr('class', 'break').attr('d', `M${x + 4},${y + height} L${x + 8},${y} h6 l-4,${height} z`);
}

// --- Curves ---

function marginOf(figure) {
  return {left: 64, right: 26, top: 10, bottom: figure.places.length > 0 ? 24 + Math.min(90, d3.max(figure.places, one => lengthOf(one)) * 0.5) : 44};
}
function drawCurves(place, figure) {
  const all = [].concat(...figure.curves.map(curve => curve.points));
  if (all.length === 0) { place.append('p').attr('class', 'dim').text('nothing was measured'); return; }
  const mayBeLogarithmic = all.every(point => point[1] > 0);
  if (figure.log === undefined) figure.log = figure.logarithmic_y;
  if (mayBeLogarithmic)
    addChoice(place.append('form').attr('class', 'tools'), 'axis', ['linear', 'logarithmic'], figure.log ? 'logarithmic' : 'linear', way => {
      figure.log = way === 'logarithmic';
      place.html('');
      drawCurves(place, figure);
    });
  if (figure.curves.length > 1) addKey(place, figure.curves.map(curve => curve.name));
  const width = Math.max(260, Math.min(900, place.node().clientWidth)), height = Math.max(280, Math.min(440, width * 0.55));
  const margin = marginOf(figure), words = figure.places.length > 0;
  const xs = d3.extent(all, point => point[0]), high = d3.max(all, point => point[1] + point[2]);
  const x = (words ? d3.scaleLinear().domain([-0.5, figure.places.length - 0.5]) : (figure.logarithmic_x ? d3.scaleLog() : d3.scaleLinear())
    .domain(xs[0] === xs[1] ? (figure.logarithmic_x ? [xs[0] / 2, xs[0] * 2] : [xs[0] - 1, xs[0] + 1]) : xs)).range([margin.left + 6, width - margin.right]);
  const log = figure.log && mayBeLogarithmic;
  const low = d3.min(all, point => point[1]), base = high < 100 * low ? 2 : 10;  // two powers of ten are too few marks
  const y = (log ? d3.scaleLog().base(base).domain([low / 1.3, high * 1.3]) :
    d3.scaleLinear().domain([Math.min(0, low), high * 1.05 || 1]).nice()).range([height - margin.bottom, margin.top]);
  const svg = startSvg(place, width, height, figure.title || figure.y_name);
  const places = [...new Set(all.map(point => point[0]))].sort(d3.ascending);
  const numberOf = one => figure.x_is_size ? sizeText(one) : d3.format(Number.isInteger(one) ? ',' : ',.3~r')(one);
  const measuredAt = places.length <= 16;  // of more, most would have no number
  const numbered = placesWithRoom(places, x, figure.x_is_size ? 55 : 45);
  const bottomAxis = words ? d3.axisBottom(x).tickValues(d3.range(figure.places.length)).tickFormat(i => figure.places[i]) :
    measuredAt ? d3.axisBottom(x).tickValues(places).tickFormat(one => numbered.has(one) ? numberOf(one) : '') :
    d3.axisBottom(x).ticks(Math.max(2, width / 110), figure.logarithmic_x ? '~g' : undefined);
  const axisGroup = svg.append('g').attr('transform', `translate(0,${height - margin.bottom})`).call(bottomAxis);
  if (words && figure.places.length * (d3.max(figure.places, one => lengthOf(one)) + 8) > width - margin.left)
    axisGroup.selectAll('text').attr('transform', 'rotate(-28)').attr('text-anchor', 'end').style('text-anchor', 'end');
  svg.append('g').attr('transform', `translate(${margin.left},0)`).call(d3.axisLeft(y).ticks(log && base === 10 ? 4 : 6, log ? '~g' : undefined));
  svg.append('text').attr('class', 'dim').attr('x', (margin.left + width) / 2).attr('y', height - 4).attr('text-anchor', 'middle').text(figure.x_name);
  svg.append('text').attr('class', 'dim').attr('transform', `translate(13,${(height - margin.bottom) / 2}) rotate(-90)`).attr('text-anchor', 'middle').text(figure.y_name);
  figure.curves.forEach((curve, i) => drawCurve(svg, figure, curve, colourOf(curve.name, i), x, y, log));
}
/** Of places in order, those whose numbers would not touch each other; the first and the last always. */
function placesWithRoom(places, x, least) {
  const chosen = new Set(), last = places[places.length - 1];
  let before = -Infinity;
  for (const place of places) {
    if (place !== last && (x(place) - before < least || (chosen.size > 0 && x(last) - x(place) < least))) continue;
    chosen.add(place);
    before = x(place);
  }
  return chosen;
}
function drawCurve(svg, figure, curve, paint, x, y, log) {
  const words = figure.places.length > 0, floor = y.domain()[0];
  if (curve.style !== 'marks' && !words)
    svg.append('path').attr('class', curve.style === 'line' ? 'curve computed' : 'curve').style('stroke', paint)
      .attr('d', d3.line().x(point => x(point[0])).y(point => y(point[1]))(curve.points));
  for (const [at, value, radius] of curve.points) {
    if (radius > 0)
      svg.append('line').attr('class', 'interval').style('stroke', paint).attr('x1', x(at)).attr('x2', x(at))
        .attr('y1', y(value + radius)).attr('y2', y(log ? Math.max(floor, value - radius) : value - radius));
    if (curve.style === 'line') continue;
    svg.append('circle').attr('r', 4).style('fill', paint).attr('cx', x(at)).attr('cy', y(value)).append('title')
      .text(`${curve.name ? `${curve.name}: ` : ''}${figure.x_name} ${words ? figure.places[at] : figure.x_is_size ? sizeText(at) : +at.toPrecision(6)}, ` +
        `${figure.y_name} ${+value.toPrecision(6)}${radius > 0 ? ` +- ${+radius.toPrecision(2)}` : ''}`);
  }
}

// --- Networks ---

function drawMap(place, figure) {
  const points = [...figure.places.map(one => one.at), ...figure.hosts.map(one => one.at), ...[].concat(...figure.lines.map(one => one.points))];
  if (points.length === 0) return;
  const [left, right] = d3.extent(points, one => one[0]), [low, top] = d3.extent(points, one => one[1]);
  const width = Math.max(260, Math.min(900, place.node().clientWidth)), margin = 30;
  const scale = Math.min(110, (width - 2 * margin) / Math.max(0.5, right - left), 700 / Math.max(0.5, top - low));
  const height = scale * (top - low) + 2 * margin, shift = (width - scale * (right - left)) / 2;
  const x = one => shift + scale * (one[0] - left), y = one => height - margin - scale * (one[1] - low);
  const most = Math.max(figure.darkest, d3.max(figure.lines, line => line.share) || 0);
  const paint = d3.scaleLinear().domain([0, 0.35, 0.7, 1]).range([colour('line'), '#77aadd', '#ee8866', colour('busy')]);
  const svg = startSvg(place, width, height, figure.title || 'the network');
  const line = d3.line().x(x).y(y);
  svg.selectAll('path').data(figure.lines).enter().append('path').attr('class', 'cable').attr('d', one => line(one.points))
    .style('stroke', one => figure.coloured && most > 0 ? paint(one.share / most) : colour('accent'))
    .style('stroke-width', one => one.thin ? 1.5 : 2.5).append('title').text(one => percent(one.share));
  svg.selectAll('circle.host').data(figure.hosts).enter().append('circle').attr('class', 'host').attr('r', Math.max(1.5, 0.04 * scale))
    .attr('cx', one => x(one.at)).attr('cy', one => y(one.at)).append('title').text(one => one.name);
  const radius = Math.max(3, 0.13 * scale), named = radius > 7;
  svg.selectAll('circle.switch').data(figure.places).enter().append('circle').attr('class', 'switch').attr('r', radius)
    .attr('cx', one => x(one.at)).attr('cy', one => y(one.at)).append('title').text(one => one.name);
  if (named)
    svg.selectAll('text.switch').data(figure.places).enter().append('text').attr('class', 'switch').attr('x', one => x(one.at))
      .attr('y', one => y(one.at) + 4).attr('text-anchor', 'middle').text(one => one.name);
  if (named && figure.hosts.length <= 64)
    svg.selectAll('text.host').data(figure.hosts).enter().append('text').attr('class', 'host dim').attr('x', one => x(one.name_at))
      .attr('y', one => y(one.name_at) + 3).attr('text-anchor', 'middle').text(one => one.name);
  if (figure.coloured && most > 0) {
    const key = place.append('p').attr('class', 'scale');
    key.append('span').text('0 %');
    key.append('i').style('background', `linear-gradient(to right, ${[0, 0.35, 0.7, 1].map(paint).join(', ')})`);
    key.append('span').text(`${percent(most)} of the time busy`);
  }
  if (figure.caption) place.append('p').attr('class', 'dim').text(figure.caption);
}

// --- What occupies what when ---

function drawBoxes(place, figure) {
  const width = Math.max(260, place.node().clientWidth), rowHeight = 24, bottom = 44;
  const left = Math.min(0.35 * width, d3.max(figure.rows, one => lengthOf(one)) + 10), height = 6 + rowHeight * figure.rows.length + bottom;
  const x = d3.scaleLinear().domain([0, d3.max(figure.boxes, one => one.end) || 1]).range([left, width - 12]);
  const svg = startSvg(place, width, height, figure.title || 'boxes');
  svg.append('g').attr('transform', `translate(0,${height - bottom})`).call(d3.axisBottom(x).ticks(Math.max(2, width / 110)));
  svg.append('text').attr('class', 'dim').attr('x', (left + width) / 2).attr('y', height - 6).attr('text-anchor', 'middle').text(figure.time_name);
  figure.rows.forEach((name, row) => svg.append('text').attr('x', left - 8).attr('y', 6 + rowHeight * row + 16).attr('text-anchor', 'end').text(name));
  for (const box of figure.boxes) {
    const wide = x(box.end) - x(box.begin);
    svg.append('rect').attr('x', x(box.begin)).attr('y', 8 + rowHeight * box.row).attr('width', Math.max(0.5, wide - 0.5)).attr('height', rowHeight - 4)
      .style('fill', `var(--series-${box.colour % 8})`).append('title').text(`${figure.rows[box.row]}${box.label ? `, ${box.label}` : ''}: ${+box.begin.toPrecision(6)} to ${+box.end.toPrecision(6)}`);
    if (box.label && wide > lengthOf(box.label) + 4)
      svg.append('text').attr('class', 'onbar').attr('x', x(box.begin) + wide / 2).attr('y', 6 + rowHeight * box.row + 16).attr('text-anchor', 'middle').text(box.label);
  }
}

function drawTable(place, figure) {
  const table = place.append('div').attr('class', 'wide').append('table');
  fillTable(table, figure.heading, figure.rows);
  table.selectAll('tbody tr').attr('class', (row, i) => figure.tones[i] || null);
  if (figure.wide.length > 1) table.classed('many', true);  // columns of words take the room of several
  for (const column of figure.wide)
    table.selectAll('tr').selectAll('th, td').filter((text, i) => i === column).attr('class', 'words');
}

const drawers = {bars: drawBars, curves: drawCurves, map: drawMap, boxes: drawBoxes, table: drawTable};
