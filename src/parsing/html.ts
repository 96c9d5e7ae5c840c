import { decodeText } from './encoding.ts';
import { finishDocument } from './finish.ts';
import { Flow } from './flow/flow.ts';
import { HtmlConverter } from './html/convert.ts';
import { dataUri, htmlCharset, htmlMetadata } from './html/document.ts';
import { exclusionRule } from './html/visibility.ts';
import type { Parser } from './parser.ts';
import { descendants, parseMarkup } from './xml.ts';

/** HTML pages: one page, or more when the style sheet asks for page breaks on elements. */
export const htmlParser: Parser = {
  async open({ bytes, parameters, budget }) {
    const { text } = decodeText(bytes, htmlCharset(bytes));
    const root = parseMarkup(text, { html: true });
    const flow = new Flow(parameters, budget);
    const base = descendants(root, 'base')[0]?.attributes.href;
    new HtmlConverter({
      flow,
      isExcluded: exclusionRule(root, parameters),
      image: dataUri,
      link: (href) => (base ? (URL.parse(href, base)?.href ?? href) : href),
      hideHeaders: parameters.hide_headers,
      hideFooters: parameters.hide_footers,
    }).convert(root);
    return finishDocument(flow, htmlMetadata(root));
  },
};
