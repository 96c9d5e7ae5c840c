import { decodeText } from './encoding.ts';
import { finishDocument } from './finish.ts';
import { Flow } from './flow/flow.ts';
import { dataUri } from './html/document.ts';
import { frontMatter, markdownText, splitMarkdown } from './markdown-blocks.ts';
import { definedOnly, isoDate, languageCode } from './metadata.ts';
import type { Parser } from './parser.ts';

/** Markdown: its own text block by block; front matter becomes metadata, data URIs become figures. */
export const markdownParser: Parser = {
  async open({ bytes, parameters }) {
    const text = decodeText(bytes).text.replace(/\r\n?/g, '\n');
    const { fields, body } = frontMatter(text);
    const flow = new Flow(parameters);
    for (const page of body.split('\f')) {
      for (const block of splitMarkdown(page)) {
        block.markdown = block.markdown.replace(
          /!\[([^\][]{0,500})\]\((data:image\/[^()\s]+)\)/g,
          (_, alt: string, uri: string) => {
            const image = dataUri(uri);
            return (image && flow.image(image, { alt })?.markdown) ?? alt;
          },
        );
        for (const [, label = '', url = ''] of block.markdown.matchAll(
          /(?<!!)\[([^\][\n]{1,1000})\]\(<?([^()<>\s]{1,2000})/g,
        )) {
          if (block.type !== 'code') flow.link({ text: markdownText(label), url });
        }
        flow.block(block);
      }
      flow.pageBreak();
    }
    return finishDocument(
      flow,
      definedOnly({
        title: fields.title ?? /^#[ \t]+(.+)$/m.exec(body)?.[1]?.trim(),
        author: fields.author,
        createdAt: isoDate(fields.date),
        language: languageCode(fields.lang ?? fields.language),
      }),
    );
  },
};
