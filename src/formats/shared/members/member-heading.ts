import type { Page } from '#src/documents/document.ts';
import { renderRuns } from '#src/formats/shared/flow/runs.ts';

/**
 * Adds the name of a nested file, such as an attachment, as a heading to its first page. Pages without text
 * stay unchanged.
 */
export function addMemberHeading(page: Page): Page {
  const { member } = page;
  if (!member || member.pageIndex > 0 || page.text.trim() === '') return page;
  const { text, markdown: name } = renderRuns([{ text: member.path }], {
    links: false,
    lineStart: false,
  });
  const markdown = `# ${name}`;
  return {
    ...page,
    text: `${text}\n\n${page.text}`,
    markdown: `${markdown}\n\n${page.markdown}`,
    blocks: [{ type: 'heading', text, markdown, level: 1 }, ...page.blocks],
  };
}
