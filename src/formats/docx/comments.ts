import { elements, type XmlElement } from '#src/text-formats/xml.ts';

export interface Comment {
  author: string;
  isReply: boolean;
  content: XmlElement;
}

/**
 * Collects the comments that the text refers to until they are written. Each comment is returned once, even
 * if several passages refer to it.
 */
export class Comments {
  readonly #comments = new Map<string, Comment>();
  #pending: Comment[] = [];
  deletions = 0;

  /** `extended` tells which comments are replies. It is the content of the part commentsExtended. */
  constructor(root: XmlElement | undefined, extended: XmlElement | undefined) {
    const replies = new Set(
      elements(extended).flatMap(({ attributes }) =>
        attributes['w15:paraIdParent'] === undefined ? [] : [attributes['w15:paraId']],
      ),
    );
    for (const content of elements(root, 'w:comment')) {
      const { attributes } = content;
      const isReply = elements(content).some((one) => replies.has(one.attributes['w14:paraId']));
      const author = (attributes['w:author'] ?? '').trim();
      this.#comments.set(attributes['w:id'] ?? '', { author, isReply, content });
    }
  }

  refer(id: string): void {
    const comment = this.#comments.get(id);
    if (!comment) return;
    this.#comments.delete(id);
    this.#pending.push(comment);
  }

  take(): Comment[] {
    const pending = this.#pending;
    this.#pending = [];
    return pending;
  }

  /** Returns the comments that no passage of the text refers to. */
  takeUnreferred(): Comment[] {
    const left = [...this.#comments.values()];
    this.#comments.clear();
    return left;
  }
}
