import { elements, getTextContent, type XmlElement } from '#src/text-formats/xml.ts';
import { hasText, localName, readLine } from '../tree/build.ts';

const TITLES = new Set(['title', 'head', 'heading', 'header', 'headline', 'name', 'caption', 'subject']);
const PARAGRAPHS = new Set(
  'p para paragraph text line par abstract summary lead body content description'.split(' '),
);
/** Maximum length in characters of a title. */
const MAX_TITLE = 300;
/** Minimum length in characters of a text that is read as a paragraph. */
const MIN_TEXT = 80;

const isField = (element: XmlElement) => elements(element).length === 0 || hasText(element);

/**
 * Returns the title of an element: a short text with a usual name for titles, at the start of the element.
 * Returns `undefined` if the element has none.
 */
export function findTitle(element: XmlElement): XmlElement | undefined {
  const first = elements(element).slice(0, 4);
  const title = first.find(({ name }) => TITLES.has(localName(name).toLowerCase()));
  if (!title || !isField(title)) return undefined;
  const text = readLine(title);
  return text !== '' && text.length <= MAX_TITLE ? title : undefined;
}

/**
 * Returns whether an element is a paragraph: a text under a usual name for paragraphs that is long, or that has
 * text and elements mixed.
 */
export function isParagraph(element: XmlElement): boolean {
  if (!isField(element)) return false;
  const name = localName(element.name).toLowerCase();
  if (['p', 'para', 'paragraph'].includes(name)) return true;
  return PARAGRAPHS.has(name) && getTextContent(element).length >= MIN_TEXT;
}

/** Knows which elements of a document contain paragraphs. Each element is visited once. */
export class Prose {
  readonly #elements = new Set<XmlElement>();

  constructor(root: XmlElement) {
    this.#visit(root);
  }

  has(element: XmlElement): boolean {
    return this.#elements.has(element);
  }

  #visit(element: XmlElement): boolean {
    if (isField(element)) return isParagraph(element);
    let isProse = false;
    for (const part of elements(element)) if (this.#visit(part)) isProse = true;
    if (isProse) this.#elements.add(element);
    return isProse;
  }
}
