import { elements, type XmlElement, type XmlNode } from '#src/text-formats/xml.ts';
import { findAll, findChild, localName, make, readLine } from '../../tree/build.ts';
import { Rewriter } from '../../tree/rewriter.ts';
import type { Vocabulary } from '../define.ts';
import { RULES } from './rules.ts';

const NAMESPACE = 'http://docbook.org/ns/docbook';
const ROOTS = new Set(
  'book article chapter section sect1 appendix preface part refentry set glossary bibliography simplesect'.split(
    ' ',
  ),
);

const INFO = ['info', 'bookinfo', 'articleinfo', 'chapterinfo', 'sectioninfo', 'setinfo', 'artheader'];

const findInfo = (root: XmlElement) => elements(root).find(({ name }) => INFO.includes(localName(name)));

function readPerson(person: XmlElement): string {
  const parts = ['honorific', 'firstname', 'givenname', 'surname'].flatMap((name) => findAll(person, name));
  return parts.length > 0
    ? parts.map(readLine).join(' ')
    : readLine(findChild(person, 'personname') ?? person);
}

/** Writes the title and its authors. The other data on the publication is left out. */
function writeInfo(
  root: XmlElement,
  rewriter: Rewriter,
): { nodes: XmlNode[]; title: string; author: string } {
  const info = findInfo(root);
  const title = findChild(root, 'title') ?? findChild(info, 'title');
  const subtitle = findChild(root, 'subtitle') ?? findChild(info, 'subtitle');
  const authors = findAll(info, 'author')
    .map(readPerson)
    .filter((name) => name !== '');
  const text = readLine(title);
  const nodes: XmlNode[] = [
    ...rewriter.heading(title),
    ...(subtitle ? [make('p', rewriter.inline(subtitle))] : []),
    ...(authors.length > 0 ? [make('p', [authors.join(', ')])] : []),
  ];
  rewriter.level = 2;
  for (const abstract of findAll(info, 'abstract')) nodes.push(...rewriter.rewrite(abstract));
  return { nodes, title: text, author: authors.join(', ') };
}

/** Technical documents in DocBook, with or without its namespace. */
export const docbook: Vocabulary = {
  name: 'DocBook',
  matches: ({ local, namespace, element }) =>
    namespace === NAMESPACE ||
    (namespace === '' && ROOTS.has(local) && findAll(element, 'para', 'simpara').length > 0),
  read(root) {
    const rewriter = new Rewriter(RULES);
    const { nodes, title, author } = writeInfo(root, rewriter);
    const parts = [findInfo(root), findChild(root, 'title'), findChild(root, 'subtitle')];
    const written = new Set<XmlNode>(parts.filter((part) => part !== undefined));
    const content = rewriter.children(root, false, written);
    const notes = rewriter.notes.map((note) => make('div', note));
    return {
      nodes: [...nodes, ...content, ...notes],
      metadata: { title, author },
      pictures: rewriter.pictures,
    };
  },
};
