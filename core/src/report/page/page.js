'use strict';
(() => {
  const data = JSON.parse(document.getElementById('data').textContent);
  const charts = new Map();  // canvas -> Chart, so that a change of theme can redraw them

  const colour = (name) => getComputedStyle(document.documentElement).getPropertyValue('--' + name).trim();
  const faded = (name, alpha) => {
    const hex = colour(name);
    return `rgba(${[1, 3, 5].map((i) => parseInt(hex.slice(i, i + 2), 16)).join(',')},${alpha})`;
  };

  const units = [[1e9, 's'], [1e6, 'ms'], [1e3, 'µs'], [1, 'ns']];
  function timeText(ns, digits = 4) {
    const [size, name] = units.find(([s]) => ns >= s * 0.99995) || units[3];
    return `${Number((ns / size).toPrecision(digits))} ${name}`;
  }

  // Round values between the ends: evenly spaced on a short axis, some per decade on a longer one, decades on a long one.
  function timeTicks(min, max, most) {
    const ticks = [];
    if (max / min < 2) {
      const raw = (max - min) / most;
      const size = 10 ** Math.floor(Math.log10(raw));
      const step = size * [1, 2, 5, 10].find((m) => m * size >= raw);
      for (let i = Math.ceil(min / step); i * step <= max; i += 1) ticks.push(i * step);
      return ticks;
    }
    const leads = max / min < 6 ? [1, 1.5, 2, 3, 4, 6, 8] : max / min < 10 ** (most / 2.5) ? [1, 2, 5] : [1];
    for (let decade = 10 ** Math.floor(Math.log10(min)); decade <= max; decade *= 10)
      for (const lead of leads) if (lead * decade >= min && lead * decade <= max) ticks.push(lead * decade);
    return ticks;
  }

  function timeAxis(range) {
    return {
      type: 'logarithmic', min: range && range[0], max: range && range[1],
      grid: { color: colour('line'), drawBorder: false },
      afterBuildTicks: (axis) => { axis.ticks = timeTicks(axis.min, axis.max, axis.maxHeight > 220 ? 8 : 5).map((value) => ({ value })); },
      ticks: { color: colour('soft'), autoSkip: false, callback: (value) => timeText(value, 3) },
    };
  }

  function plainAxis(title, extra = {}) {
    return {
      type: 'linear', grid: { display: false, drawBorder: false },
      title: { display: Boolean(title), text: title, color: colour('soft') }, ticks: { color: colour('soft'), precision: 0, includeBounds: false }, ...extra,
    };
  }

  function options(scales, legend, tooltip) {
    return {
      animation: false, responsive: true, maintainAspectRatio: false, scales, clip: 6,
      plugins: {
        legend: { display: legend, align: 'end', labels: { color: colour('ink'), usePointStyle: true, boxHeight: 7, padding: 16 } },
        tooltip: { displayColors: false, callbacks: { title: () => '', label: tooltip } },
      },
    };
  }

  function pointText(point) {
    const known = point.k ? ', known from an earlier run' : '';
    if (point.s === 'rejected') return [`no time: ${point.r || 'rejected'}${known}`, ...lines(point.c)];
    const sign = point.s === 'slower' ? 'stopped early, slower than ' : '';
    return [sign + timeText(point.t) + known, ...lines(point.c)];
  }
  function lines(text) {
    const parts = text.split(', ');
    const out = [];
    for (let i = 0; i < parts.length; i += 3) out.push(parts.slice(i, i + 3).join(', '));
    return out;
  }

  const dots = (label, points, style) => ({ label, data: points, showLine: false, pointRadius: 2.6, pointHoverRadius: 5, borderWidth: 1, ...style });

  function timeRange(batch, withDefault) {
    const times = batch.points.filter((p) => p.s !== 'rejected' && p.t > 0).map((p) => p.t);
    if (withDefault && batch.default > 0) times.push(batch.default);
    if (!times.length) return undefined;
    return [Math.min(...times) * 0.93, Math.max(...times) * 1.08];
  }

  function convergence(batch) {
    const range = timeRange(batch, true) || [1, 10];
    const at = (status, y) => batch.points.map((p, i) => ({ x: i + 1, y: y(p), point: p })).filter((d) => d.point.s === status);
    const end = Math.max(batch.points.length, 1);
    const line = batch.line.map((y, i) => ({ x: i + 1, y })).filter((d) => d.y > 0);
    const datasets = [];
    const add = (set) => { if (set.data.length) datasets.push(set); };
    add({ label: 'best so far', data: line, showLine: true, stepped: 'before', pointRadius: 0, pointHitRadius: 0, pointStyle: 'line', borderColor: colour('green'), borderWidth: 2.5 });
    if (batch.default > 0)
      add({ label: 'default', data: [{ x: 1, y: batch.default }, { x: end, y: batch.default }], showLine: true, pointRadius: 0, pointHitRadius: 0, pointStyle: 'line', borderColor: colour('orange'), borderDash: [6, 5], borderWidth: 2 });
    add(dots('measured', at('measured', (p) => p.t), { backgroundColor: faded('blue', 0.55), borderColor: colour('blue') }));
    add(dots('stopped early (slower than)', at('slower', (p) => p.t), { pointStyle: 'triangle', backgroundColor: 'transparent', borderColor: faded('soft', 0.8) }));
    add(dots('no time', at('rejected', () => range[1] / 1.02), { pointStyle: 'crossRot', borderColor: colour('red'), borderWidth: 1.6, pointRadius: 3.4 }));
    const scales = { x: plainAxis('configurations seen', { min: 0, max: end + 1 }), y: timeAxis(range) };
    return { type: 'scatter', data: { datasets }, options: options(scales, true, (item) => (item.raw.point ? pointText(item.raw.point) : timeText(item.raw.y))) };
  }

  // Deterministic: the same page looks the same each time.
  const jitter = (i) => (((i * 0.61803398875) % 1) - 0.5) * 0.56;

  const boxes = {
    id: 'boxes',
    beforeDatasetsDraw(chart, args, opts) {
      const { ctx, scales: { x, y } } = chart;
      ctx.save();
      opts.values.forEach((value, i) => {
        const [q1, median, q3] = value.q.map((t) => y.getPixelForValue(t));
        const [left, right] = [x.getPixelForValue(i - 0.36), x.getPixelForValue(i + 0.36)];
        ctx.fillStyle = faded('blue', 0.16);
        ctx.fillRect(left, q3, right - left, Math.max(q1 - q3, 1));
        ctx.fillStyle = colour('blue');
        ctx.fillRect(left, median - 1, right - left, 2);
      });
      ctx.restore();
    },
  };

  function strip(batch, key) {
    const values = batch.effects[key];
    const spread = values.flatMap((value, i) => value.p.map((p) => ({ x: i + jitter(p), y: batch.points[p].t, point: batch.points[p], index: p })));
    const best = spread.filter((d) => d.index === batch.best_point);
    const datasets = [
      dots('best', best, { pointRadius: 5, borderWidth: 2, borderColor: colour('green'), backgroundColor: 'transparent' }),
      dots('configurations', spread, { pointRadius: 1.7, borderWidth: 0, backgroundColor: faded('ink', 0.42) }),
    ];
    const label = (v) => (Number.isInteger(v) && values[v] ? values[v].v : '');
    const x = plainAxis('', { min: -0.6, max: values.length - 0.4, ticks: { color: colour('soft'), stepSize: 1, callback: label, autoSkip: values.length > 12, maxRotation: 40 },
      afterBuildTicks: (axis) => { axis.ticks = values.map((_, i) => ({ value: i })); } });
    const config = { type: 'scatter', data: { datasets }, options: options({ x, y: timeAxis(timeRange(batch, false)) }, false, (item) => pointText(item.raw.point)), plugins: [boxes] };
    config.options.plugins.boxes = { values };
    return config;
  }

  function fact(batch, key) {
    const points = batch.points.map((p, index) => ({ p, index })).filter(({ p }) => p.s !== 'rejected' && p.f && key in p.f)
      .map(({ p, index }) => ({ x: p.f[key], y: p.t, point: p, index }));
    const share = key === 'occupancy';
    const datasets = [
      dots('best', points.filter((d) => d.index === batch.best_point), { pointRadius: 5, borderWidth: 2, borderColor: colour('green'), backgroundColor: 'transparent' }),
      dots('configurations', points, { pointRadius: 2.2, borderWidth: 0, backgroundColor: faded('blue', 0.5) }),
    ];
    const x = plainAxis('', share ? { min: 0, max: 1.04, ticks: { color: colour('soft'), stepSize: 0.25, includeBounds: false, callback: (v) => `${Math.round(v * 100)} %` } } : { beginAtZero: true, grace: '4%', ticks: { color: colour('soft'), maxTicksLimit: 7 } });
    return { type: 'scatter', data: { datasets }, options: options({ x, y: timeAxis(timeRange(batch, false)) }, false, (item) => [`${key} ${Number(item.raw.x.toPrecision(4))}`, ...pointText(item.raw.point)]) };
  }

  function overview() {
    const series = (label, pick, name, extra = {}) => ({
      label, data: data.batches.filter((b) => pick(b) > 0).map((b) => ({ x: b.batch, y: pick(b) })),
      showLine: true, borderColor: colour(name), backgroundColor: colour(name), pointRadius: 3.5, borderWidth: 2, ...extra });
    const datasets = [series('default', (b) => b.default, 'orange', { borderDash: [6, 5] }), series('best', (b) => b.best, 'green')];
    const batches = data.batches.map((b) => b.batch);
    const x = plainAxis('batch', { type: 'logarithmic', min: Math.min(...batches) / 1.15, max: Math.max(...batches) * 1.15,
      afterBuildTicks: (axis) => { axis.ticks = batches.map((value) => ({ value })); }, ticks: { color: colour('soft'), callback: (v) => v, autoSkip: true } });
    const times = data.batches.flatMap((b) => [b.default, b.best]).filter((t) => t > 0);
    const range = [Math.min(...times) * 0.8, Math.max(...times) * 1.25];
    return { type: 'scatter', data: { datasets }, options: options({ x, y: timeAxis(range) }, true, (item) => `batch ${item.raw.x}: ${item.dataset.label} ${timeText(item.raw.y)}`) };
  }

  const makers = { convergence, strip, fact, overview };
  function draw(canvas) {
    if (charts.has(canvas)) return;
    const { chart, batch, key } = canvas.dataset;
    charts.set(canvas, new Chart(canvas, makers[chart](data.batches[Number(batch)], key)));
  }

  const drawIn = (element) => element.querySelectorAll('canvas').forEach(draw);

  // Batches become tabs; charts are drawn when they are first seen.
  const sections = [...document.querySelectorAll('section.batch')];
  const tabs = [...document.querySelectorAll('#tabs a')];
  function show(id) {
    const wanted = sections.some((s) => s.id === id) ? id : sections.length && sections[0].id;
    for (const section of sections) section.hidden = section.id !== wanted;
    for (const tab of tabs) tab.toggleAttribute('aria-current', tab.getAttribute('href') === '#' + wanted);
    sections.filter((s) => !s.hidden).forEach(drawIn);
  }

  function redraw() {
    const drawn = [...charts.keys()];
    charts.forEach((chart) => chart.destroy());
    charts.clear();
    drawn.forEach(draw);
  }

  Chart.defaults.font.family = getComputedStyle(document.body).fontFamily;
  Chart.defaults.font.size = 12;
  document.querySelectorAll('#result').forEach(drawIn);
  show(location.hash.slice(1));
  addEventListener('hashchange', () => { if (location.hash.startsWith('#batch-')) show(location.hash.slice(1)); });
  addEventListener('beforeprint', () => { sections.forEach((s) => { s.hidden = false; drawIn(s); }); });
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', redraw);
})();
