import { decodeText } from '#src/text-formats/encoding.ts';
import { descendants, parseMarkup } from '#src/text-formats/xml.ts';
import { finishDocument } from '../shared/flow/finish.ts';
import { Flow } from '../shared/flow/flow.ts';
import type { Parser } from '../shared/parser.ts';
import { readInlineReport } from '../xml/vocabularies/xbrl/inline.ts';
import { HtmlConverter } from './convert.ts';
import { dataUri, htmlCharset, htmlMetadata } from './document.ts';
import { exclusionRule } from './visibility.ts';

/**
 * Maximum length in characters of the document's base URL. Longer base URLs are ignored, because every link
 * is resolved against the base URL.
 */
const MAX_BASE_LENGTH = 2_000;

/** Parses an HTML document as one page, or as several pages if inline styles set page breaks. */
export const htmlParser: Parser = {
  async open({ bytes, plan, budget }) {
    const { text } = decodeText(bytes, htmlCharset(bytes));
    const root = parseMarkup(text, { html: true });
    const flow = new Flow(plan, budget);
    const base = descendants(root, 'base')[0]?.attributes.href;
    const report = readInlineReport(root);
    const isExcluded = exclusionRule(root, plan.layout.html);
    const converter = new HtmlConverter({
      flow,
      isExcluded: (element) => report?.isHeader(element) === true || isExcluded(element),
      image: (address) => ({ name: address, load: () => dataUri(address) }),
      link: (href) => (base && base.length <= MAX_BASE_LENGTH ? (URL.parse(href, base)?.href ?? href) : href),
      hideHeaders: plan.layout.hideHeaders,
      hideFooters: plan.layout.hideFooters,
    });
    converter.convert(root);
    if (report) converter.convert({ name: '', attributes: {}, children: report.nodes });
    return finishDocument(flow, htmlMetadata(root));
  },
};
