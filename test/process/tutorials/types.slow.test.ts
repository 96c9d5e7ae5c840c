import { readdirSync } from 'node:fs';
import { resolve } from 'node:path';
import { afterAll, it } from 'vitest';
import { Tutorial } from './tutorial.ts';
import { Workspace } from './workspace.ts';

/** Options of a new project, as `npm create vite` writes them. */
const OPTIONS = {
  strict: true,
  noEmit: true,
  skipLibCheck: true,
  target: 'ES2023',
  module: 'ESNext',
  moduleResolution: 'bundler',
  jsx: 'react-jsx',
  types: ['node'],
  lib: ['ES2023', 'DOM', 'DOM.Iterable'],
};

const workspace = new Workspace('', {});
afterAll(() => workspace.end());

it('TypeScript of all tutorials passes the type check', async () => {
  for (const page of readdirSync('docs/tutorials')) {
    const name = page.replace('.md', '');
    const tutorial = new Tutorial(name);
    workspace.write(`checked/${name}/program.ts`, tutorial.program('TypeScript'));
    for (const { path, content } of tutorial.files()) workspace.write(`checked/${name}/${path}`, content);
  }
  workspace.write('checked/tsconfig.json', JSON.stringify({ compilerOptions: OPTIONS }));
  await workspace.execute(process.execPath, [resolve('node_modules/typescript/bin/tsc'), '-p', 'checked']);
});
