import { isoDate, languageCode } from '#src/formats/shared/flow/metadata.ts';
import {
  elements,
  getTextContent,
  parseMarkup,
  type XmlElement,
  type XmlNode,
} from '#src/text-formats/xml.ts';
import { childrenNamed, findAll, findChild, isBlankNode, localName, make, readLine } from '../tree/build.ts';
import type { Vocabulary, VocabularyContext } from './define.ts';

const ATOM = 'http://www.w3.org/2005/Atom';
const RSS1 = 'http://purl.org/rss/1.0/';

/** Keeps XHTML elements as they are, without namespace prefixes. */
function keepHtml(node: XmlNode): XmlNode {
  if (typeof node === 'string') return node;
  node.name = localName(node.name).toLowerCase();
  node.children = node.children.map(keepHtml);
  return node;
}

/**
 * Returns the content of a field as HTML nodes. Most feeds write HTML as escaped text, and some as elements of
 * XHTML.
 */
function readHtml(field: XmlElement, { budget }: VocabularyContext): XmlNode[] {
  if (elements(field).length > 0) return field.children.map(keepHtml);
  const text = getTextContent(field);
  if (!/[<&]/.test(text)) return [make('p', [text])];
  budget.spend('markupByte', text.length);
  return [make('div', parseMarkup(text, { html: true }).children)];
}

const readPerson = (person: XmlElement): string => readLine(findChild(person, 'name') ?? person);

function readLink(item: XmlElement): string {
  const links = childrenNamed(item, 'link').filter(({ name }) => name === 'link' || name.endsWith(':link'));
  const chosen = links.find(({ attributes }) => (attributes.rel ?? 'alternate') === 'alternate') ?? links[0];
  return (chosen?.attributes.href ?? readLine(chosen)).trim();
}

const DATES = ['published', 'pubDate', 'date', 'issued', 'updated', 'modified'];
const AUTHORS = ['author', 'creator', 'contributor'];

/** Writes authors, date and categories of an entry on one line. */
function writeByline(item: XmlElement): XmlNode[] {
  const authors = [...new Set(childrenNamed(item, ...AUTHORS).map(readPerson))];
  const date = DATES.flatMap((name) => findChild(item, name) ?? [])[0];
  const categories = childrenNamed(item, 'category', 'subject').map(
    (category) => readLine(category) || (category.attributes.label ?? category.attributes.term ?? ''),
  );
  const parts = [authors.join(', '), readLine(date), [...new Set(categories)].join(', ')];
  const line = parts.filter((part) => part !== '').join(' · ');
  return line === '' ? [] : [make('p', [line])];
}

/** Writes the full content of an entry, or its summary if the feed contains no more. */
function writeContent(item: XmlElement, context: VocabularyContext): XmlNode[] {
  const full = childrenNamed(item, 'encoded', 'content', 'body').find((one) => !isBlankNode(one));
  const summary = childrenNamed(item, 'description', 'summary').find((one) => !isBlankNode(one));
  const content = full ? readHtml(full, context) : [];
  if (!summary) return content;
  const summaryNodes = readHtml(summary, context);
  const whole = content.map(readLine).join(' ').replace(/\s+/g, '');
  const start = summaryNodes.map(readLine).join(' ').replace(/\s+/g, '').slice(0, 60);
  return full && whole.includes(start) ? content : [...summaryNodes, ...content];
}

function writeItem(item: XmlElement, context: VocabularyContext): XmlNode {
  const title = findChild(item, 'title');
  const href = readLink(item);
  const titleNodes = title && !isBlankNode(title) ? readTitle(title, context) : [];
  const isAddress = /^https?:/i.test(href);
  const linked = isAddress && titleNodes.length > 0 ? [make('a', titleNodes, { href })] : titleNodes;
  return make('div', [
    ...(linked.length > 0 ? [make('h2', linked)] : []),
    ...(isAddress && titleNodes.length === 0 ? [make('p', [make('a', [href], { href })])] : []),
    ...writeByline(item),
    ...writeContent(item, context),
  ]);
}

/** Returns a title as text. HTML in it is only used for its text. */
function readTitle(title: XmlElement, context: VocabularyContext): XmlNode[] {
  return [readHtml(title, context).map(readLine).join(' ')];
}

/** Feeds of news and of other entries in RSS and Atom. */
export const feed: Vocabulary = {
  name: 'RSS or Atom',
  matches: ({ local, namespace, element }) =>
    (local === 'rss' && findChild(element, 'channel') !== undefined) ||
    ((local === 'feed' || local === 'entry') && namespace === ATOM) ||
    (local === 'RDF' && Object.values(element.attributes).includes(RSS1)),
  read(root, context) {
    const channel = findChild(root, 'channel') ?? root;
    const isEntry = localName(root.name) === 'entry';
    const title = readLine(findChild(channel, 'title'));
    const description = findChild(channel, 'description') ?? findChild(channel, 'subtitle');
    const items = isEntry ? [root] : findAll(root, 'item', 'entry');
    const header: XmlNode[] = [
      ...(title === '' || isEntry ? [] : [make('h1', [title])]),
      ...(description && !isBlankNode(description) ? readHtml(description, context) : []),
    ];
    const language = languageCode(readLine(findChild(channel, 'language')) || root.attributes['xml:lang']);
    const createdAt = isoDate(
      DATES.map((name) => readLine(findChild(channel, name))).find((text) => text !== ''),
    );
    return {
      nodes: [...header, ...items.map((item) => writeItem(item, context))],
      metadata: { title, ...(language && { language }), ...(createdAt && { createdAt }) },
    };
  },
};
