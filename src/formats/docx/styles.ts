import { isOn } from '#src/formats/shared/containers/ooxml-package.ts';
import type { Run } from '#src/formats/shared/flow/runs.ts';
import { child, elements, type XmlElement } from '#src/text-formats/xml.ts';

export interface ParagraphStyle {
  heading?: number | undefined;
  isCode?: boolean | undefined;
  isQuote?: boolean | undefined;
  numId?: string | undefined;
  level?: number | undefined;
  bold?: boolean | undefined;
  italic?: boolean | undefined;
  hidden?: boolean | undefined;
  /** Position of the text below or above the line. 'none' ends the position that a parent style sets. */
  script?: 'sub' | 'super' | 'none' | undefined;
  /** Font size in half points. */
  size?: number | undefined;
}

const value = (element: XmlElement | undefined) => element?.attributes['w:val'];

/**
 * Names of heading styles. Word stores the English names of its own styles in every language, but other
 * programs store the names that their users see.
 */
const HEADING_NAME =
  /^(?:heading|überschrift|titre|título|titolo|kop|rubrik|overskrift|otsikko|nagłówek|nadpis|заголовок|标题|標題|見出し|제목) ?(\d)$/;
const TITLE_NAMES = new Set([
  ...['title', 'titel', 'titre', 'título', 'titolo', 'tytuł', 'otsikko', 'tittel', 'название', 'заголовок'],
  ...['标题', '標題', '表題', '제목'],
]);
const SUBTITLE_NAMES = new Set([
  ...[
    'subtitle',
    'untertitel',
    'sous-titre',
    'subtítulo',
    'sottotitolo',
    'ondertitel',
    'podtytuł',
    'podtitul',
  ],
  ...['undertitel', 'undertittel', 'alaotsikko', 'подзаголовок', '副标题', '副標題', '副題', '부제'],
]);

function readOwnStyle(style: XmlElement): ParagraphStyle {
  const name = (value(child(style, 'w:name')) ?? '').toLowerCase();
  const paragraph = child(style, 'w:pPr');
  const run = child(style, 'w:rPr');
  const own: ParagraphStyle = {};
  const named = HEADING_NAME.exec(name)?.[1];
  const outline = value(child(paragraph, 'w:outlineLvl'));
  if (named) own.heading = Number(named);
  else if (TITLE_NAMES.has(name)) own.heading = 1;
  else if (SUBTITLE_NAMES.has(name)) own.heading = 2;
  else if (outline !== undefined) own.heading = Number(outline) < 6 ? Number(outline) + 1 : undefined;
  if (/\b(?:code|preformatted)\b/.test(name)) own.isCode = true;
  if (/\bquote\b/.test(name)) own.isQuote = true;
  const numbering = child(paragraph, 'w:numPr');
  const numId = value(child(numbering, 'w:numId'));
  if (numId !== undefined) own.numId = numId;
  const level = value(child(numbering, 'w:ilvl'));
  if (level !== undefined) own.level = Number(level);
  if (child(run, 'w:b')) own.bold = isOn(child(run, 'w:b'));
  if (child(run, 'w:i')) own.italic = isOn(child(run, 'w:i'));
  if (child(run, 'w:vanish')) own.hidden = isOn(child(run, 'w:vanish'));
  const script = readScript(run);
  if (script) own.script = script;
  const size = readFontSize(run);
  if (size) own.size = size;
  return own;
}

/** Returns the vertical position that run properties set, or `undefined` if they set none. */
export function readScript(properties: XmlElement | undefined): ParagraphStyle['script'] {
  const setting = value(child(properties, 'w:vertAlign'));
  if (setting === undefined) return undefined;
  return setting === 'subscript' ? 'sub' : setting === 'superscript' ? 'super' : 'none';
}

/** Returns the font size that properties set, in half points, or `undefined` if they set none. */
export function readFontSize(properties: XmlElement | undefined): number | undefined {
  const size = Number.parseFloat(value(child(properties, 'w:sz')) ?? '');
  return size > 0 ? size : undefined;
}

/** Text that is at most this large compared with the text around it can be a subscript or superscript. */
const SCRIPT_SIZE = 0.85;

/**
 * Returns the vertical position of text that is raised or lowered by a distance. Returns `undefined` for text as
 * large as its line, whose size is `lineSize`, because whole words are also moved to adjust the layout.
 */
export function readShift(properties: XmlElement | undefined, lineSize: number): Run['script'] {
  const distance = Number.parseFloat(value(child(properties, 'w:position')) ?? '0');
  const size = readFontSize(properties) ?? lineSize;
  if (!distance || size > lineSize * SCRIPT_SIZE) return undefined;
  return distance > 0 ? 'super' : 'sub';
}

/**
 * Returns a function that finds a paragraph style by its id, including inherited properties. Without an id,
 * the function returns the default style.
 */
export function readStyles(root: XmlElement | undefined): (id: string | undefined) => ParagraphStyle {
  const sources = new Map<string, XmlElement>();
  for (const style of elements(root, 'w:style')) {
    const id = style.attributes['w:styleId'];
    if (id !== undefined) sources.set(id, style);
    const isDefault = style.attributes['w:default'];
    if (style.attributes['w:type'] === 'paragraph' && isDefault && isDefault !== '0') sources.set('', style);
  }
  const resolved = new Map<string, ParagraphStyle>();
  const resolve = (id: string, depth: number): ParagraphStyle => {
    const known = resolved.get(id);
    if (known) return known;
    const source = sources.get(id);
    if (!source && /^heading\d$/i.test(id)) return { heading: Number(id.at(-1)) };
    if (!source || depth > 20) return {};
    const parent = value(child(source, 'w:basedOn'));
    const style = { ...(parent === undefined ? {} : resolve(parent, depth + 1)), ...readOwnStyle(source) };
    resolved.set(id, style);
    return style;
  };
  return (id) => resolve(id ?? '', 0);
}
