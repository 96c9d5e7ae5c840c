import manifest from '../../package.json' with { type: 'json' };

/** Entry module of the package. `api.js` is the generated module. */
export const ENTRY = `import { defaults } from './api.js';

export { handle, HttpError, ok, okify, optimistic } from '@oazapfts/runtime';
export * from './api.js';

/** Sets the address of the service and the API key of all calls. */
export function connect(address: string, apiKey: string): void {
  defaults.baseUrl = address.replace(/\\/+$/, '');
  defaults.headers = { ...defaults.headers, authorization: \`Bearer \${apiKey}\` };
}
`;

/** The manifest of the package. */
export const PACKAGE = {
  name: 'sluice-client',
  version: manifest.version,
  description: 'Typed client of the API of Sluice',
  license: manifest.license,
  homepage: manifest.homepage,
  repository: manifest.repository,
  type: 'module',
  exports: { '.': { types: './index.d.ts', default: './index.js' } },
  files: ['*.js', '*.d.ts'],
  sideEffects: false,
  engines: manifest.engines,
  dependencies: { '@oazapfts/runtime': manifest.devDependencies['@oazapfts/runtime'] },
};

export const README = `# sluice-client

Typed client of the API of [Sluice](${manifest.homepage}) ${manifest.version}, generated from its OpenAPI description. It has
a function for each operation and runs in Node, in browsers and in Workers.

\`\`\`ts
import { connect, ok, retrieve } from 'sluice-client';

connect('http://127.0.0.1:8787', process.env.SLUICE_API_KEY!);
const { retrieval_nodes } = await ok(retrieve(pipelineId, { query: 'How high is the lighthouse?' }));
\`\`\`

\`ok\` returns the data of a successful call and throws an \`HttpError\` for any other. Without it, a call returns
\`{ status, data }\`, with the type of \`data\` by status. The settings of \`connect\` apply to all calls of the program.
`;

/** Compiler options, which write JavaScript and types into the folder above the sources. */
export const COMPILER = {
  compilerOptions: {
    target: 'ES2022',
    module: 'ESNext',
    moduleResolution: 'Bundler',
    lib: ['ES2022', 'DOM', 'DOM.Iterable'],
    types: [],
    strict: true,
    declaration: true,
    rootDir: '.',
    outDir: '..',
  },
  files: ['index.ts'],
};
