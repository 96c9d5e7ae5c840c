import type { Page } from '#src/documents/document.ts';
import type { ImagesPlan } from '#src/parse/plan.ts';

/**
 * Replaces the names of figures in the Markdown by links to the API, if `inline_images_in_markdown` is set.
 * The links are relative to `/api/v1/files/{id}/`, because a parse is shared by all files with equal bytes.
 */
export function linkFigures(page: Page, plan: ImagesPlan): Page {
  if (!plan.linkFigures || page.figures.length === 0) return page;
  const targets = new Map(
    page.figures.map(({ name }) => [name, `page-figures/${page.index}/${encodeURIComponent(name)}`]),
  );
  const linked = (markdown: string) =>
    markdown.replaceAll(/\]\(([^()\s]+)\)/g, (link, name: string) => {
      const target = targets.get(name);
      return target === undefined ? link : `](${target})`;
    });
  const blocks = page.blocks.map((block) => ({ ...block, markdown: linked(block.markdown) }));
  return { ...page, markdown: linked(page.markdown), blocks };
}
