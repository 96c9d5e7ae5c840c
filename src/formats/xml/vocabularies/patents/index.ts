import { languageCode } from '#src/formats/shared/flow/metadata.ts';
import { elements, type XmlElement, type XmlNode } from '#src/text-formats/xml.ts';
import { findAll, findChild, isBlankNode, localName, make, readStart } from '../../tree/build.ts';
import { Rewriter, type RuleFunction, type Rules } from '../../tree/rewriter.ts';
import { displayFormula, SHARED_RULES, writeItems, writeLink } from '../../tree/shared-rules.ts';
import type { Vocabulary } from '../define.ts';
import { readBibliography, writeBibliography } from './bibliography.ts';
import { writeClaims } from './claims.ts';
import { writePatentTable } from './tables.ts';

const countImage: RuleFunction = (_, rewriter) => {
  rewriter.pictures++;
  return [];
};

/** Leaves out bold type for the numbers of parts in drawings, which would break up words and names. */
const bold: RuleFunction = (element, rewriter) => {
  const isNumber = /^\(?\d[\w.,'–-]{0,8}\)?$/.test(readStart(element, 20));
  return [make(isNumber ? 'span' : 'b', rewriter.inline(element))];
};

/** Counts drawings. Their heading is left out, because the pictures are not in the file. */
const drawings: RuleFunction = (element, rewriter) => {
  rewriter.pictures += findAll(element, 'img', 'image').length;
  return [];
};

const heading: RuleFunction = (element, rewriter) => {
  const level = Math.min(4, Math.max(1, Math.trunc(Number(element.attributes.level)) || 1)) + 2;
  return isBlankNode(element) ? [] : [make(`h${level}`, rewriter.inline(element))];
};

/** Writes a section of the older application format, whose headings have no level of their own. */
const section: RuleFunction = (element, rewriter) =>
  rewriter.section(element, [findChild(element, 'heading')]);

const list =
  (name: 'ul' | 'ol'): RuleFunction =>
  (element, rewriter) => [
    make(
      name,
      writeItems(element, (item) => rewriter.inline(item)),
    ),
  ];

/** Elements of the grant and application formats since 2001, and of the similar formats of other offices. */
const RULES: Rules = {
  ...SHARED_RULES,
  heading,
  section,
  p: 'p',
  paragraph: 'p',
  bold,
  italic: 'i',
  highlight: 'span',
  subscript: 'sub',
  superscript: 'sup',
  sub2: 'sub',
  sup2: 'sup',
  b: bold,
  i: 'i',
  u: 'span',
  o: 'span',
  smallcaps: 'span',
  br: () => [make('br', [])],
  figref: 'span',
  'claim-ref': 'span',
  crossref: 'span',
  'cross-reference': 'span',
  maths: displayFormula,
  'math-cwu': displayFormula,
  'table-cwu': writePatentTable,
  tables: writePatentTable,
  table: writePatentTable,
  'chemistry-cwu': 'div',
  ul: list('ul'),
  ol: list('ol'),
  'unordered-list': list('ul'),
  'ordered-list': list('ol'),
  dl: 'div',
  pre: (element) => [make('pre', element.children)],
  'program-listing': (element) => [make('pre', element.children)],
  img: countImage,
  image: countImage,
  'embedded-image': 'span',
  figure: 'div',
  drawings,
  'subdoc-drawings': drawings,
  'mathematica-file': '',
  'chemdraw-file': '',
  'molecule-file': '',
  'chem-mol': '',
  'custom-character': 'span',
  'object-reference': writeLink,
  'doc-page': '',
};

const PARTS = {
  bibliography: /bibliographic-(?:data|information)/,
  abstract: /^(?:subdoc-)?abstract$/,
  description: /^(?:subdoc-)?description$/,
  claims: /^(?:subdoc-)?claims$/,
  statement: /^us-claim-statement$/,
} as const;

function writeBody(root: XmlElement, rewriter: Rewriter): XmlNode[] {
  const find = (pattern: RegExp) => elements(root).filter(({ name }) => pattern.test(localName(name)));
  const titled = (title: string, parts: readonly XmlElement[]): XmlNode[] => {
    const content = parts.flatMap((part) => rewriter.children(part));
    return content.some((node) => !isBlankNode(node)) ? [make('h2', [title]), make('div', content)] : [];
  };
  rewriter.level = 3;
  const abstracts = titled('Abstract', find(PARTS.abstract));
  const description = titled('Description', find(PARTS.description));
  const [statement] = find(PARTS.statement);
  const claims = find(PARTS.claims).flatMap((part) => writeClaims(part, statement, rewriter));
  const written = Object.values(PARTS);
  const others = elements(root).filter(({ name }) => !written.some((part) => part.test(localName(name))));
  return [...abstracts, ...description, ...claims, ...others.flatMap((part) => rewriter.rewrite(part))];
}

const ROOTS =
  /^(?:us-patent-(?:application|grant)|patent-application-publication|us-sequence-listing|patent-document|ep-patent-document|wo-(?:published|international)-application)/;

/** Patents and applications of the United States since 2001, and of offices that use the same elements. */
export const patent: Vocabulary = {
  name: 'Patent',
  matches: ({ local }) => ROOTS.test(local),
  read(root) {
    const rewriter = new Rewriter(RULES);
    const source = elements(root).find(({ name }) => PARTS.bibliography.test(localName(name))) ?? root;
    const bibliography = readBibliography(source);
    const title = findAll(source, 'invention-title', 'title-of-invention')[0];
    const nodes: XmlNode[] = [
      ...(title ? [make('h1', rewriter.inline(title))] : []),
      ...writeBibliography(bibliography),
      ...writeBody(root, rewriter),
    ];
    return {
      nodes,
      pictures: rewriter.pictures,
      metadata: {
        title: bibliography.title,
        author: bibliography.inventors.map(({ name }) => name).join(', '),
        ...(bibliography.publicationDate && { createdAt: `${bibliography.publicationDate}T00:00:00.000Z` }),
        ...languageField(root.attributes.lang),
      },
    };
  },
};

function languageField(tag: string | undefined): { language?: string } {
  const language = languageCode(tag);
  return language === undefined ? {} : { language };
}
