import type { Block, Page } from '#src/documents/document.ts';
import { findInOrder } from '#src/lib/text/find-in-order.ts';
import type { ParseParameters } from '#src/parse/parameters/parameters.ts';

/** The page with its running headers and footers framed as the parameters ask; `{page_number}` is its 1-based number. */
export function frameRunningLines(page: Page, parameters: ParseParameters): Page {
  const { page_header_prefix, page_header_suffix, page_footer_prefix, page_footer_suffix } = parameters;
  const header = { prefix: numbered(page_header_prefix, page), suffix: numbered(page_header_suffix, page) };
  const footer = { prefix: numbered(page_footer_prefix, page), suffix: numbered(page_footer_suffix, page) };
  if (header.prefix + header.suffix + footer.prefix + footer.suffix === '') return page;
  const places = findInOrder(
    page.markdown,
    page.blocks.map((block) => block.markdown),
  );
  const parts: string[] = [];
  let from = 0;
  const blocks = page.blocks.map((block, index): Block => {
    const frame = block.type === 'header' ? header : block.type === 'footer' ? footer : undefined;
    const at = places[index]!;
    if (!frame || at < 0) return block;
    const framed = `${frame.prefix}${block.markdown}${frame.suffix}`;
    parts.push(page.markdown.slice(from, at), framed);
    from = at + block.markdown.length;
    return { ...block, markdown: framed };
  });
  return { ...page, markdown: parts.join('') + page.markdown.slice(from), blocks };
}

function numbered(template: string | null | undefined, page: Page): string {
  return (template ?? '').replaceAll(/\{page_?[nN]umber\}/g, String(page.index + 1));
}
