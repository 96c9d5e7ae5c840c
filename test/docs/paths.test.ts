import { expect, it } from 'vitest';

/** Pages about this repository. Tutorials name files of the reader's own project. */
const PAGES = import.meta.glob<string>(['../../docs/**/*.md', '!../../docs/tutorials/**'], {
  query: '?raw',
  import: 'default',
  eager: true,
});

/** Folders that commands or operators create. */
const GENERATED = ['console/shots', 'ocr/models'];

/** Files of the source by path. Only their names are used; nothing is loaded. */
const FILES = Object.keys(
  import.meta.glob([
    '/{src,durable-objects,queues,parser,ocr,server,scripts,test,bench,console,deploy,migrations,examples}/**/*',
    '!**/node_modules/**',
  ]),
).map((path) => path.slice(1));

/** Files and all folders that contain one. */
const paths = new Set(
  FILES.flatMap((file) => file.split('/').map((_, index, parts) => parts.slice(0, index + 1).join('/'))),
);

const PATH =
  /`((?:src|durable-objects|queues|parser|ocr|server|scripts|test|bench|console|deploy)\/[\w./@-]*)`/g;

it.each(Object.entries(PAGES))('%s names only existing files and folders', (_, page) => {
  const named = [...page.matchAll(PATH)].map(([, path = '']) => path.replace(/\/$/, ''));
  expect(named.filter((path) => !paths.has(path) && !GENERATED.includes(path))).toEqual([]);
});
