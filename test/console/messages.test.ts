import { expect, it } from 'vitest';
import { findMessageProblems } from '#scripts/messages/problems.ts';

const FILE = 'console/src/screen.tsx';
const check = (source: string, german: Record<string, string> = {}) =>
  findMessageProblems({ [FILE]: source }, { de: german });

it.each([
  ['text in an element', 'const A = () => <p>Delete the file</p>;'],
  ['an attribute', 'const A = () => <Field label="name" />;'],
  ['a property', 'const a = () => ({ header: "state" });'],
  ['a choice', 'const A = () => <p>{isOpen ? "open" : undefined}</p>;'],
  // biome-ignore lint/suspicious/noTemplateCurlyInString: this is source text with a template
  ['a template', 'const a = () => announce(`${name} removed`);'],
  ['a returned sentence', 'const a = () => { return "Never completed"; };'],
])('reports %s that is not translated', (_, source) => {
  expect(check(source)).toEqual([expect.stringContaining('is shown but not translated')]);
});

it.each([
  ['class names', 'const A = () => <p className="plain text" />;'],
  ['selectors', "const a = () => document.querySelector('input:not(:disabled), select');"],
  ['comparisons', "const a = () => event.key === 'Escape key';"],
  ['types', "type A = 'One state' | 'Another state';"],
  ['example requests', "const a = () => buildRequest('POST /x', { body: { name: 'Some manuals' } });"],
])('accepts %s', (_, source) => {
  expect(check(source)).toEqual([]);
});

it('reports a single word in a table of labels, and accepts names beside labels', () => {
  const german = { 'is not': 'ist nicht', 'is more than': 'ist mehr als' };
  const labels = "a: t('is not'), b: t('is more than')";
  expect(check(`const a = () => ({ ${labels}, c: 'is' });`, german)).toEqual([
    expect.stringContaining('"is" is shown but not translated'),
  ]);
  const field = "name: 'pages', label: t('is not'), help: t('is more than'), kind: 'text'";
  expect(check(`const a = () => ({ ${field} });`, german)).toEqual([]);
});

it('reports missing, unused and invalid translations', () => {
  expect(check("const a = () => t('Delete');")).toEqual(['de: "Delete" is not translated']);
  expect(check('', { Delete: 'Löschen' })).toEqual(['de: "Delete" is not used']);
  expect(check("const a = () => t('Delete');", { Delete: '{' })).toEqual([
    expect.stringContaining('de: "{" is no valid message'),
  ]);
});

it.each([
  ['another name', '{size} Dateien'],
  ['no placeholder', 'Dateien'],
  ['another kind', '{count} Dateien'],
  ['a further placeholder', '{count, plural, other {# Dateien in {place}}}'],
])('reports a translation with %s', (_, translation) => {
  const english = '{count, plural, one {# file} other {# files}}';
  expect(check(`const a = () => t('${english}', { count });`, { [english]: translation })).toEqual([
    expect.stringContaining('has other placeholders'),
  ]);
});

it('compares the elements of a message', () => {
  const english = 'Read <link>the guide</link>';
  const source = `const A = () => rich('${english}', { link: (chunks) => <a href="/">{chunks}</a> });`;
  expect(check(source, { [english]: 'Lesen Sie <link>das Handbuch</link>' })).toEqual([]);
  expect(check(source, { [english]: 'Lesen Sie das Handbuch' })).toHaveLength(1);
});

it('reports calls with missing and with unknown values', () => {
  const german = { 'Delete {name}?': '{name} löschen?' };
  expect(check("const a = () => t('Delete {name}?');", german)).toEqual([
    expect.stringContaining('gets no value for name'),
  ]);
  expect(check("const a = () => t('Delete {name}?', { name, size });", german)).toEqual([
    expect.stringContaining('has no placeholder for size'),
  ]);
});

it('reports a message that is translated before the language is known', () => {
  expect(check("const LABEL = t('Delete');", { Delete: 'Löschen' })).toEqual([
    expect.stringContaining('is translated when the module is loaded'),
  ]);
});
