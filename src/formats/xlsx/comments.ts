import type { OoxmlPackage } from '#src/formats/shared/containers/ooxml-package.ts';
import { dropAuthorLine, type ShownComment } from '#src/formats/shared/flow/comments.ts';
import {
  child,
  descendants,
  elements,
  getTextContent,
  parseXml,
  type XmlElement,
} from '#src/text-formats/xml.ts';
import { cellAddress } from './sheet.ts';

interface CellComment extends ShownComment {
  place: string;
}

/** Maximum length of the name of a cell. */
const MAX_ADDRESS = 20;
const PERSONS = /^xl\/persons\/[^/]+\.xml$/;

/** Returns the names of the authors of threaded comments by their ids. */
export function readPersons({ archive }: OoxmlPackage): Map<string, string> {
  const lists = archive.names.filter((name) => PERSONS.test(name));
  return new Map(
    lists.flatMap((name) =>
      elements(parseXml(archive.text(name), { local: true }), 'person').map(
        ({ attributes }): [string, string] => [attributes.id ?? '', attributes.displayName ?? ''],
      ),
    ),
  );
}

/**
 * Reads the notes and threaded comments of a sheet in the order of their cells. For each thread, the file also
 * contains a note for older programs, which is left out.
 */
export function readCellComments(
  opened: OoxmlPackage,
  sheet: string,
  persons: ReadonlyMap<string, string>,
): CellComment[] {
  const parts = [...opened.relationships(sheet).values()].filter(({ external }) => !external);
  const roots = (type: string) =>
    parts
      .filter((part) => part.type === type)
      .flatMap(({ target }) => parseXml(opened.archive.text(target), { local: true }) ?? []);
  const threads = roots('threadedComment').flatMap((root) => readThreads(root, persons));
  const threaded = new Set(threads.map(({ place }) => place));
  const notes = roots('comments')
    .flatMap(readNotes)
    .filter(({ place }) => !threaded.has(place));
  const order = new Map(
    [...notes, ...threads].map(({ place }) => [place, cellAddress(place) ?? ([0, 0] as const)]),
  );
  return [...notes, ...threads].sort((a, b) => {
    const [rowA = 0, columnA = 0] = order.get(a.place) ?? [];
    const [rowB = 0, columnB = 0] = order.get(b.place) ?? [];
    return rowA - rowB || columnA - columnB;
  });
}

function readNotes(root: XmlElement): CellComment[] {
  const authors = elements(child(root, 'authors'), 'author').map((author) => getTextContent(author).trim());
  return elements(child(root, 'commentList'), 'comment').map((comment) => {
    const author = authors[Number(comment.attributes.authorId)] ?? '';
    const texts = descendants(child(comment, 'text'), 't').map(getTextContent).join('').trim();
    const runs = [{ text: dropAuthorLine(texts, author) }];
    return { author, place: (comment.attributes.ref ?? '').slice(0, MAX_ADDRESS), runs };
  });
}

function readThreads(root: XmlElement, persons: ReadonlyMap<string, string>): CellComment[] {
  return elements(root, 'threadedComment').map((comment) => {
    const { ref = '', personId = '', parentId } = comment.attributes;
    const text = getTextContent(child(comment, 'text')).trim();
    const author = persons.get(personId) ?? '';
    return { author, place: ref.slice(0, MAX_ADDRESS), isReply: parentId !== undefined, runs: [{ text }] };
  });
}
