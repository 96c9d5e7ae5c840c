import { elements, type XmlElement } from '#src/parsing/xml.ts';

export interface Note {
  mark: string;
  kind: 'footnote' | 'endnote';
  content: XmlElement;
}

/** Numbers the notes in the order they are referred to and holds them until the page ends. */
export class Notes {
  readonly #sources: Record<Note['kind'], Map<string, XmlElement>>;
  readonly #marks = new Map<XmlElement, string>();
  #next = 1;
  #pending: Note[] = [];

  constructor(footnotes: XmlElement | undefined, endnotes: XmlElement | undefined) {
    const byId = (root: XmlElement | undefined) =>
      new Map(elements(root).map((note) => [note.attributes['w:id'] ?? '', note]));
    this.#sources = { footnote: byId(footnotes), endnote: byId(endnotes) };
  }

  /** The mark to print, or '' when there is no such note. A note that is referred to again keeps its mark. */
  refer(kind: Note['kind'], id: string): string {
    const content = this.#sources[kind].get(id);
    if (!content) return '';
    const known = this.#marks.get(content);
    if (known) return known;
    const mark = String(this.#next++);
    this.#marks.set(content, mark);
    this.#pending.push({ mark, kind, content });
    return mark;
  }

  take(): Note[] {
    const pending = this.#pending;
    this.#pending = [];
    return pending;
  }
}
