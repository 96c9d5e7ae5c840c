/// <reference types="vite/types/importMeta.d.ts" />
import { describe, expect, it } from 'vitest';
import manifest from '../../package.json';

const PAGES = import.meta.glob<string>(
  [
    '/docs/how-to/use-with-the-ai-sdk.md',
    '/docs/how-to/use-with-langchain.md',
    '/docs/how-to/use-with-llamaindex.md',
  ],
  {
    query: '?raw',
    import: 'default',
    eager: true,
  },
);
const PROGRAMS = import.meta.glob<string>('/examples/frameworks/*.ts', {
  query: '?raw',
  import: 'default',
  eager: true,
});

const BLOCK = /^\*\*([\w-]+\.ts)\*\*\n```ts\n([\s\S]*?)^```$/gm;

/** Versions by package. */
const versions: Record<string, string> = { ...manifest.dependencies, ...manifest.devDependencies };

describe.each(Object.entries(PAGES))('%s', (_, page) => {
  const blocks = [...page.matchAll(BLOCK)].map(([, name = '', code = '']) => ({ name, code }));

  it('shows a program and its requests as they are in examples/frameworks', () => {
    // The page about LlamaIndex.TS refers to another page for the requests.
    expect(blocks).toHaveLength(page.includes('**sluice.ts**') ? 2 : 1);
    for (const { name, code } of blocks) expect(code, name).toBe(PROGRAMS[`/examples/frameworks/${name}`]);
  });

  it('installs every package that the program imports, in the tested version', () => {
    const [, list = ''] = /^npm install --save-exact (.*)$/m.exec(page)!;
    const imported = [...blocks[0]!.code.matchAll(/ from '([^'.][^']*)'/g)].map(([, path = '']) =>
      path
        .split('/')
        .slice(0, path.startsWith('@') ? 2 : 1)
        .join('/'),
    );
    const expected = [...new Set(imported)].map((name) => `${name}@${versions[name]}`);
    expect(list.split(' ').sort()).toEqual(expected.sort());
  });
});
