import { getOwn } from '#src/lib/get-own.ts';
import { elements, type XmlElement, type XmlNode } from '#src/text-formats/xml.ts';
import {
  addNodes,
  findChild,
  hasText,
  isBlankNode,
  joinNodes,
  localName,
  make,
  readLine,
  readStart,
} from '../../tree/build.ts';
import type { Rewriter, RuleFunction } from '../../tree/rewriter.ts';

const IDENTIFIER_LABELS: Record<string, string> = { doi: 'doi:', pmid: 'PMID: ', pmcid: 'PMCID: ' };

/** Writes a person as "Surname Given" for references, and keeps the text of names that have other parts. */
export function writePerson(name: XmlElement): string {
  if (hasText(name)) return readLine(name);
  const parts = ['surname', 'given-names', 'suffix'].map((part) => readLine(findChild(name, part)));
  const joined = parts.filter((part) => part !== '').join(' ');
  return joined === '' ? readLine(name) : joined;
}

const PERSONS = new Set(['name', 'string-name', 'collab', 'name-alternatives']);

export function writePersons(group: XmlElement): string {
  return elements(group)
    .map((person) => {
      const name = localName(person.name);
      if (name === 'etal') return readLine(person) || 'et al.';
      return name === 'name' ? writePerson(person) : readLine(person);
    })
    .filter((text) => text !== '')
    .join(', ');
}

/** Writes a part of a reference whose parts are only marked up, without punctuation between them. */
function writePart(part: XmlElement, rewriter: Rewriter): XmlNode[] {
  const name = localName(part.name);
  if (name === 'person-group' && !hasText(part)) return [writePersons(part)];
  if (name === 'name') return [writePerson(part)];
  if (name === 'pub-id')
    return [(getOwn(IDENTIFIER_LABELS, part.attributes['pub-id-type'] ?? '') ?? '') + readLine(part)];
  const content = rewriter.inline(part);
  return name === 'source' ? [make('i', content)] : content;
}

/** Returns the punctuation between two parts of a reference, such as the colon between volume and pages. */
function findSeparator(before: string, name: string): string {
  if (before === '' || name === 'issue') return '';
  if (name === 'etal' || (PERSONS.has(name) && PERSONS.has(before))) return ', ';
  if (name === 'fpage' && ['volume', 'issue'].includes(before)) return ':';
  return name === 'lpage' && before === 'fpage' ? '–' : '. ';
}

/** Joins the parts of a reference: volume, issue and pages like "12(3):45–67", others with full stops. */
function writeElementCitation(citation: XmlElement, rewriter: Rewriter): XmlNode[] {
  const nodes: XmlNode[] = [];
  let before = '';
  for (const part of elements(citation)) {
    const name = localName(part.name);
    const isBlank = isBlankNode(part);
    if (isBlank && name !== 'etal') continue;
    const text = isBlank ? ['et al.'] : writePart(part, rewriter);
    addNodes(nodes, [findSeparator(before, name), ...(name === 'issue' ? ['(', ...text, ')'] : text)]);
    before = name;
  }
  return nodes;
}

/** Puts the kind of an identifier in front of it, unless the text before already names the kind. */
function labelIdentifiers(citation: XmlElement): void {
  citation.children.forEach((node, index) => {
    if (typeof node === 'string' || localName(node.name) !== 'pub-id') return;
    const label = getOwn(IDENTIFIER_LABELS, node.attributes['pub-id-type'] ?? '');
    const before = citation.children[index - 1];
    const isNamed =
      typeof before === 'string' && /(?:doi|pmid|pmcid|doi\.org\/)[\s:]*$/i.test(before.slice(-20));
    if (label && !isNamed && !/^(?:doi|https?):/i.test(readStart(node, 20))) node.children.unshift(label);
  });
}

function writeCitation(citation: XmlElement, rewriter: Rewriter): XmlNode[] {
  const isMarkedOnly = !hasText(citation) && elements(citation).length > 1;
  if (isMarkedOnly) return writeElementCitation(citation, rewriter);
  labelIdentifiers(citation);
  return rewriter.inline(citation);
}

const CITATIONS = ['mixed-citation', 'element-citation', 'nlm-citation', 'citation', 'citation-alternatives'];

function writeContent(reference: XmlElement, rewriter: Rewriter): XmlNode[] {
  const parts = reference.children
    .filter((part) => typeof part === 'string' || localName(part.name) !== 'label')
    .map((part) => {
      if (typeof part === 'string') return [part];
      const name = localName(part.name);
      if (name === 'citation-alternatives') {
        const [first] = elements(part);
        return first ? writeCitation(first, rewriter) : rewriter.inline(part);
      }
      return CITATIONS.includes(name) ? writeCitation(part, rewriter) : rewriter.inlineNodes([part]);
    });
  return joinNodes(parts, ' ');
}

/** Writes a reference as a list item. Numbered labels become the number of the item. */
export const writeReference: RuleFunction = (element, rewriter) => {
  const label = findChild(element, 'label') ?? findChild(element, 'mixed-citation', 'label');
  const text = readStart(label, 100);
  const number = /^[[(]?(\d{1,6})[\])]?\.?$/.exec(text)?.[1];
  const content = writeContent(element, rewriter);
  if (number) return [make('ol', [make('li', content, { value: number })])];
  const prefix = text === '' ? [] : [`${text} `];
  return [make('ul', [make('li', [...prefix, ...content])])];
};

/** Writes a list of references under its title. */
export const writeReferenceList: RuleFunction = (element, rewriter) => {
  const title = findChild(element, 'title');
  return rewriter.section(element, [title ?? make('title', ['References'])]);
};
