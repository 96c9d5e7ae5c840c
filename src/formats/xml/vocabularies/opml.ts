import type { XmlElement, XmlNode } from '#src/text-formats/xml.ts';
import { childrenNamed, findChild, make, readLine } from '../tree/build.ts';
import type { Vocabulary } from './define.ts';

function writeOutline(outline: XmlElement): XmlElement {
  const { text = '', title = '', description = '', _note = '' } = outline.attributes;
  const { xmlUrl = '', htmlUrl = '', url = '' } = outline.attributes;
  const name = text || title;
  const href = htmlUrl || url || xmlUrl;
  const isAddress = /^https?:/i.test(href);
  const label: XmlNode[] = isAddress ? [make('a', [name || href], { href })] : [name];
  if (xmlUrl !== '' && xmlUrl !== href) label.push(` (${xmlUrl})`);
  for (const note of [description, _note]) if (note !== '' && note !== name) label.push(` – ${note}`);
  const inner = childrenNamed(outline, 'outline').map(writeOutline);
  return make('li', inner.length > 0 ? [...label, make('ul', inner)] : label);
}

/** Outlines and lists of feeds in OPML. */
export const opml: Vocabulary = {
  name: 'OPML',
  matches: ({ local, element }) => local === 'opml' && findChild(element, 'body') !== undefined,
  read(root) {
    const title = readLine(findChild(root, 'head', 'title'));
    const author = readLine(findChild(root, 'head', 'ownerName'));
    const items = childrenNamed(findChild(root, 'body'), 'outline').map(writeOutline);
    return {
      nodes: [...(title === '' ? [] : [make('h1', [title])]), make('ul', items)],
      metadata: { title, author },
    };
  },
};
