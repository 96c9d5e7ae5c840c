import { elements, type XmlElement, type XmlNode } from '#src/text-formats/xml.ts';
import { findChild, hasText, joinNodes, localName, make, readLine } from '../../tree/build.ts';
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
    return [(IDENTIFIER_LABELS[part.attributes['pub-id-type'] ?? ''] ?? '') + readLine(part)];
  const content = rewriter.inline(part);
  return name === 'source' ? [make('i', content)] : content;
}

/** Joins the parts of a reference: volume, issue and pages like "12(3):45–67", others with full stops. */
function writeElementCitation(citation: XmlElement, rewriter: Rewriter): XmlNode[] {
  const nodes: XmlNode[] = [];
  let before = '';
  for (const part of elements(citation)) {
    const name = localName(part.name);
    if (readLine(part) === '' && name !== 'etal') continue;
    const text = name === 'etal' && readLine(part) === '' ? ['et al.'] : writePart(part, rewriter);
    const isPages = ['volume', 'issue', 'fpage', 'lpage'].includes(before);
    let separator = '. ';
    if (before === '') separator = '';
    else if (PERSONS.has(name) && PERSONS.has(before)) separator = ', ';
    else if (name === 'etal') separator = ', ';
    else if (name === 'issue') text.unshift('('), text.push(')'), (separator = '');
    else if (name === 'fpage' && isPages) separator = ':';
    else if (name === 'lpage' && before === 'fpage') separator = '–';
    nodes.push(separator, ...text);
    before = name;
  }
  return nodes;
}

/** Puts the kind of an identifier in front of it, unless the text before already names the kind. */
function labelIdentifiers(citation: XmlElement): void {
  citation.children.forEach((node, index) => {
    if (typeof node === 'string' || localName(node.name) !== 'pub-id') return;
    const label = IDENTIFIER_LABELS[node.attributes['pub-id-type'] ?? ''];
    const before = citation.children[index - 1];
    const isNamed =
      typeof before === 'string' && /(?:doi|pmid|pmcid|doi\.org\/)[\s:]*$/i.test(before.slice(-20));
    if (label && !isNamed && !/^(?:doi|https?):/i.test(readLine(node))) node.children.unshift(label);
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
  const parts = elements(reference)
    .filter((part) => localName(part.name) !== 'label')
    .map((part) => {
      const name = localName(part.name);
      if (name === 'citation-alternatives') {
        const [first] = elements(part);
        return first ? writeCitation(first, rewriter) : [];
      }
      return CITATIONS.includes(name) ? writeCitation(part, rewriter) : rewriter.rewrite(part);
    });
  return joinNodes(parts, ' ');
}

/** Writes a reference as a list item. Numbered labels become the number of the item. */
export const writeReference: RuleFunction = (element, rewriter) => {
  const label = findChild(element, 'label') ?? findChild(element, 'mixed-citation', 'label');
  const text = readLine(label);
  const number = /^[[(]?(\d{1,6})[\])]?\.?$/.exec(text)?.[1];
  const content = writeContent(element, rewriter);
  if (number) return [make('ol', [make('li', content, { value: number })])];
  const prefix = text === '' ? [] : [`${text} `];
  return [make('ul', [make('li', [...prefix, ...content])])];
};

/** Writes a list of references under its title. */
export const writeReferenceList: RuleFunction = (element, rewriter) => {
  const title = findChild(element, 'title');
  if (title) return rewriter.section(element, [title]);
  return rewriter.section({ ...element, children: [...element.children] }, [make('title', ['References'])]);
};
