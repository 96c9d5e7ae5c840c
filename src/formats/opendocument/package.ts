import type { DocumentMetadata } from '#src/documents/document.ts';
import { ParseError } from '#src/documents/errors.ts';
import { type Archive, openZip } from '#src/formats/shared/containers/zip.ts';
import { isoDate, languageCode } from '#src/formats/shared/flow/metadata.ts';
import type { ParseInput } from '#src/formats/shared/parser.ts';
import { getOwn } from '#src/lib/get-own.ts';
import { child, elements, getTextContent, parseXml, type XmlElement } from '#src/text-formats/xml.ts';
import { createDecryptedArchive } from './locked.ts';

export interface OdfStyle {
  bold?: boolean;
  italic?: boolean;
  strike?: boolean;
  hidden?: boolean;
  /** Position of the text below or above the line. */
  script?: 'sub' | 'super' | undefined;
  breakBefore?: boolean;
  breakAfter?: boolean;
  parent?: string | undefined;
  /** Outline level of headings with this style, from 1. */
  outline?: number | undefined;
  /** Heading level of titles (1) and subtitles (2). Absent for other styles. */
  title?: number | undefined;
}

/** Maximum number of styles that a style inherits from. */
const MAX_PARENTS = 20;
const TITLES: Record<string, number> = { Title: 1, Titel: 1, Subtitle: 2, Untertitel: 2 };

export interface OdfPackage {
  archive: Archive;
  body: XmlElement;
  style(name: string | undefined): OdfStyle;
  isOrdered(listStyle: string | undefined, level: number): boolean;
  stylesRoot: XmlElement | undefined;
  metadata: DocumentMetadata;
  /** True if a password was needed to open the package. */
  unlocked: boolean;
}

function readStyle(style: XmlElement): OdfStyle {
  const text = child(style, 'style:text-properties')?.attributes ?? {};
  const paragraph = child(style, 'style:paragraph-properties')?.attributes ?? {};
  const table = child(style, 'style:table-properties')?.attributes ?? {};
  const own: OdfStyle = {};
  const weight = text['fo:font-weight'];
  if (weight) own.bold = weight === 'bold' || Number(weight) >= 600;
  if (text['fo:font-style']) own.italic = text['fo:font-style'] !== 'normal';
  if (text['style:text-line-through-style']) own.strike = text['style:text-line-through-style'] !== 'none';
  if (text['text:display']) own.hidden = text['text:display'] === 'none';
  if (text['style:text-position']) own.script = readTextPosition(text['style:text-position']);
  if (table['table:display'] === 'false') own.hidden = true;
  if (paragraph['fo:break-before'] === 'page') own.breakBefore = true;
  if (paragraph['fo:break-after'] === 'page') own.breakAfter = true;
  const outline = Number(style.attributes['style:default-outline-level']);
  if (outline > 0) own.outline = outline;
  const title = getOwn(TITLES, style.attributes['style:name'] ?? '');
  if (title !== undefined) own.title = title;
  own.parent = style.attributes['style:parent-style-name'];
  return own;
}

/** Returns a style with the properties that it inherits. */
function resolveStyle(styles: ReadonlyMap<string, OdfStyle>, name: string): OdfStyle {
  const chain: OdfStyle[] = [];
  for (let at: string | undefined = name; at !== undefined && chain.length < MAX_PARENTS; ) {
    const style = styles.get(at);
    // A paragraph may use the name of a title style that the file does not define.
    chain.push(style ?? { title: getOwn(TITLES, at) });
    at = style?.parent;
  }
  return Object.assign({}, ...chain.toReversed());
}

/** Reads a position such as 'super 58%' or '-33% 58%'. The first part is the distance from the line. */
function readTextPosition(position: string): OdfStyle['script'] {
  const [distance = ''] = position.trim().split(/\s+/);
  if (distance === 'super' || distance === 'sub') return distance;
  const percent = Number.parseFloat(distance);
  return percent > 0 ? 'super' : percent < 0 ? 'sub' : undefined;
}

const numberedLevels = (style: XmlElement) =>
  new Set(elements(style, 'text:list-level-style-number').map(({ attributes }) => attributes['text:level']));

function readMetadata(root: XmlElement | undefined): DocumentMetadata {
  const fields = new Map(
    elements(child(root, 'office:meta')).map((field) => [field.name, getTextContent(field).trim()]),
  );
  return {
    title: fields.get('dc:title'),
    author: fields.get('meta:initial-creator') ?? fields.get('dc:creator'),
    createdAt: isoDate(fields.get('meta:creation-date')),
    modifiedAt: isoDate(fields.get('dc:date')),
    language: languageCode(fields.get('dc:language')),
    subject: fields.get('dc:subject'),
  };
}

/**
 * Opens an OpenDocument file. Throws ParseError FILE_IS_PROTECTED if the password is missing or wrong. Throws
 * FILE_IS_BROKEN if the file has no content.
 */
export function openOdf({ bytes, plan, budget }: ParseInput): OdfPackage {
  const stored = openZip(bytes, { budget });
  const manifest = stored.text('META-INF/manifest.xml') ?? '';
  const isLocked = manifest.includes('encryption-data');
  const archive = isLocked
    ? createDecryptedArchive(stored, parseXml(manifest), plan.pages.password, budget)
    : stored;
  const content = parseXml(archive.text('content.xml'));
  const body = elements(child(content, 'office:body'))[0];
  if (!body) throw new ParseError('FILE_IS_BROKEN', 'The file is damaged: the document has no body.');
  const stylesRoot = parseXml(archive.text('styles.xml'));
  const styles = new Map<string, OdfStyle>();
  /** Levels that are numbered instead of bulleted, for each list style. */
  const lists = new Map<string, Set<string | undefined>>();
  for (const [root, section] of [
    [stylesRoot, 'office:styles'],
    [stylesRoot, 'office:automatic-styles'],
    [content, 'office:automatic-styles'],
  ] as const) {
    for (const style of elements(child(root, section))) {
      const name = style.attributes['style:name'] ?? '';
      if (style.name === 'style:style') styles.set(name, readStyle(style));
      else if (style.name === 'text:list-style') lists.set(name, numberedLevels(style));
    }
  }
  return {
    archive,
    body,
    stylesRoot,
    style: (name) => resolveStyle(styles, name ?? ''),
    isOrdered: (listStyle, level) => lists.get(listStyle ?? '')?.has(String(level + 1)) ?? false,
    unlocked: isLocked,
    metadata: readMetadata(parseXml(archive.text('meta.xml'))),
  };
}
