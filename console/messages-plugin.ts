import compile from 'icu-minify/compile';
import type { Plugin } from 'vite';
import { findMessages } from '../scripts/messages/messages.ts';

const CATALOG = /\/console\/src\/i18n\/catalogs\/\w+\.json$/;
const SOURCE = /\/console\/src\/.*\.tsx?$/;

/**
 * Parses the messages of the console while it is built, so that the browser needs no parser. In the code, a
 * message with placeholders becomes an array of its text and its parsed form.
 */
export function compileMessages(): Plugin {
  return {
    name: 'compile-messages',
    enforce: 'pre',
    transform(code, id) {
      const [file] = id.split('?') as [string];
      if (CATALOG.test(file)) return { code: compileCatalog(code), map: null };
      if (SOURCE.test(file) && code.includes('i18n/messages.ts'))
        return { code: compileSource(code), map: null };
      return undefined;
    },
  };
}

function compileCatalog(json: string): string {
  const catalog = Object.entries(JSON.parse(json) as Record<string, string>);
  return JSON.stringify(
    Object.fromEntries(catalog.map(([text, translation]) => [text, compile(translation)])),
  );
}

function compileSource(code: string): string {
  let compiled = '';
  let at = 0;
  for (const { text, start, end } of findMessages(code)) {
    const message = compile(text);
    if (message === text) continue;
    compiled += `${code.slice(at, start)}${JSON.stringify([text, message])}`;
    at = end;
  }
  return compiled + code.slice(at);
}
