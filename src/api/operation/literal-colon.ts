// Hono and chanfana take a colon at the begin of a path segment for a parameter. Some paths of LlamaCloud's API
// have a literal colon there, such as `/agent-data/:search`.

/** Converts a path of an operation to a Hono route. A literal colon becomes a parameter that only matches it. */
export const toRoute = (path: string): string =>
  path.replaceAll(/\/:(\w+)/g, String.raw`/:literal_$1{\x3a$1}`).replaceAll(/\{(\w+)\}/g, ':$1');

/** Restores a literal colon in the path that chanfana derived from a route. */
export const restoreLiteralColon = (path: string): string =>
  path.replaceAll(/\{literal_(\w+)\}\{\\x3a\1\}/g, ':$1');
