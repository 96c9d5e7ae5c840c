import { registerHooks } from 'node:module';

/**
 * Replacements in the code of wrangler and Miniflare, made while the code is loaded. Without them, the
 * development server opens an inspector port, internal handlers, the whole bucket, and a registry for other
 * sessions. None of these requires a key, and no option turns them off. If the code of another version
 * differs at these places, wrangler does not start, so an upgrade cannot open them again.
 */
const REPLACEMENTS: Record<string, readonly (readonly [open: string, closed: string])[]> = {
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
    const file = Object.keys(REPLACEMENTS).find((path) => url.endsWith(path));
    if (file === undefined) return loaded;
    if (!loaded.source) throw new Error(`${file} cannot be read`);
    const text = typeof loaded.source === 'string' ? loaded.source : new TextDecoder().decode(loaded.source);
    return { ...loaded, source: REPLACEMENTS[file]!.reduce(replaceOnce, text) };
  },
});

function replaceOnce(text: string, [open, closed]: readonly [string, string]): string {
  const [before, after, ...more] = text.split(open);
  if (after === undefined || more.length > 0) {
    throw new Error(
      `This version of wrangler does not contain "${open}" exactly once. Adapt scripts/patch-wrangler.ts to it.`,
    );
  }
  return before + closed + after;
}
