import type { DocumentMetadata } from '#src/documents/document.ts';
import { isoDate, languageCode } from '#src/formats/shared/flow/metadata.ts';
import type { XmlElement, XmlNode } from '#src/text-formats/xml.ts';
import {
  childrenNamed,
  findAll,
  findChild,
  isBlankNode,
  make,
  makeField,
  readLine,
} from '../../tree/build.ts';
import type { Rewriter } from '../../tree/rewriter.ts';

function readPerson(person: XmlElement): string {
  const name = findAll(person, 'persName')[0] ?? person;
  const forenames = findAll(name, 'forename').map(readLine);
  const parts = [...forenames, readLine(findAll(name, 'surname')[0])].filter((part) => part !== '');
  return parts.length > 0 ? parts.join(' ') : readLine(name);
}

/** Returns the persons named as authors: of the text itself, or else of the source that it was made from. */
function readAuthors(header: XmlElement): string[] {
  const own = findAll(findChild(header, 'fileDesc', 'titleStmt'), 'author');
  const source = findAll(findChild(header, 'fileDesc', 'sourceDesc'), 'analytic', 'monogr')[0];
  const authors = own.length > 0 ? own : childrenNamed(source, 'author');
  return authors.map(readPerson).filter((name) => name !== '');
}

function findTitles(header: XmlElement | undefined): XmlElement[] {
  const titles = childrenNamed(findChild(header, 'fileDesc', 'titleStmt'), 'title');
  return titles.filter((title) => !isBlankNode(title));
}

export function readHeaderMetadata(root: XmlElement, header: XmlElement | undefined): DocumentMetadata {
  if (!header) return {};
  const language = findAll(header, 'language')[0];
  const date = findAll(findChild(header, 'fileDesc', 'publicationStmt'), 'date')[0];
  const tag = root.attributes['xml:lang'] ?? language?.attributes.ident;
  const createdAt = isoDate(date?.attributes.when ?? readLine(date));
  const code = languageCode(tag);
  return {
    title: readLine(findTitles(header)[0]),
    author: readAuthors(header).join(', '),
    ...(createdAt && { createdAt }),
    ...(code && { language: code }),
  };
}

/** Writes title, authors, affiliations, keywords and abstract. Notes on the encoding are left out. */
export function writeHeader(header: XmlElement, rewriter: Rewriter): XmlNode[] {
  const [title, ...others] = findTitles(header);
  const abstract = findAll(header, 'abstract')[0];
  const authors = readAuthors(header);
  const affiliations = new Set(
    findAll(findChild(header, 'fileDesc', 'sourceDesc'), 'affiliation').map(
      (one) =>
        [...findAll(one, 'orgName').map(readLine), readLine(findChild(one, 'address'))]
          .filter((part) => part !== '')
          .join(', ') || readLine(one),
    ),
  );
  const keywords = findAll(findChild(header, 'profileDesc', 'textClass'), 'term').map(readLine);
  const nodes: XmlNode[] = [
    ...(title ? rewriter.heading(title) : []),
    ...others.map((other) => make('p', rewriter.inline(other))),
    ...(authors.length > 0 ? [make('p', [authors.join(', ')])] : []),
    ...[...affiliations].filter((text) => text !== '').map((text) => make('p', [text])),
    ...makeField('Keywords', keywords.filter((word) => word !== '').join(', ')),
  ];
  if (!abstract || isBlankNode(abstract)) return nodes;
  const hasHeading = findAll(abstract, 'head').length > 0;
  rewriter.level = 2;
  const content = rewriter.children(abstract);
  rewriter.level = 1;
  return [...nodes, ...(hasHeading ? [] : [make('h2', ['Abstract'])]), make('div', content)];
}
