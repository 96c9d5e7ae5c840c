import { dirname, join, relative } from 'node:path';
import type { MarkdownRenderer } from 'vitepress';

/**
 * Shows links to files outside of docs/ as plain text, because the guide does not contain those files. On a code host
 * such links keep working.
 */
export function linksOutside(md: MarkdownRenderer, docs: string): void {
  md.core.ruler.push('links-outside', ({ tokens, env }) => {
    for (const { children } of tokens) {
      let isOutside = false;
      for (const token of children ?? []) {
        if (token.type === 'link_open') isOutside = leavesDocs(token.attrGet('href') ?? '', env.path, docs);
        if (!isOutside || !token.type.startsWith('link_')) continue;
        token.tag = 'span';
        token.attrs = null;
      }
    }
  });
}

function leavesDocs(href: string, page: string, docs: string): boolean {
  if (!href.startsWith('.')) return false;
  return relative(docs, join(dirname(page), href)).startsWith('..');
}
