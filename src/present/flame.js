// SPDX-License-Identifier: GPL-2.0-or-later
// What a flame graph does beyond being looked at. The file is complete without it: boxes, text,
// tooltips. Names come from the machine that was recorded: they are text here, never markup.
'use strict';
(() => {
const svg = document.documentElement, space = svg.namespaceURI;
const number = (element, name) => Number(element.getAttribute(name));
const byId = (id) => document.getElementById(id);
const units = number(svg, 'data-units') || 1, rowHeight = number(svg, 'data-row');
const top = number(svg, 'data-top'), pad = number(svg, 'data-pad');
const textWidth = number(svg, 'data-char'), samples = number(svg, 'data-samples');
const views = svg.getAttribute('data-views').split(' ');

const rows = Array.from(byId('boxes').children, (group) => ({ group, boxes: [] }));
const boxes = [];
rows.forEach((row, index) => {
	row.group.querySelectorAll('text').forEach((text) => text.remove());
	row.group.querySelectorAll('rect').forEach((element) => {
		const title = element.firstElementChild.textContent;
		const box = { element, title, row: index, start: number(element, 'x'),
			width: number(element, 'width'), left: 0, size: 0, shown: true };
		[box.name, box.image] = title.split('\n');
		row.boxes.push(box);
		boxes.push(box);
	});
	row.scaled = row.group.firstElementChild;
	row.scaled.removeAttribute('transform');
});
const header = byId('header');
const boxOf = new Map(boxes.map((box) => [box.element, box]));
const root = boxes[0];
let zoomed = root, cursor = null, pattern = null;
let icicle = svg.hasAttribute('data-icicle'), width = 0;

const inside = (inner, outer) => inner.start >= outer.start &&
	inner.start + inner.width <= outer.start + outer.width;

// ---- drawing ----

const wide = (character) => character.codePointAt(0) > 0x7f ? 2 : 1;

// Shortens a name by the rule of name_fit.h: first template arguments, then the arguments of
// functions, then the middle.
const dots = '\u2026';
const widthOf = (text) => Array.from(text).reduce((sum, character) =>
	sum + (character === dots ? 1 : wide(character)), 0);

function headOf(text, columns) {
	let end = 0;
	for (const character of text) {
		columns -= widthOf(character);
		if (columns < 0)
			break;
		end += character.length;
	}
	return text.slice(0, end);
}

function tailOf(text, columns) {
	return Array.from(headOf(Array.from(text).reverse().join(''), columns)).reverse().join('');
}

// The widest content of brackets in which no other content can be left out.
function findGroup(text, open, close) {
	const around = [];
	let best = null;
	for (let at = 0; at < text.length; at++) {
		if (text[at] !== open && text[at] !== close ||
		    /(operator<?|-)$/.test(text.slice(Math.max(at - 9, 0), at)) && open === '<')
			continue;
		if (text[at] === open) {
			around.push({ from: at + 1, hasInner: false });
			continue;
		}
		const group = around.pop();
		const content = group ? text.slice(group.from, at) : '';
		if (widthOf(content) <= 1 || content.endsWith(dots) || content === 'anonymous namespace')
			continue;
		if (around.length)
			around[around.length - 1].hasInner = true;
		if (!group.hasInner && (!best || widthOf(content) > best.width))
			best = { from: group.from, to: at, width: widthOf(content) };
	}
	return best;
}

function shorten(text, columns) {
	for (const [open, close] of ['<>', '()'])
		for (let round = 0; round < 64 && widthOf(text) > columns; round++) {
			const group = findGroup(text, open, close);
			if (!group)
				break;
			const keep = headOf(text.slice(group.from, group.to),
				Math.max(group.width - (widthOf(text) - columns + 1), 0))
				.replace(/[ .,:<(\u2026]+$/, '');
			text = text.slice(0, group.from) + keep + dots + text.slice(group.to);
		}
	if (widthOf(text) <= columns)
		return text;
	const tail = Math.floor((columns - 1) / 2);
	return headOf(text, columns - 1 - tail) + dots + tailOf(text, tail);
}

function fit(text, pixels) {
	const columns = Math.floor((pixels - 6) / textWidth);
	if (columns < 3)
		return '';
	return text.length * 2 <= columns || widthOf(text) <= columns ? text : shorten(text, columns);
}

// The boxes that have room for a label. Different names of one row never get the same label: they
// get none.
function labels(row) {
	const found = row.filter((box) => box.shown).map((box) => [box, fit(box.name, box.size)]);
	const names = new Map();
	for (const [box, text] of found)
		names.set(text, names.has(text) && names.get(text) !== box.name ? null : box.name);
	return found.filter(([, text]) => text && names.get(text) !== null);
}

function addText(parent, x, y, text) {
	const element = document.createElementNS(space, 'text');
	element.setAttribute('x', x);
	element.setAttribute('y', y);
	element.textContent = text;
	parent.appendChild(element);
	return element;
}

function place(box) {
	const above = box.row < zoomed.row;
	const scale = width / (zoomed.width || 1);
	const left = (box.start - zoomed.start) * scale, right = left + box.width * scale;
	box.left = Math.max(left, 0);
	box.size = Math.min(right, width) - box.left;
	box.shown = above ? inside(zoomed, box) : inside(box, zoomed) && (box.size >= 0.05 || box === root);
	if (!box.shown) {
		box.element.setAttribute('display', 'none');
		return;
	}
	box.element.removeAttribute('display');
	box.element.setAttribute('x', box.left.toFixed(3));
	box.element.setAttribute('width', Math.max(box.size, 0).toFixed(3));
	box.element.classList.toggle('above', above);
	box.element.classList.toggle('w', box.size >= 3);
}

function draw() {
	const outer = Math.max(window.innerWidth || 1200, 480);
	const height = top + rows.length * rowHeight + pad;
	width = outer - 2 * pad - (height > window.innerHeight ? 16 : 0);
	svg.setAttribute('width', width + 2 * pad);
	svg.setAttribute('viewBox', `0 0 ${width + 2 * pad} ${height}`);
	byId('ground').setAttribute('width', width + 2 * pad);
	boxes.forEach(place);
	rows.forEach((row, index) => {
		const y = top + (icicle ? index : rows.length - 1 - index) * rowHeight;
		row.group.setAttribute('transform', `translate(${pad},${y})`);
		row.group.querySelectorAll('text').forEach((text) => text.remove());
		for (const [box, text] of labels(row.boxes))
			addText(row.group, (box.left + 3).toFixed(1), 12, text);
	});
	search();
}

function tell(box) {
	byId('details').textContent = box ? box.title.split('\n').filter(Boolean).join(' \u00b7 ') : '';
}

// ---- zoom and keyboard ----

function zoom(box) {
	zoomed = box;
	if (cursor && (!inside(cursor, box) && !inside(box, cursor)))
		point(box);
	draw();
}

function point(box) {
	if (cursor)
		cursor.element.classList.remove('cursor');
	cursor = box;
	if (!box)
		return;
	box.element.classList.add('cursor');
	box.element.parentNode.appendChild(box.element);	// its outline over its neighbours
	box.element.scrollIntoView({ block: 'nearest' });
	tell(box);
}

const isShown = (box) => box.shown;
const middle = (box) => box.left + box.size / 2;

// The box beside, above or below, of those that are shown.
function neighbour(box, key) {
	const row = rows[box.row].boxes.filter(isShown), at = row.indexOf(box);
	if (key === 'ArrowLeft')
		return row[at - 1];
	if (key === 'ArrowRight')
		return row[at + 1];
	if ((key === 'ArrowDown') === icicle)
		return rows[box.row + 1] && rows[box.row + 1].boxes.filter(isShown)
			.filter((other) => inside(other, box) || inside(box, other))
			.sort((a, b) => b.size - a.size || middle(a) - middle(b))[0];
	return rows[box.row - 1] && rows[box.row - 1].boxes.filter(isShown)
		.find((other) => inside(box, other));
}

function escape() {
	if (zoomed !== root)
		zoom(root);
	else
		setPattern('');
}

window.addEventListener('keydown', (event) => {
	if (event.key === '/' && event.target !== input ||
	    event.key === 'f' && (event.ctrlKey || event.metaKey)) {
		event.preventDefault();
		openSearch();
	} else if (event.target === input) {
		if (event.key === 'Escape')
			setPattern('');
		if (event.key === 'Escape' || event.key === 'Enter')
			input.blur();
	} else if (event.key.startsWith('Arrow')) {
		event.preventDefault();
		point(cursor && cursor.shown ? neighbour(cursor, event.key) || cursor : zoomed);
	} else if (event.key === 'Enter' || event.key === ' ') {
		event.preventDefault();
		if (event.target.classList.contains('button'))
			event.target.dispatchEvent(new Event('click'));
		else if (cursor)
			zoom(cursor);
	} else if (event.key === 'Escape') {
		escape();
	}
});

byId('boxes').addEventListener('click', (event) => {
	const box = boxOf.get(event.target);
	if (box) {
		zoom(box);
		tell(box);
	}
});
byId('boxes').addEventListener('mouseover', (event) => tell(boxOf.get(event.target) || cursor));

// ---- search ----

function matchedUnits() {
	let end = -1, sum = 0;
	const found = boxes.filter((box) => box.matched && inside(box, zoomed));
	found.sort((a, b) => a.start - b.start || b.width - a.width);
	for (const box of found) {
		const from = Math.max(box.start, end);
		end = Math.max(end, box.start + box.width);
		sum += Math.max(box.start + box.width - from, 0);
	}
	return sum;
}

// 95 % of a share of n samples (Wilson 1927), in percent; of none anything is possible.
function interval(share, n) {
	if (!(n > 0))
		return '0.00-100.00';
	const z2 = 3.8414588, centre = share + z2 / (2 * n);
	const half = Math.sqrt(z2 * (share * (1 - share) / n + z2 / (4 * n * n)));
	return [centre - half, centre + half].map((limit) =>
		(100 * Math.min(Math.max(limit / (1 + z2 / n), 0), 1)).toFixed(2)).join('-');
}

function search() {
	const found = byId('matched');
	for (const box of boxes) {
		box.matched = pattern !== null && box !== root &&
			(pattern.test(box.name) || pattern.test(box.image));
		box.element.classList.toggle('match', box.matched);
	}
	if (pattern === null) {
		found.textContent = '';
		return;
	}
	const sum = matchedUnits(), percent = (100 * sum / (zoomed.width || 1)).toFixed(2);
	const limits = interval(sum / (zoomed.width || 1), samples * zoomed.width / units);
	// Shares of measured time have no interval.
	found.textContent = `matched: ${percent} % ` + (samples < Infinity ? `[${limits}] ` : '') + 'of ' +
		(zoomed === root ? 'all' : 'this frame');
}

function setPattern(text) {
	input.value = text;
	try {
		pattern = text ? new RegExp(text) : null;
	} catch (error) {
		pattern = null;
		search();
		byId('matched').textContent = 'not a valid regular expression (yet)';
		return;
	}
	search();
}

// ---- the line of buttons ----

function button(label, x, action) {
	const element = addText(header, x, top - 58, label);
	element.setAttribute('class', 'button');
	element.setAttribute('role', 'button');
	element.setAttribute('tabindex', '0');
	element.addEventListener('click', action);
	return element;
}

function showView(view) {
	svg.setAttribute('class', `by-${view}`);
	for (const legend of byId('legend').children)
		if (legend.getAttribute('class') === `legend-${view}`)
			legend.removeAttribute('display');
		else
			legend.setAttribute('display', 'none');
}

// Flames stand on the root, and grow higher than a window.
function showRoot() {
	window.scrollTo(0, icicle ? 0 : top + rows.length * rowHeight);
}

function openSearch() {
	input.focus();
	input.select();
}

button('reset', pad, () => zoom(root));
button('flame/icicle', pad + 60, () => {
	icicle = !icicle;
	draw();
	showRoot();
});
button('color', pad + 170, () => {
	const at = views.indexOf(svg.getAttribute('class').slice(3));
	showView(views[(at + 1) % views.length]);
});
const holder = document.createElementNS(space, 'foreignObject');
const input = document.createElementNS('http://www.w3.org/1999/xhtml', 'input');
holder.setAttribute('x', pad + 240);
holder.setAttribute('y', top - 72);
holder.setAttribute('width', 220);
holder.setAttribute('height', 22);
input.setAttribute('type', 'search');
input.setAttribute('placeholder', 'search: / or Ctrl-F');
input.setAttribute('aria-label', 'Search by regular expression');
input.addEventListener('input', () => setPattern(input.value));
holder.appendChild(input);
header.appendChild(holder);
window.addEventListener('resize', draw);
window.addEventListener('scroll', () =>
	header.setAttribute('transform', `translate(0,${window.scrollY})`));
draw();
showRoot();
})();
