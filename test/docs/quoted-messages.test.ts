/// <reference types="vite/types/importMeta.d.ts" />
import { expect, it } from 'vitest';

const PAGES = import.meta.glob<string>('/docs/how-to/connect-*.md', {
  query: '?raw',
  import: 'default',
  eager: true,
});

const SOURCES = import.meta.glob<string>('/src/{sources,sinks,upstream}/**/*.ts', {
  query: '?raw',
  import: 'default',
  eager: true,
});

const toWords = (text: string): string => text.replaceAll(/[^\p{L}\p{N}_$]+/gu, ' ').trim();

/** Words of the source. Concatenated texts are joined first, so that a message is one piece. */
const source = ` ${toWords(
  Object.values(SOURCES)
    .join('\n')
    .replaceAll(/['`]\s*\+\s*['`]/g, ''),
)} `;

/** The frame that `src/upstream/http.ts` puts around the message of a refused request. */
const FRAME = / answered (?:code )?\d{3,5}(?: to a request for)?/;

/** Share of three-word sequences that a quoted message must have in common with the source. */
const MIN_SHARE = 0.4;

/**
 * Returns the share of the message's three-word sequences that the source has. Messages are composed of parts and
 * values, so some sequences of a correct quotation are in no single part.
 */
function getKnownShare(message: string): number {
  const parts = message.split('…').flatMap((part) => part.split(FRAME));
  const sequences = parts.flatMap((part) => {
    const words = toWords(part).split(' ');
    return words.length <= 3 ? [] : words.slice(2).map((_, at) => words.slice(at, at + 3).join(' '));
  });
  if (sequences.length === 0) return 1;
  return sequences.filter((sequence) => source.includes(` ${sequence} `)).length / sequences.length;
}

/** Returns the quoted messages in the first column of the tables of failures. */
function listMessages(page: string): string[] {
  const tables = [...page.matchAll(/^\| message \| .*\n\|.*\n((?:\|.*\n)+)/gm)].map(([, rows = '']) => rows);
  const cells = tables.flatMap((rows) => rows.split('\n').map((row) => row.split(' | ')[0] ?? ''));
  return cells.flatMap((cell) => [...cell.matchAll(/`([^`]+)`/g)].map(([, message = '']) => message));
}

it.each(Object.entries(PAGES))('%s quotes messages that the source defines', (_, page) => {
  const messages = listMessages(page);
  expect(messages.length).toBeGreaterThan(2);
  expect(messages.filter((message) => getKnownShare(message) < MIN_SHARE)).toEqual([]);
});
