import { elements, parseXml } from '#src/text-formats/xml.ts';
import type { Archive } from './zip.ts';

const RELATIONS = /^(?:(.*)\/)?_rels\/([^/]+)\.rels$/;
const PICTURE = /\/media\/([^/]+)$/;
const REFERENCE = /:(?:embed|id|link|pict)\s*=\s*["']([^"']*)["']/g;
const START = '<mc:Fallback';
const END = '</mc:Fallback>';

/**
 * Returns the pictures among the unread parts that only replace other content, such as a formula, in programs
 * that cannot show the content. The parts refer to these pictures only from inside elements `mc:Fallback`.
 */
export function findFallbackPictures(archive: Archive, unread: readonly string[]): Set<string> {
  const pictures = new Map(
    unread.flatMap((name): [string, string][] => {
      const file = PICTURE.exec(name)?.[1];
      return file === undefined ? [] : [[file, name]];
    }),
  );
  const replaced = new Set<string>();
  const shown = new Set<string>();
  if (pictures.size === 0) return replaced;
  for (const name of archive.names) {
    const [, folder, file] = RELATIONS.exec(name) ?? [];
    const part = folder === undefined ? file : `${folder}/${file}`;
    if (part === undefined || !archive.isRead(part)) continue;
    const related = listPictures(archive.text(name), pictures);
    if (related.length === 0) continue;
    const used = findReferences(archive.text(part) ?? '');
    for (const { id, picture } of related) (used.has(id) ? shown : replaced).add(picture);
  }
  for (const picture of shown) replaced.delete(picture);
  return replaced;
}

/** Lists the relationships to pictures. `pictures` contains the names of the parts by the names of their files. */
function listPictures(
  relations: string | undefined,
  pictures: ReadonlyMap<string, string>,
): { id: string; picture: string }[] {
  return elements(parseXml(relations, { local: true })).flatMap(
    ({ attributes: { Id = '', Target = '' } }) => {
      const picture = pictures.get(Target.slice(Target.lastIndexOf('/') + 1));
      return picture === undefined ? [] : [{ id: Id, picture }];
    },
  );
}

/** Returns the relationship ids that a part refers to from outside of elements `mc:Fallback`. */
function findReferences(source: string): Set<string> {
  const kept: string[] = [];
  let from = 0;
  for (let at = source.indexOf(START); at >= 0; at = source.indexOf(START, from)) {
    kept.push(source.slice(from, at));
    const tagEnd = source.indexOf('>', at);
    const isEmpty = tagEnd > 0 && source[tagEnd - 1] === '/';
    const end = isEmpty ? tagEnd + 1 : source.indexOf(END, at) + END.length;
    from = end > at ? end : source.length;
  }
  kept.push(source.slice(from));
  return new Set(kept.flatMap((text) => Array.from(text.matchAll(REFERENCE), ([, id = '']) => id)));
}
