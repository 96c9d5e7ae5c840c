import { expect, it } from 'vitest';
import { findGrowingStepsIn } from '#scripts/patterns/growth.ts';

// Runs in Node, because the check is a Node script.

const problemsIn = (text: string, readsDocuments = true) =>
  findGrowingStepsIn('a.ts', text, readsDocuments).map(({ problem }) => problem);

it.each([
  ["while (body.includes(fence)) fence += '`';", 'extends a text in a loop'],
  ["do { mark += 'x'; } while (text.indexOf(mark) >= 0);", 'extends a text in a loop'],
  ["for (; text.startsWith(mark); ) { mark += 'x'; }", 'extends a text in a loop'],
  ['for (const at of places) text = text.slice(0, at) + link + text.slice(at);', 'rebuilds "text"'],
  ['while (more()) { text = text.substring(0, at) + text.substring(at + 1); }', 'rebuilds "text"'],
  ['for (const item of items) list = [...list, item];', 'copies "list"'],
  ['for (const [name, value] of items) all = { ...all, [name]: value };', 'copies "all"'],
  ['items.reduce((all, item) => [...all, item], []);', 'copies "all"'],
  ['items.reduce((all, item) => ({ ...all, [item]: 1 }), {});', 'copies "all"'],
  ['list.push(...others);', 'spreads a list'],
  ['Math.max(0, ...sizes);', 'spreads a list'],
])('%s is reported', (text, problem) => {
  expect(problemsIn(text)).toEqual([expect.stringContaining(problem)]);
});

it.each([
  ["let fence = '`'.repeat(longest + 1); fence += language;"],
  ['while (text.includes(mark)) text = next();'],
  ['for (const part of parts) text += part;'],
  ['text = text.slice(0, at) + link + text.slice(at);'],
  ['for (const at of places) parts.push(text.slice(from, at));'],
  ['items.reduce((sum, item) => sum + item, 0);'],
  ['Math.max(a, b); list.push(a, b);'],
])('%s is accepted', (text) => {
  expect(problemsIn(text)).toEqual([]);
});

it('allows spreading short lists outside of document parsers', () => {
  expect(problemsIn('list.push(...others);', false)).toEqual([]);
});
