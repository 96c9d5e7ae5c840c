import type { Block, Page } from '#src/documents/document.ts';
import { findInOrder } from '#src/lib/text/find-in-order.ts';
import type { Frame, OutputPlan } from '#src/parse/plan.ts';

/** Adds the prefixes and suffixes of the parse plan to the running headers and footers of a page. */
export function frameRunningLines(page: Page, plan: OutputPlan): Page {
  const [header, footer] = [numberFrame(plan.header, page), numberFrame(plan.footer, page)];
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

/** Replaces `{page_number}` by the 1-based page number. */
function numberFrame({ prefix, suffix }: Frame, page: Page): Frame {
  const number = (template: string) => template.replaceAll(/\{page_?[nN]umber\}/g, String(page.index + 1));
  return { prefix: number(prefix), suffix: number(suffix) };
}
