import { elements, type XmlElement } from '#src/text-formats/xml.ts';

export interface Note {
  mark: string;
  kind: 'footnote' | 'endnote';
  content: XmlElement;
}

/**
 * Numbers footnotes and endnotes in the order of their references. Collects the notes until they are written.
 */
export class Notes {
  readonly #sources: Record<Note['kind'], Map<string, XmlElement>>;
  /** Marks of the notes that the text has referred to so far, by note id. */
  readonly #marks: Record<Note['kind'], Map<string, string>> = { footnote: new Map(), endnote: new Map() };
  #next = 1;
  #pending: Note[] = [];

  constructor(footnotes: XmlElement | undefined, endnotes: XmlElement | undefined) {
    const byId = (root: XmlElement | undefined) =>
      new Map(elements(root).map((note) => [note.attributes['w:id'] ?? '', note]));
    this.#sources = { footnote: byId(footnotes), endnote: byId(endnotes) };
  }

  /**
   * Returns the mark of a footnote or endnote, or '' if it does not exist. Every reference to the same note
   * gets the same mark.
   */
  refer(kind: Note['kind'], id: string): string {
    const known = this.#marks[kind].get(id);
    if (known !== undefined) return known;
    const content = this.#sources[kind].get(id);
    if (!content) return '';
    const mark = String(this.#next++);
    this.#marks[kind].set(id, mark);
    this.#pending.push({ mark, kind, content });
    return mark;
  }

  take(): Note[] {
    const pending = this.#pending;
    this.#pending = [];
    return pending;
  }
}
