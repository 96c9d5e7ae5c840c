import type { Page } from '#src/documents/document.ts';
import { renderRuns } from '#src/formats/shared/flow/runs.ts';

/** The page with the name of the file that begins on it; one that nobody could read stays without words. */
export function headMember(page: Page): Page {
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
