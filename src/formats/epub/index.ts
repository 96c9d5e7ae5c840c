import { ParseError } from '#src/documents/errors.ts';
import { descendants, getTextContent, parseMarkup, parseXml } from '#src/text-formats/xml.ts';
import { HtmlConverter } from '../html/convert.ts';
import { dataUri } from '../html/document.ts';
import { exclusionRule } from '../html/visibility.ts';
import { openZip } from '../shared/containers/zip.ts';
import { finishDocument } from '../shared/flow/finish.ts';
import { Flow } from '../shared/flow/flow.ts';
import { isoDate, languageCode } from '../shared/flow/metadata.ts';
import type { Parser } from '../shared/parser.ts';

/**
 * Maximum length in characters of a base path. Longer paths are rejected, because every reference in the file
 * is joined with the base path.
 */
const MAX_BASE_LENGTH = 2_000;

/**
 * Resolves a reference from one file of the e-book to another. Returns '' if the target is outside the e-book
 * or the base path is too long.
 */
function resolveMemberName(base: string, reference: string): string {
  if (base.length > MAX_BASE_LENGTH) return '';
  const url = URL.parse(reference, `http://book/${base}`);
  if (url?.host !== 'book') return '';
  try {
    return decodeURIComponent(url.pathname.slice(1));
  } catch {
    return url.pathname.slice(1);
  }
}

export const epubParser: Parser = {
  async open({ bytes, plan, budget }) {
    const archive = openZip(bytes, { budget });
    if (archive.has('META-INF/rights.xml')) {
      throw new ParseError('FILE_IS_PROTECTED', 'The book is protected by digital rights management.');
    }
    const container = parseXml(archive.text('META-INF/container.xml'), { local: true });
    const path = descendants(container, 'rootfile')[0]?.attributes['full-path'] ?? '';
    const book = parseXml(archive.text(path), { local: true });
    if (!book) throw new ParseError('FILE_IS_BROKEN', 'The book is damaged: it has no package file.');
    const items = new Map(
      descendants(book, 'item').map(({ attributes }) => [attributes.id ?? '', attributes]),
    );
    const flow = new Flow(plan, budget);
    const imageAt = (address: string, chapter: string) => {
      const isData = /^data:/i.test(address);
      const name = isData ? address : resolveMemberName(chapter, address);
      return { name, load: () => (isData ? dataUri(address) : archive.read(name)) };
    };
    const referred = new Set(descendants(book, 'itemref').map(({ attributes }) => attributes.idref ?? ''));
    const seen = new Set<string>();
    for (const id of referred) {
      const item = items.get(id);
      const name = resolveMemberName(path, item?.href ?? '');
      if (seen.has(name)) continue;
      seen.add(name);
      const chapter = archive.text(name);
      if (chapter === undefined || item?.properties?.split(' ').includes('nav')) continue;
      const root = parseMarkup(chapter, { html: true, cdata: true });
      flow.pageBreak();
      new HtmlConverter({
        flow,
        isExcluded: exclusionRule(root, plan.layout.html),
        image: (address) => imageAt(address, name),
        link: (href) => (/^[a-z][a-z0-9+.-]*:/i.test(href) ? href : undefined),
      }).convert(root);
    }
    const field = (name: string) => getTextContent(descendants(book, name)[0]).trim() || undefined;
    return finishDocument(flow, {
      title: field('title'),
      author: descendants(book, 'creator').map(getTextContent).join(', ') || undefined,
      createdAt: isoDate(field('date')),
      language: languageCode(field('language')),
      publisher: field('publisher'),
    });
  },
};
