import { registerHooks } from 'node:module';

/*
 * Lets Node import the modules of the service, so that the API can be described without a Workers runtime. Modules of
 * the runtime are replaced by empty ones, and WebAssembly and fonts by `undefined`: nothing of them is used.
 */

const toModule = (source: string) => `data:text/javascript,${encodeURIComponent(source)}`;

/** Modules of the Workers runtime by their specifier. */
const RUNTIME_MODULES: Readonly<Record<string, string>> = {
  'cloudflare:workers': toModule(
    'export const env = {}; export class DurableObject {} export class WorkerEntrypoint {}',
  ),
  'cloudflare:sockets': toModule('export const connect = undefined;'),
};

registerHooks({
  resolve(specifier, context, next) {
    const url = RUNTIME_MODULES[specifier];
    return url ? { url, shortCircuit: true } : next(specifier, context);
  },
  load(url, context, next) {
    if (/\.(wasm|ttf)$/.test(url)) {
      return { format: 'module', source: 'export default undefined;', shortCircuit: true };
    }
    if (!url.endsWith('.json')) return next(url, context);
    // The bundler of the Workers needs no import attributes, so the sources have none.
    return next(url, { ...context, format: 'json', importAttributes: { type: 'json' } });
  },
});
