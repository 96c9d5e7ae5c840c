import type { Block, Page } from './document.ts';
import type { ParseParameters } from './parameters.ts';

/** The page with its running headers framed as the parameters ask; `{page_number}` is its 1-based number. */
export function framePageHeaders(page: Page, parameters: ParseParameters): Page {
  const prefix = numbered(parameters.page_header_prefix, page);
  const suffix = numbered(parameters.page_header_suffix, page);
  if (prefix === '' && suffix === '') return page;
  let markdown = page.markdown;
  let from = 0;
  const blocks = page.blocks.map((block): Block => {
    const at = markdown.indexOf(block.markdown, from);
    if (at < 0) return block;
    const framed = block.type === 'header' ? `${prefix}${block.markdown}${suffix}` : block.markdown;
    markdown = markdown.slice(0, at) + framed + markdown.slice(at + block.markdown.length);
    from = at + framed.length;
    return { ...block, markdown: framed };
  });
  return { ...page, markdown, blocks };
}

function numbered(template: string | null | undefined, page: Page): string {
  return (template ?? '').replaceAll(/\{page_?[nN]umber\}/g, String(page.index + 1));
}
