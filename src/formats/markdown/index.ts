import type { Block, Link } from '#src/documents/document.ts';
import { readDocumentBlocks } from '#src/documents/markdown/document-blocks.ts';
import { readFrontMatter } from '#src/documents/markdown/front-matter.ts';
import { yieldToEventLoop } from '#src/lib/async/yield-to-event-loop.ts';
import { decodeText } from '#src/text-formats/encoding.ts';
import { dataUri } from '../html/document.ts';
import { finishDocument } from '../shared/flow/finish.ts';
import { Flow } from '../shared/flow/flow.ts';
import { definedOnly, isoDate, languageCode } from '../shared/flow/metadata.ts';
import type { Parser } from '../shared/parser.ts';

/**
 * Number of characters that are parsed before other tasks may run. Parsing them takes about 20 milliseconds.
 */
const CHARACTERS_BETWEEN_YIELDS = 50_000;

/**
 * Parses Markdown block by block. Front matter becomes document metadata, and pictures in data URIs become
 * figures.
 */
export const markdownParser: Parser = {
  async open({ bytes, plan, budget }) {
    const text = decodeText(bytes)
      .text.replace(/\r\n?/g, '\n')
      .replace(/\n{50,5000}/g, '\n'.repeat(50));
    const { fields, body } = readFrontMatter(text);
    const flow = new Flow(plan, budget);
    const title = await writeMarkdown(body, flow);
    return finishDocument(
      flow,
      definedOnly({
        title: fields.title ?? title,
        author: fields.author,
        createdAt: isoDate(fields.date),
        language: languageCode(fields.lang ?? fields.language),
      }),
    );
  },
};

/** Adds the blocks of a Markdown text to the flow. Returns the first heading of level 1, if there is one. */
export async function writeMarkdown(body: string, flow: Flow): Promise<string | undefined> {
  let title: string | undefined;
  let charactersSinceYield = 0;
  for (const [index, page] of body.split('\f').entries()) {
    if (index > 0) flow.pageBreak();
    for (const read of readDocumentBlocks(withFigures(page, flow))) {
      if (!read) {
        await yieldToEventLoop(async () => {});
        continue;
      }
      const { block, links, blankLines } = read;
      if (block.type === 'heading' && block.level === 1) title ??= block.text;
      for (const link of links) flow.link(link);
      flow.block(flow.links ? block : withoutTargets(block, links), blankLines);
      charactersSinceYield += block.markdown.length;
      if (charactersSinceYield < CHARACTERS_BETWEEN_YIELDS) continue;
      charactersSinceYield = 0;
      await yieldToEventLoop(async () => {});
    }
  }
  return title;
}

const LINK = /(?<!!)\[([^\][]*)\]\(([^()\n]*)\)/g;

/** Replaces the given links in a block by their link texts. Link definitions stay unchanged. */
function withoutTargets(block: Block, links: readonly Link[]): Block {
  if (links.length === 0) return block;
  const urls = new Set(links.map(({ url }) => url));
  const markdown = block.markdown.replace(LINK, (whole, text: string, target: string) => {
    const [url = ''] = target.trim().split(/\s/);
    return urls.has(url.replace(/^</, '').replace(/>$/, '')) ? text : whole;
  });
  return { ...block, markdown };
}

function withFigures(page: string, flow: Flow): string {
  return page.replace(/!\[([^\][]{0,500})\]\((data:image\/[^()\s]+)\)/g, (_, alt: string, uri: string) => {
    return flow.namedImage(uri, () => dataUri(uri), { alt }).run?.markdown ?? alt;
  });
}
