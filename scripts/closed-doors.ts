import { registerHooks } from 'node:module';

/**
 * Loaded into wrangler before its own code. Its development server has an inspector port, handlers and the whole
 * bucket on the service's own port, and a registry for other sessions: none of them asks for a key, and no option
 * closes them. What says so in its code is replaced as it is read. A version without exactly these places does not
 * start, so that no upgrade opens a door again.
 */
const CLOSED: Record<string, readonly (readonly [open: string, closed: string])[]> = {
  '/wrangler-dist/cli.js': [
    ['input2.dev?.inspector === false', 'true'],
    ['unsafeTriggerHandlers: true', 'unsafeTriggerHandlers: false'],
    ['registry: args.disableDevRegistry ? void 0 : getRegistryPath()', 'registry: void 0'],
  ],
  '/miniflare/dist/src/index.js': [['if (publicBucketIds.size === 0)', 'if (true)']],
};

registerHooks({
  load(url, context, nextLoad) {
    const loaded = nextLoad(url, context);
    const file = Object.keys(CLOSED).find((path) => url.endsWith(path));
    if (file === undefined) return loaded;
    if (!loaded.source) throw new Error(`${file} cannot be read before it runs`);
    const text = typeof loaded.source === 'string' ? loaded.source : new TextDecoder().decode(loaded.source);
    return { ...loaded, source: CLOSED[file]!.reduce(replacedOnce, text) };
  },
});

function replacedOnce(text: string, [open, closed]: readonly [string, string]): string {
  const [before, after, ...more] = text.split(open);
  if (after === undefined || more.length > 0) {
    throw new Error(`This version of wrangler has not just one "${open}". See scripts/closed-doors.ts.`);
  }
  return before + closed + after;
}
