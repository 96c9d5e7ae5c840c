import { elements, type XmlElement, type XmlNode } from '#src/text-formats/xml.ts';
import { addNodes, findAll, findChild, localName, make } from '../../tree/build.ts';
import { Rewriter } from '../../tree/rewriter.ts';
import type { Vocabulary } from '../define.ts';
import { readArticleMetadata, writeFront } from './front.ts';
import { collectFootnotes } from './notes.ts';
import { buildJatsRules } from './rules.ts';

/** Writes an article or a part of one: front matter, body, back matter and further articles inside it. */
function writeArticle(article: XmlElement, rewriter: Rewriter): XmlNode[] {
  const front = findChild(article, 'front') ?? findChild(article, 'front-stub');
  const level = rewriter.level;
  const nodes = front ? writeFront(front, rewriter) : [];
  rewriter.level = Math.min(6, level + 1);
  for (const part of elements(article)) {
    if (part === front) continue;
    const isArticle = ['sub-article', 'response'].includes(localName(part.name));
    addNodes(nodes, isArticle ? writeArticle(part, rewriter) : rewriter.rewrite(part));
  }
  rewriter.level = level;
  return [make('div', nodes)];
}

const isArticle = (element: XmlElement): boolean =>
  findChild(element, 'front', 'article-meta') !== undefined ||
  (findChild(element, 'body') !== undefined && findAll(element, 'sec', 'ref-list').length > 0);

/** Journal articles in JATS, in its predecessor NLM, and in the Book Interchange Tag Suite. */
export const jats: Vocabulary = {
  name: 'JATS',
  matches: ({ local, element }) =>
    (local === 'article' && isArticle(element)) ||
    local === 'pmc-articleset' ||
    (['book', 'book-part-wrapper'].includes(local) &&
      (findChild(element, 'book-meta') ?? findChild(element, 'book-part')) !== undefined),
  read(root) {
    const metadata = readArticleMetadata(root);
    const rewriter = new Rewriter(buildJatsRules(collectFootnotes(root), writeArticle));
    const nodes = localName(root.name) === 'article' ? writeArticle(root, rewriter) : rewriter.children(root);
    return { nodes: [...nodes, ...rewriter.notes.flat()], metadata, pictures: rewriter.pictures };
  },
};
