import { HtmlConverter } from '#src/formats/html/convert.ts';
import { dataUri } from '#src/formats/html/document.ts';
import { exclusionRule } from '#src/formats/html/visibility.ts';
import type { Flow } from '#src/formats/shared/flow/flow.ts';
import { splitIntoParagraphs } from '#src/formats/shared/flow/paragraphs.ts';
import type { ParsePlan } from '#src/parse/plan.ts';
import { parseMarkup } from '#src/text-formats/xml.ts';

export function writeHeaders(
  flow: Flow,
  subject: string,
  headers: readonly (readonly [name: string, value: string])[],
): void {
  flow.heading(1, [{ text: subject }]);
  const lines = headers.flatMap(([name, value], index) => [
    { text: index > 0 ? '\n' : '' },
    { text: `${name}:`, bold: true },
    { text: ` ${value}` },
  ]);
  flow.paragraph(lines);
}

export function writePlain(flow: Flow, body: string): void {
  for (const paragraph of splitIntoParagraphs(body.replace(/\r\n?/g, '\n'))) {
    const text = paragraph.body.trim();
    flow.block({ type: 'paragraph', text, markdown: text });
  }
}

/**
 * Writes the HTML body of an e-mail. `loadInlinePicture` returns the bytes of the attached picture with this
 * content id.
 */
export function writeHtml(
  flow: Flow,
  html: string,
  plan: ParsePlan,
  loadInlinePicture: (contentId: string) => Uint8Array | undefined,
): void {
  const root = parseMarkup(html, { html: true });
  new HtmlConverter({
    flow,
    isExcluded: exclusionRule(root, plan.layout.html),
    image: (address) => ({
      name: address,
      load: () =>
        /^cid:/i.test(address) ? loadInlinePicture(contentId(address.slice(4))) : dataUri(address),
    }),
  }).convert(root);
}

function contentId(encoded: string): string {
  try {
    return decodeURIComponent(encoded);
  } catch {
    return encoded;
  }
}
