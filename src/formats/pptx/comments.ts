import type { OoxmlPackage, Relationship } from '#src/formats/shared/containers/ooxml-package.ts';
import type { ShownComment } from '#src/formats/shared/flow/comments.ts';
import {
  child,
  descendants,
  elements,
  getTextContent,
  parseXml,
  type XmlElement,
} from '#src/text-formats/xml.ts';

type Relationships = ReadonlyMap<string, Relationship>;

const readPart = ({ archive }: OoxmlPackage, part: string) => parseXml(archive.text(part), { local: true });

/** Returns the names of the authors of comments by their ids. */
export function readCommentAuthors(opened: OoxmlPackage, relationships: Relationships): Map<string, string> {
  const lists = [...relationships.values()].filter(
    ({ type }) => type === 'commentAuthors' || type === 'authors',
  );
  return new Map(
    lists.flatMap(({ target }) =>
      elements(readPart(opened, target)).map(({ attributes }): [string, string] => [
        attributes.id ?? '',
        attributes.name ?? '',
      ]),
    ),
  );
}

/** Reads the comments of a slide with their replies, which have two formats in old and new files. */
export function readSlideComments(
  opened: OoxmlPackage,
  relationships: Relationships,
  authors: ReadonlyMap<string, string>,
): ShownComment[] {
  const parts = [...relationships.values()].filter(({ type, external }) => type === 'comments' && !external);
  const comments = parts.flatMap(({ target }) => elements(readPart(opened, target), 'cm'));
  return comments.flatMap((comment) => {
    const replies = elements(child(comment, 'replyLst'), 'reply');
    const isReply = descendants(comment, 'parentCm').length > 0;
    return [
      readComment(comment, authors, isReply),
      ...replies.map((reply) => readComment(reply, authors, true)),
    ];
  });
}

function readComment(
  comment: XmlElement,
  authors: ReadonlyMap<string, string>,
  isReply: boolean,
): ShownComment {
  const author = authors.get(comment.attributes.authorId ?? '') ?? '';
  const body = child(comment, 'txBody');
  const text = body ? elements(body, 'p').map(readLine).join('\n') : getTextContent(child(comment, 'text'));
  return { author, isReply, runs: [{ text: text.trim() }] };
}

const readLine = (paragraph: XmlElement) => descendants(paragraph, 't').map(getTextContent).join('');
