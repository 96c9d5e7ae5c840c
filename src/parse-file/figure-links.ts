import type { Page } from '#src/documents/document.ts';
import type { ImagesPlan } from '#src/parse/plan.ts';

/**
 * The page with its figures named in the Markdown by where the API serves them, relative to `/api/v1/files/{id}/`,
 * when `inline_images_in_markdown` asks for it: a parse is shared by files of equal bytes, so it knows no file's id.
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
