import { expect, it } from 'vitest';
import { growingStepsIn } from '#scripts/patterns/growth.ts';

// Here and not with the modules: the check is a script of Node.

const problemsIn = (text: string, readsDocuments = true) =>
  growingStepsIn('a.ts', text, readsDocuments).map(({ problem }) => problem);

it.each([
  ["while (body.includes(fence)) fence += '`';", 'grows a text until a search fails'],
  ["do { mark += 'x'; } while (text.indexOf(mark) >= 0);", 'grows a text until a search fails'],
  ["for (; text.startsWith(mark); ) { mark += 'x'; }", 'grows a text until a search fails'],
  ['for (const at of places) text = text.slice(0, at) + link + text.slice(at);', 'rebuilds "text"'],
  ['while (more()) { text = text.substring(0, at) + text.substring(at + 1); }', 'rebuilds "text"'],
  ['for (const item of items) list = [...list, item];', 'copies "list"'],
  ['for (const [name, value] of items) all = { ...all, [name]: value };', 'copies "all"'],
  ['items.reduce((all, item) => [...all, item], []);', 'copies "all"'],
  ['items.reduce((all, item) => ({ ...all, [item]: 1 }), {});', 'copies "all"'],
  ['list.push(...others);', 'spreads a list of any length'],
  ['Math.max(0, ...sizes);', 'spreads a list of any length'],
])('%s is found', (text, problem) => {
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
])('%s passes', (text) => {
  expect(problemsIn(text)).toEqual([]);
});

it('lets lists of few items be spread where no documents are read', () => {
  expect(problemsIn('list.push(...others);', false)).toEqual([]);
});
