// The page of a comparison, a sweep, an experiment or loads: sections of figures, and runs over one axis of time
// (report/chart_page.h says what the data are).

document.title = data.title;
d3.select('#title').text(data.title);
addText(d3.select('#answer'), data.answer);
d3.select('#facts').selectAll('p').data(data.facts).enter().append('p').each(function (text) { addText(d3.select(this), text); });
d3.select('#notices').selectAll('li').data(data.notices).enter().append('li').each(function (text) { addText(d3.select(this), text); });

const places = [];  // of figures: {element, figure}, drawn again for another size or other colours

function drawPlace(place) {
  const element = d3.select(place.element).html('');
  if (place.figure.title) element.append('p').attr('class', 'figuretitle').text(place.figure.title);
  drawers[place.figure.kind](element.append('div'), place.figure);
}

for (const section of data.sections) {
  const part = d3.select('#sections').append('section');
  part.append('h2').text(section.heading);
  if (section.text) addText(part.append('p').attr('class', 'dim'), section.text);
  const place = {figure: section.figures[0]};
  if (section.figures.length > 1) {
    const tools = part.append('form').attr('class', 'tools');
    addChoice(tools, 'show', section.figures.map(one => one.name), section.figures[0].name, name => {
      place.figure = section.figures.find(one => one.name === name);
      drawPlace(place);
    });
  }
  place.element = part.append('div').attr('class', 'figure').node();
  if (place.figure) places.push(place);
}

const mostAtFirst = 4;  // timelines that are shown from the start on; others can be chosen
const axis = new TimeAxis(d3.max(data.runs, run => run.data.end_ps) || 1);
const views = [], linkViews = [];

function addRun({name, data: run}, i) {
  const part = d3.select('#timelines').append('div').attr('class', 'run').attr('hidden', i < mostAtFirst ? null : '');
  const heading = part.append('h3').text(name);
  heading.append('span').attr('class', 'dim').text(`  ${run.ranks} ranks, ends at ${timeText(run.end_ps)}`);
  heading.append('button').attr('type', 'button').attr('title', `the axis from 0 to the end on ${name}`).text('fit')
    .on('click', () => axis.showTo(run.end_ps));
  for (const notice of run.notices) part.append('p').attr('class', 'dim').text(notice);
  const box = part.append('div').attr('class', 'timeline').attr('tabindex', 0).attr('role', 'application')
    .attr('aria-label', `Timeline on ${name}. Arrow keys move, plus and minus zoom, Home shows all of it, n and p go to the next and the previous call of a rank.`);
  box.append('canvas');
  const view = new TimelineView(run, box.node(), axis, Math.max(120, 560 / Math.min(mostAtFirst, data.runs.length)));
  views.push(view);
  if (run.links) {
    const links = part.append('details');
    links.append('summary').text('network over time');
    const linkBox = links.append('div').attr('class', 'links');
    linkBox.append('canvas');
    linkViews.push(new LinkView(run.links, linkBox.node(), links.append('p').attr('class', 'linkfacts').node(), axis));
  }
  const choice = d3.select('#which').append('label');
  choice.append('input').attr('type', 'checkbox').property('checked', i < mostAtFirst).on('change', function () {
    part.attr('hidden', this.checked ? null : '');
    axis.redraw();
  });
  choice.append('span').text(name);
}

if (data.runs.length > 0) {
  d3.select('#runs').attr('hidden', null);
  fillLegend(data.runs[0].data.kinds);
  data.runs.forEach(addRun);
  useTools(views, axis);
  useLinkTools(linkViews, axis);
}

let drawnWidth = 0;
function resize() {
  const width = document.getElementById('sections').clientWidth;
  if (width === drawnWidth) return;  // a height alone changes nothing
  drawnWidth = width;
  for (const place of places) drawPlace(place);
  const shown = views.map(view => view.box.clientWidth).filter(one => one > 0);
  if (views.length > 0) axis.resize(d3.min(shown) || width);
}
whenLooksChange(resize, () => {
  for (const place of places) drawPlace(place);
  axis.redraw();
});
resize();
