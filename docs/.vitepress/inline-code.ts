import { createHash } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const INLINE_SCRIPT = /<script(?![^>]*\bsrc=)([^>]*)>([\s\S]*?)<\/script>/g;
const INLINE_STYLE = /(<[a-z][^>]*?) style="[^"]*"/g;

/**
 * Makes a page obey the Content-Security-Policy of the service, which allows no inline code. Scripts are moved into
 * files of `out/assets` that the page loads from `base`. Style attributes are removed; theme/theme.css replaces them.
 */
export function moveInlineCode(html: string, out: string, base: string): string {
  return html.replace(INLINE_STYLE, '$1').replace(INLINE_SCRIPT, (_, attributes: string, code: string) => {
    const name = `assets/inline.${createHash('sha256').update(code).digest('hex').slice(0, 8)}.js`;
    mkdirSync(join(out, 'assets'), { recursive: true });
    writeFileSync(join(out, name), code);
    return `<script${attributes} src="${base}${name}"></script>`;
  });
}
