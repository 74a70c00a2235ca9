// What every page needs: numbers out of its data, texts for people, tables.
'use strict';

const data = JSON.parse(document.getElementById('data').textContent);

/** @returns the numbers of a base64 text; Type is a typed array. */
function numbers(text, Type) {
  const raw = atob(text);
  const bytes = new Uint8Array(raw.length);
  for (let i = 0; i < raw.length; ++i) bytes[i] = raw.charCodeAt(i);
  return new Type(bytes.buffer);
}

/** @param digits  significant ones; four are a summary's, more tell two ends of a short span apart */
function timeText(ps, digits = 4) {
  if (ps === 0) return '0 s';
  const units = [[1e12, 's'], [1e9, 'ms'], [1e6, 'us'], [1e3, 'ns']];
  for (const [size, unit] of units) if (Math.abs(ps) >= size) return `${+(ps / size).toPrecision(digits)} ${unit}`;
  return `${+ps.toPrecision(digits)} ps`;
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
/** As summaries write sizes that a user has chosen: exact, in powers of 1000 where that is shorter. */
function sizeText(bytes) {
  const inUnits = (step, units) => {
    let count = bytes, unit = 0;
    while (count > 0 && count % step === 0 && unit < units.length - 1) { count /= step; ++unit; }
    return `${count} ${units[unit]}`;
  };
  const binary = inUnits(1024, ['B', 'KiB', 'MiB', 'GiB', 'TiB']), decimal = inUnits(1000, ['B', 'kB', 'MB', 'GB', 'TB']);
  return decimal.length < binary.length ? decimal : binary;
}
/** The number of a run's rank as summaries and traces have it: where services come before the program's, these are counted. */
function rankNumber(run, rank) { return rank + (run.first_rank || 0); }
function percent(share) { return `${(100 * share).toFixed(1)} %`; }
function colour(name) { return getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim(); }

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

/** Text in which no line ends within the name of an option. */
function addText(place, text) {
  for (const part of text.split(/(--[a-z][a-z-]*)/))
    place.append('span').attr('class', part.startsWith('--') ? 'option' : null).text(part);
}

function fillTable(table, heading, rows) {
  table.append('thead').append('tr').selectAll('th').data(heading).enter().append('th').text(text => text);
  table.append('tbody').selectAll('tr').data(rows).enter().append('tr')
    .selectAll('td').data(row => row).enter().append('td').attr('data-name', (text, i) => heading[i]).text(text => text);
  table.classed('many', heading.length > 5 || heading.join('').length > 60);
}

/** The colours of a timeline's kinds of calls, as the style sheet names them. "waiting" is calls, not time spent for others: other calls wait, too. */
function fillLegend(kinds) {
  d3.select('#legend').selectAll('span').data(kinds).enter().append('span').each(function (kind) {
    d3.select(this).append('i').style('background', `var(--${kind})`);
    d3.select(this).append('b').style('font-weight', 'normal').text(kind === 'waiting' ? 'waits, tests and probes' : kind.replace(/-/g, ' '));
  });
}

/** Calls back when the page changes its size or its colours. */
function whenLooksChange(resized, recoloured) {
  window.addEventListener('resize', resized);
  for (const query of ['(prefers-color-scheme: dark)', 'print'])
    window.matchMedia(query).addEventListener('change', recoloured);
}
