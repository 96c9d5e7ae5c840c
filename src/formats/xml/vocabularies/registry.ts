import type { XmlElement } from '#src/text-formats/xml.ts';
import { localName } from '../tree/build.ts';
import type { RootName, Vocabulary } from './define.ts';
import { dita } from './dita.ts';
import { docbook } from './docbook/index.ts';
import { feed } from './feed.ts';
import { jats } from './jats/index.ts';
import { opml } from './opml.ts';
import { patent } from './patents/index.ts';
import { grantSt32 } from './patents/st32.ts';
import { svg } from './svg.ts';
import { tei } from './tei/index.ts';
import { xbrl } from './xbrl/index.ts';

/** All vocabularies that are read by rules of their own. The first match reads a document. */
const vocabularies: readonly Vocabulary[] = [
  jats,
  tei,
  patent,
  grantSt32,
  xbrl,
  docbook,
  dita,
  feed,
  svg,
  opml,
];

function readRootName(element: XmlElement): RootName {
  const local = localName(element.name);
  const prefix = element.name.slice(0, Math.max(0, element.name.length - local.length - 1));
  const namespace = element.attributes[prefix === '' ? 'xmlns' : `xmlns:${prefix}`] ?? '';
  return { local, namespace, element };
}

/** Returns the vocabulary of a document, or `undefined` if its root element belongs to none of them. */
export function findVocabulary(root: XmlElement): Vocabulary | undefined {
  const name = readRootName(root);
  return vocabularies.find((vocabulary) => vocabulary.matches(name));
}
